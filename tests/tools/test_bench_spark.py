"""tools/bench --spark: its command line, what it measures, what it computes out of that, its page and chart."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

import environment
from benchmark import run as bench_run
from benchmark import start
from benchmark.segments import SegmentsError
from benchmark.spark import chart, figures, measuring, page, programs, records, run
from benchmark.spark.measuring import Readings
from benchmark.spark.programs import PROGRAMS
from benchmark.spark.records import Topic, TopicCopy
from benchmark.spark.results import Growth, Memory, Planning, Query, Reading, Results
from benchmark.spark.sessions import Session, Spark
from benchmark.workers import MeasuringError

TOPIC = Topic.of_size("100-none", "none", 100, 2, 1)


def reading(rows: int, *costs: tuple[float, float], broker: float | None = None) -> Reading:
    """A reading whose rounds took so many CPU seconds of Java and Python."""
    return Reading(
        rows,
        rows * 116,
        [java for java, _ in costs],
        [python for _, python in costs],
        [] if broker is None else [broker] * len(costs),
        [java + python for java, python in costs],
    )


def ranged(found: figures.Range | None) -> tuple[float, float, float] | None:
    return None if found is None else (found.value, found.low, found.high)


@pytest.fixture
def results() -> Results:
    """Results in which everything of one topic has been measured."""
    facts = {
        "codec": "none",
        "value_bytes": 100,
        "partitions": 2,
        "records": 1_000_000,
        "payload_bytes": 116_000_000,
        "file_bytes": 124_000_000,
        "segments": 2,
    }
    readings = {program.key: reading(1_000_000, (0.5, 0.25), (0.5, 0.5), (1, 1)) for program in PROGRAMS}
    readings[programs.KAFKA] = reading(1_000_000, (2, 0), (2, 0), (3, 0), broker=1)
    readings[programs.KAFKA_KEY_VALUE] = reading(1_000_000, (1, 0), (1.25, 0), (1.5, 0), broker=1)
    readings[programs.BINARY_FILE] = reading(100_000, (1, 1), (1, 1), (1, 1))
    return Results(
        date="2026-11-30",
        machine={"CPU": "some"},
        versions={"Spark": "4.0.0"},
        rounds=3,
        cores=2,
        topics={"100-none": facts, "growing": facts, "large": {**facts, "file_bytes": 1_100_000_000}},
        readings={"100-none": readings},
        growth=[
            Growth(programs.SOURCE, cores, size, reading(size * 1000, (1, 1))) for cores in (1, 2) for size in (1, 2)
        ],
        memory=[
            Memory(programs.SOURCE, 700_000_000, 300_000_000, 2.5),
            Memory(programs.BINARY_FILE, error="java.lang.OutOfMemoryError"),
        ],
        first_queries=[Query("first query", 2.0, 1.5, 3.0)],
        planning=[Planning(100_000, 100_000 << 20, 1563, 2.0, 8.0, 9.5, 200_000_000)],
    )


class TestCommandLine:
    def test_it_has_its_own_options(self) -> None:
        assert (start.parse(["--spark"]).rounds, start.parse(["--spark", "--quick"]).rounds) == (5, 1)
        assert start.parse(["--spark", "--rounds", "2"]).output == start.OUTPUT

    @pytest.mark.parametrize("option", ["--size=4", "--shapes=tiny", "--codecs=none", "--runs=1"])
    def test_it_refuses_what_is_of_the_other_benchmark(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            start.parse(["--spark", option])
        assert caught.value.code == 2
        assert f"argument {option.split('=', maxsplit=1)[0]}: not with --spark" in capsys.readouterr().err

    def test_it_needs_linux(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        with pytest.raises(SystemExit):
            start.parse(["--spark"])
        assert "--spark needs Linux" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "prepared"),
        [
            (["--spark"], ["bench in .venv", "spark_proof in build/spark_proof/venv"]),
            (["--spark", "--page"], ["bench in .venv"]),
        ],
        ids=["measuring", "page"],
    )
    def test_measuring_takes_a_second_environment(
        self, arguments: list[str], prepared: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done: list[str] = []
        started: list[tuple[Path, list[str], dict[str, str]]] = []

        def prepare(name: str, directory: str = ".venv") -> environment.Environment:
            done.append(f"{name} in {directory}")
            return environment.Environment(Path(directory, "python"), {"JAVA_HOME": "java"})

        monkeypatch.setattr(environment, "prepare", prepare)
        monkeypatch.setattr(start, "tool", lambda name: name)
        monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
        start.main(arguments)
        [(program, command, variables)] = started
        assert done == prepared
        assert program == Path(".venv/python")
        assert command[1:] == ["-m", "benchmark.spark.run", *arguments]
        assert variables.get(start.SPARK_PYTHON) == (None if "--page" in arguments else "build/spark_proof/venv/python")

    def test_quick_has_little_of_everything(self) -> None:
        quick, whole = run.planned(1, quick=True), run.planned(5, quick=False)
        assert sum(topic.payload_bytes * topic.partitions for topic in quick.topics) < 25e6
        assert {topic.value_bytes for topic in quick.compared} == {topic.value_bytes for topic in whole.compared}
        assert whole.large.payload_bytes > 1 << 30
        assert (whole.sizes, quick.sizes) == ([1, 2, 4, 8], [1, 2])
        assert (whole.fewer_cores(2), whole.fewer_cores(1), quick.fewer_cores(2)) == ([1], [], [])
        assert whole.holding == measuring.HOLDING
        assert len({topic.name for topic in whole.topics}) == len(whole.topics)


class TestPageFromResults:
    def test_both_pages_are_made_anew(self, results: Results, tmp_path: Path) -> None:
        canned = Path(__file__).with_name("bench_results.json").read_text()
        (tmp_path / "results.json").write_text(canned)
        results.write(tmp_path / "spark.json")
        assert bench_run.main(["--page", "--output", str(tmp_path)]) == 0
        assert (tmp_path / "spark.md").read_text() == page.page(results)
        names = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("spark"))
        assert names == ["spark.json", "spark.md", "spark.png", "spark.svg"]

    def test_or_one_of_them(self, results: Results, tmp_path: Path) -> None:
        results.write(tmp_path / "spark.json")
        assert run.main(["--spark", "--page", "--output", str(tmp_path)]) == 0
        assert not (tmp_path / "README.md").exists()

    @pytest.mark.parametrize("content", ["no JSON", "{}", '{"readings": {}, "what": 1}'])
    def test_a_broken_file_is_said(self, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "spark.json").write_text(content)
        assert run.main(["--spark", "--page", "--output", str(tmp_path)]) == 1
        assert "spark.json is damaged" in capsys.readouterr().err

    def test_a_missing_file_is_said(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run.main(["--spark", "--page", "--output", str(tmp_path)]) == 1
        assert "spark.json: No such file or directory" in capsys.readouterr().err


class TestResults:
    def test_they_are_read_as_they_were_written(self, results: Results, tmp_path: Path) -> None:
        results.write(tmp_path / "spark.json")
        assert Results.read(tmp_path / "spark.json") == results
        assert '"java": [0.5, 0.5, 1],' in (tmp_path / "spark.json").read_text()

    def test_failures_are_counted(self, results: Results) -> None:
        results.readings["100-none"][programs.SOURCE] = Reading(error="no")
        results.growth[0].reading = Reading(error="no")
        assert results.failed == 3


class TestFigures:
    def test_rates_are_of_the_median_round(self, results: Results) -> None:
        source = results.readings["100-none"][programs.SOURCE]
        assert ranged(figures.rows_a_second(source)) == pytest.approx((1_000_000, 500_000, 1_000_000 / 0.75))
        assert ranged(figures.megabytes_a_second(source)) == pytest.approx((116, 58, 116 / 0.75))
        assert figures.rows_a_second(Reading()) is None

    def test_programs_are_compared_by_row(self, results: Results) -> None:
        readings = results.readings["100-none"]
        slow = figures.times_less(readings[programs.BINARY_FILE], readings[programs.KAFKA])
        assert ranged(slow) == pytest.approx((0.1, 0.1, 0.15))
        assert figures.times_less(Reading(error="no"), readings[programs.KAFKA]) is None

    def test_goals_count_the_broker_where_they_say_so(self, results: Results) -> None:
        goals = {goal.text: goal for goal in figures.goals(results)}
        alone = goals["Spark's kafka source / kafkafmt data source, 100-none"]
        both = goals["Spark's kafka source and broker / kafkafmt data source, 100-none"]
        assert ranged(alone.measured) == pytest.approx((2, 1.5, 8 / 3))
        assert ranged(both.measured) == pytest.approx((3, 2, 4))
        narrow = goals["Spark's kafka source, key and value / read_log_dirs, key and value, 100-none"]
        assert (alone.is_met, narrow.is_met) == (True, False)

    def test_what_failed_meets_no_goal(self, results: Results) -> None:
        results.readings["100-none"][programs.KAFKA] = Reading(error="no")
        [goal, *_] = figures.goals(results)
        assert goal.is_met is None

    def test_noise_is_between_rounds(self, results: Results) -> None:
        assert figures.noise(results) == pytest.approx(2 / 0.75 - 1)


class TestPage:
    def test_everything_has_its_place(self, results: Results) -> None:
        text = page.page(results)
        for program in PROGRAMS:
            assert f"\n| {program.label} |" in text
        for goal in figures.goals(results):
            assert f"| {goal.text} |" in text
        assert "| kafkafmt data source | 1.00 (0.500 to 1.33) |" in text
        assert "| kafkafmt data source, 2 cores | 2.00 s, 2.00 s, 2000 us |" in text
        assert "| kafkafmt data source | 700 MB | 300 MB | 2.50 |" in text
        assert "| 100,000 of 1 MiB: 104.9 GB | 1,563 |" in text
        assert "Spark 4.0.0" in text
        assert "too few" not in text

    def test_tables_are_tables(self, results: Results) -> None:
        for block in page.page(results).split("\n\n"):
            if block.startswith("|"):
                lines = block.rstrip("\n").split("\n")
                assert re.fullmatch(r"\| --- \|( ---: \|)+", lines[1])
                assert len({line.count("|") for line in lines}) == 1

    def test_failures_are_footnotes(self, results: Results) -> None:
        results.readings["100-none"][programs.SOURCE] = Reading(error="it hurts")
        results.growth[0].reading = Reading(error="it hurts here")
        results.first_queries.append(Query("second query", error="it still hurts"))
        text = page.page(results)
        assert "| kafkafmt data source | fails (1) |" in text
        assert "\n(1) kafkafmt data source: it hurts\n" in text
        assert "it hurts here" in text
        assert "| second query | fails: it still hurts |" in text
        assert "| binaryFile and parse_segment | fails (1) | - | - |" in text

    def test_a_large_segment_that_fails_is_a_goal_missed(self, results: Results) -> None:
        assert "| works | works | - | yes |" in page.page(results)
        results.memory = [Memory(programs.SOURCE, error="no")]
        assert "| works | fails | - | **no** |" in page.page(results)
        results.topics["large"]["file_bytes"] = 8_000_000
        assert "| works | - | - | not measured |" in page.page(results)

    def test_little_is_no_judge(self, results: Results) -> None:
        for each in results.readings["100-none"].values():
            each.payload_bytes = 1_000_000
        assert "too few records" in page.page(results)

    def test_nothing_measured_is_a_page_without_tables(self, results: Results) -> None:
        empty = Results(results.date, {}, {}, 1, 1, {})
        assert page.page(empty).count("\n| ---") == 1


class TestChart:
    def test_it_is_drawn_the_same_each_time(self, results: Results, tmp_path: Path) -> None:
        del results.readings["100-none"][programs.SOURCE_KEY_VALUE]
        results.readings["100-none"][programs.BINARY_FILE] = Reading(error="no")
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            chart.draw(results, tmp_path / name)
        for name in ("spark.png", "spark.svg"):
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        drawing = (tmp_path / "one" / "spark.svg").read_text()
        for text in ("100 B values, none", "read_log_dirs", "million rows", ">116<"):
            assert text in drawing

    def test_without_measurements_there_is_none(self, results: Results, tmp_path: Path) -> None:
        results.readings = {}
        chart.draw(results, tmp_path)
        assert not list(tmp_path.iterdir())


_SESSION = """#!{python}
import json, sys
settings = json.loads(sys.argv[3])
print(json.dumps({{"Spark": settings["spark.master"]}}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    rows = len(job["partitions"]) * {records}
    columns = ["key", "value"]
    if "key-value" not in job["program"] and "select" not in job["program"]:
        columns += ["topic", "partition", "offset", "timestamp", "timestampType"]
    answer = {{"rows": rows, "checksum": len(columns), "columns": columns}} if job["check"] else {{}}
    {special}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def copy(tmp_path: Path) -> TopicCopy:
    return TopicCopy(TOPIC, tmp_path, "127.0.0.1:1")


def spark(directory: Path, special: str = "pass") -> Spark:
    """What starts a small program of ours in place of a session, which does as it is told in the special case."""
    program = directory / "python"
    program.write_text(_SESSION.format(python=sys.executable, records=TOPIC.records, special=special))
    program.chmod(0o755)
    return Spark(program, dict(os.environ), [], directory)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Readings]:
    keys = [program.key for program in PROGRAMS]
    with Readings(spark(tmp_path), 2, os.getpid(), keys) as found:
        yield found


class TestMeasuring:
    def test_each_round_but_the_first_counts(self, running: Readings, copy: TopicCopy) -> None:
        readings = measuring.compare(running, copy, copy, rounds=2, warming=1)
        assert list(readings) == [program.key for program in PROGRAMS]
        assert running.versions == {"Spark": "local[2]"}
        for program in PROGRAMS:
            found = readings[program.key]
            assert (found.error, found.rows, len(found.spark), len(found.wall)) == (None, 2 * TOPIC.records, 2, 2)
            assert len(found.broker) == (2 if program.needs_broker else 0)
            assert found.everything >= found.spark

    @pytest.mark.parametrize(
        ("special", "error"),
        [
            ('answer["rows"] = 1', "gives 1 rows instead of"),
            ('answer["checksum"] = 1', "gives other rows than Spark's kafka source"),
            ('answer["columns"] = ["key"]', "gives the columns key"),
            ('answer = {"error": "it hurts"}', "it hurts"),
            ('sys.exit("it dies")', "exit status 1: it dies"),
        ],
        ids=["rows", "checksum", "columns", "error", "death"],
    )
    def test_a_program_that_fails_leaves_the_others_alone(
        self, special: str, error: str, copy: TopicCopy, tmp_path: Path
    ) -> None:
        only = f'if job["program"] == "log-dirs" and job["check"]: {special}'
        keys = (programs.KAFKA, programs.SOURCE, programs.LOG_DIRS)
        chosen = [programs.program(key) for key in keys]
        with Readings(spark(tmp_path, only), 1, os.getpid(), keys) as running:
            readings = measuring.compare(running, copy, copy, 1, 0, chosen)
        failed = readings.pop(programs.LOG_DIRS).error
        assert failed is not None
        assert failed.startswith(error)
        assert not any(each.error for each in readings.values())

    def test_a_failure_amid_the_rounds_is_told(self, copy: TopicCopy, tmp_path: Path) -> None:
        only = 'if not job["check"]: answer = {"error": "too late"}'
        with Readings(spark(tmp_path, only), 1, os.getpid(), [programs.KAFKA]) as running:
            readings = measuring.compare(running, copy, copy, 1, 0, [programs.program(programs.KAFKA)])
            growth = measuring.growth({1: running}, copy, [1], 1, 0, [programs.KAFKA])
        assert readings[programs.KAFKA].error == growth[0].reading.error == "too late"

    def test_growth_is_by_program_cores_and_size(self, running: Readings, copy: TopicCopy) -> None:
        found = measuring.growth({1: running, 2: running}, copy, [1, 2], rounds=1, warming=1)
        keys = [(each.program, each.cores, each.segments) for each in found]
        assert len(set(keys)) == len(keys) == len(measuring.GROWING) * 4
        assert {(each.reading.rows, len(each.reading.wall)) for each in found} == {
            (TOPIC.records, 1),
            (2 * TOPIC.records, 1),
        }

    def test_memory_is_of_a_session_each(self, copy: TopicCopy, tmp_path: Path) -> None:
        said: list[str] = []
        only = 'if job["program"] == "log-dirs": answer = {"error": "java.lang.OutOfMemoryError"}'
        keys = (programs.SOURCE, programs.LOG_DIRS, programs.KAFKA)
        source, log_dirs, kafka = measuring.memory(spark(tmp_path, only), 1, copy, keys, said.append)
        assert source.worker_bytes > 1_000_000
        assert (source.java_bytes, kafka.worker_bytes) == (0, 0)
        assert log_dirs.error == "java.lang.OutOfMemoryError"
        assert len(said) == 3

    def test_first_queries_are_those_of_new_sessions(self, copy: TopicCopy, tmp_path: Path) -> None:
        found = measuring.first_queries(spark(tmp_path), copy, (False, True))
        assert [each.case.split(" query")[0] for each in found] == ["first", "second", "third"] * 2
        [failed] = measuring.first_queries(spark(tmp_path, 'answer = {"error": "no"}'), copy, [True])
        assert failed.error == "no"

    def test_a_session_that_does_not_start_is_told(self, tmp_path: Path) -> None:
        broken = tmp_path / "python"
        broken.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no Java')\n")
        broken.chmod(0o755)
        with pytest.raises(MeasuringError, match="exit status 1: no Java"):
            Session(Spark(broken, {}, [], tmp_path), 1)
        with pytest.raises(MeasuringError, match="no Java"):
            Readings(Spark(broken, {}, [], tmp_path), 1, os.getpid(), [programs.SOURCE])

    def test_a_session_that_hangs_is_not_waited_for(
        self, copy: TopicCopy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Session(spark(tmp_path, "import time; time.sleep(60)"), 1) as session:
            monkeypatch.setattr("benchmark.spark.sessions.SECONDS", 0.2)
            with pytest.raises(MeasuringError, match="took more than"):
                session.read(programs.SOURCE, copy, [0])
            with pytest.raises(MeasuringError, match="exit status -9"):
                session.read(programs.SOURCE, copy, [0])


class _Broker:
    """Keeps what a broker would have made of what it was sent, and how often it ran."""

    runs = 0

    def __init__(self, directory: Path, _: object) -> None:
        self.directory = directory
        self.log_dir = directory / "log-dir-0"
        self.bootstrap_servers = "127.0.0.1:1"

    def __enter__(self) -> Self:
        _Broker.runs += 1
        (self.log_dir / "100-none-small-0").mkdir(parents=True)
        (self.log_dir / "100-none-small-0" / f"{0:020d}.log").write_bytes(b"others")
        partition = self.log_dir / "100-none-0"
        partition.mkdir()
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
        monkeypatch.setattr(records, "Broker", _Broker)
        monkeypatch.setattr(_Broker, "runs", 0)

    def java(self, monkeypatch: pytest.MonkeyPatch, directory: Path, code: str) -> None:
        program = directory / "java"
        program.write_text(f"#!{sys.executable}\nimport sys\n{code}\n")
        program.chmod(0o755)
        monkeypatch.setattr(records, "tool", lambda _: str(program))

    def test_they_are_made_once(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        said: list[str] = []
        self.java(monkeypatch, tmp_path, "sys.exit(sys.argv[-1] != '100-none,none,100,2,8621')")
        for _ in range(2):
            broker = records.broker_of([TOPIC], "classes", tmp_path / "cache", said.append)
        assert _Broker.runs == 1
        assert len(said) == 1
        copy = records.copies(broker, [TOPIC])["100-none"]
        assert (copy.file_bytes, len(copy.files), copy.servers) == (7, 1, "127.0.0.1:1")
        [log] = copy.files
        assert log.stat().st_nlink == 2

    def test_other_topics_are_another_broker(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.java(monkeypatch, tmp_path, "")
        homes = {
            records.broker_of(topics, "classes", tmp_path, lambda _: None).directory
            for topics in ([TOPIC], [TOPIC, Topic("more", "zstd", 1, 1, 1)])
        }
        assert len(homes) == _Broker.runs == 2

    def test_a_producer_that_fails_is_told(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.java(monkeypatch, tmp_path, "sys.exit('no broker')")
        for _ in range(2):
            with pytest.raises(SegmentsError, match="exit status 1: no broker"):
                records.broker_of([TOPIC], "classes", tmp_path / "cache", lambda _: None)
        assert _Broker.runs == 2
