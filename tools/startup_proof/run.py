"""The proofs "startup" and "repair": damage copies of a cluster's disks, then predict or repair; start, compare."""

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import kafkafmt
import proofs
from class_path import ToolError
from kafka_broker.broker import BrokerError
from startup_proof.damage import damage_nodes
from startup_proof.filled import QUIET, Base, bases, copy, settings_of
from startup_proof.golden import golden_cases
from startup_proof.nodes import start
from startup_proof.repaired import METADATA_LOG, WAYS, Way, judge, repair, sound_on
from startup_proof.started import Started

EXIT_DIFFERENCES = 1
EXIT_FAILED = 2
EXIT_INTERRUPTED = 130

_FIELDS = ("logStartOffset", "logEndOffset", "truncateFrom", "deletedSegments", "rebuilt")

Case = Callable[[Path, Base, Random, "Counter[str]"], tuple[list[str], list[str]]]
"""Damages a copy and tries it; returns what differs and what was damaged."""


def main(arguments: list[str]) -> int:
    """Do it all, as the command line says; returns the exit status."""
    options = proofs.parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started is ended
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="kafkafmt-startup-") as scratch:
            if getattr(options, "golden", None) is not None:
                return _golden(options.keep or Path(scratch), options.golden, options.way)
            case = _case if options.name == "startup" else _repaired_case
            return _prove(options.keep or Path(scratch), case, options, began)
    except (BrokerError, ToolError, kafkafmt.KafkafmtError, ValueError) as error:
        print(f"tools/proof {options.name}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _prove(home: Path, case: Case, options: argparse.Namespace, began: float) -> int:
    compared: Counter[str] = Counter()
    wrong = 0
    coming: dict[int, Iterator[Base]] = {}
    known: dict[int, list[Base]] = defaultdict(list)
    for seed in range(options.seed, options.seed + options.cases):
        random = Random(seed)
        nodes, end = random.randint(1, 3), random.randrange(6)
        nodes = options.nodes or nodes
        if nodes not in coming:
            coming[nodes] = bases(home / f"cluster-{nodes}", nodes)
        end %= 2 if nodes == 1 else 3
        known[nodes] += islice(coming[nodes], max(0, end + 1 - len(known[nodes])))
        base = known[nodes][end]
        print(f"{time.monotonic() - began:.0f} s: {_nodes(nodes)}, {base.name}", file=sys.stderr, flush=True)
        found, done = case(home / f"case-{seed}", base, random, compared)
        wrong += len(found)
        print(f"{seed}, {_nodes(nodes)}, {base.name}: {'; '.join(done)}")
        for difference in found:
            print(f"    {difference}")
        sys.stdout.flush()
    counts = ", ".join(f"{count} {name}" for name, count in sorted(compared.items()))
    print(
        f"\n{options.cases} starts, {compared.total()} facts compared ({counts}), {wrong} differ; "
        f"{time.monotonic() - began:.0f} s"
    )
    return EXIT_DIFFERENCES if wrong else 0


def _nodes(number: int) -> str:
    return "1 node" if number == 1 else f"{number} nodes"


def _golden(home: Path, names: Sequence[str], way: Way | None) -> int:
    """Repair golden cases of clusters and start all nodes on each result; returns the exit status."""
    wrong = 0
    compared: Counter[str] = Counter()
    for name, case in golden_cases(names).items():
        for each in WAYS if way is None else (way,):
            began = time.monotonic()
            directory = home / f"{name}-{each}"
            disks = case.unpacked(directory / "disks")
            found = list(repair(disks, directory / "repaired", each))
            found += judge(disks, directory / "repaired", directory / "started", case.sound(), compared, {})
            excuse = "" if case.info["repair"] == "all" else f" (expected: {case.info['repair']})"
            wrong += bool(found and not excuse)
            print(f"{name} {each}: {'differs' if found else 'ok'}{excuse}, {time.monotonic() - began:.0f} s")
            for difference in found:
                print(f"    {difference}")
            sys.stdout.flush()
    counts = ", ".join(f"{count} {name}" for name, count in sorted(compared.items()))
    print(f"\n{compared.total()} facts compared ({counts}), {wrong} repairs differ")
    return EXIT_DIFFERENCES if wrong else 0


def _case(directory: Path, base: Base, random: Random, compared: "Counter[str]") -> tuple[list[str], list[str]]:
    """Damage a copy, predict, start; returns what differs and what was damaged."""
    disks = copy(base.disks, directory)
    done = damage_nodes(random, disks, base.older)
    predicted = {}
    for node in disks.nodes:
        log_dirs = [str(path) for path in disks.log_dirs(node)]
        # The id of the cluster is that in the directory of the metadata log; Kafka's own checks compare with it.
        answer = kafkafmt.open(log_dirs).verify(level="headers", node_id=node)
        predicted[node] = answer.verdict.to_pylist(), answer.partitions.to_pylist()
    outcome = start(disks, settings_of(len(disks.nodes)) | QUIET)
    found: list[str] = []
    for node, started in outcome.nodes.items():
        found += differences(predicted[node], started, compared)
    return found, done


def _repaired_case(
    directory: Path, base: Base, random: Random, compared: "Counter[str]"
) -> tuple[list[str], list[str]]:
    """Damage a copy, repair it, start all nodes on the result and consume all; returns what differs and was damaged."""
    disks = copy(base.disks, directory / "damaged")
    done = damage_nodes(random, disks, base.older)
    sound = sound_on(disks, base)
    way = random.choice(WAYS)
    overrides = settings_of(len(disks.nodes)) | QUIET
    found = list(repair(disks, directory / "repaired", way))
    found += judge(disks, directory / "repaired", directory / "started", sound, compared, overrides)
    return found, [f"repaired {way}", *done]


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
        if None not in (row["starts"], started.starts):  # None: the order of the file system's listing decides
            yield from differ(row["logDir"], "starts", started.starts, row["starts"])
            yield from differ(row["logDir"], "online", started.log_dirs[row["logDir"]], row["online"])
    found = {row["path"]: row for row in partitions}
    for path, expected in started.partitions.items():
        row = found[path]
        if not started.starts and (
            row["action"] is None or row["logEndOffset"] is None or "logEndOffset" not in expected
        ):
            continue  # the start ended before: which logs were loaded by then depends on its threads
        if path.endswith(METADATA_LOG):
            yield from differ(path, "truncateFrom", expected["truncateFrom"], row["truncateFrom"])
            continue
        if None not in (expected["action"], row["action"]):  # None: which partitions are strays is not judged
            yield from differ(path, "action", expected["action"], row["action"])
        if expected["action"] in (None, "keep", "recover"):
            changed = ("deletedSegments", "rebuilt") if expected.get("followerTruncatedTo") else ()
            for name in _FIELDS:
                if name in expected and name not in changed:
                    value = sorted(row[name] or ()) if isinstance(expected[name], list) else row[name]
                    yield from differ(path, name, expected[name], value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
