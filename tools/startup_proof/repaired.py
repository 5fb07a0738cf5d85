"""Repairs the disks of a cluster, starts all nodes on them, and checks that all logs load unchanged and are served."""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import kafkafmt
from startup_proof.damage import LOG_STARTS
from startup_proof.filled import Base, records_on
from startup_proof.nodes import Disks, Outcome, Partition, start

Way = Literal["alone", "together", "untouched"]
"""Each node alone with the others as donors, or all in one call; untouched means no repair, which tests the proof."""

WAYS: tuple[Way, ...] = ("alone", "together")
METADATA_LOG = "__cluster_metadata-0"
_SHOWN = 5
_TOPIC_ID = re.compile(r"^topic_id: (\S{22})$", re.MULTILINE)
_LOG_START = re.compile(r"(\S+) (\d+) (\d+)")


@dataclass(frozen=True)
class Sound:
    """The sound records on the disks of a cluster before they are repaired.

    Attributes:
        must: records that must be served after a repair: hashes by partition and offset.
        may: records that may be served, those of `must` included: offsets and hashes by partition.
        nodes: nodes with records of `must` on their disks.
        strays: node and directory of partitions that a start without a repair would set aside.
        followed: node and directory of partitions that a start without a repair would truncate to the leader's log.
    """

    must: Mapping[Partition, Mapping[int, str]]
    may: Mapping[Partition, set[tuple[int, str]]]
    nodes: frozenset[int]
    strays: frozenset[tuple[int, str]] = frozenset()
    followed: frozenset[tuple[int, str]] = frozenset()


def repair(disks: Disks, out: Path, way: Way) -> Iterator[str]:
    """Repair the disks of all nodes into a new directory; yields the reason if that is impossible.

    Args:
        disks: disks of all nodes.
        out: directory for the result; must not exist.
        way: how to repair.
    """
    found = {node: [str(path) for path in disks.log_dirs(node) if path.is_dir()] for node in disks.nodes}
    every = [path for paths in found.values() for path in paths]
    if way == "untouched":
        for node, paths in found.items():
            for path in paths:
                shutil.copytree(path, out / f"n{node}" / Path(path).name, symlinks=True)
        return
    try:
        if way == "together":
            kafkafmt.open(every).repair(out)
            return
    except kafkafmt.KafkafmtError as error:
        yield f"repair fails: {error}"
        return
    out.mkdir(parents=True)
    for node, paths in found.items():
        donors = [path for path in every if path not in paths]
        others: dict[str, Any] = {"donors": donors} if donors else {}
        try:
            if paths:
                kafkafmt.repair(paths, out / f"n{node}", **others)
        except kafkafmt.KafkafmtError as error:
            yield f"repair of node {node} fails: {error}"


def collected(disks: Disks, repaired: Path, home: Path) -> Disks:
    """Copy the log directories below a directory to the nodes that their meta.properties name.

    Args:
        disks: the disks that were repaired.
        repaired: directory with log directories at any depth.
        home: directory for the copies; must not exist.

    Returns:
        The copies, of each node of `disks` that has a directory; the one with the metadata log is first.
    """
    log_dirs: dict[int, list[Path]] = {}
    for path in sorted(repaired.rglob("meta.properties")):
        lines = dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)
        log_dirs.setdefault(int(lines.get("node.id", lines.get("broker.id", "-1"))), []).append(path.parent)
    nodes = {}
    for node, each in disks.nodes.items():
        paths = sorted(log_dirs.get(node, ()), key=lambda path: not (path / METADATA_LOG).is_dir())
        names = [f"d{number}" for number in range(len(paths))]
        for path, name in zip(paths, names, strict=True):
            shutil.copytree(path, home / f"n{node}" / name, symlinks=True)
        if paths:
            nodes[node] = replace(each, log_dirs=names)
    return Disks(home, nodes)


def sound_on(disks: Disks, base: Base) -> Sound:
    """Return the records that were served before and are sound on damaged disks, by Kafka's own record classes.

    Records below a log start in a checkpoint, and records in directories with another topic id, need not be
    served.
    """
    must: dict[Partition, dict[int, str]] = defaultdict(dict)
    nodes = set()
    strays = set()
    starts = _log_starts(disks)
    for key, records in records_on(disks).items():
        served = base.served.get(key, {})
        name = "{}-{}".format(*key)
        ids = {None, *(_topic_id(path) for path in base.disks.home.glob(f"n*/*/{name}"))}
        others = {path for path in disks.home.glob(f"n*/*/{name}") if _topic_id(path) not in ids}
        strays |= {(_node_of(disks, path), name) for path in others}
        for (offset, known), paths in records.items():
            if paths - others and served.get(offset) == known and offset >= starts.get(key, 0):
                must[key][offset] = known
                nodes |= {_node_of(disks, path) for path in paths - others}
    return Sound(must, base.written, frozenset(nodes), frozenset(strays))


def _node_of(disks: Disks, path: Path) -> int:
    return int(path.relative_to(disks.home).parts[0].removeprefix("n"))


