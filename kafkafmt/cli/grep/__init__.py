"""`kafkafmt grep PATTERN PATH...`: the records that match a pattern, or all traces of a text on the disks."""

import functools
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import Command, RowOptions, option
from kafkafmt.cli.options import key_file_option
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.records import deliver_request, record_options
from kafkafmt.cli.records.framed import JsonMatches
from kafkafmt.cli.records.request import RecordRequest, ShownRecords
from kafkafmt.cli.records.typed import TypedOptions
from kafkafmt.cli.values import bytes_or_text, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from kafkafmt.scanning import Scan
    from kafkafmt.searching import Matches, RecordSearch

SEARCH = "What to search"
_search_option = functools.partial(option, group=SEARCH)

_SHAPE = TableShape(
    ("topic", "partition", "offset", "timestamp", "matchedIn", "headers", "key", "value"),
    optional=("headers",),
    first=("offset", "value", "key", "partition", "topic", "timestamp", "headers", "matchedIn"),
)


def _searched(
    arguments: tuple[str, ...], *, json_path: str | None, fixed: bool, ignore_case: bool, parts: tuple[str, ...] | None
) -> "tuple[RecordSearch, tuple[str, ...]]":
    """The pattern and the paths of a search; a JSON path with a comparison takes no PATTERN.

    Raises:
        click.UsageError: a PATTERN or PATH is missing, or invalid.
    """
    from kafkafmt.searching import record_search
    from kafkafmt.searching.json_path import JsonPath

    try:
        compares = json_path is not None and JsonPath.parse(json_path).comparison is not None
        pattern = None if compares or not arguments else bytes_or_text(arguments[0], "PATTERN")
        paths = arguments if compares else arguments[1:]
        if not paths:
            raise click.UsageError(f"{'PATH' if arguments else 'PATTERN'} is missing.")
        fixed = fixed or isinstance(pattern, bytes)
        search = record_search(pattern, fixed=fixed, ignore_case=ignore_case, parts=parts, json_path=json_path)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    return search, paths


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt grep customer-4711 /var/lib/kafka/data
  kafkafmt grep -F 'jane@example.com' /var/lib/kafka/data --topic orders --count
  kafkafmt grep 'error|timeout' orders-0 -i --in value --start-time 2026-11-21T09:00
  kafkafmt grep --json-path '$.customer.id=4711' /var/lib/kafka/data -o jsonl | jq .offset
  kafkafmt grep --json-path '$.items[*].name' '^Blue' /var/lib/kafka/data
  kafkafmt grep --json-path '$.customer.id=4711' /var/lib/kafka/data --topic orders --value-format auto
  kafkafmt grep hex:00ff00 /var/lib/kafka/data
  kafkafmt grep error /var/lib/kafka/data --topic orders --state errors.state --out new_errors.jsonl
  kafkafmt grep -F my-group /var/lib/kafka/data --kind OffsetCommit
  kafkafmt grep -F jane@example.com /var/lib/kafka/data --everywhere --evidence proof.json
