"""`kafkafmt schemas PATH...`: the schemas that a registry keeps on these disks, and what each topic is framed with."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, output_options
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import as_of_options, paths_argument, show_option
from kafkafmt.cli.output import TableShape

if TYPE_CHECKING:
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset

_OF_SCHEMAS = TableShape(
    ("subject", "version", "schemaId", "type", "state", "isSuperseded", "schema"),
    optional=("isSuperseded",),
    first=("subject", "version", "schemaId", "schema"),
)
_SHAPES = {
    "schemas": _OF_SCHEMAS,
    "deleted": _OF_SCHEMAS,
    "subjects": TableShape(
        ("subject", "latestVersion", "latestId", "types", "versions", "deletedVersions", "config", "mode"),
        optional=("deletedVersions", "config", "mode"),
        first=("subject", "latestVersion", "latestId"),
    ),
    "topics": TableShape(optional=("unknown",), first=("topic", "part", "framing", "format", "subjects")),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt schemas /var/lib/kafka/data
  kafkafmt schemas /var/lib/kafka/data --show topics
  kafkafmt schemas /var/lib/kafka/data --show deleted -o jsonl
  kafkafmt schemas /var/lib/kafka/data -o jsonl | jq -r 'select(.subject == "orders-value").schema'
""",
)
@paths_argument
@show_option("schemas", "subjects", "deleted", "topics", default="schemas")
@as_of_options
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    show: str | None,
    at_offset: "AtOffset | None",
    at_time: "Time | None",
    rows: RowOptions,
) -> int:
    """List the schemas that a schema registry keeps in the topic _schemas.

    Schemas that were deleted, and texts that were replaced, are found as long as a file still has them. --show topics
    reads all records and tells how the keys and values of each topic name their schemas, and which. The exit status is
    1 if a record of _schemas is not as a registry writes it.
    """
    from kafkafmt.values.framed_topics import FRAMED_TOPICS, SCANNED, framed_topics
    from kafkafmt.values.registry import Schemas, schemas

    name = show or "schemas"
    frame = CommandFrame(paths, rows, FRAMED_TOPICS.schema if name == "topics" else Schemas.schemas()[name])
    with frame.asking() as disks:
        answer = schemas(disks, at_offset=at_offset, at_time=at_time, missing="note" if name == "topics" else "raise")
        if name != "topics":
            frame.write(answer.to_batches(name), _SHAPES[name])
            return frame.end(frame.report(answer))
        scan = disks.scan(on_damage="skip", columns=SCANNED).without_warnings()
        frame.write(FRAMED_TOPICS.to_table(framed_topics(scan, answer)).to_batches(), _SHAPES[name])
    found = (messages.report_notes(scan), messages.report_damage(scan))
    return frame.end(frame.report(answer) or (FINDINGS if any(found) else CLEAN))
