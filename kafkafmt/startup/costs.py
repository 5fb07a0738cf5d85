"""The order of a start's findings by cost, and a sentence that sums up each node."""

from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.files.damage import TAILS
from kafkafmt.findings import FINDING
from kafkafmt.phrases import are, counted, counted_are, joined
from kafkafmt.startup.absent_logs import absent_logs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kafkafmt.findings import Finding
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.startup.outcome import PartitionStart

_UNREADABLE = (
    *("checksum", "corrupt", "truncated", "unsupported", "limit_exceeded", "unreadable", "no log", "diverged"),
    *("zero_tail", "garbage_tail", "incomplete_tail", "offset", "overlap", "gap", "coordinator_load"),
    "producer_state",
)
# Kinds of findings by descending cost; kinds on the same line rank equally.
_ORDER = (
    # Findings that keep nodes and directories down come before the cluster's reaction to them.
    (
        "does not start",
        "no quorum",
        "no_metadata_log",
        "no vote",
        "cluster metadata",
        "log directory",
        "offline",
        "not led",
        "not served",
    ),
    ("cluster cut", "no leader", "cluster elsewhere"),
    ("stray", "future", "absent log"),
    ("cut", "deleted segments", "log end"),
    _UNREADABLE,
    ("index", "snapshot", "leader epoch", "timestamp", "time_unit"),
)
_COSTS = {kind: cost for cost, kinds in enumerate(_ORDER) for kind in kinds}
_UNREADABLE_DATA = frozenset({"checksum", "corrupt", "truncated", "unsupported"})
_DAMAGE = frozenset(_UNREADABLE) - {"diverged", "coordinator_load", "gap", "producer_state"}


def by_cost(found: "Iterable[Finding]") -> "list[Finding]":
    """Findings before notes, by descending cost; equal ones stay in the order in which they were found."""

    def cost(each: "Finding") -> tuple[bool, int, int]:
        return each.level != FINDING, _COSTS.get(each.kind, len(_ORDER)), -(each.records or 0)

    return sorted(found, key=cost)


def with_consequences(found: "Iterable[Finding]", nodes: "Iterable[NodeStart]") -> "Iterator[Finding]":
    """Add the consequences of damage in logs that are loaded uncut; faults of small files can only end the start."""
    loaded = {each.path: each for node in nodes if node.starts is not False for each in _partitions(node)}
    ends = {blocker.path for node in nodes for each in node.log_dirs for blocker in each.blockers}
    for each in found:
        if each.path in ends and each.kind not in _COSTS:
            continue  # the blocker reports it, with the advice
        if each.recovery_mends and _is_recovered(each.path, loaded):
            continue  # Kafka rewrites it
        if each.kind == "index" and _is_deleted(each.path, loaded):
            continue  # Kafka deletes it with its segment
        if each.path in ends and each.kind in TAILS:
            yield replace(each, advice="")  # the blocker's advice applies
            continue
        partition = loaded.get(each.path.rpartition("/")[0])
        if each.kind in _UNREADABLE_DATA and each.first_offset is not None and _is_uncut(partition):
            consequence = f"consumers stop at offset {each.first_offset}"
            if each.kind == "checksum" and not each.is_inside:
                consequence += ", and followers cannot copy it"
            yield replace(each, message=f"{each.message}: {consequence}")
        else:
            yield each


def headlines(nodes: "Sequence[NodeStart]", found: "Iterable[Finding]") -> "list[str]":
    """A sentence on each node: whether it starts, what is cut or set aside, and what is damaged but not cut."""
    damaged = {each.path.rpartition("/")[0] for each in found if each.level == FINDING and each.kind in _DAMAGE}
    return [_headline(node, damaged) for node in nodes]


