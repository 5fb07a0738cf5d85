"""Tables: aligned, complete in a pipe, and no wider than the terminal."""

import io

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from kafkafmt.cli.output import Form, TableShape
from kafkafmt.cli.output.destination import Destination
from kafkafmt.cli.output.table import TableWriter

NO_ROOM = "kafkafmt: note: hidden on this terminal: {}; widen the terminal, or add | less -S, or use --output jsonl\n"
SCHEMA = pa.schema([("offset", pa.int64()), ("file", pa.string()), ("key", pa.binary()), ("value", pa.binary())])


def table(
    *batches: list[tuple[object, ...]],
    columns: int | None = None,
    schema: pa.Schema = SCHEMA,
    header: bool = True,
    optional: tuple[str, ...] = (),
    first: tuple[str, ...] = (),
) -> list[str]:
    """Lines of a table; `columns` is the width of the terminal, None for a pipe."""
    stream = io.BytesIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(columns or 10))
        writer = TableWriter(
            Destination(stream, is_terminal=columns is not None, is_file=False),
            schema,
            Form(header=header),
            TableShape(optional=optional, first=first),
        )
    for rows in batches:
        writer.write(pa.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema))
    writer.finish()
    return stream.getvalue().decode().split("\n")[:-1]


def test_columns_are_aligned_and_cells_whole_in_a_pipe() -> None:
    long = b"x" * 200
    assert table([(1, "a", b"k", b"v"), (12, "bb", None, long), (3, "c", long, b"")]) == [
        "offset  file  key                                       value",
        "     1  a     k                                         v",
        f"    12  bb    null                                      {long.decode()}",
        f"     3  c     {long.decode()}",
    ]


def test_wide_characters_take_two_cells() -> None:
    lines = table([(1, "a", "東京".encode(), b"v"), (2, "a", "🙂".encode(), b"w"), (3, "a", b"abcdef", b"x")])
    assert {cell_len(line[: line.rindex(line[-1])]) for line in lines[1:]} == {22}


def test_later_rows_widen_the_columns() -> None:
    assert table([(1, "a", b"k", b"v")], [], [(1000000000, "a", b"key", b"v")]) == [
        "offset  file  key  value",
        "     1  a     k    v",
        "1000000000  a     key  v",
    ]


def test_an_empty_table_has_its_names_and_no_header_none() -> None:
    assert table() == ["offset  file  key  value"]
    assert table(header=False) == []
    assert table([(1, "a", b"k", b"v")], header=False) == ["1  a  k  v"]


def test_an_optional_column_comes_with_its_first_value() -> None:
    assert table([(1, "a", None, b"v")], [(2, "a", b"k", b"w")], optional=("key", "none")) == [
        "offset  file  value",
        "     1  a     v",
        "offset  file  key   value",
        "     2  a     k     w",
    ]


def test_a_terminal_gets_shortened_cells() -> None:
    lines = table([(1, "some-directory/00000000000000000000.log", b"k" * 50, b"v" * 500)], columns=60)
    assert lines == [
        "offset  file              key               value",
        "     1  …irectory/…0.log  kkkkkkkkkkkkkkk…  vvvvvvvvvvvvvvv…",
    ]


def test_of_files_the_zeros_go_before_the_partition() -> None:
    files = [f"orders-{number}/{500 * number:020}.log" for number in (0, 1)]
    lines = table([(1, files[0], b"k" * 50, b"v"), (2, files[1], b"k" * 50, b"v")], columns=60)
    assert [line.split()[1] for line in lines[1:]] == ["orders-0/…0.log", "orders-1/…500.log"]


def test_of_a_file_itself_the_zeros_go_too() -> None:
    lines = table([(1, "00000000000000048000.log", b"k" * 50, b"v" * 50)], columns=45)
    assert lines[1].split()[1] == "…48000.log"


