"""`kafkafmt retention PATH...`: which segments Kafka deletes next, when, and what holds the others."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import OUTPUT, Command, RowOptions, TableShape, columns_option, option, output_options
from kafkafmt.cli.delivery import account_for, ending_at_damage, open_disks, report_answer, require_partitions
from kafkafmt.cli.options import (
    damage_option,
    limits_option,
    operation_options,
    partition_options,
    paths_argument,
    show_option,
)

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.operations import Retention

_SUMMARY = ("segments", "sizeInBytes", "deletableBytes", "inADayBytes", "inAWeekBytes", "heldBy", "heldBytes", "reason")
_SHAPES = {
    "segments": TableShape(
        ("topic", "partition", "baseOffset", "sizeInBytes", "decision", "reason"),
        first=("topic", "partition", "baseOffset", "reason", "decision"),
    ),
    "topics": TableShape(("topic", "partitions", *_SUMMARY), first=("topic", "deletableBytes", "heldBytes", "reason")),
    "partitions": TableShape(
        ("topic", "partition", *_SUMMARY), first=("topic", "partition", "deletableBytes", "reason", "heldBytes")
    ),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt retention /var/lib/kafka/data --show topics
  kafkafmt retention /var/lib/kafka/data --topic orders
  kafkafmt retention /var/lib/kafka/data --topic orders --at 2026-12-24 --config retention.ms=3600000
  kafkafmt retention /data/d1 --metadata /data/d0 --show partitions    # the metadata log is elsewhere
  kafkafmt retention /var/lib/kafka/data -o jsonl | jq 'select(.decision == "delete") | .file'
  kafkafmt retention /var/lib/kafka/data --report retention.html
""",
)
@paths_argument
@partition_options()
@operation_options
@damage_option
@limits_option
@show_option("segments", "topics", "partitions", default="segments")
@option(
    "--report",
    type=click.Path(dir_okay=False, readable=False),
    metavar="FILE.html",
    group=OUTPUT,
    help="Write a page instead: bytes that become deletable over time, topics, and what holds most of each.",
)
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    show: str | None,
    report: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.operations.retention
) -> int:
    """Show which segments the next pass of retention deletes, when the others go, and what holds them: retention.ms,
    retention.bytes, the log start offset, the high watermark, an earlier segment, a record with a time to come.

    A pass deletes from the beginning of a log, and ends at the first segment that stays. Configs come from the metadata
    log; what server.properties sets is not on these disks: --config gives it. Each copy of a partition has rows, as
    each broker deletes its own. Nothing is written.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.operations import Retention

    if report is not None and (show is not None or rows.columns is not None or not rows.is_screen):
        raise click.UsageError("--report writes a page: leave out --show, --columns, --output and --out")
    name = show or "segments"
    schema = Retention.schemas()[name]
    rows.check(schema.names)
    disks = open_disks(paths)
    missing = require_partitions(disks, wanted["topics"], wanted["partitions"])
    if report is not None:
        answer = _write_report(disks, paths, report, wanted)
    else:
        with ending_at_damage(disks):
            answer = _judge(disks, wanted)
            copies = [(log.topic, log.partition) for log in answer.logs]
            shape = _SHAPES[name]
            if name != "topics":
                shape = shape.naming_copies("file" if name == "segments" else "path", copies)
            rows.write(answer.to_batches(name), schema, shape, (*paths, *(wanted["metadata"] or ())))
    if rows.is_screen:
        worst = answer.worst_holder()
        if worst is not None:
            log, holder, size = worst
            base_offset = log.facts.base_offsets[holder]
            messages.say(f"note: segment {base_offset} of {log.path} holds back {human.size(size)} of later segments")
            command = log.find_of(holder)
            if command is not None:
                messages.say_command(command)
        now, day, week = map(human.size, answer.deletable_bytes())
        if not answer.logs:
            messages.say("note: there is no log here that retention deletes from")
        else:
            messages.say(f"note: at {human.time(answer.at)} {now} can go, a day later {day}, a week later {week}")
    return account_for(disks, report_answer(answer, disks)) or missing


def _judge(disks: "Disks", wanted: dict[str, Any]) -> "Retention":
    with messages.progress_of_bytes(
        lambda: sum(segment.size for partition in disks.partitions for segment in partition.segments)
    ) as advance:
        return disks.retention(**wanted, progress=advance)


def _write_report(disks: "Disks", paths: tuple[str, ...], report: str, wanted: dict[str, Any]) -> "Retention":
    """Write the page; it appears under its name when it is complete."""
    from kafkafmt.cli.output.destination import open_destination
    from kafkafmt.cli.retention.page import render

    with open_destination(report, "html", paths, option="--report") as destination, ending_at_damage(disks):
        answer = _judge(disks, wanted)
        destination.write(render(answer, paths).encode("utf-8", "backslashreplace"))
    return answer
