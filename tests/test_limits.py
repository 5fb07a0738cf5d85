"""Limits set by the caller."""

import dataclasses
import pickle
from typing import Any

import pytest

import kafkafmt
from kafkafmt.limits import Limits


def test_the_defaults_are_those_of_the_design() -> None:
    assert dataclasses.asdict(Limits()) == {
        "max_batch_bytes": 128 * 1024 * 1024,
        "max_decompressed_bytes": 100 * 1024 * 1024,
        "max_records_per_batch": 10_000_000,
        "max_headers_per_record": 100_000,
        "max_fields_per_value": 2_000_000,
        "max_state_bytes": 64 * 1024 * 1024,
        "zstd_window_log": 27,
    }


def test_limits_are_frozen_comparable_and_cross_processes() -> None:
    limits = kafkafmt.Limits(max_batch_bytes=7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        limits.max_batch_bytes = 8  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(limits)) == limits != Limits()
    assert hash(limits) == hash(Limits(max_batch_bytes=7))


@pytest.mark.parametrize(
    "name",
    ["max_batch_bytes", "max_decompressed_bytes", "max_records_per_batch", "max_headers_per_record", "max_state_bytes"],
)
@pytest.mark.parametrize("value", [0, -1, 1.5, "1", None, True])
def test_a_bound_that_is_no_positive_int_is_refused_where_it_is_written(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^Limits\.{name} must be a positive int, not "):
        Limits(**{name: value})


def test_the_zstd_window_lies_where_zstd_has_windows() -> None:
    assert [Limits(zstd_window_log=log).zstd_window_log for log in (10, 31)] == [10, 31]
    for log in (9, 32):
        with pytest.raises(ValueError, match=rf"must be from 10 to 31, not {log}"):
            Limits(zstd_window_log=log)
    with pytest.raises(ValueError, match="must be a positive int"):
        Limits(zstd_window_log=0)
