"""`kafkafmt verify PATH...`: whether the disks are whole, and whether a broker would start on them."""

import functools
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, option, output_options
from kafkafmt.cli.frame import CommandFrame, RowFrame
from kafkafmt.cli.options import SEVERAL_PATHS, how_option, limits_option, paths_argument, report_option, show_option
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import escape
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.values import some_of
from kafkafmt.files.names import parse_partition_name
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kafkafmt.cli.report.gathering import Gathering
    from kafkafmt.disks import Disks
    from kafkafmt.startup.cluster import ClusterStart
    from kafkafmt.startup.cluster_partition import ClusterPartition
    from kafkafmt.startup.lost_by_groups import GroupLoss
    from kafkafmt.startup.outcome import LogDirStart
    from kafkafmt.startup.verification import Verification
    from kafkafmt.startup.verify import Observer
    from kafkafmt.survey import LogDirSurvey, PartitionSurvey

_node_option = functools.partial(option, group="The node")
_MOST_PARTITIONS = 10
_SHAPES = {
    "findings": TableShape(first=("path", "message", "level", "position")),
    "verdict": TableShape(first=("logDir", "starts", "online", "blockers", "truncated", "lostRecords")),
    "partitions": TableShape(
        ("topic", "partition", "action", "reason", "logStartOffset", "logEndOffset", "truncateFrom", "lostRecords"),
        first=("topic", "partition", "action", "logEndOffset", "truncateFrom", "lostRecords"),
    ),
    "files": TableShape(first=("path", "kind", "sizeInBytes", "state", "findings")),
    "cluster": TableShape(first=("topic", "partition", "leader", "leaderLogEndOffset", "lostRecords", "elsewhere")),
    "groups": TableShape(first=("group", "topic", "partition", "offset", "logEndOffset", "unreadLost", "isOutOfRange")),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt verify /data/d0 /data/d1                    # all log.dirs of one node
  kafkafmt verify /data/d0 /data/d1 --show partitions
  kafkafmt verify /data/d1 --metadata /data/d0         # the metadata log is elsewhere
  kafkafmt verify /data/d0 --level records -o jsonl
  kafkafmt verify /copies/node1 /copies/node2 --show cluster   # what all nodes do together
  kafkafmt verify /data/d0 /data/d1 --report page.html # to share
""",
)
@paths_argument
@how_option(
    "--level",
    type=click.Choice(["headers", "checksums", "records"]),
    default="checksums",
    help="How much is read: the header of each batch; everything, with CRCs; every record, decompressed.",
)
@limits_option
@_node_option("--cluster-id", metavar="ID", help="Cluster id that the node expects. Default: meta.properties.")
@_node_option("--node-id", type=int, metavar="N", help="node.id of the node. Default: that of meta.properties.")
@_node_option(
    "--copies",
    metavar="DIR",
    multiple=True,
    type=click.Path(readable=False),
    help="Directory above log directories that are copies of others, to be judged separately. Repeatable.",
)
@_node_option(
    "--metadata",
    callback=some_of,
    **SEVERAL_PATHS,
    help="Directory with the metadata log, if it is not in a PATH: strays are judged by it. Repeatable.",
)
@show_option(
    "findings", "verdict", "partitions", "files", "cluster", "groups", default="verdict and findings, in words"
)
@columns_option
@report_option("Write a page instead, as ls --report does, with verdict and findings first.")
@output_options
def command(
    paths: tuple[str, ...],
    show: str | None,
    report: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.verify
) -> int:
    """Check whether log directories are intact, and whether a broker would start on them.

    Name all log.dirs of a node. Every fact that one file states about another is checked. The verdict predicts a start
    of Kafka 4.x (KRaft): which logs it recovers, where it cuts them, which segments it deletes, which partitions are
    strays, and what keeps the node from starting. Nothing is written. The exit status is 1 if there is a finding.
    """
    from kafkafmt.startup.verification import Verification

    if report is not None and (show is not None or rows.columns is not None or not rows.is_screen):
        raise click.UsageError("--report writes a page, not rows: leave out --show, --columns, --output and --out")
    frame: CommandFrame
    if report is not None:
        frame = CommandFrame(paths, topics=None, partitions=None)
        answer = _write_page(frame.disks, paths, report, wanted)
    elif rows.is_screen and show is None and rows.columns is None:
        frame = CommandFrame(paths, topics=None, partitions=None)  # words need no schema, and no Arrow
        answer = _verified(frame.disks, None, wanted)
        _say_all(answer)
    else:
        name = show or "findings"
        frame = of_rows = RowFrame(paths, rows, Verification.schemas()[name], topics=None, partitions=None)
        answer = _verified(frame.disks, None, wanted)
        count = of_rows.write(answer.to_batches(name), _SHAPES[name])
        if name == "cluster" and not count:
            messages.say(f"note: {_not_together(answer)}")
    frame.say_notes(answer.notes)
    return frame.end(FINDINGS if answer.has_findings else CLEAN)


def _verified(disks: "Disks", sink: "Observer | None", wanted: "Mapping[str, Any]") -> "Verification":
    """Verify disks, and show the progress."""
    from kafkafmt.startup.verify import size_in_bytes, verify

    with progress_of_bytes(lambda: size_in_bytes(disks)) as advance:
        return verify(disks, observer=_Observer(advance, sink), **wanted)


def _write_page(disks: "Disks", paths: tuple[str, ...], report: str, wanted: "Mapping[str, Any]") -> "Verification":
    """Write the page of --report."""
    from kafkafmt.cli.ls.request import ListingRequest
    from kafkafmt.cli.report.page import write_report

    def gather(gathering: "Gathering") -> "Verification":
        answer = _verified(disks, gathering, wanted)
        gathering.verified(answer, [*_verdict(answer), *_together(answer.clusters), *_of_groups(answer.group_losses)])
        return answer

    request = ListingRequest(paths, depth=wanted["level"], metadata=wanted["metadata"] or (), report=report)
    return write_report(request, gather)


class _Observer:
    """Counts the bytes of the survey, and passes the survey on."""

    def __init__(self, advance: "Callable[[int], None]", sink: "Observer | None") -> None:
        self._advance = advance
        self._sink = sink
        self._of_parts = 0

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Take a log directory."""
        if self._sink is not None:
            self._sink.log_dir(found)

    def part(self, _share: float, size: int, /) -> None:
        """Count bytes of a partition that is still being read."""
        self._advance(size)
        self._of_parts += size

    def partition(self, found: "PartitionSurvey") -> None:
        """Take a partition."""
        self._advance(found.facts.size - self._of_parts)
        self._of_parts = 0
        if self._sink is not None:
            self._sink.partition(found)


def _say_all(answer: "Verification") -> None:
    """Write the verdict and the findings for people; if they exceed the screen, the verdict is repeated at the end."""
    from kafkafmt.cli.ls.listing import Remarks
    from kafkafmt.cli.output.aligned import terminal_width, wrapped

    width = terminal_width()
    lines = 0

    def write(line: str) -> None:
        nonlocal lines
        lines += 1
        click.echo(line)

    def say(line: str) -> None:
        for part in wrapped(line, width, len(line) - len(line.lstrip())):
            write(part)

    together, groups = list(_together(answer.clusters)), list(_of_groups(answer.group_losses))
    for line in (*_verdict(answer), *together, *groups):
        say(line)
    remarks = Remarks(width, write)
    for log_dir in answer.log_dirs:
        remarks.log_dir(log_dir.path)
    remarks.add(answer.found, ())
    remarks.write()
    if not answer.found:
        write("\nNo findings." if answer.log_dirs else "No findings.")
    if answer.nodes and lines >= shutil.get_terminal_size().lines:
        write("")
        for line in (*groups, *map(escape, answer.headlines), *together):  # the verdict has scrolled off the screen
            if not line.startswith(" "):
                say(line)


def _verdict(answer: "Verification") -> Iterator[str]:
    """A line for each node, and for each of its log directories."""
    for node, headline in zip(answer.nodes, answer.headlines, strict=True):
        yield escape(headline)
        for each in node.log_dirs:
            yield f"  {escape(each.path)}: {_of_directory(each)}"


def _of_directory(each: "LogDirStart") -> str:
    logs = [one.log for one in each.partitions if one.log is not None]
    live = [one for one in each.partitions if parse_partition_name(one.name).state == "live"]
    recovered = [one for one in live if one.action == "recover"]
    counts = {
        "recovered": len(recovered),
        "cut": sum(log.truncate_from is not None for log in logs),
        "stray": sum(one.action == "stray" for one in live),
        "not judged": sum(one.action is None for one in live),
    }
    parts = [counted(len(live), "partition")]
    if aside := len(each.partitions) - len(live):
        parts.append(f"{counted(aside, 'directory', 'directories')} set aside")
    if each.starts is False:
        return ", ".join(parts)
    if each.clean_shutdown and len(recovered) == 1 and recovered[0].is_metadata_log:
        del counts["recovered"]
        parts.append("metadata log recovered (as at every start)")
    parts += [f"{count:,} {name}" for name, count in counts.items() if count]
    lost = sum(log.lost_records for log in logs)
    if lost:
        parts.append(f"{counted(lost, 'record')} lost")
    if not each.online:
        parts.insert(0, "goes offline")
    if each.without_leader:
        parts.append(f"no leader for {each.without_leader:,} of them")
    if each.unserved is not None and each.online:
        parts.append("none of them leads or follows")
    if not each.clean_shutdown:
        parts.append("no clean shutdown")
    return ", ".join(parts)


def _together(clusters: "Iterable[ClusterStart]") -> Iterator[str]:
    """The joint start of each cluster's nodes in a few lines, with the partitions that lose most first."""
    for cluster in clusters:
        partitions = [one.worst[0] for one in cluster.partitions]
        lost, elsewhere = sum(one.lost for one in partitions), sum(one.elsewhere for one in partitions)
        whole = f"All nodes together, {counted(len(partitions), 'partition')}"
        depend = sum(bool(one.undecided) for one in cluster.partitions)
        if depend:
            whole += f", {depend:,} of which depend on how the start goes; at worst"
        if not elsewhere:
            yield f"{whole}: every sound record is served."
            continue
        parts = [f"{counted(lost, 'sound record')} lost"] if lost else []
        parts += [f"{elsewhere - lost:,} sound records on a disk and not served"] if elsewhere > lost else []
        yield f"{whole}: {', '.join(parts)}."
        worst = sorted(
            (one.worst for one in cluster.partitions if one.worst[0].elsewhere),
            key=lambda one: (-one[0].lost, -one[0].elsewhere),
        )
        for each, condition in worst[:_MOST_PARTITIONS]:
            what = ", ".join([*filter(None, [condition]), _of_partition(each)])
            yield f"  {escape(each.topic)}-{each.partition}: {what}"
        if len(worst) > _MOST_PARTITIONS:
            yield f"  and {len(worst) - _MOST_PARTITIONS} more: --show cluster"


def _not_together(answer: "Verification") -> str:
    """The reason why there are no rows of a joint start."""
    if len(answer.nodes) > 1:
        return "no rows of --show cluster: no metadata log among the paths says which partitions the nodes share"
    nodes = counted(len(answer.nodes), "node")
    return f"no rows of --show cluster: the paths have {nodes}, and it shows how several nodes start together"


def _of_groups(losses: "Sequence[GroupLoss]") -> Iterator[str]:
    """The losses of consumer groups, in one line."""
    unread = sum(each.unread_lost for each in losses)
    beyond = len({each.group for each in losses if each.is_out_of_range})
    losing = len({each.group for each in losses if each.unread_lost})
    parts = []
    if losing:
        parts.append(f"up to {counted(unread, 'unread record')} lost by {counted(losing, 'group')}")
    if beyond:
        have = "has committed an offset" if beyond == 1 else "have committed offsets"
        parts.append(f"{counted(beyond, 'group')} {have} beyond the log end, and auto.offset.reset decides")
    if parts:
        yield f"Consumer groups: {'; '.join(parts)} (--show groups)."


def _of_partition(each: "ClusterPartition") -> str:
    parts = ["no node leads" if each.leader is None else f"node {each.leader} leads to {each.log_end_offset}"]
    parts += [
        f"node {one.node} cuts its log from {one.log_end_offset} to {one.truncate_to}"
        for one in each.followers
        if one.truncate_to is not None and one.log_end_offset
    ]
    if each.lost:
        parts.append(f"{each.lost:,} lost")
    if each.elsewhere > each.lost:
        parts.append(f"{each.elsewhere - each.lost:,} not served")
    return ", ".join(parts)
