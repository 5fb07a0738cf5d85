"""What workers do between tasks where it is allowed: importers of archives are dropped, what stays is frozen."""

import gc
import importlib
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyspark_kafkafmt import worker
from pyspark_kafkafmt.worker import freeze


@pytest.fixture(autouse=True)
def unfrozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    gc.unfreeze()
    monkeypatch.setattr(worker, "_modules", 0)
    monkeypatch.setenv(worker.FREEZE, "1")
    yield
    gc.unfreeze()


def test_nothing_global_is_changed_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(worker.FREEZE)
    importers = dict(sys.path_importer_cache)
    freeze()
    assert gc.get_freeze_count() == 0
    assert sys.path_importer_cache == importers


def test_importers_of_archives_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = str(tmp_path / "some.zip")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("archived_first.py", "")
        file.writestr("archived_second.py", "")
    monkeypatch.syspath_prepend(archive)
    importlib.import_module("archived_first")
    assert archive in sys.path_importer_cache
    freeze()
    assert archive not in sys.path_importer_cache
    assert sys.path_importer_cache
    importlib.import_module("archived_second")


def test_what_stays_is_frozen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gc.get_freeze_count() == 0
    freeze()
    frozen = gc.get_freeze_count()
    assert frozen > 1000
    kept = [[] for _ in range(10_000)]  # type: ignore[var-annotated]
    freeze()
    assert gc.get_freeze_count() < frozen + len(kept)
    monkeypatch.setitem(sys.modules, "one more", sys)
    freeze()
    assert gc.get_freeze_count() > frozen + len(kept) // 2
