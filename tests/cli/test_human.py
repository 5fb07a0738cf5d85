"""Numbers as people read them."""

import pyarrow as pa
import pytest

from kafkafmt.cli import human
from kafkafmt.cli.output import cells
from kafkafmt.survey import Share


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (None, "-"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (5 * 1024**3, "5.0 GiB"),
        (2**63 - 1, "8.0 EiB"),
        (2**80, "1048576.0 EiB"),
    ],
)
def test_sizes(count: int | None, expected: str) -> None:
    assert human.size(count) == expected


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        (None, "-"),
        (-1, "-1"),
        (0, "1970-01-01T00:00:00.000Z"),
        (1_795_234_958_508, "2026-11-21T04:22:38.508Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_135_596_800_001, "-62135596800001"),
        (253_402_300_800_000, "253402300800000"),
        (2**63 - 1, "9223372036854775807"),
        (-(2**63), "-9223372036854775808"),
    ],
)
def test_times(milliseconds: int | None, expected: str) -> None:
    assert human.time(milliseconds) == expected
    if milliseconds is not None:
        assert cells.to_table(pa.array([milliseconds]).cast(pa.timestamp("ms", "UTC"))) == [expected]


def test_counts_and_ranges() -> None:
    assert (human.number(None), human.number(1234567), human.plain(None), human.plain(1234567)) == (
        "-",
        "1,234,567",
        "-",
        "1234567",
    )
    assert [human.span(None, None), human.span(3, 3), human.span(3, 7)] == ["-", "3", "3-7"]
    assert human.join(["a", None, "", "b"]) == "a, b"


def test_codecs_come_by_size_and_formats_by_number() -> None:
    shares = {(2, "gzip"): Share(1, 10), (1, "lz4"): Share(1, 6), (2, "lz4"): Share(1, 5), (0, "none"): Share(9, 1)}
    assert human.codecs(shares) == "lz4, gzip, none"
    assert human.formats(shares) == "v0, v1, v2"
    assert (human.codecs({}), human.formats({})) == ("-", "-")
