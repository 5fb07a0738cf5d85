"""Runs a client's tasks and judges the results: a row of the matrix."""

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import get_args

import environment
from class_path import TOOLS
from clients_proof.clients import Client, variables
from clients_proof.disks import Disk
from clients_proof.served import Served
from kafkafmt.scanning.arguments import IsolationLevel

COLUMNS = {
    "read_uncommitted": "records",
    "read_committed": "`read_committed`",
    "classic": "groups",
    "consumer": "KIP-848",
    "produce": "writing",
    "create": "new topic",
}
"""Column heads of the checks."""

_DRIVER_SECONDS = 900
_SHOWN = 3
_CUT = 300
_LONGEST = 4000
_REFUSED = re.compile("policy|authoriz|read-only", re.IGNORECASE)

# Groups on the shop's disk, and where a member begins. Members of `billing` died with the broker; `reports` has none.
_GROUPS: dict[str, tuple[str, dict[tuple[str, int], int]]] = {
    "billing": (
        "orders,payments",
        {("orders", 0): 4, ("orders", 1): 4, ("orders", 2): 4, ("payments", 0): 4, ("payments", 1): 4},
    ),
    "reports": ("page-views", {("page-views", 0): 10}),
}
_EMPTY_GROUP = "reports"
_NEW_TOPICS = ("orders", "payments")

Judge = Callable[[list[str]], Iterable[str]]


@dataclass(frozen=True)
class Task:
    """A task of a driver.

    Attributes:
        column: column of the matrix.
        what: its name in differences.
        fields: fields of the task's line, without the file of its result.
        judge: function that takes the lines of the result, and returns what is wrong.
        count: number of expected records.
    """

    column: str
    what: str
    fields: tuple[str, ...]
    judge: Judge
    count: int = 0


