"""The proofs "startup" and "repair": damage copies of a broker's disks, then predict or repair; start, compare."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import kafkafmt
import proofs
from class_path import ToolError, kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError
from startup_proof.damage import damage
from startup_proof.repaired import prove
from startup_proof.started import Started, files_of, read

EXIT_DIFFERENCES = 1
EXIT_FAILED = 2
EXIT_INTERRUPTED = 130

FILL_SECONDS = 600
_SETTLE_SECONDS = 1.5  # a broker takes a directory offline a moment after it said that it had started
_FIELDS = ("logStartOffset", "logEndOffset", "truncateFrom", "deletedSegments", "rebuilt")
_METADATA_LOG = "__cluster_metadata-0"

_SETTINGS = {
    "log.retention.ms": "-1",
    "log.cleaner.enable": "false",
    "log.segment.delete.delay.ms": "600000",
    "log.index.size.max.bytes": "4096",
    "transaction.max.timeout.ms": "900000",
    "num.recovery.threads.per.data.dir": "1",
}
_CHECKPOINTS = {f"log.{name}.checkpoint.interval.ms": "300" for name in ("flush.offset", "flush.start.offset")} | {
    "log.initial.task.delay.ms": "300"
}
_QUIET = {"log.initial.task.delay.ms": "600000"}
_LOGGED = ("org.apache.kafka.storage.internals.log", "kafka.log", "kafka.server.ReplicaManager")
_JAVA = [
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    *(f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in _LOGGED),
]


Case = Callable[[Path, Sequence[Path], Random, "Counter[str]"], tuple[list[str], list[str]]]
"""Damages a copy and tries it; returns what differs and what was damaged."""


def main(arguments: list[str]) -> int:
    """Do it all, as the command line says; returns the exit status."""
    options = proofs.parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started is ended
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="kafkafmt-startup-") as scratch:
            case = _case if options.name == "startup" else _repaired_case
            return _prove(options.keep or Path(scratch), case, options.cases, options.seed, began)
    except (BrokerError, ToolError, kafkafmt.KafkafmtError) as error:
        print(f"tools/proof {options.name}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _prove(home: Path, case: Case, cases: int, seed: int, began: float) -> int:
    bases = _bases(home / "base", 1 + (cases > 1))
    print(f"{time.monotonic() - began:.0f} s: a broker was filled and ended", file=sys.stderr, flush=True)
    compared: Counter[str] = Counter()
    wrong = 0
    for number in range(cases):
        name, log_dirs = bases[number % len(bases)]
        directory = home / f"case-{number}"
        found, done = case(directory, log_dirs, Random(seed + number), compared)
        wrong += len(found)
        print(f"{seed + number} {name}: {'; '.join(done)}")
        for difference in found:
            print(f"    {difference}")
        sys.stdout.flush()
    counts = ", ".join(f"{count} {name}" for name, count in sorted(compared.items()))
    print(
        f"\n{cases} starts, {compared.total()} facts compared ({counts}), {wrong} differ; "
        f"{time.monotonic() - began:.0f} s"
    )
    return EXIT_DIFFERENCES if wrong else 0


def _bases(home: Path, count: int) -> list[tuple[str, list[Path]]]:
    """Log directories as a broker left them that was killed, and, if two are asked for, that then stopped in order."""
    bases = []
    with Broker(home, _SETTINGS | _CHECKPOINTS, log_dirs=2, java_options=_JAVA) as broker:
        _fill(broker)
        broker.kill()
        bases.append(("killed", _copied(broker.log_dirs, home.with_name("killed"))))
        if count > 1:
            broker.start()
            broker.stop()
            bases.append(("stopped", _copied(broker.log_dirs, home.with_name("stopped"))))
    return bases


def _fill(broker: Broker) -> None:
    java = [tool("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = [*java, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", kafka_class_path(), "FillDisks"]
    done = subprocess.run(
        [*command, broker.bootstrap_servers],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=FILL_SECONDS,
        check=False,
    )
    if done.returncode:
        raise BrokerError(f"FillDisks fails:\n{done.stderr[-2000:]}\nThe broker:\n{broker.log_tail()}")
    time.sleep(1)  # until the checkpoints are written


def _copied(log_dirs: Sequence[Path], target: Path) -> list[Path]:
    return [Path(shutil.copytree(log_dir, target / log_dir.name)) for log_dir in log_dirs]


def _case(
    directory: Path, base: Sequence[Path], random: Random, compared: "Counter[str]"
) -> tuple[list[str], list[str]]:
    """Damage a copy, predict, start; returns what differs and what was damaged."""
    _copied(base, directory)
    broker = Broker(directory, _SETTINGS | _QUIET, log_dirs=2, java_options=_JAVA)
    done = damage(random, broker.log_dirs)
    before = files_of(broker.log_dirs)
    # The id of the cluster is that in the directory of the metadata log; Kafka's own checks compare with it.
    predicted = kafkafmt.open([str(path) for path in broker.log_dirs]).verify(level="headers", node_id=1)
    tables = predicted.verdict.to_pylist(), predicted.partitions.to_pylist()
    try:
        broker.start()
        time.sleep(_SETTLE_SECONDS)
        starts = broker.is_running
    except BrokerError:
        starts = False
    finally:
        broker.kill()
    log = (directory / "broker.log").read_text(errors="replace")
    return list(differences(tables, read(log, broker.log_dirs, before, starts=starts), compared)), done


def _repaired_case(
    directory: Path, base: Sequence[Path], random: Random, compared: "Counter[str]"
) -> tuple[list[str], list[str]]:
    """Damage a copy, repair it, start a broker on the result and consume all; returns what differs and was damaged."""
    damaged = _copied(base, directory / "damaged")
    done = damage(random, damaged)

    def broker(home: Path) -> Broker:
        return Broker(home, _SETTINGS | _QUIET, log_dirs=2, java_options=_JAVA)

    return list(prove(damaged, directory / "repaired", broker, compared)), done


def differences(
    predicted: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]],
    started: Started,
    compared: "Counter[str]",
) -> Iterator[str]:
    """Compare what verify predicted, its verdict and its partitions, with what a broker did.

    Args:
        predicted: rows of "verdict" and of "partitions".
        started: what came of it.
        compared: counts facts by name.
    """
    verdict, partitions = predicted

    def differ(path: str, name: str, expected: object, found: object) -> Iterator[str]:
        compared[name] += 1
        if expected != found:
            yield f"{'/'.join(Path(path).parts[-2:])}: {name} is {found!r}, the broker: {expected!r}"

    for row in verdict:
        if row["starts"] is not None:  # None: the order of the file system's listing decides
            yield from differ(row["logDir"], "starts", started.starts, row["starts"])
            yield from differ(row["logDir"], "online", started.log_dirs[row["logDir"]], row["online"])
    found = {row["path"]: row for row in partitions}
    for path, expected in started.partitions.items():
        row = found[path]
        if not started.starts and (
            row["action"] is None or row["logEndOffset"] is None or "logEndOffset" not in expected
        ):
            continue  # the start ended before: which logs were loaded by then depends on its threads
        if path.endswith(_METADATA_LOG):
            yield from differ(path, "truncateFrom", expected["truncateFrom"], row["truncateFrom"])
            continue
        if expected["action"] is not None:
            yield from differ(path, "action", expected["action"], row["action"])
        if expected["action"] in (None, "keep", "recover"):
            for name in _FIELDS:
                if name in expected:
                    value = sorted(row[name] or ()) if isinstance(expected[name], list) else row[name]
                    yield from differ(path, name, expected[name], value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
