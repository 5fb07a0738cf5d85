"""JSON in options: any text gives a value or our error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_kafkafmt import option_values
from pyspark_kafkafmt.offsets import GivenOffsets, Timestamps
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import SourceOptions

pytestmark = pytest.mark.volume

JSON_OPTIONS = (
    "assign",
    "endingOffsets",
    "endingOffsetsByTimestamp",
    "paths",
    "startingOffsets",
    "startingOffsetsByTimestamp",
)

NUMBERS = st.integers(min_value=0, max_value=2**63 - 1)
BY_PARTITION = st.dictionaries(
    st.text(min_size=1), st.dictionaries(st.integers(0, 2**31 - 1).map(str), NUMBERS, max_size=4), max_size=4
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.integers().map(str),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=3), children, max_size=3),
)
# Nearly valid, so that every check is reached.
NEARLY = st.dictionaries(
    st.sampled_from("ab"),
    st.dictionaries(st.sampled_from(["0", "1", "-1", "x", "01"]), VALUES | st.integers(-4, 4), max_size=2)
    | st.lists(VALUES | st.integers(-2, 2), max_size=2),
    max_size=2,
)
TEXTS = (
    st.text(st.characters(codec=None), max_size=40)
    | VALUES.map(json.dumps)
    | NEARLY.map(json.dumps)
    | BY_PARTITION.map(json.dumps)
    | st.tuples(NEARLY.map(json.dumps), st.integers(0, 60)).map(lambda cut: cut[0][: cut[1]])
)


def refusal(**options: str) -> str | None:
    """The error that a user sees, or None. Any other exception fails the test."""
    try:
        SourceOptions.parse({"path": "/data", **options})
    except OptionError as error:
        return str(error)
    return None


@pytest.mark.parametrize("option", JSON_OPTIONS)
@given(text=TEXTS)
def test_any_text_gives_a_value_or_our_error(option: str, text: str) -> None:
    told = refusal(**{option: text})
    if told is not None:
        assert told.startswith(f"option {option}")
        assert "\n" not in told
        told.encode("utf-8")


@given(st.text(st.characters(codec=None), max_size=40) | st.text(r"\\(?<>[]{}&|*+^$-.aQEpPkzZ1,:=!", max_size=12))
def test_any_pattern_compiles_or_is_refused(text: str) -> None:
    told = refusal(subscribePattern=text)
    assert told is None or told.startswith("option subscribePattern")


@given(BY_PARTITION)
def test_numbers_of_partitions_come_back(by_partition: dict[str, dict[str, int]]) -> None:
    flat = {(topic, int(name)): number for topic, numbers in by_partition.items() for name, number in numbers.items()}
    options = SourceOptions.parse(
        {"path": "/", "startingOffsets": json.dumps(by_partition), "endingOffsetsByTimestamp": json.dumps(by_partition)}
    )
    assert options.bounds.starting == GivenOffsets("startingOffsets", flat)
    assert options.bounds.ending == Timestamps("endingOffsetsByTimestamp", flat)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON: Expecting value"),
        ("{", "not JSON: "),
        ('{"a":{"0":1}} x', "not JSON: Extra data"),
        pytest.param("[" * 100_000, "not JSON: nested too deeply", id="deep"),
        ('{"a":{"0":NaN}}', "not JSON: NaN"),
        ("[]", "the whole is not a JSON object"),
        ('{"a":[0]}', "topic a is not a JSON object"),
        ('{"a":{"0":1},"a":{"1":1}}', "a is given twice"),
        ('{"a":{"0":1,"00":2}}', "partition 0 of topic a is given twice"),
        ('{"a":{"x":1}}', 'not a partition number in topic a: "x"'),
        ('{"a":{"-1":1}}', "not a partition number in topic a: -1"),
        ('{"a":{"2147483648":1}}', "not a partition number in topic a: 2147483648"),
        ('{"a":{"0":1.0}}', "not a 64-bit integer for a-0: 1.0"),
        ('{"a":{"0":true}}', "not a 64-bit integer for a-0: true"),
        ('{"a":{"0":null}}', "not a 64-bit integer for a-0: null"),
        ('{"a":{"0":9223372036854775808}}', "not a 64-bit integer for a-0: 9223372036854775808"),
        ('{"a":{"0":"23"}}', 'not a 64-bit integer for a-0: "23"'),
        ('{"a":{"0":[]}}', "not a 64-bit integer for a-0: an array"),
        ('{"a":{"0":{}}}', "not a 64-bit integer for a-0: an object"),
        pytest.param(f'{{"a":{{"0":{"9" * 5000}}}}}', "a number of 5000 digits", id="long"),
    ],
)
def test_what_is_wrong_is_told(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="^" + problem.replace("(", r"\(")):
        option_values.longs_by_partition(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('["a"]', "the whole is not a JSON object"),
        ('{"a":0}', "topic a is not a JSON array"),
        ('{"a":[0.5]}', "not a partition number in topic a: 0.5"),
        ('{"a":[-1]}', "not a partition number in topic a: -1"),
        ('{"a":["1"]}', 'not a partition number in topic a: "1"'),
    ],
)
def test_what_is_wrong_with_assigned_partitions_is_told(text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        option_values.partitions("assign", text)
