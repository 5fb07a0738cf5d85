"""Spark's workers between tasks: zip importers are dropped, and long-lived objects are frozen."""

import gc
import importlib
import os
import subprocess
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
    monkeypatch.setattr(worker, "_IS_WORKER", True)
    yield
    gc.unfreeze()


@pytest.mark.parametrize(
    ("module", "is_worker"),
    [("pyspark.sql.worker.plan_data_source_read", True), ("pyspark.worker", True), ("", False), ("shell", False)],
)
def test_workers_are_known_by_the_argument_of_the_daemon(module: str, *, is_worker: bool) -> None:
    script = "from pyspark_kafkafmt import worker; print(worker._IS_WORKER)"
    command = [sys.executable, "-c", script, *([module] if module else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{is_worker}\n"


def test_other_processes_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_IS_WORKER", False)
    importers = dict(sys.path_importer_cache)
    freeze()
    assert gc.get_freeze_count() == 0
    assert sys.path_importer_cache == importers


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_daemon_forks_without_threads_and_with_all_that_reading_needs() -> None:
    """A thread would not exist in forked workers, but its locks would stay held; jemalloc handles its own."""
    script = """
import os, sys
from pyspark_kafkafmt import daemon


def comm(task):
    return open(f"/proc/self/task/{task}/comm").read()


daemon.prepare()
loaded = set(sys.modules)
from tests.logdir.builders import batch
from kafkafmt.scanning.api import scan_bytes
assert scan_bytes(batch(7, key=b"k"), file="t-0/7.log").num_rows == 1
print([name for name in map(comm, os.listdir("/proc/self/task")) if "jemalloc" not in name] == [comm(os.getpid())])
print(gc.get_freeze_count() > 10_000)
print(sorted(name for name in set(sys.modules) - loaded if name.startswith("kafkafmt")))
print({"cramjam", "lz4.frame", "numpy", "pyarrow", "zstandard"} <= loaded)
"""
    if not Path("/proc/self/task").exists():
        pytest.skip("threads are counted in /proc")
    given = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", f"import gc\n{script}", "pyspark.worker"]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    assert done.stdout == "True\nTrue\n[]\nTrue\n"
