"""Sound batches in the wrong order in their segment: a repair writes them in offset order."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import kafkafmt
from tests.cli.conftest import ROOT

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"
LOG = f"orders-0/{0:020d}.log"


def _batches(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at + 8 : at + 12], "big")
        found.append(data[at:end])
        at = end
    return found


def _with_order(target: Path, order: Sequence[int]) -> bytes:
    """Copy the shop with the first batches of a log reordered; return the original log."""
    shutil.copytree(SHOP, target)
    before = (target / LOG).read_bytes()
    batches = _batches(before)
    (target / LOG).write_bytes(b"".join([*(batches[number] for number in order), *batches[len(order) :]]))
    return before


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0), (0, 3, 2, 1), (2, 0, 1), (0, 1, 2, 4, 3)])
def test_the_log_is_as_it_was_before(order: Sequence[int], tmp_path: Path) -> None:
    before = _with_order(tmp_path / "shop", order)
    answer = kafkafmt.repair(tmp_path / "shop", tmp_path / "new", topics="orders")
    assert (tmp_path / "new" / LOG).read_bytes() == before
    assert answer.dropped.num_rows == 0
    assert any("are out of order: written" in str(note) and note.is_finding for note in answer.notes)


def test_the_last_batches_too(tmp_path: Path) -> None:
    count = len(_batches((SHOP / LOG).read_bytes()))
    before = _with_order(tmp_path / "shop", [*range(count - 2), count - 1, count - 2])
    kafkafmt.repair(tmp_path / "shop", tmp_path / "new", topics="orders")
    assert (tmp_path / "new" / LOG).read_bytes() == before


def test_a_wrong_offset_that_leads_into_a_gap_is_left_out(tmp_path: Path) -> None:
    """The offsets missing at the batch's position are its own, so the offset is wrong."""
    shutil.copytree(SHOP, tmp_path / "shop")
    batches = _batches((tmp_path / "shop" / LOG).read_bytes())
    first, second, third = (batches[number] for number in (1, 2, 3))
    wrong = first[:8] + third[8:]  # the offset of a batch that is gone
    (tmp_path / "shop" / LOG).write_bytes(b"".join([batches[0], second, wrong, *batches[4:]]))
    answer = kafkafmt.repair(tmp_path / "shop", tmp_path / "new", topics="orders")
    assert answer.dropped["reason"].to_pylist() == ["refuted_offset"]
