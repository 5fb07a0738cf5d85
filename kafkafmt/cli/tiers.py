"""`kafkafmt tiers PATH...`: the content of remote storage, compared with the cluster's metadata."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import Command, RowOptions, columns_option, output_options
from kafkafmt.cli.frame import RowFrame
from kafkafmt.cli.options import partition_options, paths_argument, show_option, which_option
from kafkafmt.cli.output import TableShape

if TYPE_CHECKING:
    from kafkafmt.cli.options import Names

_SHAPES = {
    "segments": TableShape(
        ("topic", "partition", "baseOffset", "endOffset", "sizeInBytes", "storedBytes", "state", "segmentId"),
        first=("topic", "partition", "baseOffset", "endOffset", "state", "segmentId"),
    ),
    "totals": TableShape(),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt tiers s3://bucket/tier --metadata /var/lib/kafka/data
  kafkafmt tiers s3://bucket/tier --metadata broker-1 --metadata broker-2 --show totals
  kafkafmt tiers /mnt/tier --metadata /var/lib/kafka/data --state missing
  kafkafmt tiers /mnt/tier --metadata /var/lib/kafka/data --state orphan -o jsonl | jq -r '.objects[]'
""",
)
@paths_argument
@which_option(
    "--metadata",
    multiple=True,
    type=click.Path(readable=False),
    metavar="LOG_DIR",
    help="A log directory with __remote_log_metadata and the partitions' leader epochs. Repeatable.",
)
@partition_options()
@which_option(
    "--state",
    "states",
    multiple=True,
    metavar="STATE",
    help="Only uploads in this state: complete, incomplete upload, missing, overlapped, expired, deleted, orphan. "
    "Repeatable.",
)
@show_option("segments", "totals", default="segments")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    metadata: tuple[str, ...],
    topics: "Names",
    partitions: tuple[int, ...] | None,
    states: tuple[str, ...],
    show: str | None,
    rows: RowOptions,
) -> int:
    """List every upload of a segment that remote storage (KIP-405) or __remote_log_metadata knows, and its state.

    Objects are listed but not read, so no keys are needed. endOffset and sizeInBytes come from the metadata. The exit
    status is 1 if objects that consumers would read are missing.
    """
    from kafkafmt.tiering import STATES, TieredSegments, tiers

    unknown = [each for each in states if each not in STATES]
    if unknown:
        raise click.BadParameter(f"no state {unknown[0]!r}. There are: {', '.join(STATES)}.", param_hint="'--state'")
    name = show or "segments"
    schema = TieredSegments.schemas()[name]
    # The metadata may know topics that are not in the tier, so the answer names missing ones.
    frame = RowFrame(paths, rows, schema, topics=None, partitions=None, sources=metadata)
    answer = tiers(frame.disks, metadata=metadata or None, topics=topics, partitions=partitions, states=states or None)
    frame.write(answer.to_batches(name), _SHAPES[name])
    counts = [f"{count:,} {state or 'without a state'}" for state, count, *_ in answer.rows("totals")]
    if counts and rows.is_screen and name == "segments":
        messages.say(f"note: {human.join(counts)}; a clean-up would free {human.size(answer.freed_bytes)}")
    return frame.end(frame.report(answer))
