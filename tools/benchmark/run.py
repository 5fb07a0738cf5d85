"""The main part of tools/bench, which start.py runs in its environment: measures, and writes JSON, pages and charts."""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import environment
from benchmark import many_partitions, readings, scans, searches, segments, servers, spark_reads, tiers, values, writes
from benchmark.readings import Results
from benchmark.start import CACHE, EXIT_FAILED, SPARK_PYTHONS, parse
from benchmark.topics import Topic, broker_of
from benchmark.worker import ProcessTree
from class_path import KAFKA_TOOLS, ToolError, kafka_jars, kafka_tools_class_path, tool
from proof_jars import connector_jars

_PACKAGES = (
    *("kafkafmt", "aiokafka", "kafka-python", "numba", "numpy", "pyarrow"),
    *("crc32c", "isal", "lz4", "cramjam", "zstandard"),
)
_MAKER = Path(__file__).resolve().parent / "java" / "SegmentMaker.java"


@environment.command("tools/bench", failed=EXIT_FAILED)
def main(arguments: list[str]) -> int:
    """Run the measurements; returns the exit code."""
    options = parse(arguments)
    try:
        others = (
            *((options.tiers, _tiers), (options.searching, _searching)),
            *((options.serving, _serving), (options.values, _values)),
        )
        kinds = ((options.spark, _spark), (options.writing, _writing), *others)
        results = next((measure for is_wanted, measure in kinds if is_wanted), _scans)(options)
        results.machine["load at the end"] = readings.load()
        _write(results, options)
    except OSError as error:
        raise ToolError(f"{error.filename or options.output}: {error.strerror}") from error
    for failure in results.failed:
        print(f"tools/bench: {failure}", file=sys.stderr)
    # Some programs cannot read some segments. --quick leaves these out, so every failure there is a real one.
    return EXIT_FAILED if options.quick and results.failed else 0


def _scans(options: argparse.Namespace) -> Results:
    java, digest, jars = _java()
    names = segments.QUICK if options.quick else segments.NAMES + (segments.LARGE if options.large else ())
    names = options.segments or names
    bench = scans.Bench(java, options.native, os.environ)
    rounds, restarts, starts, files = (1, 1, 1, 100) if options.quick else (5, 2, 5, 10_000)
    results = Results(readings.machine(), _versions(java, jars), {"rounds": rounds, "restarts": restarts})
    made = segments.make(names, CACHE / digest, java, _say)
    results.readings = scans.read_all(bench, made, rounds, restarts, _say)
    if not options.segments:
        results.figures = scans.single_figures(bench, made, starts, files, _say)
    return results


def _writing(options: argparse.Namespace) -> Results:
    java, digest, jars = _java()
    megabytes, rounds, restarts, repairs = (2, 1, 1, 1) if options.quick else (32, 5, 2, 5)
    results = Results(readings.machine(), _versions(java, jars), {"megabytes": megabytes, "rounds": rounds})
    results.settings["restarts"] = restarts
    name = f"typical-none@{segments.SMALL}" if options.quick else "typical-none@1020"
    [segment] = segments.make([name], CACHE / digest, java, _say)
    results.readings = writes.write_all(java, os.environ, megabytes << 20, rounds, restarts, _say)
    results.figures = writes.repair_figures(os.environ, segment, repairs, _say)
    return results


def _tiers(options: argparse.Namespace) -> Results:
    java, digest, jars = _java()
    rounds, restarts = (1, 1) if options.quick else (5, 2)
    name = f"typical-none@{segments.SMALL}" if options.quick else "typical-none"
    [segment] = segments.make([name], CACHE / digest, java, _say)
    settings = {"rounds": rounds, "restarts": restarts, "chunk_mib": tiers.CHUNK_BYTES >> 20}
    results = Results(readings.machine(), _versions(java, jars), settings)
    results.versions |= readings.versions(["cryptography"])
    results.readings = tiers.read_all(os.environ, segment, rounds, restarts, _say)
    return results


def _searching(options: argparse.Namespace) -> Results:
    java, digest, jars = _java()
    rounds, restarts = (1, 1) if options.quick else (5, 2)
    names = ["typical-none@8", "typical-zstd@8"] if options.quick else ["typical-none@256", "typical-zstd@256"]
    made = segments.make(names, CACHE / digest, java, _say)
    results = Results(readings.machine(), _versions(java, jars), {"rounds": rounds, "restarts": restarts})
    results.readings = searches.read_all(os.environ, made, rounds, restarts, _say)
    return results


def _serving(options: argparse.Namespace) -> Results:
    java, digest, jars = _java()
    megabytes, rounds, starts, partitions = (4, 1, 1, [1000]) if options.quick else (128, 5, 5, [1000, 2000, 20_000])
    sizes, codecs = ((1000,), ("zstd",)) if options.quick else ((1000, 100), ("none", "zstd"))
    topics = [Topic.of_size(codec, size, 2, megabytes) for size in sizes for codec in codecs]
    if not options.quick:
        topics.append(topics[0].with_transactions(1000))
    cache = CACHE / "serving"
    segments.require_space(cache, sum(topic.payload_bytes for topic in topics) * 2)
    made = segments.make(["typical1k-none@1", "typical-none@8"], CACHE / digest, java, _say)
    fetched = dict(zip(("1 KB", "16 KB"), made, strict=True))
    results = Results(readings.machine(), _versions(java, jars), {"rounds": rounds, "starts": starts})
    results.settings["topics"] = [asdict(topic) for topic in topics]
    _say("compiling kernels")
    subprocess.run([sys.executable, "-m", "kafkafmt", "warm-up"], check=True, stdout=subprocess.DEVNULL)
    with broker_of(topics, kafka_tools_class_path(), cache, _say) as broker:
        results.readings = servers.read_all(os.environ, broker, topics, rounds, _say)
    results.figures = many_partitions.figures(os.environ, fetched, partitions, starts, cache, _say)
    results.versions |= servers.versions()
    return results


