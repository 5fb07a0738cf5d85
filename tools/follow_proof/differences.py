"""Compares the records printed for a followed log with the consumed ones, and explains differences by the notes."""

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
    """Yield what is wrong with what was followed, and print what was missed and said.

    Args:
        level: "read_uncommitted" or "read_committed".
        status: exit status of the command.
        home: where its rows are, what it said on stderr, and what the consumer got.
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
    """Yield where consumers of `kafkafmt serve --follow` did not get what those of the broker got.

    Args:
        home: where what they got is, and what serve said on stderr.
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
    """Partition, first and last offset and number of what compaction is said to have removed."""
    for name, count, first, last in _REMOVED.findall(said):
        yield name, int(first), int(last or first), int(count or int(last or first) - int(first) + 1)


def excused_rows(missing: Rows, theirs: Rows, said: str) -> dict[str, set[Row]]:
    """What was consumed, not printed, and said to be missed, by the reason.

    Args:
        missing: what was consumed, not printed.
        theirs: what was consumed, in that order.
        said: what the command said on stderr. All of a partition that was deleted before it was followed is to be
            printed: the broker has their directories longer than the proof halts a follower.
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
    """Partitions that were deleted, and up to which offset they were read; -1 if they were not."""
    before: dict[str, int] = {}
    for name, again, offset in _DELETED.findall(said):
        read_to = int(offset or -1)
        if not again or before.pop(name, None) != read_to:  # else a first note has said it
            yield name, read_to
        if not again:
            before[name] = read_to


def _lives(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """What was consumed of a partition, from each of its creations to its deletion."""
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
