"""Some inputs for each target of `tools/fuzz`, and what comes of one that fails or ends a process: see doses.py."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kafkafmt.cli.main import COMMANDS
from tests.hostile.changed_command_lines import LINES_OF
from tests.hostile.doses import MUTATIONS, SEED, no_hang
from tests.hostile.targets import TARGETS

# A few take as long as many others.
COSTS = {"commands": 8, "repair": 4, "tiers": 2}

# Reads an array at its end, and one before its start, as no kernel may.
FAULTY = """
import sys
from tests.hostile.guard_pages import guarded
import numpy as np
from kafkafmt.columnar.object_code import Kernel
byte_at = Kernel("faulty", "byte_at")
data = np.arange(100, dtype=np.uint8)[10:90]
assert byte_at(data, 79) == 89
assert byte_at(data, 80) == 90  # which is memory of the process
with guarded():
    for _ in range(8):
        assert (byte_at(data, 0), byte_at(data, 79)) == (10, 89)
    print("sound", flush=True)
    for _ in range(8):
        byte_at(data, int(sys.argv[1]))
"""
KERNEL = """
from kafkafmt.columnar.kernels import access
from kafkafmt.columnar.kernels.compiling import kernel

@kernel
def byte_at(array, at):
    return access.byte_at(array, at)
"""


@pytest.mark.dosed
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TARGETS if name != "guard"])
def test_any_bytes_give_an_answer_or_a_kafkafmt_error(name: str) -> None:
    number, left = SEED, max(1, MUTATIONS // COSTS.get(name, 1))
    while left > 0:
        try:
            with no_hang():
                left -= TARGETS[name](random.Random(number))
        except BaseException as error:
            error.add_note(f"{name} {number}: KAFKAFMT_SEED={number} KAFKAFMT_MUTATIONS=1")
            raise
        number += 1


def test_all_commands_are_tried() -> None:
    # write reads no disk, and serve has clients; replay needs a broker and reads as cat does.
    others = {"completion", "replay", "serve", "specs", "state", "warm-up", "write"}
    assert set(COMMANDS) - set(LINES_OF) == others


def in_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.dosed
@pytest.mark.slow
def test_no_kernel_touches_a_byte_beside_its_arrays(tmp_path: Path) -> None:
    place = tmp_path / "at"
    place.write_bytes(bytes(16))
    arguments = ("-m", "tests.hostile.in_process", "guard", str(4 * MUTATIONS), str(SEED), str(place))
    done = in_process(*arguments)
    assert done.returncode == 0, f"{place.read_bytes().hex()}: {done.stdout}{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("at", [-1, 80])
def test_an_access_beside_an_array_ends_the_process(tmp_path: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "faulty.py").write_text(KERNEL)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("KAFKAFMT_CHECK_ACCESS", raising=False)  # the pages around the array are to find it
    monkeypatch.syspath_prepend(str(tmp_path))
    done = in_process("-c", FAULTY, str(at))
    assert done.stdout == "sound\n", done.stderr
    assert done.returncode == -signal.SIGSEGV
