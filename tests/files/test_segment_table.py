"""`kafkafmt.files.segment.read` and `parse`: headers as entries and as a table, against golden batches.jsonl."""

from typing import Any

import pytest

from kafkafmt.batch_columns import BATCH_SCHEMA
from kafkafmt.files import segment
from tests.golden_cases import Case, cases


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_the_table_of_a_segment_is_kafkas_list_of_batches(case: Case) -> None:
    expected: dict[str, list[dict[str, Any]]] = {}
    for batch in case.jsonl("batches.jsonl"):
        expected.setdefault(batch["file"], []).append(batch)
    for name, batches in expected.items():
        path = case.log_dir / name
        found = segment.read(path)
        assert len(found) == len(batches)
        assert found[0].position == 0
        assert found[:1] == found.entries[:1]
        table = found.to_table()
        assert table.equals(segment.parse(path.read_bytes(), file=str(path)).to_table())
        as_int = [
            column.cast("int64") if "Timestamp" in name and name != "timestampType" else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        for row, batch in zip(zip(*(column.to_pylist() for column in as_int), strict=True), batches, strict=True):
            cells = dict(zip(BATCH_SCHEMA.names, row, strict=True))
            if not batch["isValid"]:
                assert cells["isValid"] is False
                continue
            for key in BATCH_SCHEMA.names:
                if key != "file" and batch[key] is not None and not (key == "baseOffset" and cells[key] is None):
                    assert cells[key] == batch[key], (key, batch)


def test_headers_before_a_broken_size_stay_and_the_error_is_kept() -> None:
    sound = (cases("modern")[0].log_dir / "shapes-0" / "00000000000000000000.log").read_bytes()
    whole = segment.parse(sound)
    broken = segment.parse(sound + b"\0" * 8 + b"\0\0\0\5" + b"x" * 20, file="x.log")
    assert whole.error is None
    assert [header.position for header in broken] == [header.position for header in whole]
    assert (broken.error.file, broken.error.position) == ("x.log", len(sound)) if broken.error else False
    assert segment.parse(b"").to_table().num_rows == 0


def test_a_tail_is_told_as_the_error() -> None:
    sound = (cases("modern")[0].log_dir / "shapes-0" / "00000000000000000000.log").read_bytes()
    assert str(segment.parse(sound + bytes(30)).error).count("zeros to the end") == 1
    assert str(segment.parse(sound[:-1]).error).count("incomplete") == 1
