"""Damage and its reasons."""

import dataclasses
import pickle

import pytest

import kafkafmt
from kafkafmt import errors
from kafkafmt.files.damage import INCOMPLETE_TAIL, ZERO_TAIL, Damage
from kafkafmt.findings import reason_of


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (errors.ChecksumError, "checksum"),
        (errors.TruncatedError, "truncated"),
        (errors.CorruptError, "corrupt"),
        (errors.UnsupportedError, "unsupported"),
        (errors.LimitExceededError, "limit_exceeded"),
        (errors.KafkafmtError, "corrupt"),
    ],
)
def test_each_error_has_a_reason_of_one_word(kind: type[errors.KafkafmtError], reason: str) -> None:
    assert reason_of(kind("x")) == reason
    assert reason not in (INCOMPLETE_TAIL, ZERO_TAIL)


def test_damage_is_frozen_exported_and_crosses_processes() -> None:
    damage = kafkafmt.Damage("a.log", 5, 7, "checksum", errors.ChecksumError("x", position=5))
    assert kafkafmt.Damage is Damage
    with pytest.raises(dataclasses.FrozenInstanceError):
        damage.length = 8  # type: ignore[misc]
    twin = pickle.loads(pickle.dumps(damage))
    assert dataclasses.replace(twin, error=damage.error) == damage
    assert vars(twin.error) == vars(damage.error)
