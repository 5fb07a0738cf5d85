"""The proof: fill a cluster, ask the broker through Admin, end it, ask its disks, compare.

The broker ends twice: first by a crash while clients are active, then, after another start, by an orderly stop.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import proof_frame
from cluster_proof import compare, derived, disk
from cluster_proof.compare import Facts
from cluster_proof.filled_cluster import SETTINGS, ask, change, filled
from kafka_broker.broker import Broker
from proof_frame import DIFFERS

_REPORTED = 40
_VALUE_LENGTH = 300


@dataclass(frozen=True)
class Round:
    """The facts after one end of the broker.

    Attributes:
        name: how the broker ended.
        official: facts from Admin.
        ours: facts from the broker's disks.
    """

    name: str
    official: Facts
    ours: Facts


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    started = time.monotonic()

    def prove(_: argparse.Namespace, home: Path) -> int:
        return report(_prove(home / "broker", started), time.monotonic() - started)

    return proof_frame.run(arguments, prove)


def _prove(home: Path, started: float) -> list[Round]:
    def say(text: str) -> None:
        print(f"{time.monotonic() - started:5.0f} s  {text}", file=sys.stderr, flush=True)

    with Broker(home, SETTINGS, log_dirs=2) as broker:
        say(f"a broker runs at {broker.bootstrap_servers}")
        with filled(broker):
            say("its clients have done their work, and stay")
            first = ask(broker, home / "before-the-crash.json")
            broker.kill()
        say("it was asked, and crashed")
        crashed = Round("after a crash", _official(first), compare.facts(disk.answers(broker.log_dirs)))
        say("its disks were asked")
        broker.start()
        change(broker)
        second = ask(broker, home / "before-the-stop.json")
        broker.stop()
        say("it was started, changed, asked, and stopped")
        # A stopping broker gives up its partitions, and here no broker takes them over; Admin was asked before that.
        ours = disk.answers(broker.log_dirs, second["cluster"][derived.METADATA_OFFSET])
        stopped = Round("after a stop", _official(second), compare.facts(ours))
        say("its disks were asked again")
        ours = disk.answers_as_of(broker.log_dirs, first)
        as_of = Round("as of before", compare.lasting(_official(first)), compare.lasting(compare.facts(ours)))
        say("and as of the moment before the crash")
    return [crashed, stopped, as_of]


def _official(answers: derived.Json) -> Facts:
    return compare.facts(derived.complete(answers))


def report(rounds: Sequence[Round], seconds: float) -> int:
    """Print how many facts of each kind there are, and the differences; returns the exit status."""
    found = {each.name: compare.differences(each.official, each.ours) for each in rounds}
    counts = {each.name: Counter(_kind(fact) for fact in each.official) for each in rounds}
    kinds = sorted(set().union(*counts.values()))
    width = max(map(len, kinds), default=0)
    print(f"{'facts':{width}}  {'  '.join(f'{name:>13}' for name in counts)}")
    for kind in kinds:
        print(f"{kind:{width}}  {'  '.join(f'{count[kind]:>13}' for count in counts.values())}")
    wrong = 0
    for name, differences in found.items():
        unexpected = compare.unexpected(differences)
        outlived = compare.outlived(differences)
        wrong += len(unexpected) + len(outlived)
        for fact in list(unexpected)[:_REPORTED]:
            print(f"\n{name}, {fact}: {unexpected[fact][:_VALUE_LENGTH]}")
        if len(unexpected) > _REPORTED:
            print(f"\n{name}: ... and {len(unexpected) - _REPORTED} more")
        for meant in outlived:
            print(f"\n{name}, {meant.facts}: they do not differ any more, though it is said: {meant.reason}")
    for meant in compare.MEANT:
        print(f"\nMeant, {meant.facts}: {meant.reason}.")
    compared = sum(len(each.official) for each in rounds)
    print(f"\n{compared} facts compared, {wrong} differ unexpectedly; {seconds:.0f} s")
    return DIFFERS if wrong else 0


def _kind(fact: str) -> str:
    return fact.partition("/")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
