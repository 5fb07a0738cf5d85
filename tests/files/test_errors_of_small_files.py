"""The error contract for every kind of small file: any bytes give a result or a KafkafmtError, quickly."""

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pytest

from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import (
    clean_shutdown,
    leader_epoch_checkpoint,
    meta_properties,
    offset_checkpoint,
    offset_index,
    partition_metadata,
    producer_snapshot,
    quorum_state,
    time_index,
    transaction_index,
)
from tests.golden_cases import cases


class Parsed(Protocol):
    """The interface of every module's result."""

    @property
    def file(self) -> str | None: ...
    @property
    def entries(self) -> Sequence[object]: ...
    def to_table(self) -> pa.Table: ...


READERS: dict[str, Callable[[Path], Parsed]] = {
    "*.index": offset_index.read,
    "*.timeindex": time_index.read,
    "*.txnindex": transaction_index.read,
    "*.snapshot": producer_snapshot.read,
    "leader-epoch-checkpoint": leader_epoch_checkpoint.read,
    "*-offset-checkpoint": offset_checkpoint.read,
    "meta.properties": meta_properties.read,
    "partition.metadata": partition_metadata.read,
    "quorum-state": quorum_state.read,
    ".kafka_cleanshutdown": clean_shutdown.read,
}

PARSERS: dict[str, Callable[..., Parsed]] = {
    "*.index": offset_index.parse,
    "*.timeindex": time_index.parse,
    "*.txnindex": transaction_index.parse,
    "*.snapshot": producer_snapshot.parse,
    "leader-epoch-checkpoint": leader_epoch_checkpoint.parse,
    "*-offset-checkpoint": offset_checkpoint.parse,
    "meta.properties": meta_properties.parse,
    "partition.metadata": partition_metadata.parse,
    "quorum-state": quorum_state.parse,
    ".kafka_cleanshutdown": clean_shutdown.parse,
}


def samples(pattern: str) -> list[bytes]:
    """A few golden files of a kind: the largest below 400 bytes, and the smallest non-empty one."""
    contents = {path.read_bytes() for case in cases() for path in case.files(pattern) if 0 < path.stat().st_size <= 400}
    ordered = sorted(contents, key=lambda content: (len(content), content))
    return [*ordered[:1], *ordered[-2:]]


def check(parse: Callable[..., Parsed], data: bytes) -> bool:
    """Parse and use the whole result; return whether there is one."""
    result: Parsed | KafkafmtError
    try:
        result = parse(data, file="the-file")
    except KafkafmtError as error:
        result = error
    if isinstance(result, KafkafmtError):
        assert result.position is None or 0 <= result.position <= len(data)
        assert str(result).encode()
    else:
        result.to_table().validate(full=True)
        str(getattr(result, "sanity_error", None))
        list(result.entries)
    assert result.file == "the-file"
    return not isinstance(result, KafkafmtError)


def mutations(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Seeded mutations: bytes set, cut, inserted, moved and duplicated."""
    chance = random.Random(seed)
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            at = chance.randint(0, len(changed))
            length = chance.randint(1, 8)
            kind = chance.randrange(5)
            if kind == 0:
                changed[at : at + length] = chance.randbytes(length)
            elif kind == 1:
                del changed[at : at + length]
            elif kind == 2:
                changed[at:at] = (
                    chance.choice([b"\0", b"\xff", b"\n", b"9", b"-", b"\\", b'"', b"[", b"\x7f\xff\xff\xff"]) * length
                )
            elif kind == 3:
                changed[at:at] = changed[:length]
            else:
                changed += changed[at:]
        yield bytes(changed)


@pytest.mark.parametrize("pattern", READERS)
def test_every_golden_file_is_read_and_becomes_a_table(pattern: str) -> None:
    paths = [path for case in cases() for path in case.files(pattern)]
    assert len(paths) >= 5
    for path in paths:
        result = READERS[pattern](path)
        assert result.file == str(path)
        result.to_table().validate(full=True)


@pytest.mark.parametrize("pattern", PARSERS)
def test_every_prefix_gives_a_result_or_an_error(pattern: str) -> None:
    for data in samples(pattern):
        for length in range(len(data) + 1):
            check(PARSERS[pattern], data[:length])


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PARSERS)
def test_every_flipped_bit_gives_a_result_or_an_error(pattern: str) -> None:
    for data in samples(pattern):
        for bit in range(len(data) * 8):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            check(PARSERS[pattern], bytes(changed))


@pytest.mark.parametrize("pattern", PARSERS)
def test_seeded_mutations_give_a_result_or_an_error(pattern: str) -> None:
    for seed, data in enumerate(samples(pattern)):
        for changed in mutations(data, 300, seed):
            check(PARSERS[pattern], changed)


def test_every_flipped_bit_of_a_snapshot_is_noticed() -> None:
    for data in samples("*.snapshot"):
        for bit in range(len(data) * 8):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            assert not check(producer_snapshot.parse, bytes(changed))


def test_mutated_snapshots_with_a_right_checksum_give_a_result_or_an_error() -> None:
    results = 0
    for seed, data in enumerate(samples("*.snapshot")):
        for changed in mutations(data[6:], 300, seed):
            results += check(producer_snapshot.parse, data[:2] + struct.pack(">I", crc32c(changed)) + changed)
    assert results > 100


@pytest.mark.parametrize("pattern", PARSERS)
@pytest.mark.parametrize(
    "data", [b"\0" * 1000, b"\xff" * 1000, b"\n" * 1000, b"[" * 100_000, b"9" * 10_000, b"\\" * 1001]
)
def test_bytes_of_one_kind_give_a_result_or_an_error(pattern: str, data: bytes) -> None:
    check(PARSERS[pattern], data)


@pytest.mark.parametrize("pattern", READERS)
def test_a_missing_file_and_a_directory_are_source_errors(pattern: str, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(SourceError):
            READERS[pattern](path)
