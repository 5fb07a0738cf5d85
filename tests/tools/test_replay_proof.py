"""The replay proof detects what it must, and the page has the commands that it runs."""

import pyarrow as pa
import pytest

import environment
import kafkafmt
from replay_proof.contents import Rows, differences, example, rows_of


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    directory = tmp_path_factory.mktemp("replay") / "made"
    example(directory, 600)
    return rows_of(kafkafmt.open(directory), "zipped")


def test_the_same_records_are_the_same(rows: Rows) -> None:
    assert sum(map(len, rows.values())) == 300
    assert list(differences("zipped", rows, rows)) == []


@pytest.mark.parametrize("column", ["key", "value", "timestamp", "headers"])
def test_one_other_value_is_seen(rows: Rows, column: str) -> None:
    table = rows[1]
    number = table.schema.get_field_index(column)
    moved = pa.concat_tables([table.slice(1), table.slice(0, 1)])[column]
    changed = rows | {1: table.set_column(number, table.schema.field(number), moved)}
    assert list(differences("zipped", rows, changed)) == [f"zipped-1: another {column}"]


def test_lost_and_repeated_records_are_seen(rows: Rows) -> None:
    fewer = rows | {0: rows[0].slice(1)}
    more = rows | {0: pa.concat_tables([rows[0], rows[0].slice(0, 1)])}
    assert list(differences("zipped", rows, fewer)) == ["zipped-0: 99 of 100 records"]
    assert list(differences("zipped", rows, more)) == ["zipped-0: 101 of 100 records"]
    assert list(differences("zipped", rows, {1: rows[1], 2: rows[2]})) == ["zipped-0: not there"]


def test_another_map_is_seen(rows: Rows) -> None:
    offsets = {number: table["offset"].to_pylist() for number, table in rows.items()}
    flat = [(number, offset) for number, found in offsets.items() for offset in found]
    partitions, there = zip(*flat, strict=True)
    mapped = pa.table({"partition": pa.array(partitions, pa.int32()), "offset": there, "targetOffset": there})
    assert list(differences("zipped", rows, rows, mapped)) == []
    wrong = mapped.set_column(2, "targetOffset", pa.array([*there[:-1], there[-1] + 1]))
    assert list(differences("zipped", rows, rows, wrong)) == ["zipped-2: the offset map is another one"]


def test_the_page_has_the_ways_that_are_run() -> None:
    text = (environment.ROOT / "docs" / "restore.md").read_text("utf-8")
    for name in ("Brokers on repaired disks", "Serve and MirrorMaker 2", "Replay", "Write"):
        assert f"\n## {name}\n" in text
