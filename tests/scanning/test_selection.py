"""Filters: each argument compared with a hand-written filter over all rows, on golden data."""

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import SourceError
from tests.golden_cases import GOLDEN, cases
from tests.logdir.builders import CONTROL, batch, checkpoint, column, file_name, offsets, segment
from tests.scanning.logs import in_order

Row = dict[str, Any]

# Naive, as a caller may write it.
NAIVE = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
NAMES = GOLDEN / "modern" / "13-names-4.3.1" / "log-dir"
# Their records are outside the offsets that their file names promise, so no search finds them.
MISPLACED = ("crash-flip-offset-0", "m0.negative-offset-0", "m1.negative-offset-0")
PARTITIONS = sorted(
    {
        path.parent
        for case in cases()
        for path in case.files("*.log")
        if path.parent.name not in MISPLACED and "-" in path.parent.name
    }
)


@cache
def everything(source: Path, below_log_start: bool) -> list[Row]:
    scan = kafkafmt.scan(source, control_records=True, below_log_start=below_log_start, on_damage="skip", replica="all")
    table = scan.to_table()
    as_ms = table.set_column(5, "timestamp", table.column("timestamp").cast("int64"))
    rows: list[Row] = as_ms.to_pylist()
    return rows


def near(values: list[int]) -> st.SearchStrategy[int | None]:
    """None, or a number equal or next to one of these, or far from all of them."""
    beside = st.sampled_from(values or [0]).flatmap(lambda value: st.integers(value - 1, value + 1))
    return st.none() | beside | st.sampled_from([-(2**63), -1, 0, 2**63 - 1])


@st.composite
def filters(draw: st.DrawFn) -> tuple[Path, dict[str, Any]]:
    source = draw(st.sampled_from(PARTITIONS))
    rows = everything(source, below_log_start=True)
    keys = sorted({row["key"] for row in rows if row["key"] is not None})
    arguments: dict[str, Any] = {
        "start_offset": draw(near([row["offset"] for row in rows])),
        "end_offset": draw(near([row["offset"] for row in rows])),
        "start_timestamp": draw(near([row["timestamp"] for row in rows])),
        "end_timestamp": draw(near([row["timestamp"] for row in rows])),
        "key": draw(st.none() | st.none() | st.sampled_from([b"", b"no such key", *keys])),
        "control_records": draw(st.booleans()),
        "below_log_start": draw(st.booleans()),
    }
    names = [field.name for field in kafkafmt.scan(source).schema]
    columns = draw(st.none() | st.lists(st.sampled_from(names), unique=True, min_size=1))
    return source, in_order(arguments) | {"columns": columns}


def keeps(arguments: dict[str, Any], row: Row) -> bool:
    """The contract, implemented by hand."""

    def at_least(name: str, value: int) -> bool:
        return arguments[name] is None or value >= arguments[name]

    def below(name: str, value: int) -> bool:
        return arguments[name] is None or value < arguments[name]

    return (
        at_least("start_offset", row["offset"])
        and below("end_offset", row["offset"])
        and at_least("start_timestamp", row["timestamp"])
        and below("end_timestamp", row["timestamp"])
        and (arguments["key"] is None or row["key"] == arguments["key"])
        and (arguments["control_records"] or not row["isControl"])
    )


@pytest.mark.slow
@given(filters())
def test_any_filters_keep_what_a_filter_by_hand_keeps(drawn: tuple[Path, dict[str, Any]]) -> None:
    source, arguments = drawn
    scan = kafkafmt.scan(source, on_damage="skip", **arguments)
    table = scan.to_table()
    if "timestamp" in table.schema.names:
        index = table.schema.get_field_index("timestamp")
        table = table.set_column(index, "timestamp", table.column("timestamp").cast("int64"))
    expected = [row for row in everything(source, arguments["below_log_start"]) if keeps(arguments, row)]
    names = arguments["columns"] or scan.schema.names
    assert table.to_pylist() == [{name: row[name] for name in names} for row in expected]
    assert scan.count(verify_checksums=True) == len(expected)


