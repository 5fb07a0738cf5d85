"""A small log of an internal topic, read entry by entry, compared with the same log read with Arrow."""

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.codec.compression import Compression
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.logdir.found import Found
from kafkafmt.scanning import decoders
from kafkafmt.topics import groups, transactions
from kafkafmt.topics.cluster_metadata import metadata, restoring
from kafkafmt.topics.internal_log import InternalLog
from tests.codec.compression.compressors import compress
from tests.golden_cases import cases
from tests.reference import builder

TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
LOGS = [
    (case.log_dir, topic)
    for case in cases("modern")
    for topic in TOPICS
    if case.log_dir.is_dir() and any(case.log_dir.rglob(f"{topic}-*"))
]
GROUPS = [log_dir for log_dir, topic in LOGS if topic == "__consumer_offsets"]


def both(monkeypatch: pytest.MonkeyPatch, read: Any, *arguments: Any, **named: Any) -> tuple[Any, Any]:
    """The result of reading entry by entry, and with Arrow."""
    found = []
    for by_entry in (True, False):
        monkeypatch.setattr(InternalLog, "is_read_by_entry", by_entry)
        try:
            found.append(read(*arguments, **named))
        except KafkafmtError as error:
            found.append(f"{type(error).__name__}: {error}")
    return found[0], found[1]


def contents(log_dir: Path, topic: str, **named: Any) -> tuple[Any, ...]:
    log = InternalLog(log_dir, topic, on_damage="skip", **named)
    passed: list[int] = []
    records = [*log.records(passed.append)]
    damage = [(each.file, each.position, each.length, str(each.error)) for each in log.damage]
    return records, log.notes, damage, log.is_whole, sum(passed)


def answer_of(ask: Any, log_dir: Path, **named: Any) -> tuple[Any, ...]:
    answer = ask(log_dir, on_damage="skip", **named)
    return {name: answer.to_table(name).to_pylist() for name in answer.tables}, [*answer.notes], [*answer.findings]


def test_there_are_logs_of_each_topic() -> None:
    assert {topic for _, topic in LOGS} == {*TOPICS}
    assert len(LOGS) > 20


@pytest.mark.parametrize(("log_dir", "topic"), LOGS, ids=lambda each: getattr(each, "parent", each) and str(each)[-60:])
def test_records_notes_and_damage_are_the_same(monkeypatch: pytest.MonkeyPatch, log_dir: Path, topic: str) -> None:
    by_entry, with_arrow = both(monkeypatch, contents, log_dir, topic)
    assert by_entry == with_arrow
    ended = both(monkeypatch, contents, log_dir, topic, at_offset=len(by_entry[0]) // 2)
    assert ended[0] == ended[1]


@pytest.mark.parametrize("log_dir", GROUPS, ids=lambda each: str(each)[-60:])
def test_groups_are_the_same(monkeypatch: pytest.MonkeyPatch, log_dir: Path) -> None:
    by_entry, with_arrow = both(monkeypatch, answer_of, groups, log_dir)
    assert by_entry == with_arrow


def test_damage_costs_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logs = [each for log_dir in GROUPS for each in log_dir.rglob("__consumer_offsets-*/*.log")]
    partition = min((each for each in logs if each.stat().st_size > 1000), key=lambda each: (each.stat().st_size, each))
    copy = tmp_path / "log-dir" / partition.parent.name
    shutil.copytree(partition.parent, copy)
    log = copy / partition.name
    sound = log.read_bytes()
    found = set()
    for position in range(0, len(sound), len(sound) // 23):
        damaged = bytearray(sound)
        damaged[position] ^= 0x55
        log.write_bytes(damaged)
        by_entry, with_arrow = both(monkeypatch, contents, copy.parent, "__consumer_offsets")
        assert by_entry == with_arrow
        by_entry, with_arrow = both(monkeypatch, answer_of, groups, copy.parent)
        assert by_entry == with_arrow
        by_entry, with_arrow = both(monkeypatch, groups, copy.parent, on_damage="raise")
        assert isinstance(by_entry, str) == isinstance(with_arrow, str)
        if isinstance(by_entry, str):
            assert by_entry == with_arrow
            found.add(by_entry)
    assert len(found) > 3


def test_transactions_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for log_dir in [each for each, name in LOGS if name == "__transaction_state"][:3]:
        by_entry, with_arrow = both(monkeypatch, answer_of, transactions, log_dir)
        assert by_entry == with_arrow


def test_a_metadata_log_is_the_same_with_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    for log_dir in [each for each, name in LOGS if name == "__cluster_metadata"][:4]:
        small = answer_of(metadata, log_dir)
        with monkeypatch.context() as patch:
            patch.setattr(restoring, "_SMALL", 0)
            large = answer_of(metadata, log_dir)
        assert small == large


def test_notes_are_the_same_in_the_same_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Loaded kernels find faults inside batches after faults between them."""
    importlib.import_module(decoders._KERNELS)
    partition = tmp_path / "__consumer_offsets-0"
    partition.mkdir()
    turned = [builder.R(delta) for delta in (0, 2, 1, 3)]
    log = [builder.batch(turned), builder.batch(turned, base_offset=3), builder.batch(base_offset=7)]
    (partition / f"{0:020d}.log").write_bytes(b"".join(log))
    for end in (None, 3, 4, 7):
        by_entry, with_arrow = both(monkeypatch, contents, tmp_path, "__consumer_offsets", at_offset=end)
        assert by_entry == with_arrow
        assert len(by_entry[1]) > 1


PLAIN = builder.batch([builder.R(number) for number in range(3)])
BOMB = builder.batch(
    attributes=Compression.ZSTD,
    count=100_000,
    last_offset_delta=99_999,
    base_offset=3,
    payload=compress(Compression.ZSTD, bytes(builder.R()) * 100_000),
)


@pytest.mark.parametrize(
    ("data", "is_by_entry"),
    [
        pytest.param(b"", True, id="empty"),
        pytest.param(PLAIN, True, id="plain"),
        pytest.param(PLAIN + BOMB, False, id="compressed"),
        pytest.param(PLAIN[:-1] + b"!" + PLAIN, False, id="a wrong CRC"),
        pytest.param(builder.with_size(PLAIN, -20) + PLAIN, False, id="a negative size"),
        pytest.param(PLAIN + PLAIN[:-1], False, id="a batch that is cut off"),
        pytest.param(PLAIN + PLAIN[:20], False, id="a header that is cut off"),
        pytest.param(builder.wrapper(2, builder.message(0) + builder.message(1)), False, id="a wrapper"),
    ],
)
def test_a_small_log_is_read_by_entry_if_its_records_are_few(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes, is_by_entry: bool
) -> None:
    monkeypatch.delitem(sys.modules, "pyarrow.compute", raising=False)
    for topic in ("__consumer_offsets", "__cluster_metadata"):
        (tmp_path / f"{topic}-0").mkdir()
        (tmp_path / f"{topic}-0" / f"{0:020d}.log").write_bytes(data)
    assert InternalLog(tmp_path, "__consumer_offsets").is_read_by_entry is is_by_entry
    [partition] = kafkafmt.scan(tmp_path / "__cluster_metadata-0").partitions
    ways: list[str] = []

    def by_entry(*_: object) -> Iterator[None]:
        ways.append("by entry")
        yield from ()

    monkeypatch.setattr(restoring, "records_by_entry", by_entry)
    list(restoring.log_records(Found(partition), on_damage="skip", limits=Limits(), met=restoring._Apart()))
    assert bool(ways) is is_by_entry
