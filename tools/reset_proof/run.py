"""The proof "resets": Kafka's tool sets the offsets that `kafkafmt groups --reset-file` writes, also for a mirror."""

import argparse
import csv
import io
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import proof_frame
from class_path import kafka_class_path, kafka_tools_class_path, tool
from kafka_broker.broker import Broker
from proof_frame import DIFFERS

SETTINGS = {
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
}
TOPIC = "orders"
BILLING, ODD = "billing", 'an odd, "quoted" group'
CHOSEN = {
    # In the first group: the offset of a record, of a transaction marker, and the log end.
    BILLING: {(TOPIC, 0): 3, (TOPIC, 1): 10, (TOPIC, 2): 21},
    ODD: {(TOPIC, 0): 13, (TOPIC, 2): 16},
}

_COMMAND = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"

Offsets = dict[tuple[str, int], int]
Groups = dict[str, Offsets]


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""

    def prove(_: argparse.Namespace, home: Path) -> int:
        differences = list(_differences(home))
        for text in differences:
            print(text)
        return DIFFERS if differences else 0

    return proof_frame.run(arguments, prove)


def _differences(home: Path) -> Iterator[str]:
    one, every, translated = (home / f"{name}.csv" for name in ("one", "every", "translated"))
    with Broker(home / "first", SETTINGS) as first, Broker(home / "second", SETTINGS) as second:
        _run(_java(kafka_class_path(), "FillReset", first.bootstrap_servers))
        for group, offsets in CHOSEN.items():
            _set(first, [group], _plan(home, {group: offsets}, with_group=False))
        first.stop()
        _kafkafmt("groups", first.log_dir, "--group", BILLING, "--reset-file", one)
        _kafkafmt("groups", first.log_dir, "--reset-file", every)
        first.start()
        for file, groups in ((one, [BILLING]), (every, [BILLING, ODD])):
            _tool(first, groups, "--to-earliest", "--topic", f"{TOPIC}:0,1,2", "--execute")
            _set(first, groups, file)
            yield from _compared(file.name, {group: CHOSEN[group] for group in groups}, _current(first, groups))
        mirrored = _mirrored(first, second)
        _kafkafmt("groups", first.log_dir, "--reset-file", translated, "--translate-to", second.log_dir)
        _set(second, [BILLING, ODD], translated)
        expected = {group: _true(offsets, mirrored) for group, offsets in CHOSEN.items()}
        yield from _compared(translated.name, expected, _current(second, [BILLING, ODD]))


def _plan(home: Path, groups: Groups, *, with_group: bool) -> Path:
    """A reset file that kafkafmt did not write."""
    path = home / "plan.csv"
    rows = [(group, *place, offset) for group, offsets in groups.items() for place, offset in offsets.items()]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(row if with_group else row[1:] for row in rows)
    return path


def _mirrored(first: Broker, second: Broker) -> dict[tuple[int, int], int]:
    """Offsets in the second broker by partition and offset in the first, as their producer received them."""
    lines = _run(_java(kafka_class_path(), "MirrorTopic", first.bootstrap_servers, second.bootstrap_servers, TOPIC))
    numbers = [tuple(map(int, line.split())) for line in lines.splitlines()]
    return {(partition, there): here for partition, there, here in numbers}


def _true(offsets: Offsets, mirrored: Mapping[tuple[int, int], int]) -> Offsets:
    """The true offsets in the copy: that of the next record, or at the end that after the last record."""
    found = {}
    for (topic, partition), offset in offsets.items():
        of_partition = {there: here for (number, there), here in mirrored.items() if number == partition}
        later = [here for there, here in of_partition.items() if there >= offset]
        found[topic, partition] = min(later) if later else max(of_partition.values()) + 1
    return found


def _compared(name: str, expected: Groups, found: Groups) -> Iterator[str]:
    count = sum(map(len, expected.values()))
    print(f"{name}: {count} offsets of {len(expected)} groups")
    for group, offsets in expected.items():
        got = {place: offset for place, offset in found.get(group, {}).items() if place in offsets}
        if got != offsets:
            yield f"{name}, {group}: expected {offsets}, the broker has {got}"


def _set(broker: Broker, groups: Sequence[str], file: Path) -> None:
    _tool(broker, groups, "--from-file", str(file), "--execute")


def _current(broker: Broker, groups: Sequence[str]) -> Groups:
    """Committed offsets, from the tool's export."""
    text = _tool(broker, groups, "--to-current", "--all-topics", "--dry-run", "--export")
    found: Groups = {}
    for row in csv.reader(io.StringIO(text)):
        if len(row) in (3, 4) and row[-1].isdigit():
            group = row[0] if len(row) == 4 else groups[0]
            found.setdefault(group, {})[row[-3], int(row[-2])] = int(row[-1])
    return found


def _tool(broker: Broker, groups: Sequence[str], *options: str) -> str:
    named = [word for group in groups for word in ("--group", group)]
    arguments = ("--bootstrap-server", broker.bootstrap_servers, *named, "--reset-offsets", *options)
    return _run(_java(kafka_tools_class_path(), _COMMAND, *arguments))


def _java(classes: str, program: str, *arguments: str) -> list[str]:
    return [tool("java"), _QUIET, "-cp", classes, program, *arguments]


def _kafkafmt(*arguments: object) -> str:
    return _run([sys.executable, "-m", "kafkafmt", *map(str, arguments)])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode or "Error" in done.stdout:
        raise proof_frame.ProofError(
            f"{' '.join(command[:6])} .. ends with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
