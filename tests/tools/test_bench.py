"""tools/bench: its command line, what it computes out of measurements, its page and chart, and how it measures.

It is long because it has a class for each module of tools/benchmark, and all of them share the canned results.
"""

import json
import os
import re
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import crc32c
import pytest

import environment
import kafkafmt
from benchmark import chart, figures, fresh_process, machine, page, readers, run, segments, start
from benchmark.measuring import Bench, measure_one
from benchmark.programs import PROGRAMS, Program
from benchmark.python_worker import answer
from benchmark.results import Cell, FirstUse, Growth, Results
from benchmark.segments import Made, Segment
from benchmark.workers import MeasuringError, Worker
from benchmark.workers import run as run_once
from class_path import ToolError
from tests.golden_cases import GOLDEN

CANNED = Path(__file__).with_name("bench_results.json")
SEGMENT = {"bytes": 1000, "rawBytes": 2000, "records": 100, "batches": 10}


def results(*runs: dict[str, dict[str, Cell]], sizes: dict[str, dict[str, int]] | None = None) -> Results:
    names = dict.fromkeys(name for cells in runs for name in cells)
    known = sizes or {}
    return Results(
        date="2026-11-30",
        machine={"CPU": "some"},
        versions={"Python": "3.11"},
        settings={"megabytes": 8, "rounds": 2, "runs": len(runs)},
        segments={name: known.get(name, SEGMENT) for name in names},
        runs=list(runs),
    )


@pytest.fixture(scope="module")
def canned() -> Results:
    """The results of a real run with --quick."""
    return Results.read(CANNED)


