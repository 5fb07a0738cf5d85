"""The error contract as checks that a test calls with arbitrary bytes."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

import kafkafmt
from kafkafmt import Damage, KafkafmtError, Limits, LogDir, Partition, Segment
from kafkafmt.columns import SCHEMA
from kafkafmt.files.damage import GARBAGE_TAIL, INCOMPLETE_TAIL, ZERO_TAIL
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.findings import reason_of
from kafkafmt.io.base import MemoryFile
from kafkafmt.record_columns import Origin
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.record import Record
from kafkafmt.scanning.batching import Run, record_batches
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.tasks import ScanTask, SegmentInMemory
from tests.engines import ENGINES, Outcome, counted, load_kernels, outcome, shown, shown_damage, shown_headers
from tests.hostile.corpus import SMALL

T = TypeVar("T")

MOST_SECONDS = 20.0  # only for hangs: test_linear_time.py compares durations
TAILS = (INCOMPLETE_TAIL, ZERO_TAIL, GARBAGE_TAIL)
ORIGIN = Origin("t", 0, "a.log")

load_kernels()


def obeys(call: Callable[[], T]) -> T | KafkafmtError:
    """Return the result of `call` or its KafkafmtError; other exceptions propagate, and a hang is an error."""
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
    """Require that a small file gives tables that pass Arrow's validation, or a KafkafmtError."""
    result = obeys(lambda: SMALL[kind](data))
    if not isinstance(result, KafkafmtError):
        for table in result:
            table.validate(full=True)


@dataclass
class Walk:
    """The outcome of a walk over a segment: range and records of each entry, the damage, and the final error."""

    ranges: list[tuple[int, int]] = field(default_factory=list)
    records: list[list[Record]] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    error: KafkafmtError | None = None

    def plain(self) -> list[tuple[object, ...]]:
        """The content of the records as comparable values."""
        return [
            (each.offset, each.timestamp, each.timestamp_type, each.sequence, each.key, each.value, each.headers)
            for records in self.records
            for each in records
        ]

    def outcome(self) -> Outcome:
        """The outcome that a scan of the same file must have."""
        batches = record_batches((Run(ORIGIN, each) for each in self.records), SCHEMA)
        return Outcome(pa.Table.from_batches(batches, SCHEMA), shown(self.error), shown_damage(self.damage))


def walk(data: bytes, on_damage: Any, *, verify: bool, may_end_open: bool, bounds: SegmentBounds | None = None) -> Walk:
    """Walk over a segment and read all its entries with the reference engine."""
    found = Walk()

    def visit(entry: Entry) -> tuple[Entry, list[Record]]:
        if verify:
            entry.verify_checksum()
        return entry, list(entry.records(verify_inner=verify))

    file = MemoryFile(ORIGIN.file, data)
    reader = SegmentReader(
        file,
        bounds=bounds,
        on_damage=on_damage,
        may_end_open=lambda: may_end_open,
        report=found.damage.append,
        checks_lengths=not verify,  # as a scan does if no checksum reveals a wrong length
    )
    try:
        for entry, decoded in reader.walk(visit):
            found.ranges.append((entry.position, entry.frame.size_in_bytes))
            found.records.append(decoded)
    except KafkafmtError as error:
        found.error = error
    return found


def columnar(data: bytes, on_damage: Any, *, verify: bool, may_end_open: bool) -> Outcome:
    """Read a segment with the columnar engine."""
    damage: list[Damage] = []
    segment = SegmentInMemory(ORIGIN.file, data)
    task = ScanTask(ORIGIN.topic, ORIGIN.partition, segment, is_last=may_end_open)
    reading = Pass(
        Selection(control_records=True), on_damage, verify, Limits(), damage.append, lambda _: None, engine="columnar"
    )
    batches: list[pa.RecordBatch] = []
    ended = None
    try:
        for batch in record_batches(reading.decode([task], SCHEMA), SCHEMA):
            batch.validate(full=True)
            batches.append(batch)
    except KafkafmtError as error:
        ended = error
    return Outcome(pa.Table.from_batches(batches, SCHEMA), shown(ended), shown_damage(damage))


