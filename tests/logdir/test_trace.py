"""The trace of a look-up: its steps in order, as one would do them on paper."""

from pathlib import Path

import kafkafmt
from kafkafmt.logdir import RecordTime
from kafkafmt.logdir.trace import (
    BytesScanned,
    EntryFound,
    HeaderRead,
    IndexEntryChosen,
    IndexEntryCompared,
    IndexNotBelieved,
    IndexOpened,
    NothingFound,
    RecordFound,
    ScanBegun,
    SegmentChosen,
    Step,
)
from tests.logdir.builders import batch, file_name, segment
from tests.logdir.indexed_logs import write_offset_index, write_time_index
from tests.reference import builder

FIRST, SECOND = (f"t-0/{file_name(base)}" for base in (0, 20))
INDEX, TIME_INDEX = (FIRST.replace(".log", suffix) for suffix in (".index", ".timeindex"))
SIZE = len(batch(0, 5))


def two_segments(path: Path) -> kafkafmt.Partition:
    log = segment(path / "t-0", 0, *(batch(5 * number, 5, timestamp=100 * number) for number in range(4)))
    write_offset_index(log, [(9, SIZE), (19, 3 * SIZE)])
    write_time_index(log, [(104, 9), (304, 19)])
    segment(path / "t-0", 20, batch(20, 2, timestamp=500))
    return kafkafmt.Partition(str(path / "t-0"), prefix="t-0/")


def header(number: int, *, may_hold: bool) -> HeaderRead:
    last = 100 * number + 4
    return HeaderRead(FIRST, SIZE * number, SIZE, 5 * number, 5 * number + 4, last, may_hold)


def test_the_way_to_an_offset(tmp_path: Path) -> None:
    steps: list[Step] = []
    two_segments(tmp_path).find_offset(16, trace=steps.append)
    assert steps == [
        SegmentChosen(FIRST, 0, "the last one with a base offset at or below the offset"),
        IndexOpened(INDEX, "index", 2, 0, 16),
        IndexEntryCompared(INDEX, "index", 1, 19, 3 * SIZE, None, is_below=False),
        IndexEntryCompared(INDEX, "index", 0, 9, SIZE, None, is_below=True),
        IndexEntryChosen(INDEX, "index", 0, 9, SIZE),
        ScanBegun(FIRST, SIZE, "where the offset index points"),
        header(1, may_hold=False),
        header(2, may_hold=False),
        header(3, may_hold=True),
        BytesScanned(FIRST, SIZE, 4 * SIZE),
        EntryFound(FIRST, 3 * SIZE, 15, SIZE),
    ]


def test_the_way_to_a_time(tmp_path: Path) -> None:
    steps: list[Step] = []
    two_segments(tmp_path).find_timestamp(203, trace=steps.append)
    assert steps == [
        SegmentChosen(FIRST, 0, "by its name it holds the log start offset"),
        IndexOpened(TIME_INDEX, "timeindex", 2, 0, 202),
        IndexEntryCompared(TIME_INDEX, "timeindex", 1, 19, None, 304, is_below=False),
        IndexEntryCompared(TIME_INDEX, "timeindex", 0, 9, None, 104, is_below=True),
        IndexEntryChosen(TIME_INDEX, "timeindex", 0, 9, None, 104),
        IndexOpened(INDEX, "index", 2, 0, 9),
        IndexEntryCompared(INDEX, "index", 1, 19, 3 * SIZE, None, is_below=False),
        IndexEntryCompared(INDEX, "index", 0, 9, SIZE, None, is_below=True),
        IndexEntryChosen(INDEX, "index", 0, 9, SIZE),
        ScanBegun(FIRST, SIZE, "where the offset index points"),
        header(1, may_hold=False),
        header(2, may_hold=True),
        BytesScanned(FIRST, SIZE, 3 * SIZE),
        RecordFound(FIRST, 2 * SIZE, 13, 203, 0),
    ]