def _topic_id(partition: Path) -> str | None:
    """The topic id of a partition directory; None if it has none, or an unreadable one."""
    try:
        found = _TOPIC_ID.search((partition / "partition.metadata").read_text(errors="replace"))
    except FileNotFoundError:
        return None
    return found[1] if found else None


def _log_starts(disks: Disks) -> dict[Partition, int]:
    """The latest log start offsets in checkpoints."""
    starts: dict[Partition, int] = {}
    for path in disks.home.rglob(LOG_STARTS):
        for line in path.read_bytes().decode(errors="replace").splitlines()[2:]:
            if found := _LOG_START.fullmatch(line):
                key = found[1], int(found[2])
                starts[key] = max(int(found[3]), starts.get(key, 0))
    return starts


def judge(
    disks: Disks, repaired: Path, home: Path, sound: Sound, compared: Counter[str], overrides: Mapping[str, str]
) -> Iterator[str]:
    """Start all nodes on repaired log directories; yields every violation.

    Args:
        disks: the disks that were repaired.
        repaired: directory with the repaired log directories at any depth, which stay unchanged.
        home: directory of the copies for the start; must not exist.
        sound: the sound records of `disks`.
        compared: counter of the compared facts by name.
        overrides: broker properties of all nodes.
    """
    copies = collected(disks, repaired, home)
    for node, each in disks.nodes.items():
        if node not in copies.nodes and (node in sound.nodes or each.is_controller):
            yield f"n{node}: has no log directory"
    if not copies.nodes:
        return
    outcome = start(copies, overrides)
    yield from loaded_as_they_are(copies, outcome, sound, compared)
    yield from served_wholly(outcome, sound, compared)


def loaded_as_they_are(disks: Disks, outcome: Outcome, sound: Sound, compared: Counter[str]) -> Iterator[str]:
    """Nodes that do not start, offline directories, and logs that were recovered, truncated or set aside.

    Args:
        disks: the disks on which the nodes were started.
        outcome: the result of the start.
        sound: the sound records of the disks before the repair.
        compared: counter of the compared facts by name.
    """
    for node, started in outcome.nodes.items():
        compared["starts"] += 1
        if not started.starts:
            yield f"n{node}: {'waits' if started.starts is None else 'does not start'}: {outcome.last_errors[node]}"
            continue
        for path, is_online in started.log_dirs.items():
            compared["online"] += 1
            if not is_online:
                yield f"{_short(disks, path)}: is offline"
        for path, row in started.partitions.items():
            compared["loaded"] += 1
            name, place = _short(disks, path), (node, Path(path).name)
            if row["action"] == "stray" and place not in sound.strays:
                yield f"{name}: is a stray"
            if row["action"] == "recover" and place[1] != METADATA_LOG:
                yield f"{name}: is recovered"
            if row["followerTruncatedTo"]:
                if place not in sound.followed:
                    yield f"{name}: as a follower is cut to {row['followerTruncatedTo']}"
            elif row["truncateFrom"] is not None or row.get("deletedSegments"):
                yield f"{name}: is cut at {row['truncateFrom']}, segments deleted: {row.get('deletedSegments')}"


def served_wholly(outcome: Outcome, sound: Sound, compared: Counter[str]) -> Iterator[str]:
    """Sound records that no consumer gets, and records that a consumer gets although no disk had them sound."""
    if outcome.error:
        yield f"clients get no answer: {outcome.error}"
    for partition, must in sound.must.items():
        name = "{}-{}".format(*partition)
        found = outcome.records.get(partition, {})
        compared["records"] += len(must)
        lost = [offset for offset, known in must.items() if found.get(offset) != known]
        if lost:
            state = outcome.partitions.get(partition)
            said = "is not in the cluster" if state is None else f"leader {state.leader} {state.stops}".rstrip()
            yield f"{name}: {len(lost)} of {len(must)} records are not served: {ranges(lost)} ({said})"
    for partition, served in outcome.records.items():
        may = sound.may.get(partition, set())
        last = max(sound.must.get(partition, ()), default=-1)
        # Coordinators append to internal topics when they start.
        ours = {each for each in served.items() if each[0] <= last or not partition[0].startswith("__")}
        if ours - may:
            name = "{}-{}".format(*partition)
            yield f"{name}: {len(ours - may)} records that were sound on no disk: {ranges(o for o, _ in ours - may)}"


def ranges(offsets: "Iterator[int] | Sequence[int] | set[int]") -> str:
    """Offsets as text: consecutive ones as a range, only the first few ranges."""
    runs: list[list[int]] = []
    for offset in sorted(offsets):
        if runs and runs[-1][1] == offset - 1:
            runs[-1][1] = offset
        else:
            runs.append([offset, offset])
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:_SHOWN])
    return f"{shown} and {len(runs) - _SHOWN} more ranges" if len(runs) > _SHOWN else shown


def _short(disks: Disks, path: str) -> str:
    return str(Path(path).relative_to(disks.home.resolve()))
