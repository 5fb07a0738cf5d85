"""Compares the records printed for a followed log with the consumed ones, and explains differences from the notes."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from kafkafmt.scanning.arguments import IsolationLevel

_NOTE = "kafkafmt: note: "
_MISSED = re.compile(rf"^{_NOTE}(\S+): offsets (\d+) to (\d+) were deleted before they were read", re.MULTILINE)
_REMOVED = re.compile(
    rf"^{_NOTE}(\S+): (?:(\d+) of the )?offsets? (\d+)(?: to (\d+))? w\w+ removed by compaction", re.MULTILINE
)
_DELETED = re.compile(
    rf"^{_NOTE}(\S+): the (?:partition was deleted; it|"
    r"topic was (deleted and created again); the deleted one) was (?:read up to offset (\d+)|not read)",
    re.MULTILINE,
)

Row = tuple[str, int, int, str, str]
Rows = Counter[Row]


def differences(level: str, status: int, home: Path) -> Iterator[str]:
    """Yield what is wrong with a followed log; prints the numbers of missed records and the notes about them.

    Args:
        level: "read_uncommitted" or "read_committed".
        status: exit status of the command.
        home: directory of the command's rows and stderr, and of the consumed records.
    """
    ours, theirs = _ours(home / f"{level}.jsonl"), _theirs(home / f"{level}.tsv")
    said = (home / f"{level}.err").read_text(encoding="utf-8")
    if status:
        yield f"{level}: exit status {status}"
    if not theirs:
        yield f"{level}: nothing was consumed"
    excused = excused_rows(theirs - ours, theirs, said)
    missing = (theirs - ours) - Counter({row: 1 for rows in excused.values() for row in rows})
    explained = ", ".join(f"{len(rows):,} {why}" for why, rows in excused.items())
    print(f"{level}: {sum(ours.values()):,} records printed, {sum(theirs.values()):,} consumed")
    print(f"{level}: missed: {explained}; {said.count(_NOTE):,} notes")
    unseen, whole = (said.count(f"deleted before it was followed; it was {text}") for text in ("", "read to its end"))
    print(f"{level}: {unseen:,} partitions were deleted before they were followed, {whole:,} of them read to the end")
    for name, first, last, count in _removals(said):
        given = sum(
            offset in range(first, last + 1) for topic, number, offset, *_ in ours if f"{topic}-{number}" == name
        )
        if given > last - first + 1 - count:
            yield f"{level}: {name}: {given} of offsets {first} to {last} printed, {count} said to be removed"
    for what, rows in (("printed, not consumed", ours - theirs), ("consumed, not printed", missing)):
        if rows:
            by_topic = Counter(topic for topic, *_ in rows.elements())
            yield f"{level}: {sum(rows.values()):,} {what}, such as {min(rows)[:3]}; {dict(by_topic)}"
    for line in said.splitlines():
        if not line.startswith("kafkafmt: note: "):
            yield f"{level}: {line}"


def served_differences(home: Path) -> Iterator[str]:
    """Yield differences between consumers of `kafkafmt serve --follow` and those of the broker.

    Args:
        home: directory of the records that each consumer got, and of serve's stderr.
    """
    for level in get_args(IsolationLevel):
        ours, theirs = _theirs(home / f"served-{level}.tsv"), _theirs(home / f"{level}.tsv")
        print(f"served, {level}: {sum(ours.values()):,} records consumed, {sum(theirs.values()):,} from the broker")
        for what, rows in (("from serve alone", ours - theirs), ("from the broker alone", theirs - ours)):
            if rows:
                by_topic = Counter(topic for topic, *_ in rows.elements())
                yield f"{level}: {sum(rows.values()):,} {what}, such as {min(rows)[:3]}; {dict(by_topic)}"
    for line in (home / "served.err").read_text(encoding="utf-8").splitlines():
        if not re.match(r"kafkafmt: serving [0-9,]+ topics", line):
            yield f"served: {line}"


def _removals(said: str) -> Iterator[tuple[str, int, int, int]]:
    """Partition, first and last offset and number of the records that, by the notes, compaction removed."""
    for name, count, first, last in _REMOVED.findall(said):
        yield name, int(first), int(last or first), int(count or int(last or first) - int(first) + 1)


def excused_rows(missing: Rows, theirs: Rows, said: str) -> dict[str, set[Row]]:
    """Consumed rows that were not printed, but that the notes call missed; by the reason.

    Args:
        missing: consumed rows that were not printed.
        theirs: all consumed rows, in the order of consumption.
        said: stderr of the command. All records of a partition that was deleted before it was followed must be printed:
            the broker keeps the directories of deleted partitions longer than the proof halts a follower.
    """
    of_partition: dict[str, list[Row]] = {}
    for row in theirs:
        of_partition.setdefault(f"{row[0]}-{row[1]}", []).append(row)
    lives = {name: [*_lives(rows)] for name, rows in of_partition.items()}
    deleted, removed, gone = set[Row](), set[Row](), set[Row]()
    for name, first, last in _MISSED.findall(said):
        deleted |= {row for row in of_partition.get(name, ()) if row in missing and int(first) <= row[2] <= int(last)}
    for name, begin, end, count in _removals(said):
        found = {row for row in of_partition.get(name, ()) if row in missing and begin <= row[2] <= end}
        removed |= found if len(found) <= count else set()
    for name, read_to in _deletions(said):
        for life in lives.get(name, ()):
            lost = [row[2] for row in life if row in missing and row not in gone]
            given = max((row[2] for row in life if row not in missing), default=-1)
            if lost and given <= read_to < min(lost):
                gone.update(row for row in life if row in missing)
                break
    return {
        "deleted": deleted,
        "removed by compaction": removed,
        "of partitions that were deleted": gone,
    }


def _deletions(said: str) -> Iterator[tuple[str, int]]:
    """Deleted partitions, and the offset to which each was read; -1 if it was not read."""
    before: dict[str, int] = {}
    for name, again, offset in _DELETED.findall(said):
        read_to = int(offset or -1)
        if not again or before.pop(name, None) != read_to:  # otherwise an earlier note has said so
            yield name, read_to
        if not again:
            before[name] = read_to


def _lives(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The consumed rows of a partition, one sequence for each time between its creation and its deletion."""
    life: list[Row] = []
    for row in rows:
        if life and row[2] <= life[-1][2]:
            yield life
            life = []
        life.append(row)
    yield life


def _ours(path: Path) -> Rows:
    with open(path, encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return Counter((row["topic"], row["partition"], row["offset"], row["key"], row["value"]) for row in rows)


def _theirs(path: Path) -> Rows:
    found: Rows = Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            topic, partition, offset, key, value = line.rstrip("\n").split("\t")
            found[topic, int(partition), int(offset), key, value] += 1
    return found
