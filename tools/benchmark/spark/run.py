"""tools/bench --spark: a broker and its records, sessions of Spark, all measurements; then page and chart.

benchmark.start starts it in .venv, and says where the environment is that has Spark.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmark import machine, many_segments
from benchmark.segments import SegmentsError, require_space
from benchmark.spark import measuring, records
from benchmark.spark.measuring import Readings
from benchmark.spark.programs import PROGRAMS
from benchmark.spark.records import Topic, TopicCopy
from benchmark.spark.results import GROWING, LARGE, Planning, Results
from benchmark.spark.sessions import Spark
from benchmark.start import CACHE, EXIT_FAILED, EXIT_INTERRUPTED, SPARK_PYTHON, parse
from benchmark.workers import MeasuringError
from class_path import ToolError, kafka_jars, kafka_tools_class_path
from kafka_broker.broker import BrokerError
from proofs import connector_jars

JSON, PAGE = "spark.json", "spark.md"

_SMALL = 8
"""MB of keys and values in a file that binaryFile and Spark's default memory can do with."""
_JAVA_HOME = Path(__file__).resolve().parent.parent / "java"


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        quick: whether it is only to be shown that everything runs.
        compared: topics that programs read.
        small: for each of them a small one, by its name.
        growing: the topic with one segment in each of its partitions.
        large: the topic with one large segment.
        rounds: how many count.
        warming: how many come before them.
        shapes: of the log directories that are planned.
    """

    quick: bool
    compared: tuple[Topic, ...]
    small: dict[str, Topic]
    growing: Topic
    large: Topic
    rounds: int
    warming: int
    shapes: tuple[many_segments.Shape, ...]

    @property
    def topics(self) -> list[Topic]:
        """All of them."""
        return [*self.compared, *self.small.values(), self.growing, self.large]

    @property
    def sizes(self) -> list[int]:
        """Numbers of segments at which growth is measured."""
        return [size for size in (1, 2, 4, 8) if size <= self.growing.partitions]

    @property
    def growth_rounds(self) -> int:
        """How often each of them is read, warming up aside."""
        return 1 if self.quick else 3

    @property
    def holding(self) -> tuple[str, ...]:
        """Programs whose memory is measured."""
        return measuring.HOLDING[:1] if self.quick else measuring.HOLDING

    @property
    def caches(self) -> tuple[bool, ...]:
        """Whether numba's cache is there, for each new session that is measured."""
        return (False,) if self.quick else (False, True)

    def fewer_cores(self, cores: int) -> list[int]:
        """On how many cores growth is measured besides all of them."""
        return [] if self.quick or cores == 1 else [1]


def planned(rounds: int, *, quick: bool) -> Plan:
    """Tell how much is measured."""
    shapes = (many_segments.Shape(10, 50, 1, 1 << 20), many_segments.Shape(2, 1, 64, 1 << 14))
    if not quick:
        shapes = (many_segments.SHAPES["small"], many_segments.SHAPES["large"])
    partitions, part = (2, 1) if quick else (8, 32)
    codecs = ("none",) if quick else ("none", "zstd")
    compared = [
        Topic.of_size(f"{value_bytes}-{codec}", codec, value_bytes, partitions, part)
        for value_bytes in (100, 1000)
        for codec in codecs
    ]
    small = {
        topic.name: Topic.of_size(f"{topic.name}-small", topic.codec, topic.value_bytes, 1, min(part, _SMALL))
        for topic in compared
    }
    growing = Topic.of_size(GROWING, "none", 100, partitions, 1 if quick else 64)
    # Kafka begins the next segment at 1 GiB: the first one is full.
    large = Topic.of_size(LARGE, "none", 1000, 1, 8 if quick else 1080)
    return Plan(quick, tuple(compared), small, growing, large, rounds, 1, shapes)