@dataclass
class Row:
    """The results of a client.

    Attributes:
        label: the client and its version.
        differences: differences by column, for the columns that were checked.
        counts: number of records that it read, by column.
        words: its messages when it is refused, by column.
        seconds: duration of all tasks.
    """

    label: str
    differences: dict[str, list[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def ask(client: Client, shop: Disk, served: Mapping[Disk, Served], home: Path) -> Row:
    """Run all tasks that a client supports, and judge the results.

    Args:
        client: the client.
        shop: the shop's disk, served separately for each client so that it does not see the commits of others.
        served: the other disks, which are already served.
        home: an empty directory for tasks and results.

    Raises:
        ToolError: the client cannot be installed.
    """
    command = client.prepare()
    row = Row(client.label())
    with Served(shop.paths, home / "shop.err") as server:
        run(command, list(_tasks(client, {shop: server, **served})), row, home)
    return row


def run(
    command: list[str], tasks: list[Task], row: Row, home: Path, environ: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Let a driver run tasks, and judge its results.

    Args:
        command: command of the driver.
        tasks: the tasks.
        row: row to which the results are added.
        home: an empty directory for tasks and results.
        environ: further environment variables of the driver.
    """
    outs = [home / f"{number:03}.tsv" for number in range(len(tasks))]
    plan = home / "tasks.tsv"
    lines = ("\t".join((task.fields[0], str(out), *task.fields[1:])) for task, out in zip(tasks, outs, strict=True))
    plan.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    began = time.monotonic()
    failure = _drive([*command, str(plan)], home, environ)
    row.seconds = time.monotonic() - began
    for task, out in zip(tasks, outs, strict=True):
        found = row.differences.setdefault(task.column, [])
        if not out.exists():
            found.append(f"{task.what}: {failure or 'no result'}")
            continue
        result = out.read_text("utf-8").split("\n")[:-1]
        if task.column in ("produce", "create"):
            row.words[task.column] = "".join(result).removeprefix("#error\t")[:_LONGEST]
        found += [f"{task.what}: {text}" for text in task.judge(result)]
        row.counts[task.column] += task.count


def _drive(command: list[str], home: Path, environ: Mapping[str, str]) -> str:
    """Run a driver; returns why it did not finish, or ""."""
    path = f"{TOOLS}:{environment.ROOT}"
    with open(home / "driver.log", "wb") as log:
        try:
            status = subprocess.run(
                command,
                check=False,
                env={**variables(), "PYTHONPATH": path, **environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=_DRIVER_SECONDS,
            ).returncode
        except subprocess.TimeoutExpired:
            return f"not done after {_DRIVER_SECONDS} s"
    tail = (home / "driver.log").read_text("utf-8", "replace")[-_CUT:]
    return f"ended with {status}: {tail}" if status else ""


def _tasks(client: Client, served: Mapping[Disk, Served]) -> Iterator[Task]:
    for disk, server in served.items():
        if disk.name in client.left_out or (client.is_slow and not disk.is_quick):
            continue
        topics = disk.topics(client.codecs)
        for level in get_args(IsolationLevel):
            expected = disk.expected(level, topics, {})
            if expected:
                fields = ("read", server.bootstrap_servers, level, ",".join(topics), str(len(expected)))
                yield Task(level, f"{disk.name}, {level}", fields, same(client, expected), len(expected))
    shop, server = next(iter(served.items()))
    for protocol in client.protocols:
        yield from _group_tasks(client, shop, server.bootstrap_servers, protocol)
    topic = min(shop.topics(client.codecs))
    yield Task("produce", "producing", ("produce", server.bootstrap_servers, topic), _refused)
    if client.can_create:
        yield Task("create", "creating a topic", ("create", server.bootstrap_servers, "new"), _refused)


def _group_tasks(client: Client, shop: Disk, bootstrap: str, protocol: str) -> Iterator[Task]:
    """Groups on the disk begin at their committed offsets; a new group begins at the beginning, and commits."""
    known = set(shop.topics(client.codecs))
    for group, (topics, begins) in _GROUPS.items():
        if not known.issuperset(topics.split(",")) or (protocol == "consumer" and group != _EMPTY_GROUP):
            continue
        expected = shop.expected("read_uncommitted", topics.split(","), begins)
        if client.can_commit:
            fields = ("committed", bootstrap, group, topics)
            offsets = {place: (offset, offset) for place, offset in begins.items()}
            yield Task(protocol, f"offsets of {group}", fields, _committed(offsets))
        reading = ("subscribe", bootstrap, protocol, group, topics, str(len(expected)), "leave")
        yield Task(protocol, f"group {group}, {protocol}", reading, same(client, expected), len(expected))
    group, topics = f"new-{client.name}-{protocol}", ",".join(_NEW_TOPICS)
    expected = shop.expected("read_uncommitted", _NEW_TOPICS, {})
    reading = ("subscribe", bootstrap, protocol, group, topics, str(len(expected)), "commit")
    yield Task(protocol, f"a new group, {protocol}", reading, same(client, expected), len(expected))
    if client.can_commit:
        last: dict[tuple[str, int], int] = {}
        for topic, partition, offset in shop.lines["read_uncommitted"]:
            if topic in _NEW_TOPICS:
                last[topic, partition] = max(offset, last.get((topic, partition), 0))
        # A transaction marker follows the last record; clients commit the offset before or after it.
        offsets = {place: (offset + 1, offset + 2) for place, offset in last.items()}
        fields = ("committed", bootstrap, group, topics)
        yield Task(protocol, "offsets that it has committed", fields, _committed(offsets))


def same(client: Client, expected: Sequence[str]) -> Judge:
    """A judge of a client's records."""

    def judge(result: list[str]) -> Iterator[str]:
        if result and result[0].startswith("#error"):
            yield result[0].removeprefix("#error\t")
            return
        wanted, found = Counter(map(form, expected)), Counter(map(form, result))
        missing, more = list((wanted - found).elements()), list((found - wanted).elements())
        if missing:
            yield f"{len(missing)} of {len(expected)} records are missing: {_some(missing)}"
        if more:
            yield f"{len(more)} records should not be there: {_some(more)}"

    def form(line: str) -> str:
        rest, _, headers = line.rpartition("\t")
        if client.headers == "grouped":
            return rest + "\t" + ",".join(sorted(headers.split(","), key=lambda each: each.partition(":")[0]))
        return line if client.headers == "all" else rest

    return judge


def _committed(expected: Mapping[tuple[str, int], tuple[int, int]]) -> Judge:
    def judge(result: list[str]) -> Iterator[str]:
        if result and result[0].startswith("#error"):
            yield result[0].removeprefix("#error\t")
            return
        found = {(topic, int(partition)): int(offset) for topic, partition, offset in (s.split("\t") for s in result)}
        for place in expected.keys() | found.keys():
            least, most = expected.get(place, (-1, -1))
            if not least <= found.get(place, -1) <= most:
                yield f"committed offset of {place[0]}-{place[1]} is {found.get(place)}, expected {least} to {most}"

    return judge


def _refused(result: list[str]) -> Iterator[str]:
    if not result:
        yield "was not refused"
    elif not _REFUSED.search(result[0]):
        yield f"was not refused in clear words: {result[0]}"


def locked_out(result: list[str]) -> Iterator[str]:
    """Judge a client that must not read anything; its error may be in its own words."""
    if not result or not result[0].startswith("#error"):
        yield f"was not refused, but has {len(result)} records"


def _some(lines: list[str]) -> str:
    return "; ".join(" ".join(line.split("\t"))[:_CUT] for line in lines[:_SHOWN])
