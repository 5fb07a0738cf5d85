"""`kafkafmt inspect FILE`: the bytes of one entry field by field, as formats/ names them; text files line by line."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, option, output_options
from kafkafmt.cli.options import key_file_option, limits_option
from kafkafmt.cli.values import keys_of_command
from kafkafmt.errors import SourceError
from kafkafmt.files.kinds import KINDS, LAYOUTS, FileKind, kind_by_extension, kind_of
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from kafkafmt.cli.inspect.choosing import Chosen, RecordChoice
    from kafkafmt.cli.inspect.rows import Row
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits

_which_option = functools.partial(option, group="Which entry")
_SHOWN = "What is shown"
_shown_option = functools.partial(option, group=_SHOWN)
_DEFAULT_RECORDS = 3
_LOCK = ".lock"
# Snapshots of the metadata log have the spec of logs.
_AS = {kind.spec or kind.ending.lstrip("-"): kind for kind in KINDS.values() if kind.id != "checkpoint"}
_KINDS = (*_AS, *sorted(INTERNAL_TOPICS))


class _Count(click.ParamType):  # type: ignore[type-arg] # generic from click 8.3 on
    """A number, or "all"."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Parse the user's text."""
        if value == "all" or (isinstance(value, int) and not isinstance(value, bool)):
            return value  # type: ignore[no-any-return]
        if not str(value).isdecimal():
            self.fail(f"{value!r} is neither a number nor 'all'.", param, ctx)
        try:
            return int(value)
        except ValueError:  # Python does not parse numbers with thousands of digits
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
@_which_option(
    "--position",
    type=click.IntRange(min=0),
    metavar="N",
    help="The entry that holds byte N of the file, found from the start of the file. If damage before N prevents that, "
    "decode from byte N.",
)
@_which_option("--exact", is_flag=True, help="With --position: decode from byte N without searching.")
@_which_option(
    "--offset",
    type=click.INT,
    metavar="N",
    help="The entry that holds offset N, or else the next one; in an index the last entry at or below N; in a producer "
    "snapshot the producer whose last batch holds N.",
)
@_shown_option(
    "--records",
    type=_Count(),
    default=_DEFAULT_RECORDS,
    metavar="N|all",
    help="Number of records to show field by field, from the first one or from the one at --offset or --position.",
)
@_shown_option(
    "--as",
    "spec",
    type=click.Choice(_KINDS),
    metavar="KIND",
    help="What the file is, if its name does not show it: the spec of a binary file, a kind of text file, or "
    f"the internal topic of a segment. KIND: {', '.join(_KINDS)}.",
)
@key_file_option()
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
    """Print one entry of FILE field by field: the position of each field, its bytes, its value and its meaning.

    FILE is a log segment or a snapshot of the metadata log (.log, .checkpoint), an index (.index, .timeindex,
    .txnindex), a producer snapshot (.snapshot), whatever suffix follows, or a text file (meta.properties,
    partition.metadata, quorum-state, checkpoints); it may be a URI. Without --position and --offset the first entry
    is shown; producer snapshots and text files are shown whole.

    Fields are named as in the specs of formats/. Compressed data is shown decompressed below. Keys and values of
    internal topics are decoded, with Kafka's field names. A table shortens long fields, other outputs fields above 1
    MiB. A damaged entry is shown up to its fault, then the error and the remaining bytes.
    """
    from kafkafmt.cli.dump.kafkas_view import internal_topic_of
    from kafkafmt.cli.inspect.printing import Page, print_page
    from kafkafmt.files.names import parse_segment_file_name
    from kafkafmt.files.wrapped import content_of
    from kafkafmt.io.keys import DecryptionKeys
    from kafkafmt.io.source import locate
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.tier_search import in_tier

    if position is not None and offset is not None:
        raise click.UsageError("--position and --offset both choose an entry: give only one.")
    location = in_tier(locate(file), DecryptionKeys.of(keys_of_command()))
    if location.is_directory():
        raise SourceError("this is a directory: name a file in it (kafkafmt ls lists them)", file=file)
    with location.open() as opened:
        if location.name == _LOCK and spec is None:
            messages.say(
                f"note: {opened.name}: a broker locks this file while it runs, so that no other one starts here"
            )
            return CLEAN
        kind = _kind_of(opened, location.name, spec)
        topic = spec if spec in INTERNAL_TOPICS else internal_topic_of(location)
        most = None if records == "all" else int(records)
        request = _EntryRequest(kind, position, offset, most, topic, limits or Limits(), exact)
        if not request.has_entry(opened):
            messages.say(f"note: {opened.name} is empty: it has no entry to show.")
            return CLEAN
        name = parse_segment_file_name(location.name)
        chosen, fields, what = request.answer(opened, None if name is None else name.base_offset)
        content = content_of(opened) if chosen.position == 0 and any(row.error for row in fields) else None
    end = chosen.position + len(chosen.data) - 1
    heading = [opened.name, f"bytes {chosen.position} to {end} of {opened.size}: {what}"]
    if chosen.why:
        heading.append(chosen.why)
    if content is not None and kind.syntax is None:
        heading.append(f"the file begins like {content}")
    print_page(Page(heading, fields, position if chosen.position != position else None), rows, sources=(file,))
    if chosen.why and not rows.is_table:
        messages.say(f"note: {chosen.why}")
    return _say_errors(opened.name, chosen, fields)


def _kind_of(file: "File", name: str, spec: str | None) -> FileKind:
    """The kind that --as names, or else that of the file's name.

    Raises:
        click.UsageError: neither does.
    """
    if spec is not None:
        return _AS.get(spec, KINDS["log"])
    found = kind_by_extension(name) or kind_of(name)
    if found is None:
        raise _unknown(file)
    return found


