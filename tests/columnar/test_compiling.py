"""Kernels run wherever kafkafmt runs: with a cache, without one, with a damaged one."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kafkafmt
from tests.unprivileged import readable_directory

# Compiles in a fraction of the time that the kernels of the engine take, and is kept as they are.
MODULE = """
from kafkafmt.columnar.compiling import kernel, part

@part
def twice(number):
    return number * 2

@kernel
def four_times(number):
    return twice(twice(number))
"""
REPORT = """
import sys
sys.path.insert(0, sys.argv[1])
from made_up import four_times
assert four_times(5) == 20
stats = four_times.stats
print(len(stats.cache_hits), len(stats.cache_misses), stats.cache_path)
"""


def run(directory: Path, cache: Path | None = None, before: str = "") -> list[str]:
    """Run the module as its user would; returns cache hits, misses, and path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    environment["HOME"] = str(directory / "home")
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", before + REPORT, str(directory)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "made_up.py").write_text(MODULE)
    return tmp_path


def test_kept_next_to_the_module(directory: Path) -> None:
    assert run(directory)[:2] == ["0", "1"]
    hits, misses, path = run(directory)
    assert (hits, misses) == ("1", "0")
    assert Path(path) == directory / "__pycache__"


def test_kept_where_the_user_says(directory: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept"
    assert run(directory, cache)[:2] == ["0", "1"]
    assert run(directory, cache)[:2] == ["1", "0"]
    assert list(cache.rglob("*.nbc"))


def test_a_damaged_cache_is_none(directory: Path) -> None:
    run(directory)
    for pattern, damage in (("*.nbi", b""), ("*.nbi", b"no pickle"), ("*.nbc", b"\x80")):
        (path,) = (directory / "__pycache__").glob(pattern)
        whole = path.read_bytes()
        path.write_bytes(damage)
        assert run(directory)[0] == "0"
        path.write_bytes(whole)


def test_a_disk_that_is_full(directory: Path) -> None:
    full = """
from numba.core.caching import IndexDataCacheFile
def save(*_): raise OSError(28, "No space left on device")
IndexDataCacheFile._save_index = save
"""
    assert run(directory, before=full)[0] == "0"
    assert not list(directory.rglob("*.nbi"))


AS_NOBODY = """
import os
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""


def test_no_directory_may_be_written() -> None:
    with readable_directory() as root:
        (root / "made_up.py").write_text(MODULE)
        root.chmod(0o555)
        # What numba imports to compile may be readable for the tests' user alone.
        before = "import numba, kafkafmt.columnar.compiling\nnumba.njit(lambda number: number * 2)(1)\n" + AS_NOBODY
        assert run(root, before=before) == ["0", "1", "None"]


def test_modules_of_this_package_are_what_kernels_are_made_of() -> None:
    from kafkafmt.columnar import compiling

    names = [name for name, _, _ in compiling._SOURCES]
    assert names == sorted(path.name for path in (Path(kafkafmt.__file__).parent / "columnar").glob("*.py"))


def test_kernels_that_are_not_to_be_compiled_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.compiling", raising=False)
    with pytest.raises(ImportError, match="NUMBA_DISABLE_JIT is set"):
        importlib.import_module("kafkafmt.columnar.compiling")
