"""The relation `records`: what a query asks of it, as a scan of no more than that."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.columns import SCHEMA
from kafkafmt.querying.pushdown import ROWS

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.logdir.sources import Found
    from kafkafmt.scanning import Scan

_OF_PARTITION = pa.schema([SCHEMA.field("topic"), SCHEMA.field("partition")])
_COUNTED_ROWS = 64 * 1024


def read_records(
    scan: "Scan", columns: Sequence[str], expression: "Expression | None", begun: "Callable[[Scan], None]"
) -> Iterator[pa.RecordBatch]:
    """Read records of a scan, in its order.

    Where nothing but topics, partitions or numbers of records are wanted, they are counted as `Scan.count` does it: by
    headers alone, as far as the filter allows that, with CRCs unchecked.

    Args:
        scan: what is read.
        columns: names of the columns, and perhaps `ROWS`, which is left out.
        expression: which records; None for all.
        begun: called with each scan that is read, before it is.

    Raises:
        KafkafmtError: as `Scan.to_reader` and `Scan.count` raise.
    """
    names = [name for name in columns if name != ROWS]
    if not set(names) <= set(_OF_PARTITION.names):
        wanted = scan.select(names) if expression is None else scan.select(names).filter(expression)
        begun(wanted)
        yield from wanted.to_reader()
        return
    for topic, partition, part in _by_partition(scan):
        row = pa.RecordBatch.from_pylist([{"topic": topic, "partition": partition}], _OF_PARTITION)
        holds = None if expression is None else _holds(row, expression)
        if holds is False:
            continue
        wanted = part if expression is None or holds else part.filter(expression)
        begun(wanted)
        yield from _repeated(row.select(names), wanted.count())


def _by_partition(scan: "Scan") -> "Iterator[tuple[str | None, int | None, Scan]]":
    """A scan of each partition, all its replicas together."""
    names = dict.fromkeys((each.topic, each.partition) for each in scan.partitions)

    def only(name: tuple[str | None, int | None]) -> "Callable[[list[Found]], list[Found]]":
        return lambda found: [each for each in found if (each.partition.topic, each.partition.partition) == name]

    for name in sorted(names, key=lambda name: (name[0] is None, name[0] or "", name[1] or 0)):
        yield *name, scan.of(only(name), ["offset"])


def _holds(row: pa.RecordBatch, expression: "Expression") -> bool | None:
    """Whether an expression is true of a partition; None if that differs between its records."""
    try:
        return bool(pa.Table.from_batches([row]).filter(expression).num_rows == 1)
    except pa.ArrowInvalid:  # it is about other columns
        return None


def _repeated(row: pa.RecordBatch, count: int) -> Iterator[pa.RecordBatch]:
    """Many rows like one, of which only the number counts if it has no columns."""
    size = min(count, _COUNTED_ROWS)
    names = row.schema.names or [ROWS]
    arrays = [pa.repeat(column[0], size) for column in row.columns] or [pa.nulls(size)]
    full = pa.RecordBatch.from_arrays(arrays, names)
    for begin in range(0, count, _COUNTED_ROWS):
        yield full.slice(0, min(_COUNTED_ROWS, count - begin))
