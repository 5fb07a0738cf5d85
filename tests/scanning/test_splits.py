"""Splits of any log, sound or broken: together they give the rows of a scan, and damage costs no more."""

import struct
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import KafkafmtError
from kafkafmt.columns import SCHEMA
from kafkafmt.io.base import File
from tests.logdir.builders import file_name
from tests.scanning import logs, united
from tests.scanning.test_engines import Log, arguments, broken_logs, whole_logs

SIZES = st.sampled_from([1, 60, 100, 250, 1000, 10**9])


def write(log: Log, root: str) -> Path:
    directory = Path(root) / log.directory
    directory.mkdir()
    for base, content in log.segments:
        (directory / file_name(base)).write_bytes(content)
    return directory


@pytest.mark.slow
@given(whole_logs(0.0), st.data())
def test_splits_of_a_sound_log_give_what_a_scan_gives(log: Log, data: st.DataObject) -> None:
    asked = data.draw(arguments(log.base_offset))
    asked |= {"engine": data.draw(st.sampled_from(["columnar", "reference"])), "columns": None}
    plan_of: dict[str, Any] = {"max_split_bytes": data.draw(SIZES)}
    plan_of |= data.draw(st.sampled_from([{}, {}, {"min_splits": 3}, {"max_splits": 2}, {"max_records_per_split": 2}]))
    with tempfile.TemporaryDirectory() as root:
        write(log, root)
        scan = kafkafmt.scan(root, **asked)
        expected = united.of_scan(scan, root)
        found = planned(scan, plan_of)
        if isinstance(found, KafkafmtError):
            assert expected.error is not None
        elif asked.get("end_offset") is not None and (expected.damage or not in_offset_order(log)):
            # A scan stops at the first offset after the range; a split that begins later cannot know of that offset.
            assert expected.error is not None or keys(found)[: len(keys(expected))] == keys(expected)
        elif expected.error is None:
            assert found == expected


@pytest.mark.slow
@given(broken_logs(), SIZES, st.sampled_from(["raise", "skip"]), st.sampled_from([None, 1, 7]))
def test_splits_of_a_broken_log_give_what_a_scan_gives_and_more(
    log: Log, size: int, on_damage: Any, records: int | None
) -> None:
    with tempfile.TemporaryDirectory() as root:
        write(log, root)
        scan = kafkafmt.scan(root, on_damage=on_damage, columns=["offset", "value", "position", "file"])
        expected = united.of_scan(scan, root)
        found = planned(scan, {"max_split_bytes": size, "max_records_per_split": records})
        if isinstance(found, KafkafmtError):
            return
        wanted = keys(expected)
        if on_damage == "raise":
            assert keys(found)[: len(wanted)] == wanted or found.error is not None
        elif found.error is None:
            assert set(wanted) <= set(keys(found))


def planned(scan: kafkafmt.Scan, arguments: dict[str, Any]) -> Any:
    try:
        return united.of_plan(scan.plan(**arguments))
    except KafkafmtError as error:
        return error


def in_offset_order(log: Log) -> bool:
    offsets = []
    for _, content in log.segments:
        position = 0
        while position < len(content):
            offset, size = struct.unpack_from(">qi", content, position)
            offsets.append(offset)
            position += 12 + size
    return offsets == sorted(offsets)


def keys(outcome: united.Outcome) -> list[tuple[Any, ...]]:
    columns = [outcome.table.column(name).to_pylist() for name in ("file", "position", "offset", "value")]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("worth_skipping", [16, 64 * 1024])
def test_a_log_of_all_kinds_of_entries_can_be_cut_between_any_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth_skipping: int
) -> None:
    monkeypatch.setattr(File, "worth_skipping", worth_skipping)
    entries = list(logs.entries(["batch", "message", "wrapper"] * 8, 7, 0.0, 0))
    write(Log(0, [(0, b"".join(entries))], "t-0", with_index=False), str(tmp_path))
    scan = kafkafmt.scan(tmp_path, control_records=True)
    plan = scan.plan(max_split_bytes=1)
    ends = list(accumulate(map(len, entries)))
    cuts = [task.end for split in plan.splits for task in split.tasks]
    # No split begins at a batch whose header is unlike any that Kafka writes.
    assert set(cuts) <= set(ends)
    assert len(cuts) > 20
    assert united.of_plan(plan) == united.of_scan(scan, tmp_path)
    assert plan.reading.schema == SCHEMA
