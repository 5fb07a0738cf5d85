"""With KAFKAFMT_CHECK_ACCESS=1 no kernel reads or writes beyond an array, and hostile logs make none try."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# One access per kernel, each by a different kind of access that kernels use.
KERNELS = """
from kafkafmt.columnar.kernels import access, blocks
from kafkafmt.columnar.kernels.compiling import kernel

@kernel
def byte_at(array, at):
    return access.byte_at(array, at)

@kernel
def put(array, at):
    access.put(array, at, 1)

@kernel
def clear_bit(array, at):
    access.clear_bit(array, 8 * at)

@kernel
def int64_at(array, at):
    return access.int64_at(array, at)

@kernel
def load(array, at):
    return blocks.low_half(blocks.load(array, at))

@kernel
def copy(target, at, source, start, size):
    access.copy(target, at, source, start, size)
"""
CALLED = """
import sys
import numpy as np
from kafkafmt.columnar.object_code import CHECK_ACCESS, Kernel
byte_at, put, clear_bit, int64_at, load, copy = (
    Kernel("made_up", name) for name in ("byte_at", "put", "clear_bit", "int64_at", "load", "copy")
)
"""
RAISES = """

def refused(function, *arguments):
    try:
        function(*arguments)
    except IndexError:
        return True
    return False

def array(size):
    return np.zeros(size, np.uint8)

assert CHECK_ACCESS
for function, width in ((byte_at, 1), (put, 1), (clear_bit, 1), (int64_at, 8), (load, 16)):
    for size in (width, 100):
        assert [refused(function, array(size), at) for at in (-1, 0, size - width, size - width + 1)] == [
            True, False, False, True
        ], function
# Copies reach up to 31 bytes beyond what they copy, which the slack allows, and no further.
for size, reach in ((0, 32), (5, 32), (33, 64), (512, 512), (600, 600)):
    for short, at, start in ((0, 0, 0), (1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 1, 0), (0, 0, 1)):
        expected = bool(short or at or start)
        assert refused(copy, array(reach - short), at, array(reach), start, size) == expected, (size, short, at, start)
        assert refused(copy, array(reach), at, array(reach - short), start, size) == expected, (size, short, at, start)
print("numba" in sys.modules)
"""
IN_THE_OTHER_MODE = """
assert not CHECK_ACCESS
byte_at(np.zeros(1, np.uint8), 0)
print("numba" in sys.modules)
"""
LIARS = """
import random
from tests.hostile import law
from tests.hostile.liars import lying_log
from kafkafmt.columnar.object_code import CHECK_ACCESS

assert CHECK_ACCESS
for seed in range(40):
    try:
        law.check_walk(lying_log(random.Random(seed)), verify=True, may_end_open=False)
    except BaseException as error:
        error.add_note(f"lying_log(random.Random({seed}))")
        raise
print("same")
"""


def run(code: str, *, checked: bool, cache: Path | None = None, path: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "KAFKAFMT_CHECK_ACCESS"}
    environment["PYTHONPATH"] = os.pathsep.join([*([str(path)] if path else []), *filter(None, sys.path)])
    if checked:
        environment["KAFKAFMT_CHECK_ACCESS"] = "1"
    if cache:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_an_access_beyond_an_array_is_refused_and_the_cache_does_not_mix_modes(tmp_path: Path) -> None:
    (tmp_path / "made_up.py").write_text(KERNELS)
    cache = tmp_path / "cache"
    for code, checked, used in (
        (CALLED + RAISES, True, "True"),
        (CALLED + IN_THE_OTHER_MODE, False, "True"),
        (CALLED + RAISES, True, "False"),
        (CALLED + IN_THE_OTHER_MODE, False, "False"),
    ):
        assert run(code, checked=checked, cache=cache, path=tmp_path) == used


@pytest.mark.volume
def test_logs_that_lie_about_counts_reach_beyond_no_array() -> None:
    assert run(LIARS, checked=True) == "same"
