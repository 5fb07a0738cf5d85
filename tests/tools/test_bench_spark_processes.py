"""What processes cost, and the process with a Spark session, on real ones."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.spark import programs
from benchmark.spark.process_tree import ProcessTree
from benchmark.spark.records import Topic, TopicCopy
from benchmark.spark.session_process import in_short
from benchmark.spark.sessions import Session, Spark
from benchmark.workers import MeasuringError
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")

ROOT = Path(__file__).parents[2]
LOG_DIR = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
TOPIC = TopicCopy(Topic("codec-zstd", "zstd", 0, 1, 0), LOG_DIR, "127.0.0.1:1")

_PARENT = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as Spark's Python daemon does
child = os.fork()
if child == 0:
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    os.write(1, b"worked\\n")
    time.sleep(60)
sys.stdin.readline()
os.kill(child, signal.SIGKILL)
try:
    os.wait()
except ChildProcessError:
    pass
print("gone", flush=True)
sys.stdin.readline()
"""


class TestProcessTree:
    @pytest.fixture
    def parent(self) -> Iterator["subprocess.Popen[str]"]:
        with subprocess.Popen(
            [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            yield process
            process.kill()

    def test_descendants_count_even_when_they_are_gone(self, parent: "subprocess.Popen[str]") -> None:
        assert parent.stdout is not None
        assert parent.stdin is not None
        tree = ProcessTree(parent.pid)
        assert parent.stdout.readline() == "worked\n"
        worked = tree.cpu_time()
        assert worked.python >= 0.3
        assert worked.java == 0
        assert len(tree.peak_memory().python) == 2
        parent.stdin.write("\n")
        parent.stdin.flush()
        assert parent.stdout.readline() == "gone\n"
        assert tree.cpu_time().python >= worked.python
        assert len(tree.peak_memory().python) == 1

    def test_a_process_that_is_not_there_costs_nothing(self, parent: "subprocess.Popen[str]") -> None:
        parent.kill()
        parent.wait()
        tree = ProcessTree(parent.pid)
        assert (tree.cpu_time().python, tree.peak_memory().java, tree.peak_memory().python) == (0, 0, ())


def test_an_error_is_told_from_its_cause_on_without_names_of_the_machine() -> None:
    told = "Job aborted: Lost task (192.0.2.2 executor driver): java.lang.OutOfMemoryError: Java  heap space\n at x"
    assert in_short(told, "/there") == "OutOfMemoryError: Java heap space"
    assert in_short("\n\nno file /there/a-0\nmore", "/there") == "no file /a-0"
    assert in_short("", "/there") == "it said nothing"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session of the Spark that is here, without its kafka source."""
    path = os.pathsep.join(str(ROOT / part) for part in (".", "generated", "spark", "tools"))
    variables = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    scratch = tmp_path_factory.mktemp("session")
    with Session(Spark(Path(sys.executable), {**variables, "PYTHONPATH": path}, [], scratch), 1) as started:
        yield started


@pytest.mark.xdist_group("spark")
class TestSessionProcess:
    def test_it_tells_what_it_runs_on(self, session: Session) -> None:
        assert {"Spark", "Java", "Python", "pyarrow", "numba"} <= session.versions.keys()

    def test_a_reading_costs_java_and_python(self, session: Session) -> None:
        cost = session.read(programs.LOG_DIRS, TOPIC, [0])
        assert cost.cpu.java > 0
        assert cost.cpu.python > 0
        peak = session.peak_memory()
        assert peak.java > 100_000_000
        assert peak.python[0] > 50_000_000

    def test_what_spark_refuses_is_told_in_short(self, session: Session) -> None:
        with pytest.raises(MeasuringError, match="kafka") as caught:
            session.read(programs.KAFKA, TOPIC, [0])
        assert len(str(caught.value)) <= 300
        assert session.read(programs.SOURCE, TOPIC, [0]).wall > 0
