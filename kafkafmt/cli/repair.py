"""`kafkafmt repair PATH... --out DIR`: a sound copy of damaged log directories."""

import os
import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, target_options
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import SEVERAL_PATHS, how_option, limits_option, name_options, paths_argument, show_option
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import quote
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.values import size_of
from kafkafmt.errors import SourceError
from kafkafmt.files.sizes import Sizes
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from kafkafmt.cli.options import Names
    from kafkafmt.disks import Disks
    from kafkafmt.repairing.answer import Repaired

_SHAPES = {
    "partitions": TableShape(
        ("topic", "partition", "keptBatches", "keptRecords", "keptBytes", "droppedBytes", "droppedRanges"),
        first=("topic", "partition", "keptRecords", "droppedBytes"),
    ),
    "dropped": TableShape(first=("file", "position", "length", "reason", "firstOffset", "lastOffset")),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt repair /data/d0 /data/d1 --dry-run              # what would be kept, and what not
  kafkafmt repair /data/d0 /data/d1 --out /new             # all log.dirs of one node: /new/d0 and /new/d1
  kafkafmt repair /data/d0 /data/d1 --from /mnt/broker2 --out /new     # its gaps filled from another replica
  kafkafmt repair /mnt/broker1 /mnt/broker2 --out /new     # two nodes, each with its own folders
  kafkafmt repair /data/d0 --out /new --topic orders
  kafkafmt repair /data/d0 --out /indexes --only indexes
  kafkafmt verify /new/d0 /new/d1                          # clean, starts, nothing lost
""",
)
@paths_argument
@how_option(
    "--from",
    "donors",
    **SEVERAL_PATHS,
    help="Copies that fill gaps and are not written: other replicas, snapshots, tiers. Repeatable.",
)
@name_options("topic")
@how_option("--dry-run", is_flag=True, help="Read everything, show the same rows, and write nothing.")
@how_option(
    "--mend-offsets",
    is_flag=True,
    help="Correct the wrong offset of a batch with a right CRC, if its neighbours leave only one possible offset. "
    "Default: leave the batch out.",
)
@how_option(
    "--only",
    type=click.Choice(["indexes", "snapshots", "checkpoints"]),
    help="Write only these rebuilt files, under their paths in the source, without .log files.",
)
@how_option(
    "--metadata",
    **SEVERAL_PATHS,
    help="Directory with the metadata log, if it is not in a PATH, for lost topic ids. Repeatable.",
)
@how_option(
    "--index-interval-bytes",
    callback=size_of,
    metavar="SIZE",
    default="4096",
    help="Bytes of log between index entries, as index.interval.bytes of the topics.",
)
@how_option(
    "--index-max-bytes",
    callback=size_of,
    metavar="SIZE",
    default="10MiB",
    help="Maximum size of an index, as segment.index.bytes of the topics.",
)
@limits_option
@show_option("partitions", "dropped", default="partitions; on a terminal also what is dropped")
@columns_option
@target_options(required=False)
def command(
    paths: tuple[str, ...],
    target: str | None,
    dry_run: bool,
    show: str | None,
    rows: RowOptions,
    metadata: tuple[str, ...],
    donors: tuple[str, ...],
    **arguments: Any,  # noqa: ANN401 - the arguments of kafkafmt.repair
) -> int:
    """Copy log directories so that a broker starts on the copy without recovering or cutting anything.

    Sound batches are copied byte for byte. Damaged ranges are left out and listed; offsets keep their gaps. Indexes,
    snapshots, leader epochs and checkpoints are rebuilt. Each node keeps its own partitions, in copies of its own
    directories; damaged and missing batches are filled from the other nodes and from --from. The source is not changed.
    The exit status is 1 if a node's copy is damaged, also if another one fills the gap.
    """
    from kafkafmt.repairing.answer import Repaired
    from kafkafmt.startup.verify import size_in_bytes

    rows.check(Repaired.schemas()[show or "partitions"].names)
    if target is None and not dry_run:
        raise click.UsageError("Missing option '--out', or '--dry-run' to see what would be kept.")
    # Topics may only be on the donors: the answer then names missing ones.
    frame = _opened(paths, None if donors else arguments["topics"])
    disks, lent = frame.disks, _opened(donors, None).disks if donors else None
    is_whole = arguments["only"] is None
    if is_whole:
        _say_room(disks, lent, target, arguments["topics"])

    def size_of_all() -> int:
        own = size_in_bytes(disks)
        return own * (1 if dry_run else 2) + (0 if lent is None else size_in_bytes(lent))

    try:
        with progress_of_bytes(size_of_all) as advance:
            answer = disks.repair(
                target,
                donors=lent,
                dry_run=dry_run,
                metadata=metadata or None,
                advance=advance,
                missing="note",
                **arguments,
            )
    except SourceError as error:
        if isinstance(error.__cause__, PermissionError):
            messages.say("nothing is written: run this as Kafka's user, or as root")
        raise
    _write(answer, show, rows, paths)
    status = frame.say_notes(dict.fromkeys((*answer.notes, *disks.link_notes)))
    status = _say_dropped(answer) or status
    if target is not None and not dry_run:
        messages.say(f"note: {target} is written." + (" To check it:" if is_whole else ""))
        if is_whole:
            messages.say_command(f"kafkafmt verify {quote(target)}")
    if answer.advice:
        messages.say(answer.advice)
    return frame.status(status)


def _say_dropped(answer: "Repaired") -> int:
    """Report how much is missing or left out; FINDINGS if anything is, else CLEAN."""
    dropped = [one for each in answer.done for one in each.dropped]
    missing = sum(one.reason == "missing" for one in dropped)
    damaged = len(dropped) - missing
    if missing:
        ranges = counted(missing, "range of offsets", "ranges of offsets")
        messages.say(f"missing: {ranges} between segments (see --show dropped)")
    if damaged:
        size = sum(one.length for one in dropped)
        stretches = counted(damaged, "damaged stretch", "damaged stretches")
        filled = sum(each.filled for each in answer.done)
        of_them = "" if filled == 1 == damaged else "all " if filled == damaged else f"{filled} of them "
        instead = f", {of_them}filled from other copies" if filled else ""
        messages.say(f"left out: {stretches} of {size:,} bytes in all{instead} (see --show dropped)")
    return FINDINGS if dropped else CLEAN


def _say_room(disks: "Disks", lent: "Disks | None", target: str | None, topics: "Names") -> None:
    """Report how much space the copy needs, and how much is free at its target; nothing if there is nothing to copy."""
    try:
        needed = human.size(room := _room(disks, lent, topics))
    except SourceError:
        return  # the repair reports the error
    where = os.path.dirname(os.path.abspath(target or "."))
    try:
        free = None if target is None else shutil.disk_usage(where).free
    except OSError:
        free = None  # the target cannot be created either, which the repair reports
    if free is None:
        messages.say(f"note: the copy takes about {needed}")
    elif free < room:
        only = f"only {human.size(free)} are free at {where}"
        messages.say(
            f"note: the copy takes about {needed}, and {only}: if it does not fit, the partial copy is removed"
        )
    else:
        messages.say(f"note: the copy takes about {needed}; {human.size(free)} are free at {where}")


def _room(disks: "Disks", lent: "Disks | None", topics: "Names") -> int:
    """Size of the files of all wanted copies, and of partitions that only donors have, in bytes.

    Raises:
        SourceError: the path does not exist, or a directory cannot be listed.
    """
    from kafkafmt.topics.answers import name_filter

    takes = name_filter(topics, "topics")
    sizes: dict[tuple[str | None, int | None], int] = {}
    for each in disks.partitions if lent is None else (*lent.partitions, *disks.partitions):
        if each.topic is None or takes(each.topic) or each.topic == CLUSTER_METADATA:
            sizes[each.topic, each.partition] = Sizes.of(each.listing).content
    own = [(each.topic, each.partition) for each in disks.partitions]
    several = sum(sizes[name] * (count - 1) for name, count in Counter(own).items() if name in sizes)
    return sum(sizes.values()) + several


def _opened(paths: tuple[str, ...], topics: "Names") -> CommandFrame:
    """Open paths, which must all exist, as the records of a missing one would be lost.

    Raises:
        SourceError: a path cannot be read.
    """
    frame = CommandFrame(paths, topics=topics, partitions=None)
    if len(list(frame.disks)) < len(paths):
        raise frame.disks.unreadable[0]
    return frame


def _write(answer: "Repaired", show: str | None, rows: RowOptions, paths: tuple[str, ...]) -> None:
    """Write the rows; on a screen those of dropped ranges, too."""
    names = [show or "partitions"]
    if rows.is_screen and show is None and rows.columns is None and any(each.dropped for each in answer.done):
        names.append("dropped")
    for number, name in enumerate(names):
        if number:
            click.echo()
        shape = _SHAPES[name]
        if name == "partitions":
            shape = shape.naming_copies("logDir", [(each.topic, each.partition) for each in answer.done])
        rows.write(answer.to_batches(name), answer.schemas()[name], shape, paths)
