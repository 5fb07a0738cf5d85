"""The measurement: segments, runs, growth, first row; then tables and chart. start.py starts it in .venv."""

import argparse
import hashlib
import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmark import fresh_process, machine, page, segments
from benchmark.measuring import Bench, measure_all
from benchmark.programs import PROGRAMS
from benchmark.results import Results
from benchmark.start import CACHE, EXIT_FAILED, EXIT_INTERRUPTED, parse
from class_path import KAFKA_TOOLS, ToolError, kafka_tools_class_path, tool

_JAVA_HOME = Path(__file__).resolve().parent / "java"
_GROWTH_STEP = 4
"""Each size at which growth is measured is so many times the one before; the middle one is that of all segments."""
_BYTES_PER_MB = 30 << 20
"""Disk space that a segment size of 1 MB takes: 28 segments, and those that growth is measured on."""


def main(arguments: list[str]) -> int:
    """Measure, or with --page only show; returns the exit code."""
    options = parse(arguments)
    try:
        results = Results.read(options.output / "results.json") if options.page else _measure(options)
        _write(results, options.output)
        if options.page:
            _write_spark(options.output)
    except (ToolError, segments.SegmentsError) as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        return EXIT_FAILED
    except json.JSONDecodeError as error:
        broken = options.output / "results.json"
        print(f"tools/bench: {broken} is damaged ({error}); measure again, without --page", file=sys.stderr)
        return EXIT_FAILED
    except OSError as error:
        print(f"tools/bench: {error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def _measure(options: argparse.Namespace) -> Results:
    classes = kafka_tools_class_path()
    jars = Path(classes.split(":")[0]).parent
    java = [tool("java"), "-Xmx1g", "-cp", classes]
    sizes = [max(1, options.size // _GROWTH_STEP), options.size, options.size * _GROWTH_STEP]
    chosen = segments.choose(options.shapes, options.codecs)
    grown = [segment for segment in chosen if segment.name in fresh_process.GROWTH_SEGMENTS]
    cache = CACHE / _digest(_JAVA_HOME / "SegmentMaker.java", KAFKA_TOOLS / "pom.xml")
    segments.require_space(cache, options.size * _BYTES_PER_MB)
    made = {size: segments.make(chosen if size == options.size else grown, size, cache, java, _say) for size in sizes}
    results = Results(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        machine=machine.machine(),
        versions=machine.versions(java[0], jars),
        settings={"megabytes": options.size, "rounds": options.rounds, "runs": options.runs},
        segments={name: segments.facts(each) for name, each in made[options.size].items()},
    )
    for number in range(options.runs):
        _say(f"run {number + 1} of {options.runs}")
        programs = [program for program in PROGRAMS if program.every_run or number == 0]
        with Bench(java, os.environ) as bench:
            results.runs.append(measure_all(bench, programs, chosen, made[options.size], options.rounds, _say))
    bench = Bench(java, os.environ)
    _say("how cost grows with the file")
    results.growth = fresh_process.growth(bench, made, _say)
    _say("first row")
    results.first_use = fresh_process.first_use(bench, made[options.size][chosen[0].name].path)
    return results


def _write(results: Results, output: Path) -> None:
    from benchmark import chart  # it takes matplotlib, which takes a second

    output.mkdir(parents=True, exist_ok=True)
    results.write(output / "results.json")
    (output / "README.md").write_text(page.page(results), encoding="utf-8")
    chart.draw(results, output)
    failed = sum(cell.error is not None for run in results.runs for cells in run.values() for cell in cells.values())
    if failed:
        _say(f"failed measurements: {failed}; the page says which and why")
    _say(f"wrote {output}")


def _write_spark(output: Path) -> None:
    """Write the page of --spark anew, too, if that has been measured."""
    from benchmark.spark import run
    from benchmark.spark.results import Results

    if (output / run.JSON).exists():
        run.write(Results.read(output / run.JSON), output)


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


_STARTED = time.monotonic()


def _say(text: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - _STARTED), 60)
    print(f"{minutes:3}:{seconds:02}  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
