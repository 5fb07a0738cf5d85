"""The columnar engine where it cannot be: without numba, or with one that does not load."""

import sys

import pytest

import kafkafmt
from kafkafmt.scanning import scan_bytes
from kafkafmt.scanning.columnar_engine import Decoders
from tests.engines import load_kernels
from tests.reference.builder import batch, message

LITTLE = batch() + message()


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that read little so far, and whose numba is broken."""
    load_kernels()
    monkeypatch.setattr(Decoders, "met", 0)
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.records")
    # Python raises ImportError for it.
    monkeypatch.setitem(sys.modules, "kafkafmt.columnar.decoder", None)


@pytest.mark.usefixtures("no_numba")
def test_little_is_decoded_without_kernels() -> None:
    assert scan_bytes(LITTLE, file="a.log").num_rows == 2


@pytest.mark.usefixtures("no_numba")
@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_numba_that_does_not_load_is_named_and_is_no_damage(
    on_damage: kafkafmt.files.segment_reader.OnDamage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Decoders, "met", 1 << 30)
    with pytest.raises(ImportError, match=r"needs numba .* does not load here \(.+decoder.+\).* engine='reference'"):
        scan_bytes(LITTLE, file="a.log", on_damage=on_damage)
    assert scan_bytes(LITTLE, file="a.log", on_damage=on_damage, engine="reference").num_rows == 2
