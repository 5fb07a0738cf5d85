"""Tables of text: widths grow, columns go where there is no room."""

from kafkafmt.cli.ls.aligned import Aligned, Column

COLUMNS = (Column("NAME"), Column("SIZE", right=True), Column("EXTRA", rank=1), Column("MORE", rank=2))


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
        " NAME     SIZE  EXTRA  MORE",
        " a           1  x      y",
        " bbbbbb  10000",
    ]


def test_without_rows_there_are_no_titles() -> None:
    assert lines(None) == []


def test_widths_grow_with_later_rows() -> None:
    found = lines(None, ("a", "1", "x", "y"), ("bbbbbb", "10000", "x", "y"), at_once=False)
    assert found == ["NAME  SIZE  EXTRA  MORE", "a        1  x      y", "bbbbbb  10000  x      y"]


def test_where_there_is_no_room_the_highest_rank_goes_first() -> None:
    row = ("n" * 20, "1", "x", "y")
    assert lines(39, row)[0].split() == ["NAME", "SIZE", "EXTRA", "MORE"]
    assert lines(38, row)[0].split() == ["NAME", "SIZE", "EXTRA"]
    assert lines(30, row)[0].split() == ["NAME", "SIZE"]
    assert lines(10, row)[0].split() == ["NAME", "SIZE"]


def test_titles_come_again_when_a_column_has_to_go() -> None:
    found = lines(40, ("n" * 20, "1", "x", "y"), ("n" * 20, "1", "x" * 9, "y"), at_once=False)
    assert [line.split()[0] for line in found].count("NAME") == 2


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
    table = Aligned((Column("FILE", least=26), Column("SIZE", rank=1)), 29, written.append)
    table.add(("f" * 24, "1"))
    table.flush()
    assert written == ["FILE", "f" * 24]


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
