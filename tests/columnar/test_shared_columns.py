"""Columns of few distinct values: correct for every type, and built once where possible."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kafkafmt.columnar.shared_columns import Constants
from kafkafmt.columns import SCHEMA

VALUES: dict[str, list[object]] = {
    "topic": ["orders", None, "é"],
    "partition": [3, None],
    "timestampType": [-1, 0, 1],
    "headers": [None],
    "key": [None],
    "isControl": [False, True],
    "compression": ["none", "zstd"],
    "magic": [0, 2],
    "producerId": [-1, 2**62],
    "producerEpoch": [-1, 7],
    "file": ["a.log", "b.log"],
}


@pytest.mark.parametrize("name", VALUES)
def test_every_type(name: str) -> None:
    constants = Constants()
    field = SCHEMA.field(name)
    for value in VALUES[name]:
        for rows in (5, 100, 1, 0):
            column = constants.column(field, value, rows)
            column.validate(full=True)
            assert column.type == field.type
            assert column.to_pylist() == [value] * rows


def test_an_array_is_made_once() -> None:
    constants = Constants()
    field = SCHEMA.field("producerId")
    addresses = {constants.column(field, 7, rows).buffers()[1].address for rows in (1000, 10, 999, 1100)}
    assert len(addresses) == 1


def test_runs() -> None:
    constants = Constants()
    counts = np.array([2, 0, 3], np.int64)
    cases: list[tuple[str, Any, list[object]]] = [
        ("producerId", np.array([5, 6, 7]), [5, 5, 7, 7, 7]),
        ("producerEpoch", np.array([5, 6, 7], np.int16), [5, 5, 7, 7, 7]),
        ("isControl", np.array([True, False, False]), [True, True, False, False, False]),
        ("compression", np.array([1, 0, 4], np.uint8), ["gzip", "gzip", "zstd", "zstd", "zstd"]),
        ("compression", np.array([4, 4, 4], np.uint16), ["zstd"] * 5),
        ("magic", np.array([2], np.int8), [2] * 5),
    ]
    for name, values, expected in cases:
        column = constants.runs(SCHEMA.field(name), values, counts, 5)
        column.validate(full=True)
        assert column.type == SCHEMA.field(name).type
        assert column.to_pylist() == expected
        assert isinstance(column, pa.Array)
