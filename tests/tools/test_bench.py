"""tools/bench: its command line, measurements, computed figures, page and chart."""

import json
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import crc32c
import pytest

import environment
import kafkafmt
from benchmark import chart, goals, readers, readings, report, run, scans, segments, start, tables, worker
from benchmark.readings import Figure, Reading, Results, compare
from benchmark.scans import JAVA, KAFKAFMT, THREADS, Bench
from benchmark.segments import Segment
from benchmark.worker import Cost, MeasuringError, ProcessTree, Worker
from class_path import ToolError
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")

CODECS = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"

_ECHO = """
import sys, time
for line in sys.stdin:
    path = line.split()[-1]
    if path == "die":
        sys.exit("it hurts")
    if path == "hang":
        time.sleep(600)
    if path == "work":
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
    print("! ValueError: bad file" if path == "bad" else 7, flush=True)
"""


def reading(*cpu: float, records: int = 100, wall: Sequence[float] = ()) -> Reading:
    return Reading(records, 2_000_000, list(cpu), list(wall or cpu), [0.0] * len(cpu), [0.0] * len(cpu))


def results(found: dict[str, dict[str, Reading]], *figures: Figure) -> Results:
    return Results({"CPU": "some"}, {"Python": "3.11"}, {"rounds": 2, "restarts": 1}, found, list(figures))


def figure(found: Sequence[Figure], text: str) -> Figure:
    return next(each for each in found if each.text.startswith(text))


