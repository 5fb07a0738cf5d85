"""`kafkafmt extract PATH... --out DIR`: some records as a small log directory."""

import functools
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import Command, RowOptions, columns_option, option, target_options
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import key_option, paths_argument, reading_options, selection_options
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import quote
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.disks import Disks

_redaction_option = functools.partial(option, group="Redaction")
_NONE = "none"


def _parts(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Parse the parts of records to replace, from all uses of the option.

    Raises:
        click.BadParameter: a part does not exist.
    """
    from kafkafmt.repairing.redaction import parsed

    parts = tuple(part.strip() for text in texts for part in text.split(","))
    if set(parts) <= {_NONE}:
        return ()
    try:
        parsed(parts)
    except ValueError as error:
        raise click.BadParameter(f"{error}; or {_NONE}.") from error
    return parts


def _size(disks: "Disks", arguments: "Mapping[str, Any]") -> int:
    """Size of the log files that are read, in bytes; internal topics are included only if they are named."""
    wanted = {name: value for name, value in arguments.items() if name not in ("redact", "salt")}
    if wanted["topics"] is None:
        wanted["topics"] = {each.topic for each in disks.partitions if each.topic is not None} - INTERNAL_TOPICS
    return disks.scan(**wanted).size_in_bytes()


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt extract /var/lib/kafka/data --topic orders --partition 0 --start-offset 4700 --end-offset 4720 --out bug
  kafkafmt extract /var/lib/kafka/data --topic orders --key customer-17 --out bug
  kafkafmt extract /var/lib/kafka/data --topic orders --redact keys,values,headers --out bug
  kafkafmt extract /var/lib/kafka/data --topic orders --redact value:customer.email,value:iban,key --out bug
  kafkafmt cat bug                                   # what the extract has
""",
)
@paths_argument
@selection_options(control_records=None)
@key_option
@reading_options("raise")
@_redaction_option(
    "--redact",
    multiple=True,
    callback=_parts,
    metavar="PART,..",
    help="Replace keys, values or headers (their values) with other bytes of the same length; equal ones stay equal. "
    "Or only fields of JSON, Avro or Protobuf: value:customer.email, key:id. Repeatable. Default: none.",
)
@_redaction_option(
    "--salt", metavar="TEXT", help="Runs with the same TEXT make the same replacements. Default: random."
)
@columns_option
@target_options(required=True)
def command(
    paths: tuple[str, ...],
    target: str,
    rows: RowOptions,
    **arguments: Any,  # noqa: ANN401 - the arguments of kafkafmt.extract
) -> int:
    """Write some records as a small log directory for a bug report.

    A batch is copied byte for byte if all its records are wanted; otherwise the wanted records are encoded again, with
    their offsets, timestamps, producer fields and compression. Control records are included. Internal topics are left
    out unless --topic names them.
    """
    from kafkafmt.writing.log_dir import WRITTEN_PARTITIONS

    rows.check(WRITTEN_PARTITIONS.schema.names)
    frame = CommandFrame(paths, topics=arguments["topics"], partitions=arguments["partitions"])
    with frame.asking() as disks, progress_of_bytes(lambda: _size(disks, arguments)) as advance:
        try:
            written = disks.extract(target, advance=advance, **arguments)
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
    rows.write(written.partitions.to_batches(), written.partitions.schema, TableShape(), paths)
    status = frame.say_notes(written.notes)
    messages.say(f"note: {target} is written. To read it:")
    messages.say_command(f"kafkafmt cat {quote(target)}")
    return frame.end(status)
