"""The results of a start as findings on log directories and partitions, and Kafka's usual actions as notes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from kafkafmt.files.names import parse_partition_name
from kafkafmt.findings import FINDING, NOTE, Finding
from kafkafmt.phrases import counted, listed
from kafkafmt.startup.node_logs import EMPTY_CLUSTER
from kafkafmt.startup.node_start import NodeStart
from kafkafmt.startup.outcome import LogDirStart, PartitionStart
from kafkafmt.survey.advice import LOG_END

_RESTORE_ID = "restore meta.properties with the directory.id that the metadata log has for this node"
_START_TWICE = "start the node twice: at the first start the controller learns where they are, but elects no leader"
_UNLESS_IN_TIME = (
    ", unless the broker, which was killed, loads its logs before its session ends (broker.session.timeout.ms): then "
    "it reports this directory with its old registration"
)
_FORMATTED_ANEW = (
    "it was reformatted: its partitions begin with empty logs, and are filled from the replicas that lead; "
    "where this node led last, the empty logs lead, and the other replicas cut their logs to 0"
)
_SET_ASIDE = "Kafka renames it -stray, and does not serve it"
_ANEW_LATER = (
    "once the node has the cluster's metadata log again, it makes a new, empty log here, which may lead meanwhile: "
    "give the directory its name back before that"
)
_ASIDE_AND_ANEW = (
    f"{_SET_ASIDE}; it makes a new, empty log here: if this node led last, the empty log leads, and the other replicas "
    "cut their logs to 0"
)


def start_findings(log_dir: LogDirStart, node: NodeStart | None) -> Iterator[Finding]:
    """The findings on a log directory from the start of its node."""
    for blocker in log_dir.blockers:
        kind = "does not start" if log_dir.starts is False or blocker.ends_start else "offline"
        what = "the log directory goes offline" if kind == "offline" else "the node does not start"
        yield Finding(FINDING, kind, blocker.path, f"{what}: {blocker.message}", blocker.advice, blocker.position)
    if log_dir.led is False:
        unknown = "the metadata log does not know this directory id"
        if log_dir.is_empty:
            yield Finding(NOTE, "not led", log_dir.path, f"{unknown}: {_FORMATTED_ANEW}", "")
        else:
            count = log_dir.without_leader
            knows = "the metadata log" if log_dir.is_registered else f"{unknown}, and"
            elsewhere = f"{knows} has {counted(count, 'partition')} of it in a log directory that is not here"
            no_leader = "it gets no leader" if count == 1 else "they get no leader"
            in_time = _UNLESS_IN_TIME if node is not None and node.was_killed else ""
            advice = _START_TWICE if log_dir.is_registered else f"{_RESTORE_ID}; or {_START_TWICE}"
            yield Finding(FINDING, "not led", log_dir.path, f"{elsewhere}: {no_leader}{in_time}", advice)
    if log_dir.unserved is not None and log_dir.online:
        why = log_dir.unserved
        message = (
            "the log directory is online, and none of its replicas leads or follows; the broker takes up the "
            "partitions that it leads in one step, which ends at the first of them: others may not be served, either: "
            f"{why.message}"
        )
        yield Finding(FINDING, "not served", why.path, message, why.advice, why.position)
    for each in log_dir.partitions:
        yield from _consequences_of(each, node)


def _consequences_of(each: PartitionStart, node: NodeStart | None) -> Iterator[Finding]:
    def finding(level: Literal["finding", "note"], kind: str, message: str, advice: str, **more: Any) -> Finding:  # noqa: ANN401
        return Finding(level, kind, each.path, message, advice, topic=each.topic, partition=each.partition, **more)

    stray_cut = each.stray_log.lost_records if each.stray_log is not None else 0
    cut = f"; the start cuts {counted(stray_cut, 'record')} from it" if stray_cut else ""
    if each.action == "stray" and parse_partition_name(each.name).state == "stray":
        message = f"already set aside as -stray; Kafka does not serve it, and never deletes it{cut}"
        yield finding(NOTE, "stray", message, "delete it if nothing in it is needed")
    elif each.action == "stray":
        message, advice = f"a stray: {each.reason}{cut}", _ASIDE_AND_ANEW if each.is_made_anew else _SET_ASIDE
        if each.assigned_to:
            owner = " or ".join(f"node {number}" for number in each.assigned_to)
            advice += (
                f"; if {owner} has lost it, move it to a log.dir there before it starts, while both nodes are stopped: "
                "else it makes a new, empty log, which may lead meanwhile"
            )
        elif each.reason == EMPTY_CLUSTER and node is not None:
            advice += "" if node.is_of_zookeeper else f"; {_ANEW_LATER}"
            if node.starts is None:
                message = "a stray if the node, which has no metadata log, starts as a new, empty cluster"
        yield finding(FINDING, "stray", message, advice)
    elif each.action == "delete" and not each.is_live:
        yield finding(NOTE, "delete", "set aside for deletion", "Kafka deletes it after log.segment.delete.delay.ms")
    log = each.log
    if log is None:
        return
    for path, bases in log.splits:
        message = f"Kafka splits this segment into {len(bases)}: {listed([str(base) for base in bases])}"
        yield replace(finding(NOTE, "split", message, ""), path=path)
    lost: dict[str, Any] = {"records": log.lost_records, "first_offset": log.first_lost_offset}
    if log.first_lost_offset is not None and each.end_on_disk is not None:
        lost["last_offset"] = max(log.first_lost_offset, each.end_on_disk - 1)
    if log.truncate_from is not None:
        advice = "repair a copy first, or let a replica lead that has these offsets: what Kafka cuts is gone"
        deleted = f", and deletes {counted(len(log.deleted_segments), 'later segment')}" if log.deleted_segments else ""
        message = f"Kafka cuts the log at offset {log.truncate_from}{deleted} ({log.lost_bytes} bytes): {log.reason}"
        if log.log_end_offset == log.log_start_offset:
            message += ": so Kafka empties the log"
        level: Literal["finding", "note"] = NOTE if log.cuts_only_a_tail and not log.lost_records else FINDING
        yield finding(level, "cut", message, "" if level == NOTE else advice, **lost)
    elif log.deleted_segments:
        names = ", ".join(log.deleted_segments[:3]) + (", ..." if len(log.deleted_segments) > 3 else "")
        message = f"Kafka deletes {counted(len(log.deleted_segments), 'segment')} ({names})"
        why = log.reason or "a .swap file replaces them"
        yield finding(FINDING, "deleted segments", f"{message}: {why}", "copy them before the start", **lost)
    elif each.end_on_disk is not None and log.log_end_offset < each.end_on_disk:
        message = f"the log end falls from {each.end_on_disk} to {log.log_end_offset}, and no byte is cut"
        if log.last_indexed >= log.log_end_offset:
            # Kafka raises InvalidOffsetException in `OffsetIndex.append`
            message += (
                f"; its index extends to {log.last_indexed}: once an entry is due, Kafka refuses records below that"
            )
        yield finding(FINDING, "log end", message, LOG_END, **lost)
