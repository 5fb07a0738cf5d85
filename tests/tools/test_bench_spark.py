"""tools/bench --spark: its measurements, records and page, and the process with a Spark session."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from benchmark import spark_page, spark_reads, topics
from benchmark.readings import Figure, Reading, Results
from benchmark.segments import SegmentsError
from benchmark.spark_reads import ALL_COLUMNS, COLUMNS, FEW, PROGRAMS, Case, Spark
from benchmark.spark_session import in_short
from benchmark.topics import Topic
from benchmark.worker import MeasuringError, ProcessTree, Worker
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")

ROOT = Path(__file__).parents[2]
LOG_DIR = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
TOPIC = Topic("100-none", "none", 100, 2, 8621)

_SESSION = """#!{python}
import json, sys
print(json.dumps({{"Spark": "4"}}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    answer = {{"rows": 2 * {records}, "checksum": len(job["columns"]), "columns": job["columns"]}}
    {special}
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
"""


def spark(directory: Path, special: str = "pass") -> Spark:
    """What starts a small program of ours in place of a session, which acts as instructed in the special case."""
    program = directory / "python"
    program.write_text(_SESSION.format(python=sys.executable, records=TOPIC.records, special=special))
    program.chmod(0o755)
    return Spark(program, dict(os.environ), [], directory, 2, directory, "127.0.0.1:1")


def read_all(started: Spark) -> dict[str, Reading]:
    cases = [Case(TOPIC, PROGRAMS)]
    versions, found = spark_reads.read_all(started, cases, ProcessTree(os.getpid()), 2, lambda _: None)
    assert versions == {"Spark": "4"}
    return found[TOPIC.label]


class TestMeasuring:
    def test_each_round_but_the_first_counts(self, tmp_path: Path) -> None:
        found = read_all(spark(tmp_path))
        assert list(found) == [program.key for program in PROGRAMS]
        assert {(each.error, each.records, len(each.cpu)) for each in found.values()} == {(None, 2 * TOPIC.records, 2)}

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("special", "error"),
        [
            ('answer["rows"] = 1', "gives 1 rows of"),
            ('answer["checksum"] = 1', "gives other rows than Spark's kafka source"),
            ('answer["columns"] = ["key"]', "gives 17242 rows of key instead"),
            ('answer = "! it hurts"', "it hurts"),
            ('sys.exit("it dies")', "exit status 1: it dies"),
        ],
        ids=["rows", "checksum", "columns", "error", "death"],
    )
    def test_a_program_that_fails_leaves_the_others_alone(self, special: str, error: str, tmp_path: Path) -> None:
        only = f'if job["program"] == "log-dirs" and len(job["columns"]) == {len(COLUMNS)} and job["check"]: {special}'
        found = read_all(spark(tmp_path, only))
        failed = found.pop("log-dirs").error
        assert failed is not None
        assert failed.startswith(error)
        assert not any(each.error for key, each in found.items() if key != "log-dirs-key-value")

    def test_memory_and_first_queries_are_of_new_sessions(self, tmp_path: Path) -> None:
        only = 'if job["program"] == "log-dirs": answer = "! java.lang.OutOfMemoryError"'
        found = spark_reads.single_figures(spark(tmp_path, only), TOPIC, TOPIC, 0.0, lambda _: None)
        assert [each.error for each in found if each.error] == ["java.lang.OutOfMemoryError"]
        assert sum("query of a session" in each.text for each in found) == 6
        assert sum("after 0 s without one" in each.text for each in found) == 4

    def test_a_session_that_does_not_start_ends_it(self, tmp_path: Path) -> None:
        started = spark(tmp_path)
        started.python.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no Java')\n")
        with pytest.raises(MeasuringError, match="exit status 1: no Java"):
            read_all(started)

    def test_the_page_has_everything(self, tmp_path: Path) -> None:
        found = read_all(spark(tmp_path))
        for number, reading in enumerate(found.values()):
            reading.cpu = [0.1, 0.2]
            reading.java = [0.05 * (number % 2)] * 2  # /proc counts in .01 s: a short run may take no time at all
        few = {each.key: Reading(FEW.partitions, 0, [0.06], [0.1], [0.03], [0.0]) for each in ALL_COLUMNS}
        found["source"].error = "gives other rows"
        readings = {
            f"{topic}, Spark {release}": each
            for release in (5, 4)
            for topic, each in ((FEW.label, few), (TOPIC.label, found))
        }
        settings = {"rounds": 2, "cores": 2, "megabytes": 2}
        text = spark_page.page(Results({}, {"Spark": "5"}, settings, readings, [Figure("memory", 7.0, "MB")]))
        newest, _, older = text.partition("## Spark 4")
        assert "| memory | 7.00 MB |" in newest
        rows = [line for line in newest.splitlines() if line.startswith(f"| {TOPIC.label} |")]
        assert "fails: gives other rows" in rows[0]
        assert "1.00 (1.00 to 1.00), goal 2: **missed**" in rows[0]
        assert "goal" not in older
        assert "| read_log_dirs, 100 B values, none | 13.3 | 8.70 | 5.22 |" in newest
        assert newest.rstrip().endswith(f"| {TOPIC.label} | 3.00 | - | 3.00 |")


class _Broker:
    """Keeps the state that a broker would have after the sent requests, and how often it ran."""

    runs = 0

    def __init__(self, directory: Path, _: object) -> None:
        self.directory = directory
        self.log_dir = directory / "log-dir-0"
        self.bootstrap_servers = "127.0.0.1:1"

    def __enter__(self) -> Self:
        _Broker.runs += 1
        partition = self.log_dir / "100-none-0"
        partition.mkdir(parents=True)
        (partition / f"{0:020d}.log").write_bytes(b"records")
        (partition / f"{0:020d}.index").write_bytes(b"")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stop(self) -> None:
        pass


class TestRecords:
    @pytest.fixture(autouse=True)
    def no_broker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(topics, "Broker", _Broker)
        monkeypatch.setattr(_Broker, "runs", 0)

    def java(self, monkeypatch: pytest.MonkeyPatch, directory: Path, code: str) -> None:
        program = directory / "java"
        program.write_text(f"#!{sys.executable}\nimport sys\n{code}\n")
        program.chmod(0o755)
        monkeypatch.setattr(topics, "tool", lambda _: str(program))

    def test_they_are_made_once(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.java(monkeypatch, tmp_path, "sys.exit(sys.argv[-1] != '100-none,none,100,2,8621,0')")
        for _ in range(2):
            broker = topics.broker_of([TOPIC], "classes", tmp_path / "cache", lambda _: None)
        assert _Broker.runs == 1
        [log] = (broker.directory / "copy").glob("*/*.log")
        assert log.stat().st_nlink == 2

    def test_a_producer_that_fails_is_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.java(monkeypatch, tmp_path, "sys.exit('no broker')")
        for _ in range(2):
            with pytest.raises(SegmentsError, match="exit status 1: no broker"):
                topics.broker_of([TOPIC], "classes", tmp_path / "cache", lambda _: None)
        assert _Broker.runs == 2


def test_an_error_begins_with_its_cause_and_has_no_names_of_the_machine() -> None:
    said = "Job aborted: Lost task (192.0.2.2 executor driver): java.lang.OutOfMemoryError: Java  heap space\n at x"
    assert in_short(said, "/there") == "OutOfMemoryError: Java heap space"
    assert in_short("\n\nno file /there/a-0\nmore", "/there") == "no file /a-0"
    assert in_short("", "/there") == "it said nothing"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Spark:
    """The installed Spark, without its kafka source."""
    path = os.pathsep.join(str(ROOT / part) for part in (".", "generated", "spark", "tools"))
    variables = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    scratch = tmp_path_factory.mktemp("session")
    variables["PYTHONPATH"] = path
    return Spark(Path(sys.executable), variables, [], scratch, 1, LOG_DIR, "127.0.0.1:1")


@pytest.fixture(scope="module")
def session(started: Spark) -> Iterator[Worker]:
    with started.session("source") as found:
        assert {"Spark", "Java", "Python", "pyarrow", "numba"} <= json.loads(found.answer()).keys()
        yield found


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
class TestSessionProcess:
    topic = Topic("codec-zstd", "zstd", 0, 1, 0)

    def test_a_reading_costs_java_and_python(self, session: Worker, started: Spark) -> None:
        cost, _ = session.measure(started.job(PROGRAMS[2], self.topic))
        assert 0 < cost.java < cost.cpu
        java, python = session.tree.peak_bytes()
        assert java > 100_000_000
        assert python > 50_000_000

    def test_what_spark_refuses_is_named_in_short(self, session: Worker, started: Spark) -> None:
        with pytest.raises(MeasuringError, match="kafka") as caught:
            session.ask(started.job(PROGRAMS[0], self.topic))
        assert len(str(caught.value)) <= 300
        for program in PROGRAMS[1:3]:
            answer = json.loads(session.ask(started.job(program, self.topic, check=True)))
            assert answer["columns"] == list(COLUMNS)
