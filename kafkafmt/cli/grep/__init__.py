"""`kafkafmt grep PATTERN PATH...`: the records in which something is found; or all traces of it on the disks."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import Command, RowOptions, columns_option, option, output_options
from kafkafmt.cli.delivery import limited, note_strays
from kafkafmt.cli.frame import open_disks, wanted_partitions
from kafkafmt.cli.options import (
    WHICH,
    key_file_option,
    key_option,
    limit_option,
    reading_options,
    selection_options,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.records import (
    check_together,
    compacted_option,
    deliver_divided,
    deliver_records,
    divided_options,
    follow_option,
)
from kafkafmt.cli.records.kinds import deliver_kind, followed_kind, kind_option
from kafkafmt.cli.records.state import state_of, state_options
from kafkafmt.cli.values import bytes_or_text, row_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan
    from kafkafmt.searching import Matches, RecordSearch

SEARCH = "What to search"

_SHAPE = TableShape(
    ("topic", "partition", "offset", "timestamp", "matchedIn", "headers", "key", "value"),
    optional=("headers",),
    first=("offset", "value", "key", "partition", "topic", "timestamp", "headers", "matchedIn"),
)


def _parts(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(name.strip() for name in names.split(","))


def _searched(
    arguments: tuple[str, ...], *, json_path: str | None, fixed: bool, ignore_case: bool, parts: tuple[str, ...] | None
) -> "tuple[RecordSearch, tuple[str, ...]]":
    """What is searched, and in which paths; a JSON path that compares takes no PATTERN.

    Raises:
        click.UsageError: a PATTERN or PATH is missing, or one of them makes no sense.
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
  kafkafmt grep hex:00ff00 /var/lib/kafka/data
  kafkafmt grep error /var/lib/kafka/data --topic orders --state errors.state --out new_errors.jsonl
  kafkafmt grep -F my-group /var/lib/kafka/data --kind OffsetCommit
  kafkafmt grep -F jane@example.com /var/lib/kafka/data --everywhere --evidence proof.json
