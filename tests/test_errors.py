"""The errors: their texts, and pickling between processes."""

import copy
import pickle

import pytest

import kafkafmt
from kafkafmt import errors
from kafkafmt.errors import (
    ChecksumError,
    CorruptError,
    DataError,
    KafkafmtError,
    LimitExceededError,
    SourceError,
    TruncatedError,
    UnsupportedError,
)

DATA = [CorruptError, ChecksumError, TruncatedError, UnsupportedError, LimitExceededError]
ALL = [KafkafmtError, DataError, *DATA, SourceError]


@pytest.mark.parametrize("kind", ALL)
def test_an_error_survives_pickling_with_all_it_knows(kind: type[KafkafmtError]) -> None:
    error = kind("broken", file="a.log", position=12, expected=[1], found=b"2")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is kind
        assert (vars(twin), twin.args) == (vars(error), error.args)
        assert str(twin) == str(error)


def test_what_a_checksum_covers_survives_pickling() -> None:
    error = ChecksumError("CRC-32 mismatch in gzip data")
    error.is_inside = True
    assert pickle.loads(pickle.dumps(error)).is_inside


def test_a_message_that_was_completed_is_the_same_on_the_other_side() -> None:
    error = CorruptError("too long")
    error.message = f"record 1 of 2: {error.message}"
    twin = pickle.loads(pickle.dumps(error))
    assert repr(error) == repr(twin) == "CorruptError('record 1 of 2: too long')"
    assert twin.args == error.args


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KafkafmtError("broken"), "broken"),
        (KafkafmtError("broken", file="a.log"), "a.log: broken"),
        (KafkafmtError("broken", position=0), "position 0: broken"),
        (KafkafmtError("broken", file="a.log", position=7), "a.log: position 7: broken"),
        (KafkafmtError("broken", expected=0), "broken (expected 0)"),
        (KafkafmtError("broken", found=""), "broken (found )"),
        (KafkafmtError("broken", file="a\udcff.log"), "a\\udcff.log: broken"),
        (KafkafmtError("broken", file="", position=1, expected=1, found=2), "position 1: broken (expected 1, found 2)"),
    ],
)
def test_the_text_has_place_message_and_values_as_far_as_known(error: KafkafmtError, text: str) -> None:
    assert str(error) == text


def test_at_fills_in_the_place_once_and_returns_the_error() -> None:
    error = KafkafmtError("broken")
    assert error.at() is error
    assert (error.file, error.position) == (None, None)
    assert error.at("inner.log") is error
    error.at("outer.log", 0)
    error.at("outermost.log", 99)
    assert (error.file, error.position) == ("inner.log", 0)


def test_the_classes_form_the_promised_tree_and_are_importable_from_the_package() -> None:
    assert issubclass(ChecksumError, CorruptError)
    assert issubclass(TruncatedError, CorruptError)
    for kind in ALL:
        assert issubclass(kind, KafkafmtError)
        assert getattr(kafkafmt, kind.__name__) is getattr(errors, kind.__name__) is kind
    for kind in (UnsupportedError, LimitExceededError, SourceError):
        assert not issubclass(kind, CorruptError)


def test_data_errors_are_all_but_those_of_the_source() -> None:
    """So code that continues after damage does not skip a file that cannot be read."""
    assert [kind for kind in ALL if issubclass(kind, DataError)] == [DataError, *DATA]