def _headline(node: "NodeStart", damaged: set[str]) -> str:
    name = f"The node on {node.log_dirs[0].path}" if node.node_id is None else f"Node {node.node_id}"
    clauses = _costs(node) if node.starts is not False else []
    hurt = sum(each.path in damaged and (_is_uncut(each) or each.action == "stray") for each in _partitions(node))
    more = f"; {counted_are(hurt, 'log')} damaged" if hurt else ""
    blockers = [blocker for each in node.log_dirs for blocker in each.blockers]
    others = f" (and {len(blockers) - 1} more)" if len(blockers) > 1 else ""
    if node.starts is None:
        if node.fails_after_wait:
            costs = f" Once a controller is up, it does not start: {blockers[0].message.rstrip('.')}{others}{more}."
        elif clauses:
            costs = f" If it starts, {joined(clauses)}{more}."
        else:
            costs = f" {hurt:,} of its logs {are(hurt)} damaged." if hurt else ""
        return f"{name} {node.undecided}.{costs}"
    if not node.starts:
        why = f" Reason: {blockers[0].message.rstrip('.')}{others}." if blockers else ""
        return f"{name} does not start{more}.{why}"
    if clauses:
        return f"{name} starts, but {joined(clauses)}{more}."
    if not node.judges_strays:
        more = f"; whether it sets partitions aside is not known without a metadata log{more}"
    return f"{name} starts{more}."


def _costs(node: "NodeStart") -> list[str]:
    logs = [(each, each.log) for each in _partitions(node) if each.log is not None]
    cut = [log for _, log in logs if log.truncate_from is not None and (log.lost_records or not log.cuts_only_a_tail)]
    deleted = [log for _, log in logs if log.truncate_from is None and log.deleted_segments]
    falls = [log for _, log in logs if log.truncate_from is None and not log.deleted_segments and log.lost_records]
    offline = [each for each in node.log_dirs if each.online is False]
    aside = [each for each in _partitions(node) if each.action == "stray" and each.is_live]
    clauses = []
    if node.without_metadata_log and node.starts:  # otherwise another clause says why it is undecided
        clauses.append(f"it has no metadata log: {node.without_metadata_log}")
    if node.absent_dirs:
        lacks = counted(node.absent_dirs, "log directory", "log directories")
        clauses.append(f"it lacks {lacks} that the metadata log has (in log.dirs, that keeps it from starting)")
    clauses += [f"{each.path} goes offline with {counted(len(each.partitions), 'partition')}" for each in offline]
    for each in node.log_dirs:
        if each.without_leader:
            gets = "may get" if node.was_killed else "gets" if each.without_leader == 1 else "get"
            clauses.append(f"{counted(each.without_leader, 'partition')} in {each.path} {gets} no leader")
    unserved = [each for each in node.log_dirs if each.unserved is not None and each.online]
    clauses += [f"no replica in {each.path} leads or follows" for each in unserved]
    for several, does in (
        (cut, "Kafka cuts {logs} ({records} lost)"),
        (deleted, "Kafka deletes segments of {logs} ({records} lost)"),
        (falls, "Kafka does not see the last {records} of {logs}"),
    ):
        if several:
            lost = sum(log.lost_records for log in several)
            clauses.append(does.format(logs=counted(len(several), "log"), records=counted(lost, "record")))
    if aside:
        it = "" if cut or (node.sets_all_aside and node.starts) else "it "
        clauses.append(f"{it}sets {counted(len(aside), 'partition')} aside")
    absent = sum(1 for _ in absent_logs(node))
    if absent:
        clauses.append(
            f"it begins {counted(absent, 'partition')} anew, whose {'log is' if absent == 1 else 'logs are'} not here"
        )
    return clauses


def _partitions(node: "NodeStart") -> "Iterator[PartitionStart]":
    return (each for log_dir in node.log_dirs for each in log_dir.partitions)


def _is_recovered(path: str, loaded: "Mapping[str, PartitionStart]") -> bool:
    """Whether Kafka recovers the segment that an index belongs to."""
    directory, _, name = path.rpartition("/")
    partition = loaded.get(directory)
    base = name.partition(".")[0]
    return partition is not None and partition.log is not None and base.isdigit() and int(base) in partition.log.walked


def _is_deleted(path: str, loaded: "Mapping[str, PartitionStart]") -> bool:
    """Whether Kafka deletes an index's segment, because the log is cut before it."""
    directory, _, name = path.rpartition("/")
    log = loaded[directory].log if directory in loaded else None
    return log is not None and f"{name.partition('.')[0]}.log" in log.deleted_segments


def _is_uncut(each: "PartitionStart | None") -> bool:
    return each is not None and each.log is not None and each.log.truncate_from is None