def check_walk(
    data: bytes,
    *,
    verify: bool,
    may_end_open: bool = True,
    bounds: SegmentBounds | None = None,
    engines: Sequence[str] = ENGINES,
) -> list[Damage]:
    """Require that both modes of a walk agree with each other and the file: nothing is lost or reported twice.

    The columnar engine, if in `engines`, must give the same; it does not support `bounds`.
    """
    how = {"verify": verify, "may_end_open": may_end_open}
    skipped = obeys(lambda: walk(data, "skip", bounds=bounds, **how))
    raised = obeys(lambda: walk(data, "raise", bounds=bounds, **how))
    assert isinstance(skipped, Walk)
    assert isinstance(raised, Walk)
    if "columnar" in engines:
        assert obeys(lambda: columnar(data, "skip", **how)) == skipped.outcome()
        # Up to the first damage it is the same walk, so one in four is enough.
        if skipped.damage and sum(data) % 4 == 0:
            assert obeys(lambda: columnar(data, "raise", **how)) == raised.outcome()
    assert skipped.error is None
    damage = skipped.damage
    position = 0
    for begin, length in sorted([*skipped.ranges, *((each.position, each.length) for each in damage)]):
        assert begin == position
        assert length > 0
        position += length
    assert position == len(data)
    assert [each.position for each in damage] == sorted(each.position for each in damage)
    for each in damage:
        assert each.error.position == each.position
        assert each.error.file == each.file == ORIGIN.file
        assert each.reason in TAILS or each.reason == reason_of(each.error), (each, reason_of(each.error))
        if each.reason in TAILS:
            assert each is damage[-1]
            assert each.position + each.length == len(data)
    first = next((each.error for each in damage if not (may_end_open and _ends_quietly(each))), None)
    assert shown(raised.error) == shown(first)
    assert raised.ranges == skipped.ranges[: len(raised.ranges)]
    records_before = raised.plain()
    assert records_before == skipped.plain()[: len(records_before)]
    if raised.error is None:
        assert raised.ranges == skipped.ranges
        assert shown_damage(raised.damage) == shown_damage(damage)
    return damage


def _ends_quietly(damage: Damage) -> bool:
    """Whether a raising reader stops there without an error; Kafka throws at an impossible size."""
    raises = damage.reason == GARBAGE_TAIL and not damage.error.message.startswith("garbage to the end")
    return damage.reason in TAILS and not raises


def both(path: Path, **arguments: Any) -> tuple[kafkafmt.Scan, kafkafmt.Scan]:
    """The same scan by each engine."""
    by_columns, by_reference = (kafkafmt.scan(path, engine=engine, **arguments) for engine in ENGINES)
    return by_columns, by_reference


def same(scans: tuple[kafkafmt.Scan, kafkafmt.Scan], read: Callable[[kafkafmt.Scan], Any] | None = None) -> Outcome:
    """The outcome of a pass; requires that it is the same for every engine."""
    found, expected = (obeys(lambda s=scan: outcome(s, read or kafkafmt.Scan.to_reader)) for scan in scans)  # type: ignore[misc]
    assert isinstance(found, Outcome)
    assert found == expected
    return found


def same_count(scans: tuple[kafkafmt.Scan, kafkafmt.Scan], *, verify: bool = False) -> object:
    """Number of records, required to be the same for every engine; None after an error."""
    found, expected = (obeys(lambda s=scan: counted(s, verify=verify)) for scan in scans)  # type: ignore[misc]
    assert isinstance(found, tuple)
    assert found == expected
    return found[0]


@dataclass
class Scanned:
    """A log file that both engines have read, with damage skipped.

    Attributes:
        path: of the file.
        how: what the scans were asked for.
        scans: by each engine.
        whole: what both gave.
        damage: what the walk knows.
    """

    path: Path
    how: dict[str, Any]
    scans: tuple[kafkafmt.Scan, kafkafmt.Scan]
    whole: Outcome
    damage: list[Damage]


def check_scan(path: Path, rnd: random.Random, *, verify: bool, damage: list[Damage]) -> None:
    """`scan` gives Arrow data in order, the same from each engine, and the damage that the walk knows.

    Of what else must agree with that, it looks at one thing.
    """
    how = {"control_records": True, "below_log_start": True, "verify_checksums": verify}
    scans = both(path, on_damage="skip", **how)
    whole = same(scans)
    assert whole.error is None
    told = [(each.position, each.length, each.reason) for each in scans[0].damage]
    assert told == [(each.position, each.length, each.reason) for each in damage]
    rnd.choice((_check_again, _check_ends, _check_count, _check_strict, _check_strict, _check_narrow))(
        rnd, Scanned(path, how, scans, whole, damage)
    )


def _check_again(_: random.Random, of: Scanned) -> None:
    assert obeys(lambda: outcome(of.scans[0])) == of.whole


def _check_ends(_: random.Random, of: Scanned) -> None:
    scan, table = of.scans[0], of.whole.table
    last = obeys(lambda: scan.tail(5).read_all())
    assert isinstance(last, pa.Table)
    assert last.equals(table.slice(max(0, table.num_rows - 5)))
    first_rows = obeys(lambda: scan.head(5).read_all())
    assert isinstance(first_rows, pa.Table)
    assert first_rows.equals(table.slice(0, 5))