@pytest.mark.parametrize(
    "case", [case for case in cases() if case.name.startswith(("m0-", "m1-", "mixed", "02", "16"))], ids=str
)
def test_headers_alone_count_what_the_table_holds(case: Any) -> None:
    rows = everything(case.log_dir, below_log_start=False)
    times = sorted({row["timestamp"] for row in rows})
    all_offsets = sorted({row["offset"] for row in rows})
    middle = {"start_offset": all_offsets[len(all_offsets) // 3], "end_offset": all_offsets[-len(all_offsets) // 3]}
    between = {"start_timestamp": times[len(times) // 3], "end_timestamp": times[-len(times) // 3]}
    for arguments in ({}, middle, between, middle | between, {"key": rows[0]["key"]}):
        scan = kafkafmt.scan(case.log_dir, replica="all", on_damage="skip", **arguments)
        assert scan.count() == scan.to_table().num_rows


# Topics and partitions


@pytest.mark.parametrize(
    ("wanted", "takes"),
    [
        ("0", lambda topic: topic == "0"),
        (["0", "topic-delete", "missing"], lambda topic: topic in ("0", "topic-delete")),
        ({"..._"}, lambda topic: topic == "..._"),
        ((), lambda _: False),
        (re.compile("many"), lambda _: False),
        (re.compile("many.*|0"), lambda topic: topic in ("0", "manyparts")),
        (re.compile("TOPIC.*", re.IGNORECASE), lambda topic: topic.lower().startswith("topic")),
        (None, lambda _: True),
    ],
)
@pytest.mark.parametrize("numbers", [None, 0, [1, 2], range(3, 7), []])
def test_topics_are_names_or_a_pattern_for_the_whole_name_and_partitions_numbers(
    wanted: Any, takes: Callable[[str], bool], numbers: Any
) -> None:
    expected = [
        (row["topic"], row["partition"], row["offset"])
        for row in everything(NAMES, below_log_start=False)
        if takes(row["topic"])
        and not row["isControl"]
        and (numbers is None or row["partition"] in ([0] if numbers == 0 else numbers))
    ]
    scan = kafkafmt.scan(
        NAMES, topics=wanted, partitions=numbers, missing="note", columns=["topic", "partition", "offset"]
    )
    assert [tuple(row.values()) for row in scan.to_table().to_pylist()] == expected
    assert scan.count() == len(expected)


def test_topics_may_come_with_the_partitions_wanted_of_each(tmp_path: Path) -> None:
    for name in ("a-0", "a-1", "a-2", "b-0", "b-1", "c-0", "odd"):
        segment(tmp_path / name, 0, batch(0))

    def found(topics: Any, **more: Any) -> list[tuple[Any, Any]]:
        rows = (
            kafkafmt.scan(tmp_path, topics=topics, missing="note", columns=["topic", "partition"], **more)
            .to_table()
            .to_pylist()
        )
        return [(row["topic"], row["partition"]) for row in rows]

    assert found({"a": [0, 2], "b": 1, "missing": [0]}) == [("a", 0), ("a", 2), ("b", 1)]
    assert found({"a": range(9), "b": ()}) == [("a", 0), ("a", 1), ("a", 2)]
    assert found({"a": [0, 2], "b": 0}, partitions=0) == [("a", 0), ("b", 0)]
    assert found({}) == []
    for wrong in ({"a": "0"}, {"a": [True]}, {"a": [0.5]}, {"a": None}, {1: [0]}, 5):
        with pytest.raises(TypeError, match=r"partitions of a must be ints|topics must be"):
            found(wrong)


def test_internal_topics_are_in_unless_topics_are_named() -> None:
    source = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
    assert {"__transaction_state", "__consumer_offsets"} <= set(column(source, "topic"))
    assert set(column(source, "topic", topics=re.compile("__.*"))) == {"__transaction_state", "__consumer_offsets"}


def test_a_directory_without_a_topic_is_taken_only_without_such_filters(tmp_path: Path) -> None:
    segment(tmp_path / "odd", 0)
    assert len(offsets(tmp_path / "odd")) == 10
    for arguments in ({"topics": "odd"}, {"topics": re.compile(".*")}, {"partitions": 0}):
        assert offsets(tmp_path / "odd", missing="note", **arguments) == []


# Offsets


def test_offsets_by_partition_bound_only_the_partitions_named(tmp_path: Path) -> None:
    for name in ("a-0", "a-1", "b-0", "odd"):
        segment(tmp_path / name, 0, batch(0, 3), batch(3, 3))
        segment(tmp_path / name, 6, batch(6, 3))
    bounds = {("a", 0): 4, ("b", 0): 7, ("missing", 0): 0}
    rows = (
        kafkafmt.scan(tmp_path, start_offset=bounds, end_offset={("a", 1): 2, ("a", 0): 8}, missing="note")
        .to_table()
        .to_pylist()
    )
    found: dict[Any, list[int]] = {}
    for row in rows:
        found.setdefault((row["topic"], row["partition"]), []).append(row["offset"])
    assert found == {("a", 0): [4, 5, 6, 7], ("a", 1): [0, 1], ("b", 0): [7, 8], (None, None): list(range(9))}
    assert offsets(tmp_path / "odd", start_offset=2, end_offset=7) == [2, 3, 4, 5, 6]


def test_segments_outside_the_offsets_are_not_even_opened(tmp_path: Path) -> None:
    for base in (0, 10, 20, 30):
        segment(tmp_path, base)
    scan = kafkafmt.scan(tmp_path, start_offset=10, end_offset=20, columns=["offset"])
    for base in (0, 20, 30):
        (tmp_path / file_name(base)).unlink()
    assert scan.to_table().column("offset").to_pylist() == list(range(10, 20))


def test_a_gap_between_segments_belongs_to_the_one_before(tmp_path: Path) -> None:
    segment(tmp_path, 0, batch(0, 2))
    segment(tmp_path, 10, batch(12, 2))
    for start in range(15):
        for end in range(start, 16):
            expected = [offset for offset in (0, 1, 12, 13) if start <= offset < end]
            assert offsets(tmp_path, start_offset=start, end_offset=end) == expected


def test_the_high_watermark_is_that_of_the_golden_checkpoint() -> None:
    for name in ("06-retention-4.3.1", "14-running-4.3.1", "07b-three-nodes-reconciled-4.3.1"):
        log_dirs = kafkafmt.open_log_dirs(GOLDEN / "modern" / name / "log-dir")
        for partition in (each for log_dir in log_dirs for each in log_dir.partitions):
            everywhere = offsets(partition.path, control_records=True)
            mark = partition.high_watermark
            if mark is None:
                with pytest.raises(SourceError, match="high watermark"):
                    offsets(partition.path, end_offset="high_watermark")
            else:
                found = offsets(partition.path, control_records=True, end_offset="high_watermark")
                assert found == [offset for offset in everywhere if offset < mark]


def test_a_high_watermark_cuts_and_a_missing_or_broken_one_is_an_error(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0)
    for on_damage in ("raise", "skip"):
        with pytest.raises(SourceError) as error:
            offsets(tmp_path, end_offset="high_watermark", on_damage=on_damage)
        assert error.value.file == str(tmp_path / "t-0")
    checkpoint(tmp_path, "replication-offset-checkpoint", {("t", 0): 4})
    for source in (tmp_path, tmp_path / "t-0", path):
        assert offsets(source, end_offset="high_watermark") == [0, 1, 2, 3]
        assert kafkafmt.scan(source, end_offset="high_watermark", start_offset=1).count() == 3
    (tmp_path / "replication-offset-checkpoint").write_text("0\nmany\n")
    for on_damage in ("raise", "skip"):
        with pytest.raises(kafkafmt.CorruptError):
            offsets(tmp_path, end_offset="high_watermark", on_damage=on_damage)


@pytest.mark.slow
def test_inner_messages_of_old_wrappers_count_not_what_the_wrapper_says() -> None:
    source = GOLDEN / "legacy" / "crafted-odd-wrappers" / "log-dir"
    checked = 0
    for directory in sorted(source.iterdir()):
        if not directory.is_dir() or directory.name in MISPLACED:
            continue
        rows = everything(directory, below_log_start=False)
        for bound in {row["offset"] + more for row in rows for more in (0, 1)}:
            for arguments in (
                {"start_offset": bound},
                {"end_offset": bound},
                {"start_offset": bound, "end_offset": bound + 1},
            ):
                low, high = arguments.get("start_offset", -(2**63)), arguments.get("end_offset", 2**63)
                expected = [row["offset"] for row in rows if low <= row["offset"] < high]
                scan = kafkafmt.scan(directory, on_damage="skip", columns=["offset"], **arguments)
                assert scan.to_table().column("offset").to_pylist() == expected, (directory.name, arguments)
                # A count checks CRCs only on request.
                assert scan.count() == len(expected) or "inner-crc" in directory.name
                checked += 1
    assert checked > 100


# Keys


def test_keys_are_compared_byte_by_byte(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, key=b"a"), batch(1, key=None), batch(2, key=b""), batch(3, key=b"ab"))
    assert [offsets(path, key=key) for key in (b"a", b"", b"ab", b"b", None)] == [[0], [2], [3], [], [0, 1, 2, 3]]
    assert offsets(path, key=bytearray(b"ab")) == offsets(path, key=memoryview(b"ab")) == [3]


def test_a_golden_key_is_found_everywhere_it_was_written() -> None:
    case = next(case for case in cases("modern") if case.name == "05-compacted-4.3.1")
    golden: dict[str, int] = {}
    for row in case.jsonl("records.jsonl"):
        if row["file"].startswith("comp-plain-0/") and row["file"].endswith(".log") and row["key"]:
            golden[row["key"]] = golden.get(row["key"], 0) + 1
    assert golden
    for key, count in golden.items():
        assert kafkafmt.scan(case.log_dir, topics="comp-plain", key=base64.b64decode(key)).count() == count


# Control records


def test_markers_come_only_when_asked_for(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0), batch(1, attributes=CONTROL), batch(2))
    assert (offsets(path), offsets(path, control_records=True)) == ([0, 2], [0, 1, 2])
    assert (kafkafmt.scan(path).count(), kafkafmt.scan(path, control_records=True).count()) == (2, 3)


# Invalid arguments


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"topics": 7}, TypeError),
        ({"topics": ["a", 7]}, TypeError),
        ({"topics": b"a"}, TypeError),
        ({"topics": re.compile(b"a")}, TypeError),
        ({"partitions": "0"}, TypeError),
        ({"partitions": True}, TypeError),
        ({"partitions": [0.0]}, TypeError),
        ({"partitions": 1.5}, TypeError),
        ({"start_offset": "high_watermark"}, ValueError),
        ({"start_offset": "earliest"}, ValueError),
        ({"end_offset": "latest"}, ValueError),
        ({"end_offset": 1.5}, TypeError),
        ({"end_offset": True}, TypeError),
        ({"start_offset": {"a-0": 1}}, TypeError),
        ({"start_offset": {("a", "0"): 1}}, TypeError),
        ({"start_offset": {("a", 0, 1): 1}}, TypeError),
        ({"start_offset": {(0, 0): 1}}, TypeError),
        ({"end_offset": {("a", 0): "high_watermark"}}, TypeError),
        ({"end_offset": {("a", 0): None}}, TypeError),
        ({"start_timestamp": "yesterday"}, ValueError),
        ({"end_timestamp": 1.5}, TypeError),
        ({"end_timestamp": False}, TypeError),
        ({"key": "text"}, TypeError),
        ({"key": 7}, TypeError),
        ({"replica": "first"}, ValueError),
        ({"on_damage": "ignore"}, ValueError),
    ],
)
def test_arguments_are_checked_before_anything_is_read(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        kafkafmt.scan("/nowhere/at/all", **arguments)


def test_a_mapping_is_copied_so_that_it_cannot_change_under_a_scan(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    bounds = {("t", 0): 5}
    scan = kafkafmt.scan(tmp_path, start_offset=bounds)
    bounds["t", 0] = 9
    assert scan.count() == 5


# Mistaken selections


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"end_offset": -1}, "end_offset must be 0 or more, not -1"),
        ({"start_offset": -5}, "start_offset must be 0 or more, not -5"),
        ({"start_offset": {("t", 0): -2}}, "start_offset must be 0 or more, not -2"),
        ({"start_offset": 9, "end_offset": 5}, "start_offset 9 is after end_offset 5"),
        ({"start_offset": {("t", 1): 9}, "end_offset": 5}, "start_offset 9 of t-1 is after end_offset 5"),
        ({"start_offset": 6, "end_offset": {("t", 0): 7, ("t", 1): 5}}, "start_offset 6 of t-1 is after end_offset 5"),
        ({"start_timestamp": 1001, "end_timestamp": 1000}, "start_timestamp 1001 is after end_timestamp 1000"),
    ],
)
def test_an_impossible_range_is_refused(tmp_path: Path, wanted: dict[str, Any], message: str) -> None:
    segment(tmp_path / "t-0", 0)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kafkafmt.scan(tmp_path, **wanted)


def test_partitions_and_repr_show_what_is_selected(tmp_path: Path) -> None:
    for name in ("t-0", "t-1", "u-0"):
        segment(tmp_path / name, 0)
    scan = kafkafmt.scan(tmp_path, topics="t", columns=["offset"])
    assert [each.name for each in scan.partitions] == ["t-0", "t-1"]
    assert [each.name for each in scan.source_partitions] == ["t-0", "t-1", "u-0"]
    assert repr(scan) == "<Scan of 2 of 3 partitions or files (t-0, t-1): offset>"
    assert (
        repr(kafkafmt.scan(tmp_path, topics="x", missing="note", columns=["key"]))
        == "<Scan of 0 of 3 partitions or files (none): key>"
    )
