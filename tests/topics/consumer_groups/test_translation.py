"""Translation of committed offsets to hand-made copies whose true offsets are known."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.topics.consumer_groups import CommittedOffset, translation
from kafkafmt.topics.consumer_groups.translation import OffsetTranslator, TranslatedOffset
from tests.logdir.builders import batch, file_name, segment
from tests.transactions import ABORT, COMMIT, data, marker

Row = tuple[int, int, str, str]  # offset, timestamp, key, value
Rows = Sequence[Row]


def _written(path: Path, rows: Rows) -> Path:
    """A log directory with these records in orders-0."""
    offsets, times, keys, values = zip(*rows, strict=True)
    table = pa.table(
        {
            "topic": pa.array(["orders"] * len(rows)),
            "partition": pa.array([0] * len(rows), pa.int32()),
            "offset": pa.array(offsets, pa.int64()),
            "timestamp": pa.array(times, pa.timestamp("ms", "UTC")),
            "key": pa.array([key.encode() for key in keys], pa.binary()),
            "value": pa.array([value.encode() for value in values], pa.binary()),
        }
    )
    kafkafmt.write(table, path, partitions=1)
    return path


def _committed(offset: int, partition: int = 0) -> CommittedOffset:
    nothing = (None, None, 0, None, None, None, None, 0, 0)
    return CommittedOffset("g", "orders", partition, offset, *nothing)


def _translated(source: Path, target: Path, *offsets: int) -> list[TranslatedOffset]:
    return list(OffsetTranslator(source, target).translate(map(_committed, offsets)))


def _outcomes(source: Path, target: Path, *offsets: int) -> list[tuple[str, int | None]]:
    return [(each.state, each.translated) for each in _translated(source, target, *offsets)]


def _moved(rows: Rows, by: int) -> list[Row]:
    return [(offset + by, time, key, value) for offset, time, key, value in rows]


def _numbered(first: int, count: int, at: int = 0) -> list[Row]:
    return [(at + number, 1000 + first + number, f"k{first + number}", f"v{first + number}") for number in range(count)]


def test_other_offsets_of_the_same_records(tmp_path: Path) -> None:
    """A mirror that began with record 3, with offsets higher by seven."""
    source = _written(tmp_path / "a", _numbered(0, 20))
    mirror = _written(tmp_path / "b", _numbered(3, 17, at=10))
    true = {offset: offset + 7 for offset in range(4, 21)}
    assert _outcomes(source, mirror, *true) == [("matched", offset) for offset in true.values()]
    assert _outcomes(source, source, *range(21)) == [("matched", offset) for offset in range(21)]


def test_a_place_at_the_beginning_of_a_copy(tmp_path: Path) -> None:
    """The last read record is not in the copy, the next one is its first."""
    source = _written(tmp_path / "a", _numbered(0, 6))
    assert _outcomes(source, _written(tmp_path / "b", _numbered(3, 3, at=50)), 3, 1) == [
        ("matched", 50),
        ("unmatched", None),
    ]


def test_a_copy_that_lags_behind(tmp_path: Path) -> None:
    """The next record is not copied yet: the position is the end of the copy."""
    source = _written(tmp_path / "a", _numbered(0, 6))
    assert _outcomes(source, _written(tmp_path / "b", _numbered(0, 3, at=50)), 3, 4) == [
        ("matched", 53),
        ("unmatched", None),
    ]


def test_equal_records_are_told_apart_by_those_around_them(tmp_path: Path) -> None:
    same = [(number, 5000, "k", "same") for number in range(4)]
    rows = [*same, (4, 6000, "x", "y"), *[(number, 5000, "k", "same") for number in range(5, 9)]]
    source = _written(tmp_path / "a", rows)
    mirror = _written(tmp_path / "b", _moved(rows, 30))
    assert _outcomes(source, mirror, *range(10)) == [("matched", 30 + offset) for offset in range(10)]


def test_equal_records_without_a_difference_are_ambiguous(tmp_path: Path) -> None:
    rows = [(number, 5000, "k", "same") for number in range(6)]
    source = _written(tmp_path / "a", rows)
    mirror = _written(tmp_path / "b", _moved(rows[:4], 30))
    (found,) = _translated(source, mirror, 2)
    assert (found.state, found.translated) == ("ambiguous", None)
    assert found.reason is not None
    assert "places in the copy fit equally: 31, 32, 33" in found.reason


def test_records_of_others_between_the_two_are_ambiguous(tmp_path: Path) -> None:
    source = _written(tmp_path / "a", _numbered(0, 4))
    foreign = (2, 1500, "foreign", "x")
    mirror = _written(tmp_path / "b", [*_numbered(0, 2), foreign, *_moved(_numbered(0, 4)[2:], 1)])
    found = _translated(source, mirror, 2, 1)
    assert [each.state for each in found] == ["ambiguous", "matched"]
    assert found[0].reason == "the copy has other records between those around this offset, at 1 and 3"
    alone = _written(tmp_path / "c", [*_numbered(0, 2), foreign])
    (found_alone,) = _translated(source, alone, 2)
    assert found_alone.reason == "the copy has only the record before this offset, at 1, beside unknown ones"


def test_a_compacted_copy_lacks_the_next_record(tmp_path: Path) -> None:
    """The copy continues with a later record of the source, so the position is certain."""
    source = _written(tmp_path / "a", _numbered(0, 10))
    kept = [row for row in _numbered(0, 10, at=40) if row[0] not in (44, 45)]
    mirror = _written(tmp_path / "b", kept)
    assert _outcomes(source, mirror, 4, 6) == [("matched", 44), ("matched", 46)]


def test_what_is_nowhere(tmp_path: Path) -> None:
    source = _written(tmp_path / "a", _numbered(0, 4))
    found = list(
        OffsetTranslator(source, _written(tmp_path / "b", _numbered(100, 4))).translate(
            [_committed(2), _committed(9), _committed(0, partition=7)]
        )
    )
    assert [(each.state, each.reason) for each in found] == [
        ("unmatched", "the record before and at this offset is not in the copy"),
        ("unmatched", "outside of its own log, which has offsets 0 to 4"),
        ("unmatched", "orders-7 is not on the disks of the group"),
    ]


def test_a_log_without_records(tmp_path: Path) -> None:
    """Two empty logs have a single position; a copy with other records decides nothing."""
    for name in ("a", "b"):
        (tmp_path / name / "orders-0").mkdir(parents=True)
        (tmp_path / name / "orders-0" / file_name(5)).touch()
    full = _written(tmp_path / "c", _numbered(0, 2))
    assert _outcomes(tmp_path / "a", tmp_path / "b", 5) == [("matched", 5)]
    assert _outcomes(tmp_path / "a", full, 5) == [("unmatched", None)]


def test_too_many_equal_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "MOST_PLACES", 3)
    rows = [(number, 5000, "k", "same") for number in range(9)]
    (found,) = _translated(_written(tmp_path / "a", rows), _written(tmp_path / "b", rows), 4)
    assert found.reason == "more than 3 equal records in the copy"


def test_a_mirror_of_committed_records_alone(tmp_path: Path) -> None:
    """As made by MirrorMaker with read_committed: without the aborted record and the markers."""
    batches = [data(0, 1, value=b"a"), marker(1, 1, COMMIT), data(2, 1, value=b"gone"), marker(3, 1, ABORT)]
    batches += [data(4, value=b"b")]
    for name, packed in {"a": batches, "b": [data(0, value=b"a"), data(1, value=b"b")]}.items():
        directory = tmp_path / name / "orders-0"
        directory.mkdir(parents=True)
        (directory / file_name(0)).write_bytes(b"".join(packed))
    assert _outcomes(tmp_path / "a", tmp_path / "b", 2, 4, 5) == [("matched", 1), ("matched", 1), ("matched", 2)]


def test_what_is_wrong_with_the_compared_records_is_noted(tmp_path: Path) -> None:
    """No CRC covers offsets: those of the second batch should begin with 105."""
    segment(tmp_path / "a" / "orders-0", 100, batch(100, 5), batch(70_000, 3), batch(108, 4))
    segment(tmp_path / "b" / "orders-0", 100, batch(100, 5), batch(105, 3), batch(108, 4))
    for source, target, wrong in (("a", "b", 1), ("b", "a", 1), ("b", "b", 0)):
        translator = OffsetTranslator(tmp_path / source, tmp_path / target)
        assert len([*translator.translate([_committed(103)])]) == 1
        assert [note.is_finding and "should be 105" in note for note in translator.notes] == [True] * wrong
