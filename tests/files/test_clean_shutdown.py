"""The mark of a clean shutdown."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.files import clean_shutdown
from tests.golden_cases import cases


def test_golden_marks_have_a_broker_epoch_since_3_7() -> None:
    paths = {
        family: [p for case in cases(family) for p in case.files(".kafka_cleanshutdown")]
        for family in ("modern", "legacy")
    }
    assert min(len(each) for each in paths.values()) > 10
    for path in paths["modern"]:
        mark = clean_shutdown.read(path)
        raw = json.loads(path.read_text())
        assert (mark.version, mark.broker_epoch, mark.raw) == (0, raw["brokerEpoch"], raw)
        assert mark.entries == tuple(raw.items())
        assert mark.to_table().to_pylist() == [raw]
    for path in paths["legacy"]:
        mark = clean_shutdown.read(path)
        assert (mark.version, mark.broker_epoch, mark.entries) == (None, None, ())
        assert mark.to_table().to_pylist() == [{"version": None, "brokerEpoch": None}]


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-(1 << 63), (1 << 63) - 1) | st.none())
def test_a_mark_comes_back_whatever_its_version(version: int, epoch: int | None) -> None:
    mark = clean_shutdown.parse(json.dumps({"version": version, "brokerEpoch": epoch, "more": []}).encode())
    assert (mark.version, mark.broker_epoch) == (version, epoch)
    assert mark.to_table().to_pylist() == [{"version": version, "brokerEpoch": epoch}]


def test_absent_fields_are_as_in_kafka() -> None:
    mark = clean_shutdown.parse(b"{}")
    assert (mark.version, mark.broker_epoch) == (0, None)


@pytest.mark.parametrize(
    "data",
    [
        b" ",
        b"x",
        b"[]",
        b"\0" * 30,
        b'{"version":"0"}',
        b'{"version":null}',
        b'{"brokerEpoch":1.5}',
        b'{"brokerEpoch":9e9}',
    ],
)
def test_anything_else_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        clean_shutdown.parse(data, file="f")
    assert caught.value.file == "f"


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / ".kafka_cleanshutdown"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        clean_shutdown.read(path)
