"""`kafkafmt schemas PATH...`: the schemas that a registry keeps on these disks, and those that each topic names."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, target_options
from kafkafmt.cli.frame import RowFrame
from kafkafmt.cli.options import as_of_options, paths_argument, show_option
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import escape
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from kafkafmt.disks import Disks
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset
    from kafkafmt.values.registry import Schemas


class _RecordTypePainter:
    """Shows record types as names with numbers of records, which the other forms have in separate fields."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of the record types."""
        if name != "recordTypes":
            return None
        types = column.to_pylist()
        return [escape(", ".join(f"{each['name']} ({each['records']:,})" for each in of_row)) for of_row in types]

    def paint(self, line: str) -> str:
        """The line unchanged."""
        return line


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
    "topics": TableShape(
        optional=("recordTypes", "unknown"),
        first=("topic", "part", "framing", "format", "recordTypes"),
        painter=_RecordTypePainter(),
    ),
}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt schemas /var/lib/kafka/data
  kafkafmt schemas /var/lib/kafka/data --show topics
  kafkafmt schemas /var/lib/kafka/data --show deleted -o jsonl
  kafkafmt schemas /var/lib/kafka/data -o jsonl | jq -r 'select(.subject == "orders-value").schema'
  kafkafmt schemas /var/lib/kafka/data --out schemas         # files, and imports for registries
  kafkafmt schemas https://registry:8081 --out schemas
""",
)
@paths_argument
@show_option("schemas", "subjects", "deleted", "topics", default="schemas")
@as_of_options
@columns_option
@target_options(required=False)
def command(
    paths: tuple[str, ...],
    show: str | None,
    at_offset: "AtOffset | None",
    at_time: "Time | None",
    target: str | None,
    rows: RowOptions,
) -> int:
    """List the schemas that a schema registry keeps in the topic _schemas.

    Schemas that were deleted, and texts that were replaced, are found as long as a file still has them. --show topics
    reads all records, and shows which schemas the keys and values of each topic name, and how. The exit status is 1
    if a record of _schemas is not as a registry writes it. PATH may also be the URL of a registry
    (https://user:password@host:8081), or a folder of .avsc, .proto and .json files. --out writes all schemas to such a
    folder, with imports for an empty registry, Confluent's or Apicurio's, that keep ids, versions and references.
    """
    from kafkafmt.values.framed_topics import FRAMED_TOPICS, SCANNED, framed_topics
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.schema_sources import is_url, schemas, without_topic
    from kafkafmt.writing.target import check_target, local_path

    name = show or "schemas"
    if target is not None and (name != "schemas" or rows.columns is not None):
        raise click.UsageError("--out writes all schemas: leave out --show and --columns.")
    if target is not None:
        check_target(local_path(target), [each for each in paths if not is_url(each)])
    if any(map(without_topic, paths)):
        if len(paths) > 1 or name == "topics" or (at_offset, at_time) != (None, None):
            raise click.UsageError(
                "the URL of a registry, or a folder of schemas, must be the only PATH: it is read as it is now, and "
                "has no topics."
            )
        rows.check(Schemas.schemas()[name].names)
        answer = schemas(paths[0])
        _give(answer, name, paths, target, rows)
        return FINDINGS if messages.report_answer(answer, _NoScan()) else CLEAN
    schema = FRAMED_TOPICS.schema if name == "topics" else Schemas.schemas()[name]
    frame = RowFrame(paths, rows, schema, topics=None, partitions=None)
    with frame.asking() as disks:
        if name != "topics":
            answer = schemas(disks, at_offset=at_offset, at_time=at_time)
            _give(answer, name, paths, target, rows)
            return frame.end(frame.report(answer))
        answer = _schemas_of_topics(disks, at_offset, at_time)
        scan = disks.scan(on_damage="skip", columns=SCANNED).without_warnings()
        frame.write(FRAMED_TOPICS.to_table(framed_topics(scan, answer)).to_batches(), _SHAPES[name])
    found = (messages.report_notes(scan), messages.report_damage(scan))
    return frame.end(frame.report(answer) or (FINDINGS if any(found) else CLEAN))


def _schemas_of_topics(disks: "Disks", at_offset: "AtOffset | None", at_time: "Time | None") -> "Schemas":
    """The schemas on the disks; if `_schemas` is not in the named paths, those of the log directories around them."""
    from kafkafmt.files.damage import Note
    from kafkafmt.values.registry_log import SCHEMAS_TOPIC
    from kafkafmt.values.registry_topic import NO_SCHEMAS, schemas_beside
    from kafkafmt.values.schema_sources import schemas

    found = NO_SCHEMAS
    if all(each.topic != SCHEMAS_TOPIC for each in disks.partitions):
        found = schemas_beside(disks.partitions, at_offset=at_offset, at_time=at_time)
    if found is NO_SCHEMAS:
        return schemas(disks, at_offset=at_offset, at_time=at_time, missing="note")
    faults = [each for each in (found.unreadable, *found.left_out) if each]
    return replace(found, notes=(*found.notes, *(Note(f"some schemas cannot be read: {each}") for each in faults)))


def _give(answer: "Schemas", name: str, paths: "Sequence[str]", target: str | None, rows: RowOptions) -> None:
    """Write the rows of a table, or all schemas to a folder."""
    if target is None:
        rows.write(answer.to_batches(name), answer.schemas()[name], _SHAPES[name], paths)
        if not answer.all and rows.is_screen:
            messages.say("note: no schema found")
        return
    from kafkafmt.values.apicurio_archive import ARCHIVE
    from kafkafmt.values.schema_export import IMPORT, write_schemas
    from kafkafmt.values.schema_sources import is_url

    written = write_schemas(answer, target, [each for each in paths if not is_url(each)])
    for note in written.notes:
        messages.say(f"note: {note}")
    messages.say(
        f"note: {target} is written: {counted(written.files, 'schema')}, and imports for an empty registry: {IMPORT} "
        f"({counted(written.requests, 'request')}) and {ARCHIVE}"
    )


@dataclass
class _NoScan:
    """A stand-in for a scan in messages about sources that are not logs; files are named by their paths."""

    damage: "list[Damage]" = field(default_factory=list)
    notes: "tuple[Note, ...]" = ()
    skipped_replicas: "list[Partition]" = field(default_factory=list)

    def path_of(self, file: str | None) -> str | None:
        """The same path."""
        return file
