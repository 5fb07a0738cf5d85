"""Kernels run wherever kafkafmt runs: with a cache, without one, with a damaged one."""

import importlib
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.columnar.compiling import other_writer
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


def run(directory: Path, cache: Path | None = None, before: str = "", stderr: str = "") -> list[str]:
    """Run the module as its user would; returns cache hits, misses, and path."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_", "COVERAGE_"))
    }
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
    assert done.stderr == stderr
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


def plant(directory: Path) -> Path:
    """Put a pickle that makes a file in the place of the index of each kernel; returns that file's path."""
    ran = directory / "ran"
    for index in directory.rglob("*.nbi"):
        index.write_bytes(pickle.dumps(Planted(f"open({str(ran)!r}, 'w').close()")))
    return ran


class Planted:
    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return exec, (self.code,)


def test_a_cache_that_others_can_write_is_not_loaded() -> None:
    with readable_directory() as root:
        (root / "made_up.py").write_text(MODULE)
        run(root)
        ran = plant(root)
        assert run(root)[0] == "0"
        assert ran.exists(), "what is planted runs where it is loaded"
        ran.unlink()
        plant(root)
        (root / "__pycache__").chmod(0o777)
        _, _, path = run(root)
        assert not ran.exists()
        assert Path(path).is_relative_to(root / "home")


def test_a_configured_cache_that_others_can_write_is_named(directory: Path) -> None:
    with readable_directory() as root:
        cache = root / "kept"
        cache.mkdir()
        cache.chmod(0o777)
        warning = f"NUMBA_CACHE_DIR={cache} is not used, because other users can write to {cache} (mode 0777)\n"
        assert Path(run(directory, cache, stderr=warning)[2]) == directory / "__pycache__"
        # Each user's own directory in it is private.
        cache.chmod(0o1777)
        assert Path(run(directory, cache)[2]).is_relative_to(cache)
        (own,) = cache.iterdir()
        assert stat.S_IMODE(own.stat().st_mode) == 0o700


def test_who_else_can_write(monkeypatch: pytest.MonkeyPatch) -> None:
    with readable_directory() as root:
        cache = root / "a" / "cache"
        assert other_writer(cache) is None
        cache.mkdir(parents=True)
        (kernel := cache / "kernel.nbi").touch()
        kernel.chmod(0o664)
        other_writer.cache_clear()
        assert other_writer(cache) == f"{kernel} (mode 0664)"
        # What nobody else can get at may have any mode.
        cache.chmod(0o700)
        other_writer.cache_clear()
        assert other_writer(cache) is None
        (root / "link").symlink_to(root / "a")
        assert other_writer(root / "link" / "cache") == f"{root / 'link'} (a link)"
        for mode in (0o777, 0o775):
            root.chmod(mode)
            other_writer.cache_clear()
            assert other_writer(cache) == f"{root} (mode {mode:04o})"
        root.chmod(0o1777)
        other_writer.cache_clear()
        assert other_writer(cache) is None
        assert other_writer(root) == f"{root} (mode 1777)"
        root.chmod(0o755)
        other_writer.cache_clear()
        if os.geteuid() == 0:
            os.chown(root / "a", 65534, 65534)
        else:
            monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
        assert "(owner: user id " in (other_writer(cache) or "")


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


def test_modules_of_this_package_and_of_the_codecs_are_what_kernels_are_made_of() -> None:
    from kafkafmt.columnar import compiling

    names = [name for name, _, _ in compiling._SOURCES]
    package = Path(kafkafmt.__file__).parent
    modules = sorted([*(package / "codec/compression").glob("*.py"), *(package / "columnar").glob("*.py")])
    assert names == [module.name for module in modules]


def test_kernels_that_are_not_to_be_compiled_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.compiling", raising=False)
    with pytest.raises(ImportError, match="NUMBA_DISABLE_JIT is set"):
        importlib.import_module("kafkafmt.columnar.compiling")