def _check_count(_: random.Random, of: Scanned) -> None:
    count = same_count(of.scans, verify=of.how["verify_checksums"])
    assert isinstance(count, int)
    if all(each.reason in TAILS for each in of.damage):
        assert count == of.whole.table.num_rows


def _check_strict(_: random.Random, of: Scanned) -> None:
    strict, table = kafkafmt.scan(of.path, **of.how), of.whole.table
    raised = obeys(lambda: outcome(strict))
    assert isinstance(raised, Outcome)
    first = next((each.error for each in of.damage if not _ends_quietly(each)), None)
    if first is not None:
        assert raised.error == (type(first), first.message, of.path.name, first.position, first.expected, first.found)
        assert raised.table.equals(table.slice(0, raised.table.num_rows))
        before = [row for row in table.column("position").to_pylist() if row < (first.position or 0)]
        assert raised.table.num_rows == len(before)
    else:
        assert raised.error is None
        assert raised.table.equals(table)
    obeys(strict.count)


def _check_narrow(rnd: random.Random, of: Scanned) -> None:
    start_offset = rnd.choice((None, 0, 3, 2**62))
    narrow = both(
        of.path,
        on_damage="skip",
        verify_checksums=of.how["verify_checksums"],
        columns=rnd.sample(of.scans[0].schema.names, 3),
        start_offset=start_offset,
        end_offset=rnd.choice((None, 2**63) if start_offset == 2**62 else (None, 5, 2**63)),
        start_timestamp=rnd.choice((None, 0, 1_600_000_000_000)),
        end_timestamp=rnd.choice((None, 1_700_000_000_000)),
        key=rnd.choice((None, b"k-1")),
    )
    some = same(narrow)
    assert some.error is None
    assert some.table.num_rows <= of.whole.table.num_rows
    assert isinstance(same_count(narrow), int)


def described(headers: Callable[[], Iterator[BatchHeader]]) -> tuple[object, ...]:
    """All fields of headers, and the error after them."""
    found: list[BatchHeader] = []
    try:
        found.extend(headers())
    except KafkafmtError as error:
        return list(shown_headers(found)), shown(error)
    return list(shown_headers(found)), None


def check_segment(segment: Segment) -> None:
    """Require that every answer of a `Segment` keeps the contract; headers read one by one are the same."""
    for verify, deep in ((False, False), (True, True)):
        found = obeys(lambda v=verify, d=deep: described(lambda: segment.batches(deep=d, verify_checksums=v)))  # type: ignore[misc]
        file = obeys(segment.open)
        if isinstance(file, KafkafmtError):
            assert found == ([], shown(file))
            continue
        with file:
            walk = SegmentReader(file, name=segment.file).walk(
                lambda entry, v=verify, d=deep: entry.describe(deep=d, verify_checksum=v)  # type: ignore[misc]
            )
            assert found == obeys(lambda w=walk: described(lambda: w))  # type: ignore[misc]
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
    """Every answer of a `Partition` obeys the law, and so do those of two of its segments."""
    for answer in (
        "log_start_offset",
        "log_end_offset",
        "high_watermark",
        "recovery_point",
        "leader_epochs",
        "topic_id",
        "quorum_state",
        "producer_snapshots",
        "checkpointed_log_start_offset",
    ):
        obeys(lambda a=answer: getattr(partition, a))  # type: ignore[misc]
    for offset in (-(2**63), -1, 0, rnd.randrange(100), 2**63 - 1):
        obeys(lambda o=offset: partition.find_offset(o))  # type: ignore[misc]
        obeys(lambda o=offset: partition.find_timestamp(o))  # type: ignore[misc]
    obeys(partition.find_max_timestamp)
    segments = [*partition.segments, *partition.other_segments]
    for each in rnd.sample(segments, min(2, len(segments))):
        check_segment(each)


def check_log_dir(path: Path, rnd: random.Random) -> None:
    """The answers of a `LogDir` and its partitions, or scans over it, obey the law."""
    if rnd.random() < 0.5:
        log_dir = LogDir(path)
        for answer in ("meta_properties", "checkpoints", "clean_shutdown"):
            obeys(lambda: getattr(log_dir, answer))  # noqa: B023 (called at once)
        for partition in [*log_dir.partitions, *log_dir.other_partitions]:
            check_partition(partition, rnd)
        return
    on_damage, verify = rnd.choice(("raise", "skip", "skip")), rnd.random() < 0.5
    scans = both(path, on_damage=on_damage, verify_checksums=verify, replica="all")
    found = same(scans)
    assert found.error is None or on_damage == "raise"
    further = rnd.randrange(3)
    if further == 0:
        same_count(scans)
    elif further == 1:
        assert same(scans, lambda scan: scan.tail(3)).error is None or on_damage == "raise"
    else:
        obeys(kafkafmt.scan(path, end_offset="high_watermark", on_damage="skip").to_table)
