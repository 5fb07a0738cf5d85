"""Start and end offsets: forms, precedence and contradictions."""

import pytest

from pyspark_kafkafmt.offsets import GivenOffsets, OffsetBounds, Timestamps
from pyspark_kafkafmt.option_errors import OptionError


def refused(**options: str) -> str:
    with pytest.raises(OptionError) as caught:
        OffsetBounds.parse(options)
    return str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"startingOffsets": "earliest", "endingOffsets": "latest"},
        {"startingOffsets": " EARLIEST ", "endingOffsets": "Latest"},
    ],
)
def test_everything_is_read_by_default(options: dict[str, str]) -> None:
    assert OffsetBounds.parse(options) == OffsetBounds(None, None, "error")


def test_offsets_are_those_of_partitions() -> None:
    bounds = OffsetBounds.parse(
        {"startingOffsets": ' {"a":{"0":23,"1":-2}} ', "endingOffsets": '{"a":{"0":23,"1":-1}}'}
    )
    assert bounds.starting == GivenOffsets("startingOffsets", {("a", 0): 23, ("a", 1): None})
    assert bounds.ending == GivenOffsets("endingOffsets", {("a", 0): 23, ("a", 1): None})


def test_times_go_before_times_of_partitions_and_those_before_offsets() -> None:
    options = {
        "startingTimestamp": " 1000 ",
        "startingOffsetsByTimestamp": '{"a":{"0":7}}',
        "startingOffsets": "latest",
        "endingTimestamp": "+2000",
        "endingOffsetsByTimestamp": "no JSON at all",
        "endingOffsets": "earliest",
    }
    bounds = OffsetBounds.parse(options)
    assert (bounds.starting, bounds.ending) == (
        Timestamps("startingTimestamp", 1000),
        Timestamps("endingTimestamp", 2000),
    )
    del options["startingTimestamp"], options["endingTimestamp"]
    options["endingOffsetsByTimestamp"] = '{"a":{"0":8}}'
    bounds = OffsetBounds.parse(options)
    assert bounds.starting == Timestamps("startingOffsetsByTimestamp", {("a", 0): 7})
    assert bounds.ending == Timestamps("endingOffsetsByTimestamp", {("a", 0): 8})


@pytest.mark.parametrize(("value", "expected"), [("error", "error"), ("LATEST", "latest")])
def test_the_strategy_is_a_word(value: str, expected: str) -> None:
    assert OffsetBounds.parse({"startingOffsetsByTimestampStrategy": value}).on_no_match == expected


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"startingOffsets": "latest"}, "a batch query cannot start at the latest offset"),
        ({"startingOffsets": '{"a":{"0":1,"1":-1}}'}, "a batch query cannot start at the latest offset"),
        ({"endingOffsets": "Earliest"}, "a batch query cannot end at the earliest offset"),
        ({"endingOffsets": '{"a":{"0":-2}}'}, "a batch query cannot end at the earliest offset"),
        ({"startingOffsets": '{"a":{"0":-3}}'}, "no offset for a-0; allowed: offsets from 0 up, and -2 (earliest)"),
        ({"endingOffsets": '{"a":{"0":-3}}'}, "no offset for a-0; allowed: offsets from 0 up, and -1 (latest)"),
        ({"startingOffsets": ""}, "expected earliest, or JSON like "),
        ({"endingOffsets": "23"}, "expected latest, or JSON like "),
        ({"startingTimestamp": ""}, "not a timestamp"),
        ({"endingTimestamp": "2024-01-01"}, "not a timestamp; allowed: milliseconds since 1970-01-01 UTC, from 0 up"),
        ({"startingTimestamp": "-1"}, "a negative timestamp; allowed: milliseconds since 1970-01-01 UTC"),
        ({"endingOffsetsByTimestamp": '{"a":{"0":-2}}'}, "a negative timestamp; allowed: milliseconds since"),
        ({"startingOffsetsByTimestamp": "1000"}, 'expected JSON like {"topicA":{"0":1700000000000'),
        ({"startingOffsetsByTimestampStrategy": "earliest"}, "not an allowed value; allowed: error, latest"),
    ],
)
def test_a_wrong_bound_is_refused(options: dict[str, str], text: str) -> None:
    (name,) = options
    line = refused(**options)
    assert line.startswith(f"option {name} = '")
    assert text in line


def test_ends_that_name_other_partitions_are_refused() -> None:
    text = refused(startingOffsets='{"a":{"0":1,"1":1}}', endingOffsets='{"a":{"0":2},"b":{"0":2}}')
    assert text == (
        "option endingOffsets: it and startingOffsets do not name the same partitions: a-1, b-0; name the same in both"
    )
    assert "do not name the same partitions" in refused(
        startingOffsetsByTimestamp='{"a":{"0":1}}', endingOffsetsByTimestamp="{}"
    )


@pytest.mark.parametrize(
    ("start", "end", "of"),
    [
        ({"startingOffsets": '{"a":{"0":9}}'}, {"endingOffsets": '{"a":{"0":8}}'}, "a-0"),
        ({"startingOffsetsByTimestamp": '{"a":{"0":9}}'}, {"endingOffsetsByTimestamp": '{"a":{"0":8}}'}, "a-0"),
        ({"startingTimestamp": "9"}, {"endingTimestamp": "8"}, "all partitions"),
    ],
)
def test_a_start_after_the_end_is_refused(start: dict[str, str], end: dict[str, str], of: str) -> None:
    (first,), (last,) = start, end
    assert refused(**start, **end) == (
        f"option {first}: it begins at 9, after {last} which is 8, for {of}; the start must not exceed the end"
    )


def test_special_offsets_have_no_order() -> None:
    bounds = OffsetBounds.parse({"startingOffsets": '{"a":{"0":9}}', "endingOffsets": '{"a":{"0":-1}}'})
    assert bounds.ending == GivenOffsets("endingOffsets", {("a", 0): None})


def test_ends_of_two_kinds_are_compared_when_they_are_looked_up() -> None:
    bounds = OffsetBounds.parse({"startingOffsets": '{"a":{"0":9}}', "endingTimestamp": "1"})
    assert (bounds.starting, bounds.ending) == (
        GivenOffsets("startingOffsets", {("a", 0): 9}),
        Timestamps("endingTimestamp", 1),
    )
    bounds = OffsetBounds.parse({"startingTimestamp": "9", "endingOffsetsByTimestamp": '{"a":{"0":1}}'})
    assert bounds.ending == Timestamps("endingOffsetsByTimestamp", {("a", 0): 1})
