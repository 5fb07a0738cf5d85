"""Text tables: widths grow, and columns that do not fit are dropped."""

import pytest

from kafkafmt.cli.output.aligned import Aligned, Column, say_left_out

COLUMNS = (
    Column("name", least=20, loses="middle"),
    Column("size", right=True),
    Column("extra", rank=1),
    Column("more", rank=2),
)


def lines(width: int | None, *rows: tuple[str, ...], at_once: bool = True, indent: int = 0) -> list[str]:
    written: list[str] = []
    table = Aligned(COLUMNS, width, written.append, indent)
    for row in rows:
        table.add(row)
        if not at_once:
            table.flush()
    table.flush()
    return written


def test_cells_stand_below_their_titles() -> None:
    assert lines(None, ("a", "1", "x", "y"), ("bbbbbb", "10000", "", ""), indent=1) == [
        " name     size  extra  more",
        " a           1  x      y",
        " bbbbbb  10000",
    ]


def test_without_rows_there_are_no_titles() -> None:
    assert lines(None) == []


def test_widths_grow_with_later_rows() -> None:
    found = lines(None, ("a", "1", "x", "y"), ("bbbbbb", "10000", "x", "y"), at_once=False)
    assert found == ["name  size  extra  more", "a        1  x      y", "bbbbbb  10000  x      y"]


def test_where_there_is_no_room_the_highest_rank_goes_first() -> None:
    row = ("n" * 20, "1", "x", "y")
    assert lines(39, row)[0].split() == ["name", "size", "extra", "more"]
    assert lines(38, row)[0].split() == ["name", "size", "extra"]
    assert lines(30, row)[0].split() == ["name", "size"]


def test_titles_come_again_when_a_column_has_to_go() -> None:
    found = lines(40, ("n" * 20, "1", "x", "y"), ("n" * 20, "1", "x" * 9, "y"), at_once=False)
    assert [line.split()[0] for line in found].count("name") == 2


def test_a_long_name_is_shortened() -> None:
    (_, line) = lines(40, ("n" * 100, "1", "x", "y"))
    assert line == "n" * 10 + "…" + "n" * 10 + "     1  x      y"


def test_a_shortened_name_keeps_its_end() -> None:
    (_, *shown) = lines(40, ("n" * 90 + "-11 !", "1", "x", "y"), ("n" * 90 + "-12", "1", "x", "y"))
    assert [line[:21].rstrip() for line in shown] == ["n" * 10 + "…nnnnn-11 !", "n" * 10 + "…nnnnnnn-12"]


def test_a_shortened_name_of_wide_characters_keeps_its_width() -> None:
    (_, line) = lines(39, ("日" * 60, "1", "x", "y"))
    assert line == "日" * 4 + " …" + "日" * 5 + "     1  x      y"


def test_the_first_column_may_ask_for_more_room() -> None:
    written: list[str] = []
    table = Aligned((Column("file", least=26), Column("size", rank=1)), 29, written.append)
    table.add(("f" * 24, "1"))
    table.flush()
    assert written == ["file", "f" * 24]


def test_wide_characters_count_twice() -> None:
    assert lines(None, ("日本", "1", "", ""), ("abcd", "2", "", ""))[1:] == ["日本     1", "abcd     2"]


def test_very_many_rows_are_written_as_they_come() -> None:
    written: list[str] = []
    table = Aligned(COLUMNS, None, written.append)
    for number in range(201):
        table.add((str(number), "", "", ""))
    assert len(written) == 201
    table.flush()
    assert len(written) == 202


def test_what_answers_the_question_stays_longest() -> None:
    written: list[str] = []
    columns = (
        Column("durationMs", right=True, rank=2),
        Column("offset", right=True),
        Column("reason", rank=1, least=12),
    )
    left_out: dict[str, None] = {}
    table = Aligned(columns, 30, written.append, left_out=left_out)
    table.add(("1234567", "17", "the coordinator has none"))
    table.add((None, None, None))
    table.flush()
    assert written == ["offset  reason", "    17  the coordinator has n…", "  null  null"]
    assert [*left_out] == ["durationMs"]


def test_what_had_no_room_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say_left_out({}, other_forms=True)
    say_left_out({"a": None, "b": None}, other_forms=False)
    assert (
        capsys.readouterr().err
        == "kafkafmt: note: hidden on this terminal: a, b; widen the terminal, or add | less -S\n"
    )