def test_the_way_goes_on_in_the_next_segment_and_to_the_end(tmp_path: Path) -> None:
    steps: list[Step] = []
    partition = two_segments(tmp_path)
    partition.find_offset(22, trace=steps.append)
    partition.find_timestamp(502, trace=steps.append)
    partition.find_offset(-1, trace=steps.append)
    chosen = [(step.file, step.reason) for step in steps if isinstance(step, SegmentChosen)]
    assert chosen == [
        (SECOND, "the last one with a base offset at or below the offset"),
        (FIRST, "by its name it holds the log start offset"),
        (SECOND, "all earlier timestamps are below the time"),
    ]
    assert [step.reason for step in steps if isinstance(step, NothingFound)] == [
        "the log ends before the offset",
        "no record has such a late timestamp",
        "no segment has a base offset at or below the offset",
    ]
    # Of the first segment only the part after the last time index entry was read.
    assert [step.position for step in steps if isinstance(step, HeaderRead) and step.file == FIRST] == [3 * SIZE]


def test_the_way_to_the_largest_time(tmp_path: Path) -> None:
    steps: list[Step] = []
    two_segments(tmp_path).find_max_timestamp(trace=steps.append)
    assert [step.reason for step in steps if isinstance(step, SegmentChosen)] == [
        "to compare its largest timestamp",
        "to compare its largest timestamp",
        "its largest timestamp, 501, is the largest of the log",
    ]
    assert steps[1:3] == [
        IndexOpened(TIME_INDEX, "timeindex", 2, 0, None),
        IndexEntryChosen(TIME_INDEX, "timeindex", 1, 19, None, 304),
    ]
    assert steps[-1] == RecordFound(SECOND, 0, 21, 501, 0)


def findings(steps: list[Step]) -> list[str]:
    return [str(step.finding) for step in steps if isinstance(step, IndexNotBelieved)]


def test_an_index_that_is_not_gone_by_is_told_with_its_reason(tmp_path: Path) -> None:
    partition = two_segments(tmp_path)
    log = tmp_path / "t-0" / file_name(0)
    steps: list[Step] = []
    write_offset_index(log, [(4, 77), (9, 2 * SIZE), (14, 10**6)])
    place = partition.find_offset(17, trace=steps.append)
    assert place is not None
    assert place.base_offset == 15
    no_entry = "no sound batch starts where the index points"
    assert findings(steps) == [f"{INDEX}: position 16: {no_entry}: it is outside the file (found position 1000000)"]
    steps.clear()
    partition.find_offset(9, trace=steps.append)
    above = "the batch to which the index points starts above its offset"
    assert findings(steps) == [
        f"{INDEX}: position 8: {above} (found position {2 * SIZE})",
        f"{INDEX}: position 0: {no_entry}: the size there is not that of a batch (found position 77)",
    ]
    steps.clear()
    log.with_suffix(".index").unlink()
    partition.find_offset(17, trace=steps.append)
    assert findings(steps) == [f"{INDEX}: the log file has no offset index"]


def test_a_time_index_that_is_not_gone_by_is_told_with_its_reason(tmp_path: Path) -> None:
    partition = two_segments(tmp_path)
    log = tmp_path / "t-0" / file_name(0)
    steps: list[Step] = []
    write_time_index(log, [(150, 12)])
    assert partition.find_timestamp(201, trace=steps.append) == RecordTime(11, 201, 0)
    message = "the batch at the offset of a time index entry has another largest timestamp"
    expected = "expected timestamp 150 at offset 12, found 204"
    assert findings(steps) == [f"{TIME_INDEX}: position 0: {message} ({expected})"]
    steps.clear()
    log.with_suffix(".timeindex").unlink()
    partition.find_timestamp(201, trace=steps.append)
    assert findings(steps) == [f"{TIME_INDEX}: the log file has no time index"]


def test_a_wrapper_whose_first_offset_nobody_knows_is_no_finding(tmp_path: Path) -> None:
    wrapper = builder.wrapper(9, b"".join(builder.message(at, magic=1) for at in range(5)))
    log = segment(tmp_path / "t-0", 0, batch(0, 5), wrapper)
    write_offset_index(log, [(4, 0), (5, SIZE)])
    steps: list[Step] = []
    place = kafkafmt.Partition(str(log.parent), prefix="t-0/").find_offset(7, trace=steps.append)
    assert place is not None
    assert place.position == SIZE
    assert [step for step in steps if isinstance(step, IndexNotBelieved | ScanBegun)] == [
        IndexNotBelieved(INDEX, "index", 1, finding=None),
        ScanBegun(FIRST, 0, "the start of the file"),
    ]
