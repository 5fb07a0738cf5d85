"""Commands that write, on a full disk, killed, or with more rows than memory: a complete output or none."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.writing import target as target_module
from kafkafmt.writing.target import new_directory
from tests.golden_cases import GOLDEN
from tests.interrupting import interruptions

LOG_DIR = GOLDEN / "modern/15-large-4.3.1/log-dir"

# A file size limit imitates a full disk: writing fails in the same way.
FULL = """
import resource, signal, sys
sys.dont_write_bytecode = True  # Python does not notice that a module's file is cut
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.dont_write_bytecode = True  # Python would keep it cut at the limit
from kafkafmt.cli.main import main
sys.exit(main())
"""
LARGE = """
import sys
import numpy as np, pyarrow as pa, kafkafmt
from tests.peak_memory import peak

ROWS, BATCHES, PARTITIONS = 20_000, int(sys.argv[2]), 200
values = pa.array([b"v" * 400] * ROWS, pa.binary())
numbers = np.arange(ROWS)

def batches():
    for number in range(BATCHES):
        columns = {"value": values, "timestamp": np.full(ROWS, number), "partition": numbers % PARTITIONS}
        yield pa.record_batch(columns | {"key": pa.array(numbers.astype("S8"), pa.binary())})

first = next(batches())
reader = pa.RecordBatchReader.from_batches(first.schema, batches())
kafkafmt.write(reader, sys.argv[1], topic="t", partitions=PARTITIONS)
print(peak())
"""
COMMANDS = {
    "write": ["write", "rows.parquet", "--out", "new", "--topic", "t", "--partitions", "2"],
    "repair": ["repair", str(LOG_DIR), "--out", "new"],
    "extract": ["extract", str(LOG_DIR), "--out", "new"],
}


def run(directory: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[2])
    # Coverage measurement would write to the full disk as well.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=directory,
        env={**variables, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    kafkafmt.scan(LOG_DIR, columns=["key", "value", "timestamp"]).to_table().to_pandas().to_parquet(
        tmp_path / "rows.parquet"
    )
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_one_error_and_no_output(directory: Path, command: str) -> None:
    done = run(directory, FULL, *COMMANDS[command])
    assert done.returncode == 3
    assert "cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert ".writing" not in done.stderr
    assert os.listdir(directory) == ["rows.parquet"]


@pytest.mark.slow
def test_what_a_kill_leaves_does_not_stand_in_the_way(directory: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", LARGE, "new", "1000"], cwd=directory, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    try:
        deadline = time.monotonic() + 60
        while not list(directory.glob(".new.*.writing/t-0/*.log")):
            assert running.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert not (directory / "new").exists()
    [left] = directory.glob(".new.*")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (left, *left.rglob("*"))} == {0o700, 0o600}
    assert run(directory, LARGE, "new", "2").returncode == 0
    assert kafkafmt.scan(directory / "new").count() == 40_000


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_is_asked_to_end_leaves_nothing(directory: Path, number: signal.Signals) -> None:
    log_dir = directory / "large"
    arguments = ["large", "12"]
    assert run(directory, LARGE, *arguments).returncode == 0
    before = sorted(os.listdir(directory))
    running = subprocess.Popen(
        [sys.executable, "-m", "kafkafmt", "repair", str(log_dir), "--out", "new"],
        cwd=directory,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not list(directory.glob(".new.*.writing/t-*")):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert b"Traceback" not in said
    assert sorted(os.listdir(directory)) == before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_moment_leaves_a_whole_directory_or_none(tmp_path: Path) -> None:
    target = tmp_path / "new"

    def write() -> None:
        with new_directory(target) as work:
            (work / "file").write_bytes(b"all of it")

    seen = set()
    for _ in interruptions(write, target_module):
        left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
        assert left in (set(), {"new", "new/file"})
        seen.add(len(left))
        shutil.rmtree(target, ignore_errors=True)
    assert seen == {0, 2}


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(directory: Path) -> None:
    small, large = (int(run(directory, LARGE, name, count).stdout) for name, count in (("a", "4"), ("b", "24")))
    assert large < 300e6
    assert large < small + 60e6
