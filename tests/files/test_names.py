"""Names of partition directories and segment files."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafkafmt.files.names import (
    PartitionName,
    SegmentFileName,
    is_log_file,
    parse_partition_name,
    parse_segment_file_name,
    segment_file_name,
)
from tests.golden_cases import Case, cases

HEX = "0123456789abcdef" * 2
NO_NAME = (None, None)


def partition(name: str) -> tuple[str | None, int | None, str]:
    parsed = parse_partition_name(name)
    return parsed.topic, parsed.partition, parsed.state


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_name_in_the_golden_trees_is_understood(case: Case) -> None:
    for path in case.log_dir.rglob("*"):
        if path.is_dir():
            holds_log = any(is_log_file(each.name) for each in path.iterdir())
            parsed = parse_partition_name(path.name)
            if holds_log:
                assert parsed.topic
                assert parsed.partition is not None
                assert (parsed.state == "live") == (
                    re.search(r"\.[0-9a-f]{32}-(delete|future|stray)$", path.name) is None
                )
                if parsed.state == "live":
                    assert path.name == f"{parsed.topic}-{parsed.partition}"
                else:
                    assert path.name.startswith(f"{parsed.topic}-{parsed.partition}.")
        else:
            file = parse_segment_file_name(path.name)
            starts_with_an_offset = re.match(r"\d{20}\.", path.name) is not None
            assert (file is not None) == starts_with_an_offset
            if file is not None:
                assert segment_file_name(file.base_offset, file.kind, file.suffix) == path.name
                assert file.kind in {"log", "index", "timeindex", "txnindex", "snapshot"}
                assert file.suffix in {"", ".deleted", ".cleaned", ".swap"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders-0", ("orders", 0, "live")),
        ("a.b_c-d.e-12", ("a.b_c-d.e", 12, "live")),
        ("x-1-2-3", ("x-1-2", 3, "live")),
        ("--0", ("-", 0, "live")),
        ("0-0", ("0", 0, "live")),
        ("topic-delete-7", ("topic-delete", 7, "live")),
        ("t-2147483647", ("t", 2**31 - 1, "live")),
        ("t-007", ("t", 7, "live")),
        (f"orders-3.{HEX}-delete", ("orders", 3, "delete")),
        (f"orders-3.{HEX}-future", ("orders", 3, "future")),
        (f"orders-3.{HEX}-stray", ("orders", 3, "stray")),
        (f"dots.in.it-3.{HEX}-delete", ("dots.in.it", 3, "delete")),
        (f"t-1.{HEX}-delete-0", (f"t-1.{HEX}-delete", 0, "live")),
        (f"t-1.{HEX}-delete.{HEX}-stray", (None, None, "stray")),
        (f"only-words.{HEX}-delete", (None, None, "delete")),
        ("t-1.abc-delete", ("t", 1, "delete")),
        ("topic", (*NO_NAME, "live")),
        ("-0", (*NO_NAME, "live")),
        ("topic-", (*NO_NAME, "live")),
        ("", (*NO_NAME, "live")),
        ("-", (*NO_NAME, "live")),
        ("t- 1", (*NO_NAME, "live")),
        ("t-+1", (*NO_NAME, "live")),
        ("t-1_0", (*NO_NAME, "live")),
        ("t-1\n", (*NO_NAME, "live")),
        ("t-2147483648", (*NO_NAME, "live")),
        ("t-99999999999", (*NO_NAME, "live")),
    ],
)
def test_a_partition_is_what_follows_the_last_dash(name: str, expected: tuple[str | None, int | None, str]) -> None:
    assert partition(name) == expected


@pytest.mark.parametrize("digit", ["٣", "３", "²", "①", "𝟛"])  # noqa: RUF001 (digits that are not ASCII are the point)
def test_digits_of_other_scripts_are_no_numbers(digit: str) -> None:
    assert partition(f"t-{digit}") == (*NO_NAME, "live")
    assert parse_segment_file_name(f"{digit * 20}.log") is None
    assert parse_segment_file_name(f"{'0' * 19}{digit}.log") is None


def test_a_number_of_any_length_is_judged_without_being_read() -> None:
    assert partition("t-" + "9" * 10_000) == (*NO_NAME, "live")
    assert partition("t-" + "0" * 10_000 + "7") == ("t", 7, "live")
    assert partition("t-" + "0" * 20 + "2147483648") == (*NO_NAME, "live")


def test_names_of_255_characters() -> None:
    assert partition("t" * 249 + "-12345") == ("t" * 249, 12345, "live")
    cut = "t" * (255 - len(f"-0.{HEX}-delete"))
    assert partition(f"{cut}-0.{HEX}-delete") == (cut, 0, "delete")


def test_names_with_undecodable_bytes_or_line_ends_are_topics_like_any_other() -> None:
    assert partition("a\udcff\nb-1") == ("a\udcff\nb", 1, "live")
    assert partition(f"a\nb-1.{HEX}-delete") == ("a\nb", 1, "delete")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("00000000000000000000.log", SegmentFileName(0, "log", "")),
        ("09223372036854775807.timeindex", SegmentFileName(2**63 - 1, "timeindex", "")),
        ("00000000000000000042.log.deleted", SegmentFileName(42, "log", ".deleted")),
        ("00000000000000000042.index.cleaned", SegmentFileName(42, "index", ".cleaned")),
        ("00000000000000000042.log.swap.deleted", SegmentFileName(42, "log", ".swap.deleted")),
        ("00000000000000000042.log.bak-2024_01", SegmentFileName(42, "log", ".bak-2024_01")),
        ("00000000000000000042.snapshot", SegmentFileName(42, "snapshot", "")),
        ("09223372036854775808.log", None),
        ("99999999999999999999.log", None),
        ("0000000000000000000.log", None),
        ("000000000000000000000.log", None),
        ("-0000000000000000001.log", None),
        ("00000000000000000000", None),
        ("00000000000000000000.", None),
        ("00000000000000000000.LOG", None),
        ("00000000000000000000.log\n", None),
        ("00000000000000000000.log.a b", SegmentFileName(0, "log", ".a b")),
        ("00000000000000000000.log.", SegmentFileName(0, "log", ".")),
        ("00000000000000000000-0000000000.checkpoint", None),
        ("leader-epoch-checkpoint", None),
        ("", None),
    ],
)
def test_a_segment_file_begins_with_20_digits(name: str, expected: SegmentFileName | None) -> None:
    assert parse_segment_file_name(name) == expected
    assert is_log_file(name) == (expected is not None and expected.kind == "log")


@given(offset=st.integers(0, 2**63 - 1), suffix=st.sampled_from(["", ".deleted", ".swap"]))
def test_a_segment_file_name_that_is_written_is_read(offset: int, suffix: str) -> None:
    name = segment_file_name(offset, "log", suffix)
    assert parse_segment_file_name(name) == SegmentFileName(offset, "log", suffix)


PIECES = st.sampled_from(["-", ".", HEX, "-delete", "-stray", "0" * 20, "9" * 25, ".log", ".swap", "٣", "\udcff", "\n"])


@given(name=st.lists(PIECES | st.text(max_size=4)).map("".join))
@example("\0")
def test_no_name_raises(name: str) -> None:
    parsed = parse_partition_name(name)
    assert isinstance(parsed, PartitionName)
    assert (parsed.topic is None) == (parsed.partition is None)
    assert parsed.partition is None or 0 <= parsed.partition < 2**31
    file = parse_segment_file_name(name)
    assert file is None or 0 <= file.base_offset < 2**63
