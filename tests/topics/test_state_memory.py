"""Memory of the state of internal topics: bounded, even if few bytes on disk decode to much."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
import zstandard

import kafkafmt
import kafkafmt.topics
from kafkafmt.codec.compression import Compression
from kafkafmt.errors import LimitExceededError
from kafkafmt.limits import Limits
from kafkafmt.topics.decoding import PER_STORED_BYTE, StateMemory
from tests.hostile import hostile_bytes
from tests.logdir.builders import file_name
from tests.topics.cluster_metadata import written
from tests.topics.consumer_groups import coordinator_log as log
from tests.varints import write_varint

Item = tuple[bytes | None, bytes]


def packed(items: Iterable[Item]) -> bytes:
    """One batch of records, compressed."""
    records = []
    for number, (key, value) in enumerate(items):
        named = b"\1" if key is None else write_varint(len(key)) + key
        records.append(
            hostile_bytes.record(b"\0\0" + write_varint(number) + named + write_varint(len(value)) + value + b"\0")
        )
    data = zstandard.ZstdCompressor(3).compress(b"".join(records))
    return hostile_bytes.batch(data, count=len(records), codec=Compression.ZSTD)


def commits() -> Iterator[Item]:
    """Commits with distinct keys, which differ in their partitions."""
    return ((log.commit_key("g", "t", number), log.commit_value(7)) for number in range(130_000))


def nested() -> Iterator[Item]:
    """Assignments of thousands of topics without partitions, 18 bytes each."""
    value = struct.pack(">hiib", 0, 1, 0, 0) + written.uvarint(5001) + (bytes(16) + b"\1\0") * 5000 + b"\1\0"
    return ((log.key(8, "g", f"m{number}"), value) for number in range(60))


def subscriptions() -> Iterator[Item]:
    """Members that own thousands of topics without name and partitions, 6 bytes each."""
    owned = struct.pack(">hiii", 1, 0, -1, 20_000) + (b"\0\0" + bytes(4)) * 20_000
    members = [log.classic_member(f"m{number}", owned) for number in range(40)]
    return iter([(log.key(2, "g"), log.classic_group(*members))])


def transactions() -> Iterator[Item]:
    """Transactions of many partitions each."""
    value = struct.pack(">hqhib", 0, 7, 0, 60_000, 1) + struct.pack(">i", 1) + log.text("t")
    value += struct.pack(">i5000i", 5000, *range(5000)) + struct.pack(">qq", 5, 5)
    return ((log.key(0, f"id-{number}"), value) for number in range(300))


def partitions() -> Iterator[Item]:
    yield None, written.topic()
    before, after = written.partition(0x01020304).split(bytes.fromhex("01020304"))
    for number in range(150_000):
        yield None, before + struct.pack(">i", number) + after


def share_updates() -> Iterator[Item]:
    yield log.share_key("g", 0), log.share_snapshot(1)
    for number in range(2000):
        yield log.share_key("g", 0, kind=1), log.share_update(number, complete=0)


Made = Callable[[], Iterator[Item]]
BOMBS: dict[str, tuple[str, str, Made]] = {
    "commits": ("groups", "__consumer_offsets-0", commits),
    "nested arrays": ("groups", "__consumer_offsets-0", nested),
    "subscriptions": ("groups", "__consumer_offsets-0", subscriptions),
    "transactions": ("transactions", "__transaction_state-0", transactions),
    "partitions": ("metadata", "__cluster_metadata-0", partitions),
}

READ_ALL = """
import json, sys
import kafkafmt, kafkafmt.topics
from tests.peak_memory import peak
errors = {}
for name, what, path in json.loads(sys.argv[1]):
    try:
        getattr(kafkafmt.topics, what)(path)
        errors[name] = "read"
    except kafkafmt.KafkafmtError as error:
        errors[name] = f"{type(error).__mro__[1].__name__} {error.file}:{error.position}: {error.message}"
print(json.dumps({"errors": errors, "peak": peak()}))
"""


def write(log_dir: Path, directory: str, data: bytes) -> Path:
    place = log_dir / directory
    place.mkdir(parents=True)
    (place / file_name(0)).write_bytes(data)
    return log_dir


@pytest.mark.volume
def test_few_bytes_that_decode_to_much_end_at_the_limit(tmp_path: Path) -> None:
    calls = []
    for number, (name, (what, directory, items)) in enumerate(BOMBS.items()):
        path = write(tmp_path / str(number), directory, packed(items()))
        calls.append((name, what, str(path)))
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, json.dumps(calls)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    for name, (_, directory, _) in BOMBS.items():
        assert found["errors"][name].startswith("LimitExceededError"), (name, found["errors"][name])
        assert f"{directory}/{file_name(0)}" in found["errors"][name]
        assert "kafkafmt.Limits(max_state_bytes=" in found["errors"][name]
    assert found["peak"] < 270 * 2**20  # below 400 MB with the pages of shared libraries, which are about 130 MB


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "directory", "items"),
    [
        ("groups", "__consumer_offsets-0", commits),
        ("transactions", "__transaction_state-0", transactions),
        ("metadata", "__cluster_metadata-0", partitions),
    ],
)
def test_a_higher_limit_reads_it(what: str, directory: str, items: Made, tmp_path: Path) -> None:
    few = [item for item, _ in zip(items(), range(300), strict=False)]
    path = write(tmp_path, directory, packed(few))
    read = getattr(kafkafmt.topics, what)
    with pytest.raises(LimitExceededError, match=r"^.*: position 0: the state of .* takes too much memory") as raised:
        read(path, limits=Limits(max_state_bytes=1))
    stored = len(packed(few))
    assert raised.value.expected == f"at most 1 bytes, and {PER_STORED_BYTE} for each of {stored} bytes on disk"
    read(path, limits=Limits(max_state_bytes=1_000_000_000))


def test_start_offsets_of_share_groups_are_bounded_too(tmp_path: Path) -> None:
    write(tmp_path, "__consumer_offsets-0", packed([(log.key(11, "g"), log.hashed_epoch(1))]))
    write(tmp_path, "__share_group_state-0", packed(share_updates()))
    with pytest.raises(LimitExceededError, match="the state of __share_group_state"):
        kafkafmt.topics.groups(tmp_path, limits=Limits(max_state_bytes=100_000))
    kafkafmt.topics.groups(tmp_path, limits=Limits(max_state_bytes=10_000_000))


def test_what_later_records_replace_counts_once(tmp_path: Path) -> None:
    same = [(log.commit_key("g", "t", 0), log.commit_value(number)) for number in range(5000)]
    path = write(tmp_path, "__consumer_offsets-0", packed(same))
    (group,) = kafkafmt.topics.groups(path, limits=Limits(max_state_bytes=10_000))
    assert [offset.offset for offset in group.offsets] == [4999]
    same_partition = [(None, written.topic()), *((None, written.partition(0)) for _ in range(5000))]
    path = write(tmp_path / "controller", "__cluster_metadata-0", packed(same_partition))
    assert kafkafmt.topics.metadata(path, limits=Limits(max_state_bytes=10_000)).partition_count == 1


def test_recounting_is_not_done_for_each_record() -> None:
    counted: list[int] = []

    def recount() -> int:
        counted.append(1)
        return 500

    memory = StateMemory("a topic", Limits(max_state_bytes=1000), 0, recount)
    for _ in range(10_000):
        memory.add(1, None, None)
    assert len(counted) == 18
