"""`kafkafmt compare A B...`: copies of partitions, their differences, and what each would lose if another led."""

import itertools
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import (
    CLEAN,
    FINDINGS,
    UNREADABLE,
    Command,
    RowOptions,
    columns_option,
    output_option,
    output_options,
)
from kafkafmt.cli.frame import CommandFrame, page_of
from kafkafmt.cli.options import (
    damage_option,
    how_option,
    key_file_option,
    limits_option,
    partition_options,
    report_option,
    show_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.io.uri import shown

if TYPE_CHECKING:
    from kafkafmt.operations import ComparedCopies

_PARTITION = ("topic", "partition")
_SHAPES = {
    "partitions": TableShape(
        (
            *_PARTITION,
            "first",
            "second",
            "relation",
            "firstDivergentOffset",
            "logEndOffsets",
            "lostIfFirstLeads",
            "lostIfSecondLeads",
            "remarks",
        ),
        optional=("firstDivergentOffset", "remarks"),
        first=(*_PARTITION, "first", "second", "relation", "firstDivergentOffset", "remarks", "logEndOffsets"),
    ),
    "records": TableShape(
        (
            *_PARTITION,
            "first",
            "second",
            "offset",
            "differs",
            "firstKey",
            "secondKey",
            "firstValue",
            "secondValue",
            "firstTimestamp",
            "secondTimestamp",
            "firstControlType",
            "secondControlType",
        ),
        optional=("firstKey", "secondKey", "firstControlType", "secondControlType"),
        first=(*_PARTITION, "first", "second", "offset", "differs", "firstValue", "secondValue"),
    ),
    "following": TableShape(
        (
            *_PARTITION,
            "leader",
            "follower",
            "protocol",
            "truncateTo",
            "cutRecords",
            "cutCommittedRecords",
            "lostRecords",
            "divergedFrom",
        ),
        optional=("divergedFrom",),
        first=(*_PARTITION, "leader", "follower", "protocol", "lostRecords", "divergedFrom", "truncateTo"),
    ),
    "truncation": TableShape((*_PARTITION, "leader", "protocol", "step", "explanation")),
    "ranges": TableShape(),
}
_OF_PAIRS = ("partitions", "records", "following")
"""Tables that need all pairs to be compared before the first row."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt compare /copies/broker-1 /copies/broker-2
  kafkafmt compare /copies/broker-1 /copies/broker-2 --topic orders --records
  kafkafmt compare /copies/broker-1 /copies/broker-2 --show following    # what each would cut, and lose
  kafkafmt compare /copies/broker-1 /copies/broker-2 --report page.html  # to share
  kafkafmt compare /snapshots/monday /restored -o jsonl | jq 'select(.relation != "equal")'
  kafkafmt compare /var/lib/kafka/data --show ranges -o jsonl            # on each of two machines, then diff
""",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(readable=False), metavar="A B...")
@key_file_option()
@partition_options()
@damage_option()
@limits_option
@how_option(
    "--range-size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Offsets in each row of --show ranges. Default: 100,000.",
)
@show_option("partitions", "records", "following", "truncation", "ranges", default="partitions")
@output_option("--records", is_flag=True, help="The records that differ, side by side: --show records.")
@report_option("Write a page instead: pairs that diverged first, what differs, and what each would lose.")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    range_size: int | None,
    show: str | None,
    records: bool,
    report: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - other arguments of kafkafmt.operations.compare
) -> int:
    """Compare copies of partitions: replicas of several brokers, two snapshots, a backup and its restored copy.

    Records, not batches, are compared at offsets that both logs have: equal, prefix (one ends earlier), diverged, or
    missing from a copy. Batches with the same CRC are not decoded. The exit status is 1 if a partition has diverged.

    Tables leave out contentHashes, which need all records decoded.
    """
    from kafkafmt.operations import ComparedCopies, compare
    from kafkafmt.operations.comparison import RANGE_SIZE

    if records and show not in (None, "records"):
        raise click.UsageError(f"--records and --show {show} exclude each other.")
    if report is not None and (records or show is not None or rows.columns is not None or not rows.is_screen):
        raise click.UsageError("--report writes a page: leave out --records, --show, --columns, --output and --out")
    name = "records" if records else show or "partitions"
    if len(paths) < 2 and name != "ranges":
        raise click.UsageError("name two copies or more; only --show ranges takes a single one.")
    if range_size is not None and name != "ranges":
        raise click.UsageError("--range-size is for --show ranges.")
    for first, second in itertools.combinations(paths, 2):
        with suppress(OSError):  # it is not local, or its reader says why it cannot be read
            if os.path.samefile(first, second):
                messages.say(f"note: {shown(first)} and {shown(second)} are the same place, not two copies")
    schema, shape = ComparedCopies.schemas()[name], _shape(name, len(paths))
    columns = rows.select(schema.names, shape)
    # A topic may be in only one copy: the answer names those that are in none.
    frames = [CommandFrame((path,), topics=None, partitions=None) for path in paths]
    answer = compare(
        *(frame.disks for frame in frames),
        **wanted,
        hashes="contentHashes" in columns,
        range_size=range_size or RANGE_SIZE,
    )
    with frames[0].asking(), page_of(report, paths) as write_page:
        if name in _OF_PAIRS:
            with progress_of_bytes(lambda: answer.size_in_bytes) as advance:
                answer.watch(advance)
                answer.comparisons  # noqa: B018 - errors are raised before the first row is written
        if write_page is None:
            rows.write(answer.to_batches(name), schema, shape, paths)
        else:
            from kafkafmt.cli.report.comparison import comparison_page

            write_page(comparison_page(answer, paths))
    status = frames[0].report(answer)
    if name in _OF_PAIRS:
        status = _say_relations(answer, rows) or status
    if not answer.has_partitions:
        messages.say("no partition to compare")
        status = UNREADABLE
    for frame in frames:
        status = frame.end(status)
    return status


def _say_relations(answer: "ComparedCopies", rows: RowOptions) -> int:
    """Report how many pairs have each relation; FINDINGS if a pair has diverged, else CLEAN."""
    from kafkafmt.operations.pairs import DIVERGED, EQUAL

    counts = {relation: number for relation, number in answer.relations.items() if relation is not None}
    if equal := answer.equal_where_sound:
        counts = {EQUAL: counts[EQUAL] - equal, f"{EQUAL} where sound": equal} | {
            relation: number for relation, number in counts.items() if relation != EQUAL
        }
    parts = [f"{number:,} {relation}" for relation, number in counts.items() if number]
    parts += [f"{number:,} not decided ({reason})" for reason, number in answer.undecided.items()]
    damaged = f"; {answer.damaged_pairs:,} of them damaged" if answer.damaged_pairs else ""
    said = f"{human.join(parts)}{damaged}"
    if DIVERGED in answer.relations:
        messages.say(said)
        return FINDINGS
    if said and rows.is_screen:
        messages.say(f"note: {said}")
    return CLEAN


def _shape(name: str, copies: int) -> TableShape:
    """The shape of a table; it names both copies if there are more than two."""
    shape = _SHAPES[name]
    if copies > 2:
        return shape
    columns, first = (
        tuple(column for column in names if column not in ("first", "second", "follower"))
        for names in (shape.columns, shape.first)
    )
    return TableShape(columns, shape.optional, first)
