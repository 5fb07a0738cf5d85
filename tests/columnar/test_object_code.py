"""Kernels behave like their Python functions wherever kafkafmt runs: with, without, or with a damaged code cache."""

import importlib
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kafkafmt.columnar import code_cache, kernels, object_code
from kafkafmt.columnar.code_cache import CodeCache, other_writer
from kafkafmt.columnar.object_code import Kernel
from tests.unprivileged import readable_directory

# Compiles much faster than the engine's kernels, and is cached like them.
MODULE = """
from kafkafmt.columnar.kernels.compiling import kernel, part

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
from kafkafmt.columnar.object_code import Kernel
four_times = Kernel("made_up", "four_times")
assert four_times(5) == four_times(10) // 2 == 20
print("numba" in sys.modules, four_times.kept_at)
"""
COMPILED, KEPT = "True", "False"


UNCACHED = (
    "each process compiles its kernels again, for seconds, as no cache can be written: "
    "set NUMBA_CACHE_DIR to a directory that only this user can write to\n"
)


def run(directory: Path, cache: Path | None = None, before: str = "", stderr: str = "") -> list[str]:
    """Run the module as its user would; return whether it was compiled, and where it was cached."""
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


def codes(directory: Path) -> list[Path]:
    return sorted(directory.rglob("four_times-*.code"))


@pytest.mark.slow
def test_kept_next_to_the_module(directory: Path) -> None:
    compiled, path = run(directory)
    assert compiled == COMPILED
    assert Path(path).parent == directory / "__pycache__"
    assert run(directory) == [KEPT, "None"]
    assert codes(directory) == [Path(path)]