class TestCommandLine:
    def test_help_needs_no_environment(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            start.main(["--help"])
        assert caught.value.code == 0
        assert "--quick" in capsys.readouterr().out

    def test_defaults_are_those_that_the_help_names(self) -> None:
        options = start.parse([])
        assert (options.size, options.rounds, options.runs) == (256, 5, 3)
        assert (options.shapes, options.codecs) == (segments.SHAPES, segments.CODECS)
        assert options.output == environment.ROOT / "docs" / "benchmarks"

    def test_quick_leaves_the_committed_results_alone_and_yields_to_options(self) -> None:
        options = start.parse(["--quick", "--rounds", "7"])
        assert (options.size, options.rounds, options.runs) == (8, 7, 1)
        assert start.OUTPUT not in (options.output, *options.output.parents)

    def test_lists_keep_the_order_of_the_tables(self) -> None:
        assert start.parse(["--shapes", "tiny,typical"]).shapes == ("typical", "tiny")

    @pytest.mark.parametrize("option", ["--size=0", "--size=x", "--rounds=-1", "--shapes=huge", "--codecs=none,"])
    def test_wrong_values_are_usage_errors(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            start.main([option])
        assert caught.value.code == 2
        assert f"argument {option.split('=', maxsplit=1)[0]}" in capsys.readouterr().err

    def test_a_missing_tool_is_said_before_anything_is_set_up(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(environment, "prepare", lambda _: pytest.fail("an environment was made"))
        monkeypatch.setenv("PATH", "")
        assert start.main([]) == 1
        assert capsys.readouterr().err.startswith("tools/bench: java is not on PATH: install a JDK 17")

    def test_the_measurement_gets_the_arguments_and_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        started: list[tuple[Path, list[str], dict[str, str]]] = []
        ready = environment.Environment(Path("python"), {"JAVA_HOME": "java"})
        monkeypatch.setattr(environment, "prepare", lambda name: ready if name == "bench" else None)
        monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
        start.main(["--page", "--size", "4"])
        [(program, command, variables)] = started
        assert program == Path("python")
        assert command[1:] == ["-m", "benchmark.run", "--page", "--size", "4"]
        assert variables["JAVA_HOME"] == "java"
        assert (Path(variables["PYTHONPATH"]) / "benchmark" / "run.py").exists()

    def test_a_failed_set_up_is_said(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        def fail(_: str) -> None:
            raise environment.SetupError("no network")

        monkeypatch.setattr(environment, "prepare", fail)
        assert start.main(["--page"]) == 1
        assert capsys.readouterr().err == "tools/bench: no network\n"

    def test_a_failure_of_java_is_said(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object) -> None:
            raise ToolError("Maven could not fetch kafka-tools")

        monkeypatch.setattr(run, "kafka_tools_class_path", fail)
        assert run.main([]) == 1
        assert capsys.readouterr().err == "tools/bench: Maven could not fetch kafka-tools\n"

    def test_results_that_are_not_there_or_broken_are_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run.main(["--page", "--output", str(tmp_path)]) == 1
        assert "results.json: No such file or directory" in capsys.readouterr().err
        (tmp_path / "results.json").write_text("no JSON", encoding="utf-8")
        assert run.main(["--page", "--output", str(tmp_path)]) == 1
        assert "results.json is damaged" in capsys.readouterr().err


class TestSegments:
    def test_names_tell_what_is_in_them(self) -> None:
        old = Segment("typical-lz4-v1")
        assert (old.shape, old.codec, old.magic) == ("typical", "lz4", 1)
        assert (Segment("typical1m-none").shape, Segment("typical1m-none").magic) == ("typical1m", 2)

    def test_all_of_them_are_28(self) -> None:
        names = [segment.name for segment in segments.choose(segments.SHAPES, segments.CODECS)]
        assert len(names) == len(set(names)) == 28
        assert "typical-zstd-v0" not in names

    def test_old_formats_come_with_the_typical_shape_only(self) -> None:
        assert [segment.name for segment in segments.choose(["tiny"], ["none", "zstd"])] == ["tiny-none", "tiny-zstd"]

    def test_segments_are_made_once(self, tmp_path: Path) -> None:
        said: list[str] = []
        first = segments.make([Segment("tiny-none")], 1, tmp_path, _maker(tmp_path), said.append)
        assert "making 1 segments" in said[0]
        assert first["tiny-none"].records == 120_000
        # A prefix ends with a whole entry, behind half of the records.
        assert first["tiny-none"].prefix.read_bytes() == _entries(5)
        said.clear()
        assert segments.make([Segment("tiny-none")], 1, tmp_path, ["false"], said.append) == first
        assert not said

    def test_a_maker_that_fails_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(segments.SegmentsError, match="exit status 1"):
            segments.make([Segment("tiny-none")], 1, tmp_path, ["false"], lambda _: None)

    def test_a_full_disk_is_said_before_it_is_full(self, tmp_path: Path) -> None:
        segments.require_space(tmp_path / "cache", 1)
        with pytest.raises(segments.SegmentsError, match="take a smaller --size"):
            segments.require_space(tmp_path / "cache", 1 << 60)


def _entries(count: int) -> bytes:
    return b"".join(struct.pack(">qi4s", number, 4, b"body") for number in range(count))


def _maker(directory: Path) -> list[str]:
    """A command in place of Java, which writes what SegmentMaker would."""
    program = directory / "maker.py"
    facts = {"bytes": 160, "rawBytes": 160, "records": 120_000, "batches": 10}
    program.write_text(
        "import json, pathlib, sys\n"
        "_, directory, size, *names = sys.argv[1:]\n"
        "for name in names:\n"
        f"    pathlib.Path(directory, name + '.log').write_bytes({_entries(10)!r})\n"
        f"    print(json.dumps({{'name': name, **{facts}}}))\n"
    )
    return [sys.executable, str(program)]


class TestFigures:
    def test_geometric_mean(self) -> None:
        assert figures.geometric_mean([2, 8]) == pytest.approx(4)

    def test_best_median_and_scale(self) -> None:
        cell = Cell(cpu=[3, 1, 2], wall=[4, 5, 6], scale=10)
        assert (figures.best(cell), figures.middle(cell), figures.wall(cell)) == (10, 20, 40)
        assert figures.best(Cell(error="no")) is None

    def test_ratio_is_of_best_rounds_over_segments_and_runs(self) -> None:
        def one(slow: float) -> dict[str, dict[str, Cell]]:
            return {
                "a": {"x": Cell([2 * slow, 99]), "y": Cell([1, 1])},
                "b": {"x": Cell([8 * slow, 99]), "y": Cell([7, 1])},
            }

        ratio = figures.ratio(results(one(1), one(4)), ["a", "b"], "x", "y")
        assert ratio is not None
        assert [ratio.low, ratio.high, ratio.value] == pytest.approx([4, 16, 8])
        assert ratio.segments == 2

    def test_ratio_leaves_out_what_failed_or_was_not_measured(self) -> None:
        measured = results({"a": {"x": Cell([2]), "y": Cell([1])}, "b": {"x": Cell([9]), "y": Cell(error="no")}})
        ratio = figures.ratio(measured, ["a", "b", "c"], "x", "y")
        assert ratio is not None
        assert ratio.value == pytest.approx(2)
        assert ratio.segments == 1
        assert figures.ratio(measured, ["b"], "x", "y") is None

    def test_programs_of_the_first_run_are_compared_with_that_run(self) -> None:
        measured = results({"a": {"x": Cell([6]), "y": Cell([2])}}, {"a": {"y": Cell([1])}})
        ratio = figures.ratio(measured, ["a"], "x", "y")
        assert ratio is not None
        assert ratio.value == pytest.approx(3)

    def test_goals_are_met_from_the_right_side(self) -> None:
        seconds = {"kafkafmt-1": 1.0, "java-warm": 1.81, "floor-mapped": 0.9, "aiokafka": 3.4}
        cells = {program: Cell([each]) for program, each in seconds.items()}
        by_text = {goal.text: goal for goal in figures.goals(results({"typical-none": cells}))}
        assert by_text["kafka-clients warm / kafkafmt, typical"].is_met is True
        assert by_text["kafkafmt / floor (mmap), typical"].is_met is True
        assert by_text["aiokafka / kafkafmt, typical"].is_met is False
        assert by_text["kafka-clients warm / kafkafmt, tiny"].is_met is None

    def test_typical_does_not_count_large_batches_and_old_formats(self) -> None:
        def cells(java: float) -> dict[str, Cell]:
            return {"kafkafmt-1": Cell([1]), "java-warm": Cell([java])}

        names = {"typical-none": 2, "typical1m-none": 50, "typical-none-v1": 50}
        goals = figures.goals(results({name: cells(java) for name, java in names.items()}))
        typical = next(goal for goal in goals if goal.text == "kafka-clients warm / kafkafmt, typical")
        everything = next(goal for goal in goals if "all of format 2" in goal.text)
        assert typical.measured is not None
        assert everything.measured is not None
        assert typical.measured.value == pytest.approx(2)
        assert everything.measured.value == pytest.approx(10)

    def test_old_formats_are_compared_by_record(self) -> None:
        cells = {"typical-none": {"kafkafmt-1": Cell([1])}, "typical-none-v0": {"kafkafmt-1": Cell([1.5])}}
        sizes = {"typical-none": SEGMENT, "typical-none-v0": {**SEGMENT, "records": 200}}
        goals = {goal.text: goal for goal in figures.goals(results(cells, sizes=sizes))}
        goal = goals["format 0 / format 2, a record, uncompressed"]
        assert goal.measured is not None
        assert goal.measured.value == pytest.approx(0.75)
        assert goal.is_met

    def test_headers_are_counted_in_bytes_of_the_file(self) -> None:
        cells = {"typical-none": {"kafkafmt-count": Cell([2])}}
        goals = figures.goals(results(cells, sizes={"typical-none": {**SEGMENT, "bytes": 5_000_000_000}}))
        goal = next(goal for goal in goals if "scan.count()" in goal.text)
        assert goal.measured is not None
        assert goal.measured.value == pytest.approx(2.5)

    def test_peak_memory_is_the_highest(self) -> None:
        measured = results({"a": {}})
        measured.growth = [
            Growth("a", "kafkafmt-1", 1, 1.0, 200_000_000),
            Growth("a", "kafkafmt-1", 4, 1.0, 301_000_000),
            Growth("a", "kafkafmt-2", 4, 1.0, 299_000_000),
            Growth("a", "kafkafmt-2", 4, error="no"),
        ]
        one, two = (goal for goal in figures.goals(measured) if "peak" in goal.text)
        assert (one.is_met, two.is_met) == (False, True)

    def test_noise_is_within_runs_and_between_them(self) -> None:
        noise = figures.noise(results({"a": {"x": Cell([1, 1.2, 1.4])}}, {"a": {"x": Cell([1.5, 1.8, 2.1])}}))
        assert [noise.rounds, noise.runs] == pytest.approx([0.2, 0.5])
        assert figures.noise(results({"a": {"x": Cell(error="no")}})).rounds == 0


class TestResults:
    def test_they_are_read_as_they_were_written(self, canned: Results, tmp_path: Path) -> None:
        canned.write(tmp_path / "results.json")
        assert Results.read(tmp_path / "results.json") == canned
        assert (tmp_path / "results.json").read_text() == CANNED.read_text()

    def test_a_cell_is_a_line(self, tmp_path: Path) -> None:
        results({"a": {"x": Cell([1, 2], [3, 4])}}).write(tmp_path / "results.json")
        lines = (tmp_path / "results.json").read_text().splitlines()
        assert '    "x": {"cpu": [1, 2], "wall": [3, 4], "scale": 1.0, "error": null}' in lines


class TestPage:
    def test_a_table_escapes_what_would_end_a_cell(self) -> None:
        assert page.table(("a", "b"), [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"

    @pytest.mark.parametrize(
        ("value", "text"), [(None, "-"), (0.12345, "0.123"), (1.2345, "1.23"), (12.345, "12.3"), (123.45, "123")]
    )
    def test_numbers_have_three_digits(self, value: float | None, text: str) -> None:
        assert page.number(value) == text

    def test_a_failure_is_a_footnote(self) -> None:
        measured = results({"a": {"kafkafmt-1": Cell([1]), "aiokafka": Cell(error="UnsupportedCodecError: no | lz4")}})
        text = page.page(measured)
        assert "| a | 1.00 | fails (1) |" in text
        assert "\n(1) aiokafka: UnsupportedCodecError: no | lz4\n" in text

    def test_everything_has_its_place(self, canned: Results) -> None:
        text = page.page(canned)
        for program in PROGRAMS:
            assert program.label in text
        for segment in canned.segments:
            assert f"\n| {segment} |" in text
        for goal in figures.goals(canned):
            assert f"| {goal.text} |" in text
        for use in canned.first_use:
            assert f"| {use.case} |" in text
        assert canned.machine["CPU"] in text
        assert f"numba {canned.versions['numba']}" in text

    def test_tables_are_tables(self, canned: Results) -> None:
        for block in page.page(canned).split("\n\n"):
            if block.startswith("|"):
                lines = block.rstrip("\n").split("\n")
                assert re.fullmatch(r"\| --- \|( ---: \|)+", lines[1])
                assert len({line.count("|") for line in lines}) == 1

    def test_small_segments_are_no_judges(self, canned: Results) -> None:
        assert "too small" in page.page(canned)
        canned = results({"a": {}})
        canned.settings["megabytes"] = 256
        assert "too small" not in page.page(canned)

    def test_what_failed_when_it_was_first_used_or_grew_is_told(self) -> None:
        measured = results({"a": {}})
        measured.growth = [Growth("a", "kafkafmt-1", 1, error="died")]
        measured.first_use = [FirstUse("first", error="died too")]
        text = page.page(measured)
        assert "fails: died |" in text
        assert "fails: died too |" in text


class TestChart:
    def test_it_is_drawn_the_same_each_time(self, canned: Results, tmp_path: Path) -> None:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            chart.draw(canned, tmp_path / name)
        for name in ("chart.png", "chart.svg"):
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

    def test_it_shows_the_measured_speeds(self, canned: Results, tmp_path: Path) -> None:
        chart.draw(canned, tmp_path)
        drawing = (tmp_path / "chart.svg").read_text()
        seconds = figures.over_runs(canned, "typical-zstd", "java-warm")
        assert seconds is not None
        assert f">{canned.segments['typical-zstd']['rawBytes'] / 1e9 / seconds:.2g}<" in drawing
        for text in ("kafka-clients, warm JVM", "typical: ", "tiny: ", ">zstd<"):
            assert text in drawing
        assert "large: " not in drawing
        assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")

    def test_without_measurements_there_is_none(self, tmp_path: Path) -> None:
        chart.draw(results({"a": {}}), tmp_path)
        assert not list(tmp_path.iterdir())


def test_page_and_chart_are_made_anew_from_the_results(canned: Results, tmp_path: Path) -> None:
    canned.write(tmp_path / "results.json")
    assert run.main(["--page", "--output", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "chart.png", "chart.svg", "results.json"]
    assert (tmp_path / "README.md").read_text() == page.page(canned)


_ECHO = """
import os, sys, time
for line in sys.stdin:
    path = line.rstrip()
    if path == "die":
        sys.exit("it hurts")
    if path == "hang":
        time.sleep(600)
    if path == "work":
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
    print("! ValueError: bad file" if path == "bad" else "7 0.5", flush=True)
"""


class TestWorker:
    @pytest.fixture
    def worker(self) -> "Worker":
        return Worker([sys.executable, "-c", _ECHO], os.environ, 600)

    def test_it_tells_records_and_cost(self, worker: Worker) -> None:
        with worker:
            worker.measure(Path("first"))
            cost = worker.measure(Path("work"))
            assert cost.records == 7
            if sys.platform == "linux":
                assert 0.2 <= cost.cpu < 2
                assert cost.wall >= 0.2
                peak = worker.peak_bytes()
                assert peak is not None
                assert 1_000_000 < peak < 200_000_000

    def test_a_file_that_cannot_be_read_leaves_it_alive(self, worker: Worker) -> None:
        with worker:
            with pytest.raises(MeasuringError, match="ValueError: bad file"):
                worker.measure(Path("bad"))
            assert worker.is_alive
            assert worker.measure(Path("good")).records == 7

    def test_its_last_words_are_told(self, worker: Worker) -> None:
        with worker:
            with pytest.raises(MeasuringError, match="exit status 1: it hurts"):
                worker.measure(Path("die"))
            assert not worker.is_alive
            with pytest.raises(MeasuringError, match="exit status 1"):
                worker.measure(Path("good"))

    def test_it_is_not_waited_for_forever(self) -> None:
        with (
            Worker([sys.executable, "-c", _ECHO], os.environ, 0.5) as worker,
            pytest.raises(MeasuringError, match="took more than"),
        ):
            worker.measure(Path("hang"))


class TestOneProcess:
    def test_it_is_measured_from_start_to_end(self) -> None:
        cost = run_once([sys.executable, "-c", _ECHO], os.environ, 600, "work\n")
        assert cost.records == 7
        assert cost.cpu >= 0.2

    def test_output_is_dropped_where_nothing_is_asked(self) -> None:
        assert run_once([sys.executable, "-c", "print('much')"], os.environ, 600).records is None

    @pytest.mark.parametrize(("path", "why"), [("die", "exit status 1: it hurts"), ("bad", "ValueError: bad file")])
    def test_a_failure_is_told(self, path: str, why: str) -> None:
        with pytest.raises(MeasuringError, match=why):
            run_once([sys.executable, "-c", _ECHO], os.environ, 600, f"{path}\n")

    def test_it_is_not_waited_for_forever(self) -> None:
        with pytest.raises(MeasuringError, match="took more than"):
            run_once([sys.executable, "-c", _ECHO], os.environ, 0.5, "hang\n")


class Script(Bench):
    """Measures our small program in place of the real ones."""

    def __init__(self, source: str) -> None:
        super().__init__([], os.environ)
        self._source = source

    def command(self, program: Program) -> list[str]:
        return [sys.executable, "-c", self._source, program.key]


class TestMeasuring:
    @staticmethod
    def made(directory: Path, records: int = 7) -> Made:
        path, prefix = directory / "typical-none.log", directory / "typical-none.prefix.log"
        path.touch()
        prefix.touch()
        return Made(path, prefix, 1000, 2000, records, 10)

    @staticmethod
    def measure(source: str, made: Made, programs: Sequence[Program] = (Program("x", "X"),)) -> dict[str, Cell]:
        with Script(source) as bench:
            return measure_one(bench, programs, Segment("typical-none"), made, 3)

    def test_each_round_but_the_first_counts(self, tmp_path: Path) -> None:
        cells = self.measure(_ECHO, self.made(tmp_path))
        assert (len(cells["x"].cpu), len(cells["x"].wall), cells["x"].error) == (3, 3, None)

    def test_a_wrong_count_of_records_is_a_failure(self, tmp_path: Path) -> None:
        cells = self.measure(_ECHO, self.made(tmp_path, records=8))
        assert cells["x"] == Cell(error="read 7 records instead of 8")

    def test_a_prefix_is_scaled_by_its_records(self, tmp_path: Path) -> None:
        cells = self.measure(_ECHO, self.made(tmp_path, records=70), [Program("x", "X", prefix=True)])
        assert cells["x"].scale == 10

    def test_a_program_that_dies_leaves_the_others_alone(self, tmp_path: Path) -> None:
        source = f"import sys\nif sys.argv[1] == 'x': sys.exit('no')\n{_ECHO}"
        cells = self.measure(source, self.made(tmp_path), [Program("x", "X"), Program("y", "Y")])
        assert cells["x"].error == "exit status 1: no"
        assert len(cells["y"].cpu) == 3

    def test_programs_take_turns_in_being_the_first(self, tmp_path: Path) -> None:
        log = tmp_path / "order"
        source = _ECHO.replace("    if path == ", f"    open({str(log)!r}, 'a').write(sys.argv[1])\n    if path == ", 1)
        self.measure(source, self.made(tmp_path), [Program("x", "X"), Program("y", "Y")])
        assert log.read_text() == "xyyxxyyx"

    def test_errors_name_no_directories(self, tmp_path: Path) -> None:
        made = self.made(tmp_path)
        cells = self.measure("import sys; print('! no file', input(), flush=True); input()", made)
        assert cells["x"].error == "no file typical-none.log"

    def test_growth_and_first_use_run_in_processes_of_their_own(self, tmp_path: Path) -> None:
        made = self.made(tmp_path)
        said: list[str] = []
        grown = fresh_process.growth(Script(_ECHO), {4: {"typical-none": made}}, said.append)
        assert [(each.program, each.megabytes, each.error) for each in grown] == [
            ("kafkafmt-1", 4, None),
            ("kafkafmt-2", 4, None),
        ]
        assert said == ["  typical-none, 4 MB"]
        [failed, _] = fresh_process.growth(Script("import sys; sys.exit('no')"), {4: {"typical-none": made}})
        assert failed.error == "exit status 1: no"


class TestReaders:
    def test_a_worker_answers_what_went_wrong(self) -> None:
        def fail(path: str) -> int:
            raise ValueError(f"{path}\nis bad")

        assert answer(fail, "x") == "! ValueError: x is bad"

        def fail_twice(_: str) -> int:
            raise ValueError("ValueError: bad")

        assert answer(fail_twice, "x") == "! ValueError: bad"
        assert re.fullmatch(r"3 \d+\.\d{6}", answer(len, "abc"))

    def test_fetches_end_with_whole_entries(self) -> None:
        whole = _entries(3)
        assert readers.whole_entries(whole) == len(whole)
        assert readers.whole_entries(whole[:-1]) == 32
        assert readers.whole_entries(whole[:11]) == readers.whole_entries(b"") == 0

    @pytest.mark.parametrize("program", ["floor-mapped", "floor-streamed", "kafkafmt-reference", "kafkafmt-count"])
    @pytest.mark.parametrize("codec", segments.CODECS)
    def test_each_program_sees_every_record(self, program: str, codec: str) -> None:
        path = str(GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir" / f"codec-{codec}-0" / f"{0:020d}.log")
        expected = sum(batch.count or 0 for batch in kafkafmt.Segment(path).batches())
        assert readers.reader(program)(path) == expected > 0

    def test_the_floor_checks_crcs(self, tmp_path: Path) -> None:
        body = bytearray(struct.pack(">ibIhiqqqhii", 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 3) + b"records")
        struct.pack_into(">I", body, 5, crc32c.crc32c(bytes(body[9:])))
        sound = struct.pack(">qi", 0, len(body)) + body
        file = tmp_path / "x.log"
        for program in ("floor-mapped", "floor-streamed"):
            file.write_bytes(sound * 2 + sound[:-1])
            assert readers.reader(program)(str(file)) == 6
            file.write_bytes(sound[:-1] + b"!")
            with pytest.raises(ValueError, match="wrong CRC at position 0"):
                readers.reader(program)(str(file))


def test_jar_versions_come_from_names() -> None:
    names = ["kafka-clients-4.3.1.jar", "kafka-clients-test-1.jar", "lz4-java-1.10.2.jar", "other-1.jar"]
    assert machine.jar_versions(names) == {"kafka-clients": "4.3.1", "lz4-java": "1.10.2"}


def test_machine_and_versions_name_no_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = json.dumps([machine.machine(), machine.versions(sys.executable, tmp_path)])
    assert os.uname().nodename not in told
    assert '"numpy": ' in told
