"""Arrays built from Python values, compared with Arrow's own conversion."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import arrays, columns

HEADERS = columns.SCHEMA.field("headers").type
LEAVES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    *(
        (kind, st.integers(-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1))
        for kind in (pa.int8(), pa.int64())
    ),
    (pa.uint32(), st.integers(0, 2**32 - 1)),
    (pa.timestamp("ms", "UTC"), st.integers(-(2**63), 2**63 - 1)),
    (pa.bool_(), st.booleans()),
    (pa.string(), st.text(max_size=5)),
    (pa.binary(), st.binary(max_size=5)),
    (pa.float64(), st.floats(allow_nan=False)),
    (HEADERS, st.lists(st.tuples(st.text(max_size=3), st.none() | st.binary(max_size=3)), max_size=3)),
]
STRUCT = pa.struct([pa.field("a", pa.int16()), pa.field("b", pa.string())])


@pytest.mark.parametrize(("kind", "values"), LEAVES, ids=[str(kind) for kind, _ in LEAVES])
@given(data=st.data())
def test_they_are_those_of_arrow(kind: pa.DataType, values: st.SearchStrategy[Any], data: st.DataObject) -> None:
    given_values = data.draw(st.lists(values) | st.lists(st.none() | values))
    made = arrays.array(given_values, kind)
    made.validate(full=True)
    assert made.type == kind
    assert made.equals(pa.array(given_values, kind))
    assert made.null_count == given_values.count(None)


def test_structs() -> None:
    for values in ([(1, "x"), (None, None)], [None, (2, "y")], []):
        made = arrays.array(values, STRUCT)
        made.validate(full=True)
        assert made.equals(pa.array(values, STRUCT))


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises((OverflowError, pa.ArrowInvalid)):
        arrays.array([2**63], pa.int64())
    with pytest.raises((OverflowError, ValueError, pa.ArrowInvalid)):
        arrays.array(["text"], pa.int64())


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint16(), pa.int64(), pa.timestamp("ms", "UTC")], ids=str)
@given(values=st.lists(st.integers(0, 127)), begin=st.integers(0, 20))
def test_numbers_of_a_part_are_those_of_arrow(kind: pa.DataType, values: list[int], begin: int) -> None:
    part = pa.array(values, kind)[begin:]
    found = arrays.numbers(part)
    assert found.tolist() == values[begin:]
    assert found.dtype.itemsize * 8 == kind.bit_width
    assert arrays.of_numpy(found).equals(part.view(pa.int64()) if pa.types.is_timestamp(kind) else part)


@given(values=st.lists(st.booleans(), max_size=40), begin=st.integers(0, 40), end=st.integers(0, 40))
def test_flags_of_a_part_are_those_of_arrow(values: list[bool], begin: int, end: int) -> None:
    found = arrays.flags(pa.array(values, pa.bool_())[begin:end])
    assert found.tolist() == values[begin:end]
    assert found.dtype == bool
    assert arrays.of_numpy(found).to_pylist() == values[begin:end]


def test_nulls_have_no_numbers_and_no_flags() -> None:
    integers, booleans = pa.array([1, None, 3], pa.int64()), pa.array([True, None], pa.bool_())
    with pytest.raises(ValueError, match="a column of int64 with 1 nulls of 3 values"):
        arrays.numbers(integers)
    with pytest.raises(ValueError, match="a column of bool with 1 nulls of 2 values"):
        arrays.flags(booleans)
    assert arrays.numbers(integers[2:]).tolist() == [3]
    assert arrays.flags(booleans[:1]).tolist() == [True]
