"""`kafkafmt inspect FILE`: the bytes of one entry field by field, as formats/ names them; text files line by line."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, option, output_options
from kafkafmt.cli.options import key_file_option, keys_of_command, limits_option
from kafkafmt.errors import SourceError
from kafkafmt.files.kinds import KINDS, kind_by_extension, kind_of
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits

_WHICH = "Which entry"
_SHOWN = "What is shown"
_DEFAULT_RECORDS = 3
_LOCK = ".lock"
# Snapshots of the metadata log have the spec of logs.
_AS = {kind.spec or kind.ending.lstrip("-"): kind for kind in KINDS.values() if kind.id != "checkpoint"}


class _Count(click.ParamType):  # type: ignore[type-arg] # generic from click 8.3 on
    """A number, or all."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read what the user wrote."""
        if value == "all" or (isinstance(value, int) and not isinstance(value, bool)):
            return value  # type: ignore[no-any-return]
        if not str(value).isdecimal():
            self.fail(f"{value!r} is neither a number nor 'all'.", param, ctx)
        try:
            return int(value)
        except ValueError:  # Python reads no number of thousands of digits
            return "all"


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt inspect 00000000000000000000.log
  kafkafmt inspect 00000000000000000000.log --offset 4711
  kafkafmt inspect 00000000000000000000.log --position 81920 --records all
  kafkafmt inspect 00000000000000000000.index --offset 4711
  kafkafmt inspect rescued.bin --as kafka_log_segment --position 512 --exact
  kafkafmt inspect 00000000000000000000.log --output jsonl | jq -r '[.position, .field, .value] | @tsv'
""",
)
@click.argument("file", type=click.Path(readable=False))
@option(
    "--position",
    type=click.IntRange(min=0),
    metavar="N",
    group=_WHICH,
    help="The entry that holds byte N of the file, found from the start of the file. If damage before N prevents that, "
    "decode from byte N.",
)
@option("--exact", is_flag=True, group=_WHICH, help="With --position: decode from byte N without searching.")
@option(
    "--offset",
    type=click.INT,
    metavar="N",
    group=_WHICH,
    help="The entry that holds offset N, or else the next one; in an index the last entry at or below N; in a producer "
    "snapshot the producer whose last batch holds N.",
)
@option(
    "--records",
    type=_Count(),
    default=_DEFAULT_RECORDS,
    show_default=True,
    metavar="N|all",
    group=_SHOWN,
    help="How many records to show field by field, from the first one or from the one at --offset or --position.",
)
@option(
    "--as",
    "spec",
    type=click.Choice([*_AS, *sorted(INTERNAL_TOPICS)]),
    group=_SHOWN,
    help="What the file is, if its name does not show it: the spec of a binary file, a kind of text file, or an "
    "internal topic, whose segment it is.",
)
@key_file_option(_SHOWN)
@limits_option
@output_options
def command(
    file: str,
    position: int | None,
    offset: int | None,
    records: int | str,
    spec: str | None,
    limits: "Limits | None",
    rows: RowOptions,
    *,
    exact: bool,
) -> int:
    """Print one entry of FILE field by field: where each field lies, its bytes, its value and what it means.

    FILE is a log segment or a snapshot of the metadata log (.log, .checkpoint), an index (.index, .timeindex,
    .txnindex), a producer snapshot (.snapshot), whatever suffix follows, or a text file (meta.properties,
    partition.metadata, quorum-state, checkpoints); it may be a URI. Without --position and --offset the first entry
    is shown; producer snapshots and text files are shown whole.

    Fields are named as in the specs of formats/. Compressed data is shown decompressed below. Keys and values of
    internal topics are decoded, with Kafka's field names. A table shortens long fields, the other forms those above
    1 MiB. A damaged entry is shown as far as it can be parsed, then the error and the remaining bytes.
    """
    from kafkafmt.cli.dump.kafkas_view import internal_topic_of
    from kafkafmt.cli.inspect.choosing import EntryRequest
    from kafkafmt.cli.inspect.printing import Page, print_page
    from kafkafmt.files.names import parse_segment_file_name
    from kafkafmt.files.wrapped import content_of
    from kafkafmt.io.keys import DecryptionKeys
    from kafkafmt.io.source import locate
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.tier_search import in_tier

    if position is not None and offset is not None:
        raise click.UsageError("--position and --offset choose an entry each: give one of them.")
    location = in_tier(locate(file), DecryptionKeys.of(keys_of_command()))
    if location.is_directory():
        raise SourceError("this is a directory: name a file in it (kafkafmt ls lists them)", file=file)
    topic = spec if spec in INTERNAL_TOPICS else None
    with location.open() as opened:
        file_kind = _AS.get(spec, KINDS["log"]) if spec else kind_by_extension(location.name) or kind_of(location.name)
        if location.name == _LOCK and spec is None:
            messages.say(f"{opened.name}: a running broker holds a lock on this file, so that no other one starts here")
            return CLEAN
        if file_kind is None:
            raise _unknown(opened)
        is_text, is_log = file_kind.syntax is not None, file_kind.module == "segment"
        if exact and (position is None or not is_log):
            raise click.UsageError("--exact goes with --position in a log segment.")
        if offset is not None and is_text:
            raise click.UsageError("--offset is for log segments, indexes and producer snapshots.")
        if opened.size == 0 and position is None and offset is None and file_kind.id != "snapshot":
            if is_text:
                file_kind.parse(b"", opened.name)
            messages.say(f"{opened.name} is empty: it has no entry to show.")
            return CLEAN
        name = parse_segment_file_name(location.name)
        topic = topic or internal_topic_of(location)
        most = None if records == "all" else int(records)
        request = EntryRequest(file_kind, position, offset, most, topic, limits or Limits(), exact)
        chosen, fields, what = request.answer(opened, None if name is None else name.base_offset)
        content = content_of(opened) if chosen.position == 0 and any(row.error for row in fields) else None
    end = chosen.position + len(chosen.data) - 1
    heading = [opened.name, f"bytes {chosen.position} to {end} of {opened.size}: {what}"]
    if chosen.why:
        heading.append(chosen.why)
    if content is not None and not is_text:
        heading.append(f"the file begins like {content}")
    print_page(Page(heading, fields, position if chosen.position != position else None), rows, sources=(file,))
    if chosen.why and not rows.is_table:
        messages.say(f"note: {chosen.why}")
    errors = [
        row.error.at(opened.name, row.position if row.space.name is None else chosen.position)
        for row in fields
        if row.error
    ]
    for error in dict.fromkeys(map(messages.error_text, errors)):
        messages.say(error)
    return FINDINGS if errors else CLEAN


def _unknown(file: "File") -> click.UsageError:
    """The error for a file whose name is not one of Kafka's."""
    from kafkafmt.files.wrapped import content_of

    content = content_of(file)
    is_what = "" if content is None else f" (this is {content})"
    return click.UsageError(f"{file.name}: not named like a Kafka file; say what it is with --as{is_what}")