""",
)
@click.argument("arguments", nargs=-1, required=True, metavar="PATTERN PATH...")
@option("--fixed-string", "-F", "fixed", is_flag=True, group=SEARCH, help="PATTERN is a text, not an expression.")
@option("--ignore-case", "-i", is_flag=True, group=SEARCH, help="Upper and lower case are the same.")
@option(
    "--in",
    "parts",
    callback=_parts,
    metavar="PART,..",
    group=SEARCH,
    help="Search in these parts: key, value, headers (names and values). Default: all; with --json-path value.",
)
@option(
    "--json-path",
    metavar="PATH",
    group=SEARCH,
    help="Search PATTERN at this place of values that are JSON: '$.a.b', '$.a[0]', '$.a[*].b'. With a comparison "
    "('$.a.b=4711'; =, !=, <, <=, >, >=) there is no PATTERN.",
)
@option("--count", is_flag=True, group=SEARCH, help="Only count the matching records, by topic and partition.")
@option(
    "--everywhere",
    is_flag=True,
    group=SEARCH,
    help="Search all that lies below PATH, also where no consumer looks: a proof of erasure. Exit status: 0 nothing "
    "found, 1 found, 3 not found, but something could not be read.",
)
@option(
    "--evidence",
    metavar="FILE",
    type=click.Path(dir_okay=False, readable=False),
    group=SEARCH,
    help="With --everywhere, write a report as JSON: files and their hashes, times, versions, what was found or not "
    "read. The file appears when it is complete.",
)
@selection_options(control_records=False)
@compacted_option
@key_option
@kind_option
@limit_option("matches")
@follow_option
@option(
    "--last",
    type=click.IntRange(min=0),
    callback=row_count,
    metavar="N",
    group=WHICH,
    help="Only the last N matches of each partition.",
)
@reading_options("raise; skip with --count")
@key_file_option()
@columns_option
@output_options
@divided_options
@state_options
def command(
    arguments: tuple[str, ...],
    fixed: bool,
    ignore_case: bool,
    parts: tuple[str, ...] | None,
    json_path: str | None,
    count: bool,
    everywhere: bool,
    evidence: str | None,
    record_kind: str | None,
    limit: int | None,
    follow: bool,
    last: int | None,
    rows: RowOptions,
    partition_by: tuple[str, ...] | None,
    max_file_bytes: int | None,
    state: str | None,
    commit: bool,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Search PATTERN in keys, values and headers, and print the records that match; PATTERN is an expression of RE2.

    Reads what cat reads. A table shows the match and what is around it; the other forms have whole records, as cat
    prints them, with the column matchedIn: key, value, headerName, headerValue. Bytes are searched with hex:0A0B or
    base64:Cgs=, or as \\xHH in an expression.
    """
    search, paths = _searched(arguments, json_path=json_path, fixed=fixed, ignore_case=ignore_case, parts=parts)
    if everywhere:
        from kafkafmt.cli.grep.erasure import grep_everywhere

        return grep_everywhere(search, paths, rows, evidence, wanted["limits"])
    if evidence is not None:
        raise click.UsageError("--evidence goes with --everywhere.")
    wanted["on_damage"] = wanted["on_damage"] or ("skip" if count else "raise")
    check_together(
        rows,
        follow=follow,
        limit=limit,
        last=last,
        record_kind=record_kind,
        partition_by=partition_by,
        max_file_bytes=max_file_bytes,
        state=state,
        commit=commit,
        count=count,
        **wanted,
    )
    if record_kind is not None and json_path is not None:
        raise click.UsageError("--json-path does not go with --kind: Kafka's own topics hold no JSON.")
    if follow and last:
        raise click.UsageError("--follow begins with all matches, or at the end with --last 0: leave out --last.")
    if count and (limit is not None or last is not None):
        raise click.UsageError("--count counts all matches: leave out --limit and --last.")
    kept = state_of(state, paths, rows, is_divided=partition_by is not None, commits_later=commit)
    if follow:
        from kafkafmt.cli.records.following import follow_rows

        def followed(disks: "Disks") -> "FollowedRows":
            if record_kind is not None:
                return followed_kind(disks, record_kind, search, rows, wanted)
            topics = wanted["topics"]
            is_one = isinstance(topics, tuple) and len(topics) == 1
            matches, shape, show = _shown(disks.scan(**wanted), search, rows, is_one_topic=is_one)
            return matches.candidates, matches.schema, shape, lambda batch: map(show, matches.among(batch))

        return follow_rows(paths, followed, rows, end_offset=wanted["end_offset"], last=last, limit=limit)
    if record_kind is not None:
        return deliver_kind(paths, record_kind, search, rows, kept, wanted, limit=limit, count=count)
    from kafkafmt.searching import COUNTS, SCHEMA, Matches

    rows.check((COUNTS if count else SCHEMA).names)
    disks = open_disks(paths)
    scan = disks.scan(**wanted)
    partitions, missing = wanted_partitions(scan)
    if kept is not None:
        scan = kept.resumed(scan, wanted["end_offset"])
    if partition_by:
        matches = Matches(scan, search, SCHEMA).select(rows.select(SCHEMA.names))
        status = deliver_divided(
            matches,
            disks,
            rows,
            partition_by,
            max_file_bytes,
            kept,
            paths,
            noun="matches",
            on_damage=wanted["on_damage"],
        )
        return status or missing
    if count:
        names = rows.select(COUNTS.names)
        matches, shape, schema = Matches(scan, search, SCHEMA), TableShape(), COUNTS.empty_table().select(names).schema
        batches: Iterable[pa.RecordBatch] = (batch.select(names) for batch in matches.count_batches())
    else:
        is_one_topic = len({each.topic for each in partitions}) == 1
        matches, shape, show = _shown(scan, search, rows, is_one_topic=is_one_topic)
        schema = matches.schema
        reader = matches.tail(last) if last else matches.to_reader()
        batches = map(show, limited(reader, limit))
    status = deliver_records(
        matches,
        matches,
        batches,
        rows.open(schema, shape, paths),
        kept,
        disks=disks,
        rows=rows,
        noun="partitions" if count else "matches",
        on_damage=wanted["on_damage"],
    )
    note_strays(scan, partitions, matches.skipped_replicas)
    return status or missing


def _shown(
    scan: "Scan", search: "RecordSearch", rows: RowOptions, *, is_one_topic: bool
) -> "tuple[Matches, TableShape, Callable[[pa.RecordBatch], pa.RecordBatch]]":
    """The matches, the shape of a table of them, and how rows are shown.

    Args:
        scan: the records.
        search: what is searched in them.
        rows: where they go.
        is_one_topic: whether a table can do without its name.
    """
    from kafkafmt.columns import with_stored_names
    from kafkafmt.searching import SCHEMA, Matches

    schema = SCHEMA.empty_table().select(rows.select(SCHEMA.names, _SHAPE)).schema
    if rows.in_digits:
        schema = with_stored_names(schema)
    is_chosen = rows.is_table and rows.columns is None
    if is_chosen and is_one_topic:
        schema = schema.remove(schema.get_field_index("topic"))
    return (
        Matches(scan, search, schema),
        _shape(search, rows),
        _without_other_headers if is_chosen else lambda batch: batch,
    )


def _shape(search: "RecordSearch", rows: RowOptions) -> TableShape:
    """The shape of a table of matches; other forms load nothing for it."""
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