def test_columns_stay_aligned_behind_shortened_cells() -> None:
    rows: list[tuple[object, ...]] = [
        (number, "a", text.encode(), b"!") for number, text in enumerate(["k" * 99, "k k " * 30, "東" * 40])
    ]
    for columns in range(40, 52):
        lines = table(rows, columns=columns)
        assert len({cell_len(line[: line.index("!")]) for line in lines[1:]}) == 1


def test_what_has_no_room_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = table([(10**17, "a", b"k" * 9, b"v" * 9)], [(2, "b", b"", b"")], columns=33)
    assert lines == ["            offset  file", "100000000000000000  a", "                 2  b"]
    assert capsys.readouterr().err == NO_ROOM.format("key, value")
    assert table([(10**17, "a", b"k", b"v")], columns=5) == ["            offset", "100000000000000000"]


def test_an_optional_column_gives_way_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = table([(1, "a" * 9, b"k" * 9, b"v" * 9)], columns=27, optional=("key",))
    assert lines == ["offset  file       value", "     1  aaaaaaaaa  vvvvvvv…"]
    assert capsys.readouterr().err == NO_ROOM.format("key")


def test_what_answers_the_question_goes_last(capsys: pytest.CaptureFixture[str]) -> None:
    lines = table([(1, "a" * 9, b"k" * 9, b"v" * 9)], columns=26, first=("value", "key"))
    assert lines == ["offset  key       value", "     1  kkkkkkk…  vvvvvvv…"]
    assert capsys.readouterr().err == NO_ROOM.format("file")


def test_a_sentence_is_folded_and_numbers_give_way_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    schema = pa.schema([("offset", pa.int64()), ("reason", pa.string()), ("bytes", pa.int64())])
    rows: list[tuple[object, ...]] = [(1, "time: kept until 2099-01-01T00:00:00.000Z: offset 4711", 10**9), (2, "x", 3)]
    lines = table(rows, columns=50, schema=schema, first=("offset", "reason"))
    assert lines == [
        "offset  reason",
        "     1  time: kept until 2099-01-01T00:00:00.000Z:",
        "        offset 4711",
        "     2  x",
    ]
    assert capsys.readouterr().err == NO_ROOM.format("bytes")
    lines = table(rows, columns=56, schema=schema)
    assert lines[1:] == [
        "     1  time: kept until                      1000000000",
        "        2099-01-01T00:00:00.000Z: offset",
        "        4711",
        "     2  x                                              3",
    ]
    assert table(rows, columns=80, schema=schema)[1].endswith("offset 4711  1000000000")


def test_a_sentence_takes_eight_lines_at_most(capsys: pytest.CaptureFixture[str]) -> None:
    schema = pa.schema([("offset", pa.int64()), ("reason", pa.string())])
    for letter in ("r", "東"):
        lines = table([(1, f"{letter * 5} " * 10_000)], columns=40, schema=schema)
        assert len(lines) == 9
        assert lines[-1].endswith("…")
        assert all(cell_len(line) <= 40 for line in lines)
        assert capsys.readouterr().err == NO_ROOM.format("all of reason")


def test_the_only_column_is_shortened_to_the_terminal() -> None:
    schema = pa.schema([("value", pa.string())])
    assert table([("v" * 100,), ("w" * 20,)], columns=20, schema=schema)[1:] == ["v" * 19 + "…", "w" * 20]


TEXT = st.text(max_size=60) | st.text(st.sampled_from("a東🙂\u0301\u200d\x1b\n é"), max_size=300)


@example(
    rows=[(0, "", ""), (0, "", ""), (0, "", ""), (0, "", "\u200d\u200d00\x1f\x1f\x1f\u09cf"), (0, "0" * 11, "")],
    columns=40,
)
@given(
    rows=st.lists(st.tuples(st.integers(0, 10**12), TEXT, TEXT), min_size=1, max_size=5), columns=st.integers(40, 120)
)
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[int, str, str]], columns: int) -> None:
    schema = pa.schema([("offset", pa.int64()), ("file", pa.string()), ("value", pa.string())])
    lines = table(list(rows), columns=columns, schema=schema)
    assert len(lines) == len(rows) + 1
    assert all(cell_len(line) <= columns for line in lines)
