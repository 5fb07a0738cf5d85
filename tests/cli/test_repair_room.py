"""`repair` prints the space that the copy needs and the free space at its target before it begins."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import ROOT, Call

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"
GIB = 1 << 30


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def first(kafkafmt: Call, *arguments: object) -> str:
    return kafkafmt("repair", *arguments).stderr.splitlines()[0].removeprefix("kafkafmt: ")


def test_room_and_what_is_free(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(4 * GIB, GIB, 3 * GIB))
    said = first(kafkafmt, SHOP, "--dry-run", "--out", tmp_path / "new")
    assert said == f"note: the copy takes about 25.5 KiB; 3.0 GiB are free at {tmp_path}"
    assert first(kafkafmt, SHOP, "--dry-run") == "note: the copy takes about 25.5 KiB"
    assert first(kafkafmt, SHOP, "--dry-run", "--topic", "orders") == "note: the copy takes about 11.8 KiB"


def test_too_little_room(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(4 * GIB, 4 * GIB, 1000))
    said = first(kafkafmt, SHOP, "--out", tmp_path / "new")
    assert "and only 1000 B are free" in said
    assert (tmp_path / "new").exists()  # it used less than the reported free space


def test_what_donors_have_alone_counts_too(kafkafmt: Call, tmp_path: Path) -> None:
    disk = Path(shutil.copytree(SHOP, tmp_path / "disk"))
    whole = first(kafkafmt, disk, "--dry-run")
    shutil.rmtree(disk / "orders-0")
    assert first(kafkafmt, disk, "--dry-run") != whole
    assert first(kafkafmt, disk, "--from", SHOP, "--dry-run") == whole
