"""`kafkafmt compaction PATH...`: the records of each log that the log cleaner would remove, or why it does not."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import Command, RowOptions, columns_option, output_option, target_options
from kafkafmt.cli.frame import RowFrame
from kafkafmt.cli.options import (
    damage_option,
    limits_option,
    operation_options,
    partition_options,
    paths_argument,
    show_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import quote
from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.uri import shown
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.operations import Compaction


class _RatioPainter:
    """Shows ratios with four digits; the other forms have the number."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of a ratio."""
        if name != "dirtyRatio":
            return None
        return ["null" if ratio is None else str(round(ratio, 4)) for ratio in column.to_pylist()]

    def paint(self, line: str) -> str:
        """The line unchanged."""
        return line


_SHAPES = {
    "partitions": TableShape(
        (
            "topic",
            "partition",
            "firstDirtyOffset",
            "firstUncleanableOffset",
            "uncleanableReason",
            "dirtyBytes",
            "dirtyRatio",
            "wouldClean",
            "removableRecords",
            "removableBytes",
            "reason",
        ),
        first=("topic", "partition", "wouldClean", "uncleanableReason", "reason", "removableBytes"),
        painter=_RatioPainter(),
    ),
    "keys": TableShape(first=("topic", "partition", "key", "records", "storedBytes")),
}


_MOST_HELD = 3


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt compaction /var/lib/kafka/data --topic users
  kafkafmt compaction /var/lib/kafka/data --topic users -o jsonl | jq -r .uncleanableDetail
  kafkafmt compaction /var/lib/kafka/data --topic users --show keys --top 10
  kafkafmt compaction /var/lib/kafka/data --config min.cleanable.dirty.ratio=0.1 --at 2026-12-24
  kafkafmt compaction /data/d1 --metadata /data/d0             # the metadata log is elsewhere
  kafkafmt compaction /var/lib/kafka/data --topic users --out /tmp/cleaned
""",
)
@paths_argument
@partition_options()
@operation_options
@damage_option("skip; raise with --out")
@limits_option
@show_option("partitions", "keys", default="partitions")
@output_option(
    "--top",
    "top_keys",
    type=click.IntRange(min=0),
    default=20,
    metavar="N",
    help="Number of keys that --show keys lists, largest first.",
)
@columns_option
@target_options(required=False)
def command(
    paths: tuple[str, ...],
    show: str | None,
    target: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.operations.compaction
) -> int:
    """Show Kafka's log cleaner for each log: the first dirty offset, the limit of cleaning (the active segment, the
    high watermark, an open transaction, min.compaction.lag.ms), whether the log would be picked, and what one pass
    removes.

    Configs come from the metadata log; give those of server.properties, which is not on these disks, with --config.
    Each copy of a partition has a row, as each broker has its own cleaner. The source is not changed. With --out, DIR
    is the log directory as one pass over each log leaves it, picked or not.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.operations import Compaction

    name = show or "partitions"
    metadata: tuple[str, ...] = tuple(wanted["metadata"] or ())
    schema = Compaction.schemas()[name]
    frame = RowFrame(paths, rows, schema, topics=wanted["topics"], partitions=wanted["partitions"], sources=metadata)
    if wanted["topics"] and not metadata:  # the copy does not have the metadata log
        metadata = tuple(each.path for each in frame.disks.log_dirs if _has_metadata_log(each))[:1]
    with frame.asking() as disks:
        with frame.progress(passes=2) as advance:  # dirty segments are read twice
            answer = disks.compaction(**wanted, out=target, progress=advance)
        copies = [(each.partition.topic, each.partition.partition) for each in answer.partitions]
        shape = _SHAPES[name] if name == "keys" else _SHAPES[name].naming_copies("path", copies)
        try:
            frame.write(answer.to_batches(name), shape, names_if_empty=name == "keys")
        except KafkafmtError:
            # The keys, including those of active segments, are only read now.
            _say_written(target, metadata)
            raise
    if rows.is_screen:
        _say_sums(answer, paths)
    status = frame.report(answer)
    _say_written(target, metadata)
    return frame.end(status)


def _has_metadata_log(log_dir: "LogDir") -> bool:
    return any(each.topic == CLUSTER_METADATA for each in log_dir.partitions)


def _say_written(target: str | None, metadata: tuple[str, ...]) -> None:
    if target is not None:
        messages.say(f"note: {target} is written. To check it:")
        options = "".join(f" --metadata {quote(each)}" for each in metadata)
        messages.say_command(f"kafkafmt verify {quote(target)}{options}")


def _say_sums(answer: "Compaction", paths: tuple[str, ...]) -> None:
    """Report which bytes are held, where to look for the reason, and how many would be removed."""
    if not answer.partitions:
        messages.say("note: no log here is subject to compaction")
        return
    compacted = [each for each in answer.partitions if each.is_compacted]
    if not compacted:
        messages.say(
            "note: no log has compact in its cleanup.policy: --config cleanup.policy=compact shows what "
            "compaction would do"
        )
        return
    held = [each for each in compacted if each.cleanable.reason != "active segment"]
    for each in held[:_MOST_HELD]:
        messages.say(f"note: {each.partition.name}: {each.cleanable.detail}")
    if len(held) > _MOST_HELD:
        messages.say(f"note: {len(held) - _MOST_HELD:,} more logs are held: see --columns uncleanableDetail")
    if any(each.cleanable.reason == "open transaction" for each in held):
        messages.say_command(f"kafkafmt transactions {' '.join(quote(shown(path)) for path in paths)} --open")
    picked = sum(each.would_clean for each in compacted)
    records, size = answer.removable
    changes = f"removes {counted(records, 'record')}, {human.size(size)}"
    if size < 0:
        changes = f"removes {counted(records, 'record')}, and adds {human.size(-size)} for delete horizons"
    logs = counted(len(compacted), "compacted log")
    messages.say(f"note: {picked:,} of {logs} would be picked at {human.time(answer.at)}; a pass over each {changes}")
