"""The proofs "startup" and "repair": damage copies of a cluster's disks, predict or repair, start nodes, compare."""

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import proof_frame
from proof_frame import DIFFERS
from startup_proof.damage import damage_nodes
from startup_proof.filled import QUIET, Base, bases, copy, records_on, settings_of
from startup_proof.golden import golden_cases
from startup_proof.nodes import start
from startup_proof.predicted import cluster_differences, differences, predict, registered_early
from startup_proof.repaired import WAYS, Way, judge, repair, sound_on

Case = Callable[[Path, Base, Random, "Counter[str]"], tuple[list[str], list[str]]]
"""Damages a copy and tries it; returns the differences and the damage."""


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    began = time.monotonic()

    def prove(options: argparse.Namespace, home: Path) -> int:
        if getattr(options, "golden", None) is not None:
            return _golden(home, options.golden, options.way)
        case = _case if options.name == "startup" else _repaired_case
        return _prove(home, case, options, began)

    return proof_frame.run(arguments, prove)


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
    return DIFFERS if wrong else 0


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
    return DIFFERS if wrong else 0


def _case(directory: Path, base: Base, random: Random, compared: "Counter[str]") -> tuple[list[str], list[str]]:
    """Damage a copy, predict, start; returns the differences and the damage."""
    disks = copy(base.disks, directory)
    done = damage_nodes(random, disks, base.older)
    predicted = predict(disks)
    before = sound_on(disks, base).must if predicted.cluster else {}
    outcome = start(disks, settings_of(len(disks.nodes)) | QUIET)
    found: list[str] = []
    for node, started in outcome.nodes.items():
        if node not in predicted.undecided:
            found += differences(predicted.nodes[node], started, compared, alone=len(disks.nodes) == 1)
    if predicted.cluster:
        after = records_on(disks)
        early = registered_early(disks)
        found += cluster_differences(predicted.cluster, outcome, before, after, compared, by_cost=early)
    return found, done


def _repaired_case(
    directory: Path, base: Base, random: Random, compared: "Counter[str]"
) -> tuple[list[str], list[str]]:
    """Damage a copy, repair it, start all nodes on the result, and consume; returns the differences and the damage."""
    disks = copy(base.disks, directory / "damaged")
    done = damage_nodes(random, disks, base.older)
    sound = sound_on(disks, base)
    way = random.choice(WAYS)
    overrides = settings_of(len(disks.nodes)) | QUIET
    found = list(repair(disks, directory / "repaired", way))
    found += judge(disks, directory / "repaired", directory / "started", sound, compared, overrides)
    return found, [f"repaired {way}", *done]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