def main(arguments: Sequence[str]) -> int:
    """Measure, or with --page only show; returns the exit code."""
    options = parse(list(arguments))
    try:
        if options.page:
            results = Results.read(options.output / JSON)
        else:
            results = _measure(planned(options.rounds, quick=options.quick), os.cpu_count() or 1)
        write(results, options.output)
    except (ToolError, SegmentsError, BrokerError, MeasuringError) as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        return EXIT_FAILED
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        print(
            f"tools/bench: {options.output / JSON} is damaged ({error}); measure again, without --page", file=sys.stderr
        )
        return EXIT_FAILED
    except OSError as error:
        print(f"tools/bench: {error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    # --quick is there to show that all programs run.
    return EXIT_FAILED if options.quick and results.failed else 0


def _measure(plan: Plan, cores: int) -> Results:
    classes = kafka_tools_class_path()
    jars = connector_jars()
    cache = CACHE / "spark"
    require_space(cache, sum(topic.payload_bytes * topic.partitions for topic in plan.topics) * 2)
    broker = records.broker_of(plan.topics, classes, cache, _say)
    with tempfile.TemporaryDirectory(prefix="kafkafmt-bench-") as scratch, broker:
        copies = records.copies(broker, plan.topics)
        spark = Spark(Path(os.environ[SPARK_PYTHON]), _variables(), jars, Path(scratch))
        results = Results(
            date=f"{datetime.now(UTC):%Y-%m-%d}",
            machine=machine.machine(),
            versions={},
            rounds=plan.rounds,
            cores=cores,
            topics={name: _facts(copy) for name, copy in copies.items()},
        )
        _say("starting sessions of Spark")
        with Readings(spark, cores, broker.pid, [program.key for program in PROGRAMS]) as running:
            results.versions = {**running.versions, **_clients(jars)}
            for topic in plan.compared:
                _say(f"reading {topic.name}")
                results.readings[topic.name] = measuring.compare(
                    running, copies[topic.name], copies[plan.small[topic.name].name], plan.rounds, plan.warming
                )
            _say("how cost grows")
            with ExitStack() as stack:
                by_cores = {cores: running}
                for fewer in plan.fewer_cores(cores):
                    by_cores[fewer] = stack.enter_context(Readings(spark, fewer, broker.pid, measuring.GROWING))
                copy, rounds = copies[GROWING], plan.growth_rounds
                results.growth = measuring.growth(by_cores, copy, plan.sizes, rounds, plan.warming)
        _say("memory that a large segment takes")
        results.memory = measuring.memory(spark, cores, copies[LARGE], plan.holding, _say)
        _say("first queries of a session")
        results.first_queries = measuring.first_queries(spark, copies[plan.compared[0].name], plan.caches)
        broker.stop()
    results.planning = _planning(plan.shapes)
    return results


def _variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != SPARK_PYTHON}


def _facts(copy: TopicCopy) -> dict[str, object]:
    return {
        **asdict(copy.topic),
        "payload_bytes": copy.topic.payload_bytes * copy.topic.partitions,
        "file_bytes": copy.file_bytes,
        "segments": len(copy.files),
    }


def _planning(shapes: Sequence[many_segments.Shape]) -> list[Planning]:
    found = []
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        for number, shape in enumerate(shapes):
            size = shape.batches * shape.batch_bytes / 2**20
            _say(f"planning {shape.partitions * shape.segments:,} segments of {size:.0f} MiB")
            root = many_segments.make(Path(scratch, str(number)), shape)
            found.append(Planning(**asdict(many_segments.measure(root))))
            shutil.rmtree(root)
    return found


def _clients(jars: Sequence[Path]) -> dict[str, str]:
    """Tell the versions of Kafka's client that Spark's source uses, and of the broker."""
    broker = machine.jar_versions([path.name for path in kafka_jars().glob("*.jar")])
    connector = machine.jar_versions([path.name for path in jars])
    return {"kafka-clients in Spark": connector["kafka-clients"], "broker": broker["kafka-clients"]}


def write(results: Results, output: Path) -> None:
    """Write what was measured, the page and the chart."""
    from benchmark.spark import chart, page  # matplotlib takes a second

    output.mkdir(parents=True, exist_ok=True)
    results.write(output / JSON)
    (output / PAGE).write_text(page.page(results), encoding="utf-8")
    chart.draw(results, output)
    if results.failed:
        _say(f"failed measurements: {results.failed}; the page says which and why")
    _say(f"wrote {output / PAGE}")


_STARTED = time.monotonic()


def _say(text: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - _STARTED), 60)
    print(f"{minutes:3}:{seconds:02}  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