def _say_errors(name: str, chosen: "Chosen", fields: "list[Row]") -> int:
    """Report which fields of an entry are wrong; FINDINGS if there are any, else CLEAN."""
    errors = [
        row.error.at(name, row.position if row.space.name is None else chosen.position) for row in fields if row.error
    ]
    for error in dict.fromkeys(map(messages.error_text, errors)):
        messages.say(error)
    return FINDINGS if errors else CLEAN


@dataclass(frozen=True, slots=True)
class _EntryRequest:
    """The part of a file to show.

    Attributes:
        kind: kind of the file.
        position: byte of the file whose entry is shown, or None.
        offset: offset whose entry is shown, or None.
        records: most records that are shown field by field; None for all.
        topic: internal topic whose keys and values are decoded, or None.
        limits: bounds of the decode.
        exact: whether an entry begins at the position.
    """

    kind: FileKind
    position: int | None
    offset: int | None
    records: int | None
    topic: str | None
    limits: "Limits"
    exact: bool

    def has_entry(self, file: "File") -> bool:
        """Check the request; returns whether there is an entry to show: empty snapshots are shown, empty texts parsed.

        Raises:
            click.UsageError: an option is not for this kind of file.
            KafkafmtError: the file is empty, which a text file of this kind cannot be.
        """
        if self.exact and (self.position is None or self.kind.module != "segment"):
            raise click.UsageError("--exact needs --position in a log segment.")
        if self.offset is not None and self.kind.syntax is not None:
            raise click.UsageError("--offset is for log segments, indexes and producer snapshots.")
        if file.size or self.position is not None or self.offset is not None or self.kind.id == "snapshot":
            return True
        if self.kind.syntax is not None:
            self.kind.parse(b"", file.name)
        return False

    def answer(self, file: "File", base_offset: int | None) -> "tuple[Chosen, list[Row], str]":
        """The bytes to show, their rows, and a description.

        Args:
            file: the file, of this kind.
            base_offset: base offset of the segment, or None if the file name has none.

        Raises:
            click.UsageError: the file has no such entry.
            KafkafmtError: there is damage before the entry, or the file is too large or cannot be read.
        """
        if self.kind.module == "segment":
            return self._log_entry(file)
        if self.kind.id == "snapshot":
            return self._snapshot(file)
        if self.kind.syntax is not None:
            return self._text(file)
        return self._index_entry(file, base_offset)

    @property
    def _choice(self) -> "RecordChoice":
        from kafkafmt.cli.inspect.choosing import RecordChoice

        return RecordChoice(self.records, self.offset, self.position)

    def _log_entry(self, file: "File") -> "tuple[Chosen, list[Row], str]":
        from kafkafmt.cli.inspect import choosing, log_entry

        if self.offset is not None:
            chosen = choosing.log_entry_of(file, self.offset, self.limits)
        else:
            chosen = choosing.log_entry_at(file, self.position, exact=self.exact, limits=self.limits)
        lost = file.lost(chosen.position, chosen.position + len(chosen.data))
        if lost is not None:
            raise lost
        rows = log_entry.rows_of_entry(
            chosen.data, file.name, chosen.position, wanted=self._choice, limits=self.limits, topic=self.topic
        )
        for row in rows:
            if row.error is not None and chosen.error is not None:
                row.error = chosen.error
        return chosen, rows, log_entry.headline(chosen.data, chosen.position)

    def _snapshot(self, file: "File") -> "tuple[Chosen, list[Row], str]":
        from kafkafmt.cli.inspect import choosing, small_files

        chosen = choosing.whole_file(file, self.kind.id, self.position)
        rows, found = small_files.rows_of_snapshot(chosen.data, file.name, self._choice)
        if not found:
            raise click.UsageError(f"no producer of this snapshot wrote offset {self.offset} in its last batch.")
        return chosen, rows, "a kafka_producer_snapshot"

    def _text(self, file: "File") -> "tuple[Chosen, list[Row], str]":
        from kafkafmt.cli.inspect import choosing, small_files

        chosen = choosing.whole_file(file, self.kind.id, self.position)
        what = ": ".join(filter(None, (self.kind.what, self.kind.effect)))
        return chosen, small_files.rows_of_text(self.kind, chosen.data, file.name), what

    def _index_entry(self, file: "File", base_offset: int | None) -> "tuple[Chosen, list[Row], str]":
        from kafkafmt.cli.inspect import choosing, small_files

        size = LAYOUTS[self.kind.id].size
        if self.offset is None:
            chosen = choosing.slot_at(file, size, self.position)
        elif self.kind.id in ("index", "timeindex"):
            chosen = choosing.index_entry_of(file, self.kind.id, self.offset, base_offset)
        elif self.kind.id == "txnindex":
            chosen = choosing.aborted_transaction_of(file, self.offset)
        else:
            raise click.UsageError(f"--offset chooses no entry of {self.kind.what}.")
        rows = small_files.rows_of_index_entry(self.kind, chosen.data, file.name, chosen.position, base_offset)
        return chosen, rows, f"entry {chosen.position // size} of a {self.kind.spec}"


def _unknown(file: "File") -> click.UsageError:
    """The error on a file that is not named like a Kafka file."""
    from kafkafmt.files.wrapped import content_of

    content = content_of(file)
    is_what = "" if content is None else f" (this is {content})"
    return click.UsageError(f"{file.name}: not named like a Kafka file; say what it is with --as{is_what}")
