"""The law on errors, as checks that a test calls with any bytes at all."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

import kafkafmt
from kafkafmt import Damage, KafkafmtError, LogDir, Partition, Segment
from kafkafmt.files.damage import INCOMPLETE_TAIL, ZERO_TAIL, reason_of
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.source import MemoryFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.hostile.corpus import SMALL

T = TypeVar("T")

MOST_SECONDS = 1.0
TAILS = (INCOMPLETE_TAIL, ZERO_TAIL)


def obeys(call: Callable[[], T]) -> T | KafkafmtError:
    """What `call` gives, or its KafkafmtError; any other exception goes on, and so does more than a second of work."""
    start = time.process_time()
    result: T | KafkafmtError
    try:
        result = call()
    except KafkafmtError as error:
        result = error
    took = time.process_time() - start
    assert took < MOST_SECONDS, f"{took:.2f} s of work"
    if isinstance(result, KafkafmtError):
        assert str(result)
    return result


def check_small(kind: str, data: bytes) -> None:
    """A small file gives tables that Arrow itself finds in order, or a KafkafmtError."""
    result = obeys(lambda: SMALL[kind](data))
    if not isinstance(result, KafkafmtError):
        for table in result:
            table.validate(full=True)


def walk(
    data: bytes, on_damage: Any, *, verify: bool, may_end_open: bool = True
) -> tuple[list[tuple[int, int]], list[Record], list[Damage], KafkafmtError | None]:
    """Ranges of the entries delivered, their records, the damage, and the error that ended it all."""
    ranges: list[tuple[int, int]] = []
    records: list[Record] = []
    damage: list[Damage] = []

    def visit(entry: Entry) -> tuple[Entry, list[Record]]:
        if verify:
            entry.verify_checksum()
        return entry, list(entry.records())

    reader = SegmentReader(
        MemoryFile("a.log", data), on_damage=on_damage, may_end_open=may_end_open, report=damage.append
    )
    try:
        for entry, decoded in reader.walk(visit):
            ranges.append((entry.position, entry.frame.size_in_bytes))
            records += decoded
    except KafkafmtError as error:
        return ranges, records, damage, error
    return ranges, records, damage, None


def shown(error: KafkafmtError | None) -> tuple[object, ...] | None:
    if error is None:
        return None
    return (type(error), error.message, error.file, error.position, error.expected, error.found)


def plain(records: list[Record]) -> list[tuple[object, ...]]:
    return [
        (each.offset, each.timestamp, each.timestamp_type, each.sequence, each.key, each.value, each.headers)
        for each in records
    ]


def check_walk(data: bytes, *, verify: bool, may_end_open: bool = True) -> list[Damage]:
    """Both modes of one walk agree with each other, and with the file: nothing is lost or told twice."""
    skipped = obeys(lambda: walk(data, "skip", verify=verify, may_end_open=may_end_open))
    raised = obeys(lambda: walk(data, "raise", verify=verify, may_end_open=may_end_open))
    assert not isinstance(skipped, KafkafmtError)
    assert not isinstance(raised, KafkafmtError)
    ranges, records, damage, error = skipped
    assert error is None
    position = 0
    for begin, length in sorted([*ranges, *((each.position, each.length) for each in damage)]):
        assert begin == position
        assert length > 0
        position += length
    assert position == len(data)
    assert [each.position for each in damage] == sorted(each.position for each in damage)
    for each in damage:
        assert each.error.position == each.position
        assert each.error.file == each.file == "a.log"
        assert each.reason in TAILS or each.reason == reason_of(each.error)
        if each.reason in TAILS:
            assert each is damage[-1]
            assert each.position + each.length == len(data)
    first = next((each.error for each in damage if not (may_end_open and each.reason in TAILS)), None)
    ranges_before, records_before, tail, error = raised
    assert shown(error) == shown(first)
    assert ranges_before == ranges[: len(ranges_before)]
    assert plain(records_before) == plain(records)[: len(records_before)]
    if error is None:
        assert ranges_before == ranges
        assert [(each.position, each.length, each.reason) for each in tail] == [
            (each.position, each.length, each.reason) for each in damage
        ]
    return damage


def check_scan(path: Path, rnd: random.Random, *, verify: bool, damage: list[Damage]) -> None:
    """`scan` gives Arrow data in order, the same each time, and the damage that the walk knows."""
    scan = kafkafmt.scan(path, on_damage="skip", control_records=True, below_log_start=True, verify_checksums=verify)
    table = obeys(scan.to_table)
    assert isinstance(table, pa.Table)
    table.validate(full=True)
    told = [(each.position, each.length, each.reason) for each in scan.damage]
    assert told == [(each.position, each.length, each.reason) for each in damage]
    if rnd.random() < 0.25:
        again = obeys(scan.to_table)
        assert isinstance(again, pa.Table)
        assert again.equals(table)
        assert told == [(each.position, each.length, each.reason) for each in scan.damage]
    last = obeys(lambda: scan.tail(5).read_all())
    assert isinstance(last, pa.Table)
    assert last.equals(table.slice(max(0, table.num_rows - 5)))
    first_rows = obeys(lambda: scan.head(5).read_all())
    assert isinstance(first_rows, pa.Table)
    assert first_rows.equals(table.slice(0, 5))
    count = obeys(lambda: scan.count(verify_checksums=verify))
    assert isinstance(count, int)
    if all(reason in TAILS for _, _, reason in told):
        assert count == table.num_rows
    strict = kafkafmt.scan(path, control_records=True, below_log_start=True, verify_checksums=verify)
    whole = obeys(strict.to_table)
    first = next((each.error for each in damage if each.reason not in TAILS), None)
    if isinstance(whole, KafkafmtError):
        assert first is not None
        assert (type(whole), whole.message, whole.position) == (type(first), first.message, first.position)
    else:
        assert first is None
        assert whole.equals(table)
    obeys(strict.count)
    narrow = kafkafmt.scan(
        path,
        on_damage="skip",
        verify_checksums=verify,
        columns=rnd.sample(scan.schema.names, 3),
        start_offset=rnd.choice((None, 0, 3, 2**62)),
        end_offset=rnd.choice((None, 5, 2**63)),
        start_timestamp=rnd.choice((None, 0, 1_600_000_000_000)),
        end_timestamp=rnd.choice((None, 1_700_000_000_000)),
        key=rnd.choice((None, b"k-1")),
    )
    some = obeys(narrow.to_table)
    assert isinstance(some, pa.Table)
    some.validate(full=True)
    assert some.num_rows <= table.num_rows
    assert isinstance(obeys(narrow.count), int)


def check_segment(segment: Segment) -> None:
    """Every answer of a `Segment` obeys the law."""
    for verify, deep in ((False, False), (True, True)):
        headers = obeys(
            lambda v=verify, d=deep: [  # type: ignore[misc]
                (repr(header), header.error and str(header.error))
                for header in segment.batches(deep=d, verify_checksums=v)
            ]
        )
        assert headers is not None
    obeys(lambda: [(repr(record), record.control_type, record.control_type_id) for record in segment.records()])
    obeys(lambda: [record.coordinator_epoch for record in segment.records()])
    valid_bytes = obeys(lambda: segment.valid_bytes)
    assert isinstance(valid_bytes, int)
    assert 0 <= valid_bytes <= segment.size
    assert (obeys(lambda: segment.error) is None) == (valid_bytes == segment.size)
    obeys(segment.next_offset)
    obeys(segment.last_entry)
    for answer in ("offset_index", "time_index", "transaction_index"):
        index = obeys(lambda a=answer: getattr(segment, a))  # type: ignore[misc]
        if not isinstance(index, KafkafmtError):
            index.to_table().validate(full=True)


def check_partition(partition: Partition, rnd: random.Random) -> None:
    """Every answer of a `Partition` obeys the law."""
    for answer in (
        "log_start_offset",
        "log_end_offset",
        "high_watermark",
        "recovery_point",
        "leader_epochs",
        "topic_id",
        "quorum_state",
        "producer_snapshots",
        "last_leader_epoch",
        "checkpointed_log_start_offset",
    ):
        obeys(lambda a=answer: getattr(partition, a))  # type: ignore[misc]
    for offset in (-(2**63), -1, 0, rnd.randrange(100), 2**63 - 1):
        obeys(lambda o=offset: partition.find_offset(o))  # type: ignore[misc]
        obeys(lambda o=offset: partition.find_timestamp(o))  # type: ignore[misc]
    for each in [*partition.segments, *partition.other_segments]:
        check_segment(each)


def check_log_dir(path: Path, rnd: random.Random) -> None:
    """Every answer of a `LogDir` and of scans over it obeys the law."""
    log_dir = LogDir(path)
    for answer in ("meta_properties", "checkpoints", "clean_shutdown"):
        obeys(lambda: getattr(log_dir, answer))  # noqa: B023 (called at once)
    for partition in [*log_dir.partitions, *log_dir.other_partitions]:
        check_partition(partition, rnd)
    for on_damage in ("raise", "skip"):
        for verify in (True, False):
            scan = kafkafmt.scan(path, on_damage=on_damage, verify_checksums=verify, replica="all")
            table = obeys(scan.to_table)
            if not isinstance(table, KafkafmtError):
                table.validate(full=True)
            elif on_damage == "skip":
                raise table
            obeys(scan.count)
            if on_damage == "skip":
                last = obeys(lambda s=scan: s.tail(3).read_all())  # type: ignore[misc]
                assert isinstance(last, pa.Table)
    obeys(kafkafmt.scan(path, end_offset="high_watermark", on_damage="skip").to_table)