class TestCommandLine:
    def test_help_needs_no_environment(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            start.main(["--help"])
        assert caught.value.code == 0
        assert "--quick" in capsys.readouterr().out

    def test_only_a_whole_run_replaces_what_is_committed(self) -> None:
        committed = environment.ROOT / "docs" / "benchmarks"
        for arguments in ([], ["--large"], ["--spark"]):
            assert start.parse(arguments).output == committed
        for arguments in (["--quick"], ["--segments", "tiny-none"], ["--spark", "--quick"]):
            assert committed not in (start.parse(arguments).output, *start.parse(arguments).output.parents)

    @pytest.mark.parametrize("option", ["--large", "--segments=tiny-none", "--native=program"])
    def test_spark_refuses_what_is_of_scans(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            start.main(["--spark", option])
        assert caught.value.code == 2
        assert "go with --quick only" in capsys.readouterr().err

    def test_a_missing_tool_is_named_before_anything_is_set_up(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(environment, "prepare", lambda _: pytest.fail("an environment was made"))
        monkeypatch.setenv("PATH", "")
        assert start.main([]) == 1
        assert capsys.readouterr().err.startswith("tools/bench: java is not on PATH: install a JDK 17")

    @pytest.mark.parametrize(
        ("arguments", "prepared"),
        [
            (["--quick"], ["bench in .venv"]),
            (["--spark", "--quick"], ["bench in .venv", "spark_proof in build/spark_proof/venv"]),
            (
                ["--spark"],
                [
                    "bench in .venv",
                    "spark_proof in build/spark_proof/venv",
                    "bench_spark in build/bench_spark/venv",
                ],
            ),
        ],
    )
    def test_the_measurement_gets_the_arguments_and_the_environment(
        self, arguments: list[str], prepared: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[str] = []
        started: list[tuple[Path, list[str], dict[str, str]]] = []

        def prepare(name: str, directory: str = ".venv") -> environment.Environment:
            made.append(f"{name} in {directory}")
            return environment.Environment(Path(directory, "python"), {"JAVA_HOME": "java"})

        monkeypatch.setattr(environment, "prepare", prepare)
        monkeypatch.setattr(start, "tool", lambda name: name)
        monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
        start.main(arguments)
        [(program, command, variables)] = started
        assert made == prepared
        assert program == Path(".venv/python")
        assert command[1:] == ["-m", "benchmark.run", *arguments]
        assert (Path(variables["PYTHONPATH"]) / "benchmark" / "run.py").exists()
        assert (start.SPARK_PYTHONS in variables) == ("--spark" in arguments)

    def test_a_failure_of_java_is_named(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object) -> None:
            raise ToolError("Maven could not fetch kafka-tools")

        monkeypatch.setattr(run, "kafka_tools_class_path", fail)
        assert run.main([]) == 1
        assert capsys.readouterr().err == "tools/bench: Maven could not fetch kafka-tools\n"


def _batches(count: int) -> bytes:
    body = struct.pack(">ibIhi", 0, 2, 0, 0, 9)
    return b"".join(struct.pack(">qi", number * 10, len(body)) + body for number in range(count))


class TestSegments:
    def test_names_have_shape_codec_and_size(self) -> None:
        assert segments.shape("typical-lz4-v1@4") == "typical v1"
        assert segments.codec("typical-lz4@4") == segments.codec("typical1m-lz4") == "lz4"
        assert [segments.megabytes(name) for name in ("tiny-none", "tiny-none@4")] == [segments.SIZE, 4]
        assert len(segments.NAMES) == len(set(segments.NAMES)) == 35

    def test_segments_are_made_once(self, tmp_path: Path) -> None:
        maker = tmp_path / "maker.py"
        maker.write_text(
            "import json, pathlib, sys\n"
            "for name in sys.argv[4:]:\n"
            "    pathlib.Path(sys.argv[2], name + '.log').write_bytes(b'records')\n"
            "    print(json.dumps({'name': name, 'rawBytes': 160, 'records': 120}))\n"
        )
        made = segments.make(["tiny-none@4"], tmp_path / "cache", [sys.executable, str(maker)], lambda _: None)
        assert made == [Segment("tiny-none@4", tmp_path / "cache" / "tiny-none@4.log", 120, 160)]
        assert segments.make(["tiny-none@4"], tmp_path / "cache", ["false"], pytest.fail) == made
        with pytest.raises(segments.SegmentsError, match="exit status 1"):
            segments.make(["tiny-lz4"], tmp_path / "cache", ["false"], lambda _: None)

    def test_a_full_disk_is_named_before_it_is_full(self, tmp_path: Path) -> None:
        with pytest.raises(segments.SegmentsError, match="GB free"):
            segments.require_space(tmp_path / "cache", 1 << 60)

    def test_a_log_directory_of_small_segments_is_a_log(self, tmp_path: Path) -> None:
        source = CODECS / "codec-none-0" / f"{0:020d}.log"
        records = segments.log_dir(tmp_path / "logs", source, partitions=2, segments=3, segment_bytes=1000)
        scan = kafkafmt.scan(tmp_path / "logs", columns=["partition", "offset"])
        assert scan.count() == records > 0
        assert len(list((tmp_path / "logs").glob("many-1/*.log"))) == 3
        offsets = scan.to_table().to_pylist()
        assert [row["offset"] for row in offsets if row["partition"] == 1] == list(range(records // 2))


class TestGoals:
    def test_a_ratio_is_of_medians_over_all_that_both_have_read(self) -> None:
        found = {
            "a": {"x": reading(2, 99, 4), "y": reading(1, 2, 3)},
            "b": {"x": reading(8, 8, 8), "y": reading(2, 2, 2)},
            "c": {"x": reading(9, 9, 9), "y": Reading(error="no")},
        }
        ratio = goals.ratio(found, ["a", "b", "c", "d"], "x", "y", at_least=2.9)
        assert ratio.value == pytest.approx((2 * 4) ** 0.5)
        assert ratio.low == pytest.approx((4 / 3 * 4) ** 0.5)
        assert ratio.is_met is False
        assert goals.ratio(found, ["c"], "x", "y", at_most=1).is_met is None

    def test_a_ratio_is_of_records(self) -> None:
        found = {"a": {"x": reading(1, records=100), "y": reading(1, records=200)}}
        assert goals.ratio(found, ["a"], "x", "y").value == pytest.approx(2)

    def test_goals_are_of_their_segments_alone(self) -> None:
        def java(times: float) -> dict[str, Reading]:
            return {KAFKAFMT: reading(1), JAVA: reading(times), THREADS: reading(1.05, wall=[0.5])}

        names = {"typical-zstd": 2, "typical-none": 2, "typical1m-none": 50, "typical-none-v1": 50, "typical-none@4": 3}
        found = goals.scan_goals({name: java(times) for name, times in names.items()})
        assert figure(found, "kafka-clients warm / kafkafmt, typical").value == pytest.approx(2)
        assert figure(found, "kafka-clients warm / kafkafmt, typical, 4 MB").value == pytest.approx(3)
        assert figure(found, "kafka-clients warm / kafkafmt, tiny").value is None
        assert figure(found, "threads=2: CPU").is_met
        assert figure(found, "threads=2: how many times faster, compressed").value == pytest.approx(2)

    def test_a_figure_of_rounds_is_their_median(self) -> None:
        found = scans.of_rounds("x", [3, 1, 2], "s", 2, at_most=True)
        assert (found.value, found.low, found.high, found.is_met) == (2, 1, 3, True)
        assert scans.of_rounds("x", []).value is None


class TestReport:
    @pytest.fixture
    def measured(self) -> Results:
        found = {
            name: {program.key: reading(0.1, 0.2) for program in scans.PROGRAMS}
            for name in ("typical-zstd", "tiny-none")
        }
        found["tiny-none"]["aiokafka"] = Reading(error="UnsupportedCodecError: no | lz4")
        return results(found, Figure("peak memory", 301, "MB", goal=300, at_most=True), Figure("x", None, error="died"))

    def test_everything_has_its_place(self, measured: Results) -> None:
        text = report.scans_page(measured)
        for program in scans.PROGRAMS:
            assert program.label in text
        assert "| tiny-none | 150 |" in text
        assert "fails (1)" in text
        assert "\n(1) aiokafka: UnsupportedCodecError: no | lz4\n" in text
        assert "| peak memory | at most 300 MB | 301 MB | - | **no** |" in text
        assert "| x | - | fails: died | - | - |" in text
        for block in text.split("\n\n"):
            if block.startswith("|"):
                assert len({line.count("|") for line in block.rstrip("\n").split("\n")}) == 1

    @pytest.mark.parametrize(
        ("value", "text"), [(None, "-"), (0.12345, "0.123"), (1.2345, "1.23"), (12.345, "12.3"), (123.45, "123")]
    )
    def test_numbers_have_three_digits(self, value: float | None, text: str) -> None:
        assert tables.number(value) == text

    def test_json_has_every_round_on_a_line_of_its_program(self, measured: Results, tmp_path: Path) -> None:
        measured.write(tmp_path / "results.json")
        text = (tmp_path / "results.json").read_text()
        assert '"cpu": [0.1, 0.2]' in text
        assert json.loads(text)["readings"]["typical-zstd"]["java"]["records"] == 100
        assert measured.failed == ["tiny-none, aiokafka: UnsupportedCodecError: no | lz4", "x: died"]

    def test_the_chart_shows_the_measured_speeds_and_is_drawn_the_same_each_time(
        self, measured: Results, tmp_path: Path
    ) -> None:
        for name in ("one.svg", "two.svg"):
            chart.draw(measured, tmp_path / name)
        drawing = (tmp_path / "one.svg").read_text()
        assert drawing == (tmp_path / "two.svg").read_text()
        for text in ("kafka-clients, warm JVM", "typical: ", ">zstd<", ">0.013<"):
            assert text in drawing
        assert "large: " not in drawing

    def test_machine_and_versions_name_no_host(self) -> None:
        found = json.dumps([readings.machine(), readings.versions(["numpy", "nosuch"])])
        assert os.uname().nodename not in found
        assert '"nosuch": "not installed"' in found
        names = ["kafka-clients-4.3.1.jar", "kafka-clients-test-1.jar", "other-1.jar"]
        assert readings.jar_versions(names) == {"kafka-clients": "4.3.1"}


class TestWorker:
    @pytest.fixture
    def echo(self) -> Iterator[Worker]:
        with Worker([sys.executable, "-c", _ECHO], os.environ) as started:
            yield started

    def test_a_pass_costs_what_it_costs(self, echo: Worker) -> None:
        echo.ask("read first")
        cost, answer = echo.measure("read work", passes=2)
        assert answer == "7"
        assert 0.19 <= cost.cpu < 1
        assert cost.wall >= 0.19
        assert cost.java == 0
        assert 1_000_000 < echo.tree.peak_bytes()[1] < 200_000_000
        assert echo.tree.minor_faults() > 0

    def test_a_file_that_cannot_be_read_leaves_it_alive(self, echo: Worker) -> None:
        with pytest.raises(MeasuringError, match="ValueError: bad file"):
            echo.ask("read bad")
        assert echo.ask("read good") == "7"

    def test_its_last_words_are_kept(self, echo: Worker) -> None:
        for _ in range(2):
            with pytest.raises(MeasuringError, match="exit status 1: it hurts"):
                echo.ask("read die")

    def test_it_is_not_waited_for_forever(self, echo: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(worker, "TIMEOUT_SECONDS", 0.2)
        with pytest.raises(MeasuringError, match="took more than"):
            echo.ask("read hang")

    def test_a_process_is_measured_from_start_to_end(self) -> None:
        found = worker.run([sys.executable, "-c", _ECHO], os.environ, "read work\n")
        assert found.cpu >= 0.2
        assert found.peak_bytes > 1_000_000
        with pytest.raises(MeasuringError, match="exit status 1: it hurts"):
            worker.run([sys.executable, "-c", _ECHO], os.environ, "read die\n")

    def test_descendants_count_even_when_they_are_gone(self) -> None:
        code = (
            "import os, signal, sys, time\n"
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"  # as Spark's Python daemon does
            "child = os.fork()\n"
            "while not child and time.process_time() < 0.3: pass\n"
            "if not child: print('worked', flush=True); time.sleep(60)\n"
            "sys.stdin.readline(); os.kill(child, 9)\n"
            "try: os.wait()\n"
            "except ChildProcessError: print('gone', flush=True)\n"
            "sys.stdin.readline()\n"
        )
        with Worker([sys.executable, "-c", code], os.environ) as parent:
            assert parent.answer() == "worked"
            _, worked = parent.tree.cpu_time()
            assert worked >= 0.3
            assert parent.ask("end") == "gone"
            assert parent.tree.cpu_time()[1] >= worked
        assert ProcessTree(2**22 + 1).cpu_time() == (0, 0)


class Script(Bench):
    """Measures a small test program instead of the real ones."""

    def __init__(self, code: Callable[[str], str]) -> None:
        super().__init__([], None, os.environ)
        object.__setattr__(self, "code", code)

    def worker(self, program: str) -> Worker:
        return Worker([sys.executable, "-c", getattr(self, "code")(program)], self.variables)  # noqa: B009


class TestMeasuring:
    def test_programs_take_turns_and_the_first_round_does_not_count(self) -> None:
        order: list[str] = []

        def job(name: str) -> Callable[[], Cost]:
            def read() -> Cost:
                order.append(name)
                return Cost(1.0, 2.0)

            return read

        found = {"x": Reading(), "y": Reading()}
        compare({"x": job("x"), "y": job("y")}, found, rounds=3, warming=1)
        assert "".join(order) == "xyyxxyyx"
        assert (found["x"].cpu, found["x"].wall) == ([1.0] * 3, [2.0] * 3)

    @pytest.mark.slow
    def test_programs_that_fail_leave_the_others_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "typical-none.log"
        path.touch()
        codes = {JAVA: "import sys; sys.exit('no')", THREADS: "print('! no file', input(), flush=True); input()"}
        bench = Script(lambda program: codes.get(program, _ECHO))
        [found] = scans.read_all(bench, [Segment("typical-none", path, 7, 1)], 2, 2, lambda _: None).values()
        assert found.pop(JAVA).error == "exit status 1: no"
        assert found.pop(THREADS).error == "no file read typical-none.log"
        assert {(len(each.cpu), each.error) for each in found.values()} == {(4, None)}
        assert scans.NATIVE not in found
        assert "kafka-python" not in found

    def test_a_wrong_count_of_records_is_a_failure(self, tmp_path: Path) -> None:
        made = [Segment("typical-none@64", tmp_path, 8, 1)]
        [found] = scans.read_all(Script(lambda _: _ECHO), made, 1, 1, lambda _: None).values()
        assert {each.error for each in found.values()} == {"read 7 records instead of 8"}

    @pytest.mark.slow
    def test_what_single_processes_take(self, tmp_path: Path) -> None:
        path = CODECS / "codec-zstd-0" / f"{0:020d}.log"
        records = sum(batch.count or 0 for batch in kafkafmt.Segment(path).batches())
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        bench = Bench(["false"], None, {**os.environ, "PYTHONPATH": str(environment.ROOT / "tools")})
        found = scans.single_figures(bench, [Segment("typical-zstd", copy, records, 1)], 1, 10, lambda _: None)
        assert [each.text for each in found if each.value is None] == ["first row of a JVM with kafka-clients"]
        assert figure(found, "a segment of 100 KB among 10, CPU").unit == "ms"


class TestReaders:
    def test_a_worker_answers_what_went_wrong(self) -> None:
        def fail(path: str) -> int:
            raise ValueError(f"{path}\nis bad")

        def fail_twice(_: str) -> int:
            raise ValueError("ValueError: bad")

        assert readers.answer(fail, "x") == "! ValueError: x is bad"
        assert readers.answer(fail_twice, "x") == "! ValueError: bad"
        assert readers.answer(len, "abc") == "3"

    def test_fetches_end_with_whole_batches(self) -> None:
        whole = _batches(3)
        assert readers.whole_batches(whole) == len(whole)
        assert readers.whole_batches(whole[:-1]) == len(_batches(2))
        assert readers.whole_batches(whole[:11]) == readers.whole_batches(b"") == 0

    @pytest.mark.parametrize("program", ["floor", "count", "batches", "kafkafmt-key-value-offset"])
    @pytest.mark.parametrize("codec", segments.CODECS)
    def test_each_program_sees_every_record(self, program: str, codec: str) -> None:
        path = str(CODECS / f"codec-{codec}-0" / f"{0:020d}.log")
        expected = sum(batch.count or 0 for batch in kafkafmt.Segment(path).batches())
        assert readers.reader(program)(path) == expected > 0

    def test_the_floor_checks_crcs(self, tmp_path: Path) -> None:
        body = bytearray(struct.pack(">ibIhiqqqhii", 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 3) + b"records")
        struct.pack_into(">I", body, 5, crc32c.crc32c(bytes(body[9:])))
        sound = struct.pack(">qi", 0, len(body)) + body
        file = tmp_path / "x.log"
        file.write_bytes(sound * 2 + sound[:-1])
        assert readers.reader("floor")(str(file)) == 6
        file.write_bytes(sound[:-1] + b"!")
        with pytest.raises(ValueError, match="wrong CRC at position 0"):
            readers.reader("floor")(str(file))
