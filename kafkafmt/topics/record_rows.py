"""Rows of record batches as Python objects, few at a time; for internal topics as `InternalRecord`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, cast

from kafkafmt import columns as record_columns
from kafkafmt.libraries import np, pa
from kafkafmt.limits import Limits
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.stream import Scan
from kafkafmt.topics.internal_record import InternalRecord

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.sources import Sources

MOST_ROWS = 4096
"""Limit of rows that become Python objects at a time, as the objects of a message take many times its bytes."""

MOST_BYTES = 2 * 1024 * 1024
"""Limit of the bytes of keys and values of these rows, unless a single row has more."""

# For fewer texts, the dictionary saves less time than loading pyarrow.compute, which makes it, takes.
_FEW_ROWS = 512

_COLUMNS = (
    "offset",
    "timestamp",
    "key",
    "value",
    "producerId",
    "producerEpoch",
    "isTransactional",
    "controlType",
    "partitionLeaderEpoch",
    "file",
    "position",
)

# The same as `InternalRecord._make`, without a Python frame per record.
_NEW_RECORD: Callable[[Iterable[Any]], InternalRecord] = partial(tuple.__new__, InternalRecord)


def scan_of(
    found: "list[Found]",
    on_damage: "OnDamage",
    limits: Limits,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    below_log_start: bool = False,
    searched: "Sources | None" = None,
) -> Scan:
    """Make a scan with the columns of `records_of`, of exactly these directories and files, all replicas included."""
    wanted = Selection(
        control_records=True, start_offset=start_offset, end_offset=end_offset, below_log_start=below_log_start
    )
    return exact_scan(found, wanted, _COLUMNS, on_damage, limits, searched)


def exact_scan(
    found: "list[Found]",
    wanted: Selection,
    columns: Sequence[str],
    on_damage: "OnDamage",
    limits: Limits,
    searched: "Sources | None",
) -> Scan:
    """Make a columnar scan of exactly these directories and files, without the checks of `kafkafmt.scan`."""
    return Scan(
        _found=found,
        _selection=wanted,
        schema=record_columns.select(columns),
        _replica="all",
        _on_damage=on_damage,
        _verify_checksums=True,
        _limits=limits,
        _engine="columnar",
        _threads=1,
        _sources=searched,
    )


def slices(
    batch: "pa.RecordBatch", most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES
) -> "Iterator[pa.RecordBatch]":
    """Slices with few enough rows, and bytes of keys and values, to become Python objects; at least one row each.

    Args:
        batch: the rows; keys and values are binary.
        most_rows: maximal number of rows in a slice.
        most_bytes: maximal number of bytes of its keys and values.
    """
    if not batch.num_rows:
        return
    ends = np.zeros(batch.num_rows, np.int64)
    for name in {"key", "value"}.intersection(batch.schema.names):
        ends += _lengths(batch.column(name))
    ends = np.cumsum(ends)
    begin = before = 0
    while begin < batch.num_rows:
        fitting = int(np.searchsorted(ends, before + most_bytes, side="right"))
        end = min(max(fitting, begin + 1), begin + most_rows)
        yield batch.slice(begin, end - begin)
        begin, before = end, int(ends[end - 1])


def _lengths(column: "pa.Array") -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """Sizes of binary values, from their offsets: loading pyarrow.compute takes longer than reading a small log."""
    offsets = np.frombuffer(column.buffers()[1], np.int32)
    return np.diff(offsets[column.offset : column.offset + len(column) + 1])


def records_of(batch: "pa.RecordBatch", partition: int) -> Iterator[InternalRecord]:
    """The rows of a batch of `scan_of` as records; converted by whole columns, for speed."""
    return map(_NEW_RECORD, zip(repeat(partition), *map(values_of, batch.columns), strict=False))


def values_of(column: "pa.Array") -> Iterable[Any]:
    """The values of a column as Python objects, through numpy: Arrow's own conversion creates a scalar for every value.

    A column with only nulls gives None endlessly.
    """
    if column.null_count == len(column):
        return repeat(None)
    if pa.types.is_string(column.type):
        if len(column) < _FEW_ROWS:
            return cast("list[str | None]", column.to_pylist())
        column = column.dictionary_encode()
        names = column.dictionary.to_pylist()
        if len(names) == 1 and not column.null_count:
            return repeat(names[0])
    if pa.types.is_timestamp(column.type):
        column = column.view(pa.int64())
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values
