"""How tools/demo shows bytes, times, sizes and tables."""

import pytest

import demo_report as report


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, "null"),
        (b"", '""'),
        (b"plain text", "plain text"),
        ("Größe 東京 🙂".encode(), "Größe 東京 🙂"),
        (b"a\nb\x00\t", "a\\nb\\x00\\t"),
        ("right\u202eto left".encode(), "right\\u202eto left"),
        (b"\xff\x00binary", "0xff0062696e617279"),
        ("cut off: 東".encode()[:-1], "cut off: "),
        (b"\xe6", "0xe6"),
    ],
)
def test_bytes_are_shown_readably(value: bytes | None, cell: str) -> None:
    assert report.bytes_cell(value) == cell


@pytest.mark.parametrize(
    ("ms", "cell"),
    [
        (None, ""),
        (-1, "-1"),
        (0, "1970-01-01T00:00:00.000Z"),
        (1795235372324, "2026-11-21T04:29:32.324Z"),
        (-2, "1969-12-31T23:59:59.998Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "253402300800000"),
        (2**63 - 1, str(2**63 - 1)),
        (-(2**63), str(-(2**63))),
    ],
)
def test_times_are_utc_or_the_number_itself(ms: int | None, cell: str) -> None:
    assert report.time_cell(ms) == cell


@pytest.mark.parametrize(
    ("size", "cell"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1_500_000, "1.5 MB"), (5_000_000_000_000, "5000.0 GB")],
)
def test_sizes_have_a_fitting_unit(size: int, cell: str) -> None:
    assert report.size_cell(size) == cell


def test_tables_align_numbers_right_and_cut_the_last_column() -> None:
    rows = [("a", 1, "short"), ("bb", 1234, "a text that is far too long for the line")]
    assert report.table(("name", "count", "text"), rows, 30) == [
        "name  count  text",
        "----  -----  -----------------",
        "a         1  short",
        "bb    1,234  a text that is f…",
    ]


def test_tables_without_rows_have_their_titles() -> None:
    assert report.table(("a", "b"), [], 80) == ["a  b", "-  -"]