def _values(options: argparse.Namespace) -> Results:
    records, rounds, restarts = (20_000, 1, 1) if options.quick else (1_000_000, 5, 2)
    results = Results(readings.machine(), readings.versions([*_PACKAGES, *values.PACKAGES]), {"records": records})
    results.settings |= {"rounds": rounds, "restarts": restarts}
    results.readings = values.read_all(os.environ, CACHE / "values", records, rounds, restarts, _say)
    return results


def _java() -> tuple[list[str], str, Path]:
    """The command that runs a class with Kafka's jars, a digest of what segments depend on, and the jars' directory."""
    classes = kafka_tools_class_path()
    digest = hashlib.sha256(_MAKER.read_bytes() + (KAFKA_TOOLS / "pom.xml").read_bytes()).hexdigest()[:16]
    return [tool("java"), "-Xmx1g", "-cp", classes], digest, Path(classes.split(":")[0]).parent


def _versions(java: Sequence[str], jars: Path) -> dict[str, str]:
    named = {**readings.versions(_PACKAGES), "Java": _java_version(java[0])}
    return named | readings.jar_versions([path.name for path in jars.glob("*.jar")])


def _java_version(java: str) -> str:
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    return said.split('"')[1] if said.count('"') > 1 else "unknown"


def _spark(options: argparse.Namespace) -> Results:
    cores = os.cpu_count() or 1
    partitions, megabytes, rounds, pause = (2, 1, 1, 1) if options.quick else (8, 48, 3, 75)
    sizes, codecs = ((100,), ("none",)) if options.quick else ((100, 1000), ("none", "zstd"))
    topics = [Topic.of_size(codec, size, partitions, megabytes) for codec in codecs for size in sizes]
    few = spark_reads.FEW
    # Kafka begins the next segment at 1 GiB, so the first one is full.
    large = Topic.of_size("none", 1000, 1, 8 if options.quick else 1080)
    cache = CACHE / "spark"
    segments.require_space(cache, sum(topic.payload_bytes for topic in [*topics, large]) * 2)
    classes = kafka_tools_class_path()
    broker = broker_of([few, *topics, large], classes, cache, _say)
    results = Results(readings.machine(), {}, {"rounds": rounds, "cores": cores})
    results.settings["topics"] = [asdict(topic) for topic in [few, *topics, large]]
    results.settings["megabytes"] = round(topics[0].payload_bytes / 1e6)
    pythons = os.environ[SPARK_PYTHONS].split(os.pathsep)
    variables = {name: value for name, value in os.environ.items() if name != SPARK_PYTHONS}
    with tempfile.TemporaryDirectory(prefix="kafkafmt-bench-") as scratch, broker:
        # The newest release comes first; the recorded versions are those of the oldest.
        for python, program in reversed([*zip(pythons, ("spark_proof", "benchmark"), strict=False)]):
            jars = connector_jars(program)
            spark = spark_reads.Spark(
                Path(python),
                variables,
                jars,
                Path(scratch),
                cores,
                broker.directory / "copy",
                broker.bootstrap_servers,
            )
            cases = spark_reads.cases(topics, is_newest=not results.readings)
            versions, read = spark_reads.read_all(spark, cases, ProcessTree(broker.pid), rounds, _say)
            release = f"Spark {versions.pop('Spark')}"
            results.readings |= {f"{topic}, {release}": found for topic, found in read.items()}
            if not results.figures:
                results.figures = spark_reads.single_figures(spark, large, topics[0], pause, _say)
            of_spark = readings.jar_versions([path.name for path in jars])["kafka-clients"]
            results.versions |= {**versions, f"kafka-clients in {release}": of_spark}
    of_broker = readings.jar_versions([path.name for path in kafka_jars().glob("*.jar")])["kafka-clients"]
    results.versions["broker"] = of_broker
    return results


def _write(results: Results, options: argparse.Namespace) -> None:
    from benchmark import chart, report, spark_page  # matplotlib takes a second to load

    output: Path = options.output
    output.mkdir(parents=True, exist_ok=True)
    if options.spark:
        results.write(output / "spark.json")
        (output / "spark.md").write_text(spark_page.page(results), encoding="utf-8")
    elif options.tiers:
        results.write(output / "tiers.json")
        (output / "tiers.md").write_text(report.tiers_page(results), encoding="utf-8")
    elif options.searching:
        results.write(output / "searching.json")
        (output / "searching.md").write_text(report.searching_page(results), encoding="utf-8")
    elif options.serving:
        results.write(output / "serving.json")
        (output / "serving.md").write_text(report.serving_page(results), encoding="utf-8")
    elif options.values:
        results.write(output / "values.json")
        (output / "values.md").write_text(report.values_page(results), encoding="utf-8")
    elif options.writing:
        results.write(output / "writing.json")
        (output / "writing.md").write_text(report.writing_page(results), encoding="utf-8")
    else:
        results.write(output / "results.json")
        (output / "README.md").write_text(report.scans_page(results), encoding="utf-8")
        chart.draw(results, output / "chart.svg")
    _say(f"wrote {output}")


_STARTED = time.monotonic()


def _say(text: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - _STARTED), 60)
    print(f"{minutes:3}:{seconds:02}  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
