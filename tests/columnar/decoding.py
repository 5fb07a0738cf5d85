"""Decodes batches of format 2 with both engines."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from kafkafmt.codec.compression import buffer
from kafkafmt.columnar.decoder import Decoder
from kafkafmt.columnar.headers import Batches, read_batches
from kafkafmt.columnar.row_filter import EVERY_ROW, RowFilter
from kafkafmt.columns import SCHEMA, RowBuffer
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.record_columns import Origin
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record

ORIGIN = Origin("orders", 7, "orders-7/0.log")
POSITION = 1000
CHECKED = True
SLACK = b"\xa5" * buffer.SLACK


def headers(data: bytes, behind: bytes = SLACK, limits: Limits | None = None) -> Batches:
    """The headers of the batches in `data`; the bytes `behind` follow them in memory."""
    found = read_batches(memoryview(data + behind), 0, POSITION, limits or Limits())
    return found[: int(np.searchsorted(found.ends, len(data), "right"))]


def mask(batches: Batches, chosen: Sequence[bool] | None) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    return np.array([True] * len(batches) if chosen is None else chosen, np.bool_)


def columnar(
    batches: Batches,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter | None = None,
    wanted: Sequence[bool] | None = None,
    checked: Sequence[bool] | None = None,
    limits: Limits | None = None,
    decoder: Decoder | None = None,
) -> tuple[pa.Table, int]:
    """Rows of the columnar engine, and the number of batches it took."""
    decoder = decoder or Decoder(schema, CHECKED, limits or Limits())
    found = []
    at = 0
    while at < len(batches):
        rows_found, following = decoder.batches(
            ORIGIN, batches, at, mask(batches, wanted), mask(batches, checked), rows
        )
        assert at <= following <= len(batches)
        if rows_found is not None:
            rows_found.validate(full=True)
            assert rows_found.schema.equals(schema)
            assert rows_found.num_rows
            found.append(rows_found)
        if following == at:
            break
        at = following
    return pa.Table.from_batches(found, schema).combine_chunks(), at


def reference(
    batches: Batches,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter | None = None,
    wanted: Sequence[bool] | None = None,
    checked: Sequence[bool] | None = None,
    limits: Limits | None = None,
) -> tuple[pa.Table, int]:
    """Rows of the reference engine, and the number of batches it took."""
    buffer = RowBuffer(schema)
    bounds = zip(batches.starts.tolist(), batches.ends.tolist(), strict=True)
    taken = 0
    is_wanted, is_checked = mask(batches, wanted), mask(batches, checked)
    for number, (start, end) in enumerate(bounds):
        entry = Entry(batches.data[start:end], ORIGIN.file, POSITION + start)
        try:
            if is_checked[number]:
                entry.verify_checksum()
            records = list(entry.records(limits)) if is_wanted[number] else []
        except KafkafmtError:
            break
        kept = (record for record in records if keeps(rows or EVERY_ROW, record))
        buffer.take(ORIGIN, kept, 1 << 40, 1 << 40)
        taken = number + 1
    return pa.Table.from_batches([buffer.flush()] if buffer.rows else [], schema), taken


def keeps(rows: RowFilter, record: Record) -> bool:
    return (
        (rows.start_offset is None or record.offset >= rows.start_offset)
        and (rows.end_offset is None or record.offset < rows.end_offset)
        and (rows.start_timestamp is None or record.timestamp >= rows.start_timestamp)
        and (rows.end_timestamp is None or record.timestamp < rows.end_timestamp)
        and (rows.key is None or record.key == rows.key)
    )


def assert_same(
    batches: Batches,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter | None = None,
    wanted: Sequence[bool] | None = None,
    checked: Sequence[bool] | None = None,
    limits: Limits | None = None,
) -> int:
    """Require that both engines take the same batches and give the same rows; return the number taken."""
    expected, most = reference(batches, schema, rows, wanted, checked, limits)
    found, taken = columnar(batches, schema, rows, wanted, checked, limits)
    assert taken == most
    assert found.equals(expected)
    return taken