@pytest.mark.slow
def test_kept_where_the_user_says(directory: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept"
    assert run(directory, cache)[0] == COMPILED
    assert run(directory, cache)[0] == KEPT
    assert len(codes(cache)) == len(codes(directory)) == 1


@pytest.mark.slow
def test_what_is_kept_elsewhere_is_kept_where_the_user_says_too(directory: Path, tmp_path: Path) -> None:
    """So that a cache made for other machines, such as in an image, is complete."""
    run(directory)
    cache = tmp_path / "kept"
    assert run(directory, cache) == [KEPT, "None"]
    [beside, there] = sorted(codes(directory), key=lambda path: path.is_relative_to(cache))
    assert there.parent == cache / "kafkafmt"
    assert there.read_bytes() == beside.read_bytes()
    beside.unlink()
    assert run(directory, cache) == [KEPT, "None"]


@pytest.mark.slow
def test_of_another_place_and_of_changed_sources_it_is_compiled_anew(directory: Path, tmp_path: Path) -> None:
    """Even with the same size and time, which installations of two versions can share."""
    cache = tmp_path / "kept"
    run(directory, cache)
    module = directory / "made_up.py"
    times = module.stat()
    module.write_text(
        MODULE.replace("def four_times(number)", "def four_times(wanted)").replace("(number))", "(wanted))")
    )
    os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (module.stat().st_size, module.stat().st_mtime_ns) == (times.st_size, times.st_mtime_ns)
    assert run(directory, cache)[0] == COMPILED
    assert len(codes(cache)) == 1, "in place of what is stale"
    os.utime(module, ns=(1, 1))
    assert run(directory, cache)[0] == KEPT
    (other := tmp_path / "other").mkdir()
    (other / "made_up.py").write_text(MODULE.replace("* 2", "+ number"))
    assert run(other, cache)[0] == COMPILED
    assert [run(each, cache)[0] for each in (directory, other)] == [KEPT, KEPT]
    assert len(codes(cache)) == 2


ON_ANOTHER_PROCESSOR = """
import llvmlite.binding
llvmlite.binding.get_host_cpu_name = lambda: "generic"
"""


@pytest.mark.slow
def test_code_for_a_kind_of_processor_is_taken_on_all_of_that_kind(directory: Path, tmp_path: Path) -> None:
    kind = "import os; os.environ['NUMBA_CPU_NAME'] = 'generic'; os.environ['NUMBA_CPU_FEATURES'] = ''\n"
    cache = tmp_path / "kept"
    assert run(directory, cache, kind)[0] == COMPILED
    assert run(directory, cache, kind + ON_ANOTHER_PROCESSOR)[0] == KEPT
    assert run(directory, cache)[0] == COMPILED, "for this processor"
    assert run(directory, cache, ON_ANOTHER_PROCESSOR + "print('compiled', end=' ')\n")[:2] == ["compiled", COMPILED]


@pytest.mark.parametrize("package", ["columnar", "codec.compression", "reference"])
def test_a_kernel_is_made_of_the_constants_of_other_modules(
    package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = importlib.import_module(f"kafkafmt.{package}")
    copy = Path(shutil.copytree(Path(str(module.__file__)).parent, tmp_path / "copy"))
    monkeypatch.setattr(module, "__path__", [str(copy)])
    sources = object_code._sources.__wrapped__
    before = sources(tmp_path)
    for path in copy.glob("*.py"):
        content = path.read_bytes()
        path.write_bytes(content[:-1] + b" ")
        assert sources(tmp_path) != before
        path.write_bytes(content)
    assert sources(tmp_path) == before


def test_a_damaged_cache_is_none(directory: Path) -> None:
    kept = CodeCache(directory)
    facts = {"symbol": "entry", "returns": "none"}
    path = kept.save("kernel", "key", "sources", facts, b"\x7fELF\nand code")
    assert path is not None
    whole = path.read_bytes()
    assert kept.load("kernel", "key", "sources") == (facts, b"\x7fELF\nand code")
    assert kept.load("kernel", "key", "other sources") is None
    code = whole.partition(b"\n")[2]
    flipped = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    cut = [whole[:size] for size in range(len(whole))]
    for damaged in (b"no JSON\n" + code, b"[]\n" + code, b"{}\n" + code, *cut, *flipped):
        path.write_bytes(damaged)
        assert kept.load("kernel", "key", "sources") is None, damaged


@pytest.mark.slow
def test_damaged_code_is_compiled_anew(directory: Path) -> None:
    run(directory)
    [path] = codes(directory)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert run(directory)[0] == COMPILED
    assert path.read_bytes() == whole, "it is kept again"


def plant(directory: Path) -> None:
    """Make the cached kernel return nothing: whoever can write there decides what runs."""
    for path in codes(directory):
        head, _, code = path.read_bytes().partition(b"\n")
        kept = json.loads(head)
        planted = kept["facts"] | {"returns": "none"}
        CodeCache(directory).save("planted", "", kept["sources"], planted, code)
        [made] = directory.rglob("planted-*.code")
        made.replace(path)


@pytest.mark.slow
def test_a_cache_that_others_can_write_is_not_loaded() -> None:
    with readable_directory() as root:
        (root / "made_up.py").write_text(MODULE)
        run(root)
        plant(root)
        with pytest.raises(AssertionError, match="TypeError: unsupported operand"):
            run(root)
        (root / "__pycache__").chmod(0o777)
        compiled, path = run(root)
        assert compiled == COMPILED
        assert Path(path).is_relative_to(root / "home")


@pytest.mark.slow
def test_a_configured_cache_that_others_can_write_is_named(directory: Path) -> None:
    with readable_directory() as root:
        cache = root / "kept"
        cache.mkdir()
        cache.chmod(0o777)
        warning = f"NUMBA_CACHE_DIR={cache} is not used, because other users can write to {cache} (mode 0777)\n"
        assert Path(run(directory, cache, stderr=warning)[1]).parent == directory / "__pycache__"
        # Each user's directory in it is private.
        cache.chmod(0o1777)
        own = cache / "kafkafmt"
        run(directory, cache)
        assert len(codes(own)) == 1
        assert stat.S_IMODE(own.stat().st_mode) == 0o700


def test_that_no_cache_can_be_written_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (nowhere := tmp_path / "file").write_bytes(b"")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(nowhere / name))
    code_cache._private_places.cache_clear()
    code_cache._say_nowhere.cache_clear()
    try:
        for name in ("first", "second"):
            assert CodeCache(nowhere).save(name, "key", "sources", {}, b"code") is None
    finally:
        code_cache._private_places.cache_clear()
        code_cache._say_nowhere.cache_clear()
    assert "NUMBA_CACHE_DIR" in caplog.text
    assert len(caplog.records) == 1


def test_who_else_can_write(monkeypatch: pytest.MonkeyPatch) -> None:
    with readable_directory() as root:
        cache = root / "a" / "cache"
        assert other_writer(cache) is None
        cache.mkdir(parents=True)
        (kernel := cache / "kernel.code").touch()
        kernel.chmod(0o664)
        other_writer.cache_clear()
        assert other_writer(cache) == f"{kernel} (mode 0664)"
        # A directory that nobody else can reach may have any mode.
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


@pytest.mark.slow
def test_a_disk_that_is_full(directory: Path) -> None:
    full = """
import pathlib
def write(self, data):
    self.touch()
    raise OSError(28, "No space left on device")
pathlib.Path.write_bytes = write
"""
    assert run(directory, before=full, stderr=UNCACHED) == [COMPILED, "None"]
    assert not codes(directory)
    assert not list(directory.rglob("*.part"))


AS_NOBODY = """
import os
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""


@pytest.mark.slow
def test_no_directory_may_be_written() -> None:
    with readable_directory() as root:
        (root / "made_up.py").write_text(MODULE)
        root.chmod(0o555)
        # numba's imports for compiling may be readable only by the tests' user.
        before = (
            "import numba, kafkafmt.columnar.kernels.compiling\nnumba.njit(lambda number: number * 2)(1)\n" + AS_NOBODY
        )
        assert run(root, before=before, stderr=UNCACHED) == [COMPILED, "None"]


def test_kernels_that_are_not_to_be_compiled_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.kernels.compiling", raising=False)
    with pytest.raises(ImportError, match="NUMBA_DISABLE_JIT is set"):
        importlib.import_module("kafkafmt.columnar.kernels.compiling")


def test_every_kernel_is_a_function_that_is_marked_as_one() -> None:
    for module, names in kernels._MODULES.items():
        source = (Path(kernels.__file__).parent / f"{module}.py").read_text()
        marked = [part.partition("(")[0] for part in source.split("@kernel\ndef ")[1:]]
        assert sorted(marked) == sorted(names), module
        for name in names:
            assert isinstance(getattr(kernels, name), Kernel)


class Pair(NamedTuple):
    array: Any
    number: int


# It returns its flattened arguments in an array of numbers.
SEEN = """
from kafkafmt.columnar.kernels.compiling import kernel

@kernel
def seen(small, large, flag, real, short_real, pair, table, records, found):
    found[0] = small
    found[1] = large >> 32
    found[2] = flag
    found[3] = real * 4
    found[4] = short_real * 4
    found[5] = pair.array[pair.number]
    found[6] = pair.array.size
    found[7] = table[1, 2]
    found[8] = table.shape[0] * 10 + table.shape[1]
    found[9] = records[1].b

@kernel
def answers(number):
    return number, number + 1

@kernel
def is_even(number):
    return number % 2 == 0
"""


@pytest.mark.slow
def test_arguments_arrive_and_results_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seen_module.py").write_text(SEEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    seen = Kernel("seen_module", "seen")
    records = np.array([(1, 2), (3, -4)], np.dtype([("a", np.int8), ("b", ">i8")]).newbyteorder("="))
    plain = np.arange(20, dtype=np.int32)
    read_only = plain.copy()
    read_only.flags.writeable = False
    table = np.arange(12, dtype=np.int64).reshape(3, 4)
    flag, large = np.bool_(1), np.uint64(2**64 - 2**32)
    for array in (plain, plain[::2], read_only[1:], plain[::-1]):
        for grid in (table, table.T, table[:, 1:], table[::2]):
            found = np.zeros(10, np.int64)
            arguments = (-5, large, flag, -1.5, np.float32(2.25), Pair(array, 3), grid, records, found)
            assert seen(*arguments) is None
            rows, columns = grid.shape
            expected = [-5, 2**32 - 1, 1, -6, 9, array[3], len(array), grid[1, 2], 10 * rows + columns, -4]
            assert found.tolist() == expected
    assert Kernel("seen_module", "answers")(-(2**63)) == (-(2**63), -(2**63) + 1)
    even = Kernel("seen_module", "is_even")
    assert [even(4), even(5)] == [True, False]


@pytest.mark.parametrize("argument", ["text", None, [1], 1j])
def test_what_no_kernel_takes_is_refused(argument: object) -> None:
    with pytest.raises(TypeError, match="a kernel cannot take a"):
        kernels.record_at(argument, 0, 0)  # type: ignore[arg-type]


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        kernels.record_at(np.zeros(100, np.uint8), 1 << 63, 0)