""",
)
@click.argument("arguments", nargs=-1, required=True, metavar="PATTERN PATH...")
@_search_option("--fixed-string", "-F", "fixed", is_flag=True, help="PATTERN is plain text, not an expression.")
@_search_option("--ignore-case", "-i", is_flag=True, help="Ignore case.")
@_search_option(
    "--in",
    "parts",
    callback=names_of,
    metavar="PART,..",
    help="Search in these parts: key, value, headers (names and values). Default: all; with --json-path value.",
)
@_search_option(
    "--json-path",
    metavar="PATH",
    help="Search PATTERN at this path of JSON values: '$.a.b', '$.a[0]', '$.a[*].b'. With a comparison "
    "('$.a.b=4711'; =, !=, <, <=, >, >=) leave out PATTERN. With --value-format: decoded values (Avro, Protobuf, ..).",
)
@_search_option("--count", is_flag=True, help="Only count the matching records, by topic and partition.")
@_search_option(
    "--everywhere",
    is_flag=True,
    help="Search every byte below PATH, even outside the logs: a proof of erasure. Exit status: 0 nothing "
    "found, 1 found, 3 not found, but something could not be read.",
)
@_search_option(
    "--evidence",
    metavar="FILE",
    type=click.Path(dir_okay=False, readable=False),
    help="With --everywhere, write a report as JSON: files and their hashes, times, versions, what was found or not "
    "read. The file appears when it is complete.",
)
@record_options("matches", last="Only the last N matches of each partition.", on_damage="raise; skip with --count")
@key_file_option()
def command(
    arguments: tuple[str, ...],
    fixed: bool,
    ignore_case: bool,
    parts: tuple[str, ...] | None,
    json_path: str | None,
    count: bool,
    everywhere: bool,
    evidence: str | None,
    **options: Any,  # noqa: ANN401 - those of `record_options`
) -> int:
    """Search PATTERN in keys, values and headers, and print the records that match; PATTERN is an expression of RE2.

    Reads the same records as cat. A table shows the match in its context; other outputs have whole records, as cat
    prints them, with the column matchedIn: key, value, headerName, headerValue. Bytes are searched with hex:0A0B or
    base64:Cgs=, or as \\xHH in an expression.
    """
    search, paths = _searched(arguments, json_path=json_path, fixed=fixed, ignore_case=ignore_case, parts=parts)
    if everywhere:
        if TypedOptions.taken_from(options).is_given:
            raise click.UsageError("--everywhere searches bytes: leave out --value-format, --key-format and --unwrap.")
        from kafkafmt.cli.grep.erasure import grep_everywhere

        return grep_everywhere(search, paths, options["rows"], evidence, options["limits"])
    if evidence is not None:
        raise click.UsageError("--evidence needs --everywhere.")
    typed = TypedOptions.taken_from(options)
    options["on_damage"] = options["on_damage"] or ("skip" if count else "raise")
    request = RecordRequest.of(paths, options, search, count=count)
    if request.record_kind is not None and json_path is not None:
        raise click.UsageError("--json-path cannot be combined with --kind: Kafka's own topics hold no JSON.")
    if request.follow and request.last:
        raise click.UsageError("--follow begins with all matches, or at the end with --last 0: leave out --last.")
    if count and (request.limit is not None or request.last is not None):
        raise click.UsageError("--count counts all matches: leave out --limit and --last.")
    if typed.is_given:
        if request.record_kind is not None:
            raise click.UsageError(
                "--kind decodes keys and values: leave out --value-format, --key-format and --unwrap."
            )
        if request.last:
            raise click.UsageError("--last cannot be combined with --value-format, --key-format and --unwrap.")
        show = partial(_typed_counts if count else _typed_matches, typed, request)
        return deliver_request(request, show)
    from kafkafmt.searching import COUNTS, SCHEMA

    if request.record_kind is None:
        request.rows.check((COUNTS if count else SCHEMA).names)
    shown = _counts if count else _matches
    return deliver_request(request, lambda scan, is_one_topic: shown(scan, search, request.rows, is_one_topic))


def _typed_matches(typed: TypedOptions, request: RecordRequest, scan: "Scan", is_one_topic: bool) -> ShownRecords:
    """The decoded records that match."""
    on_damage = request.wanted["on_damage"]
    return typed.show(scan, request.rows, on_damage=on_damage, is_one_topic=is_one_topic, search=request.search)


def _typed_counts(typed: TypedOptions, request: RecordRequest, scan: "Scan", _: bool) -> ShownRecords:
    """Number of decoded records that match, by topic and partition."""
    from kafkafmt.searching import COUNTED, COUNTS
    from kafkafmt.searching.decoded_matches import matching

    names = request.rows.select(COUNTS.names)
    schema = COUNTS.empty_table().select(names).schema
    decoded = typed.decoded(scan, request.wanted["on_damage"])
    found = decoded if request.search is None else matching(decoded, request.search)
    return _TypedCounts(found.select(COUNTED), schema, TableShape(), lambda batch: batch.select(names))


def _matches(scan: "Scan", search: "RecordSearch", rows: RowOptions, is_one_topic: bool) -> ShownRecords:
    """The records that match; in a table the topic is left out if there is only one."""
    from kafkafmt.columns import with_stored_names
    from kafkafmt.searching import SCHEMA, Matches
    from kafkafmt.searching.json_path import JsonMatcher

    schema = SCHEMA.empty_table().select(rows.select(SCHEMA.names, _SHAPE)).schema
    if rows.has_stored_names:
        schema = with_stored_names(schema)
    is_chosen = rows.is_table and rows.columns is None
    if is_chosen and is_one_topic:
        schema = schema.remove(schema.get_field_index("topic"))
    show = _without_other_headers if is_chosen else lambda batch: batch
    shown = JsonMatches if isinstance(search.matcher, JsonMatcher) else ShownRecords
    return shown(Matches(scan, search, schema), schema, _shape(search, rows), show)


class _Counts(ShownRecords):
    records: "Matches"

    def batches(self, _: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass."""
        return map(self.show, self.records.count_batches())


class _TypedCounts(ShownRecords):
    def batches(self, _: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass."""
        from kafkafmt.searching import count_matches

        return map(self.show, count_matches(self.records.to_reader()))


def _counts(scan: "Scan", search: "RecordSearch", rows: RowOptions, _: bool) -> ShownRecords:
    """Number of matches by topic and partition."""
    from kafkafmt.searching import COUNTS, SCHEMA, Matches

    names = rows.select(COUNTS.names)
    schema = COUNTS.empty_table().select(names).schema
    return _Counts(Matches(scan, search, SCHEMA), schema, TableShape(), lambda batch: batch.select(names))


def _shape(search: "RecordSearch", rows: RowOptions) -> TableShape:
    """The shape of a table of matches; for other forms nothing is loaded."""
    if not rows.is_table:
        return _SHAPE
    from kafkafmt.cli.records.matches import MatchPainter

    shown = search.shown
    painter = None if shown is None else MatchPainter(shown)
    return TableShape(_SHAPE.columns, _SHAPE.optional, _SHAPE.first, painter)


def _without_other_headers(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The same rows with headers only where one of them matches."""
    matched_in = batch.column("matchedIn").to_pylist()
    numbers = [
        row if any(each.startswith("header") for each in found) else None for row, found in enumerate(matched_in)
    ]
    import pyarrow as pa

    at = batch.schema.get_field_index("headers")
    return batch.set_column(at, batch.schema.field(at), batch.column(at).take(pa.array(numbers, pa.int64())))
