"""Decoder: batches of records in, Arrow record batches out, many at once."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.arrays import array
from kafkafmt.columnar import header_walk  # noqa: F401 (from now on `read_batches` takes it)
from kafkafmt.columnar.headers import Batches, Headers, Mask, Positions
from kafkafmt.columnar.kernels import holding, record_at, walk_records, walk_whole_records
from kafkafmt.columnar.message_decoder import MessageDecoder
from kafkafmt.columnar.outputs import (
    Buffers,
    Columns,
    Needs,
    Totals,
    filled_bytes,
    keys_array,
    new_columns,
    record_arrays,
)
from kafkafmt.columnar.payloads import PayloadReader, Payloads
from kafkafmt.columnar.row_filter import EVERY_ROW, Kept, RowFilter
from kafkafmt.columnar.shared_columns import Constants, Counts, SharedColumns
from kafkafmt.columns import STORED_HEADERS
from kafkafmt.limits import Limits
from kafkafmt.record_columns import COLUMNS, Origin, RecordColumn
from kafkafmt.reference.control import type_id_of, type_name
from kafkafmt.reference.layout import CONTROL
from kafkafmt.reference.parsers import SMALLEST_HEADER
from kafkafmt.reference.record_batch import SoundStart

# A scan of at least these columns, without a filter, uses a kernel whose loop has no branches for selection.
_WHOLE = {"key", "value", "offset"}
# Constant columns of a few long records take little memory; those of tiny records repeat a file's name very often.
_MOST_OF_CONSTANTS = 8 << 20
# Columns whose values differ within a batch.
_FILLED = {"key", "value", "offset", "timestamp", "headers", "sequence", "controlType", "baseOffset", "position"}


def require_filled(columns: Iterable[RecordColumn]) -> None:
    """Check that every column has a source of its values in format 2.

    Raises:
        TypeError: a column has no source for format 2, so all its values would be wrong.
    """
    for column in columns:
        if not (column.of_origin or column.field or column.name in _FILLED):
            raise TypeError(
                f"column {column.name}: format 2 has no value: name the `field` of the header that holds it, or fill it"
                " in columnar/kernels/records.py and columnar/outputs.py, and name it in _FILLED of columnar/decoder.py"
            )


require_filled(COLUMNS.values())


class Decoder:
    """Decodes entries in bulk if they are sound and ordinary; for use by one thread.

    The reference engine decodes other entries, which may be damaged or unusual.

    Args:
        schema: columns, any of `kafkafmt.columns.SCHEMA` in any order.
        verify_checksums: whether to check CRCs of messages; for batches, the caller decides.
        limits: bounds of decoding.

    Attributes:
        sound_start: for the batch refused last: its origin, its position, and the number and size in bytes of the sound
            records at its start.
        ratio: size of the records of the last batches, relative to their stored size; None before the first.
    """

    def __init__(self, schema: pa.Schema, verify_checksums: bool, limits: Limits) -> None:
        self.sound_start: tuple[Origin, int, SoundStart] | None = None
        self.ratio: float | None = None
        self._schema = schema
        self._names = set(schema.names)
        self._limits = limits
        self._payloads = PayloadReader(limits)
        self._buffers = Buffers()
        self._constants = Constants()
        self._shared = SharedColumns(schema, self._constants)
        self._messages = MessageDecoder(
            schema, limits, self._buffers, self._constants, verify_checksums=verify_checksums
        )

    def reset(self) -> int:
        """Forget the decoded data, for another scan; return the approximate number of bytes of memory kept."""
        self.sound_start = None
        self.ratio = None
        self._buffers.trim()
        if self._constants.kept > _MOST_OF_CONSTANTS:
            self._constants.clear()
            self._shared.clear()
        return self._payloads.reset() + self._messages.reset() + self._buffers.kept + self._constants.kept

    def batches(
        self,
        origin: Origin,
        batches: Batches,
        first: int,
        wanted: Mask,
        checked: Mask,
        rows: RowFilter | None = None,
    ) -> tuple[pa.RecordBatch | None, int]:
        """Decode batches of format 2 from number `first` on, as many as make a record batch of some megabytes.

        Args:
            origin: where the batches were read.
            batches: the batches.
            first: number of the first batch to decode.
            wanted: batches whose records become rows.
            checked: batches whose CRCs are checked, wanted or not.
            rows: selects the records that become rows; None for all.

        Returns:
            The records, None if there are none, and the number of the batch to continue with. If that is `first`, that
            batch is left to the reference engine.
        """
        payloads = self._payloads.read(batches, first, wanted, checked)
        if payloads.next > first:
            unpacked = int((payloads.ends - payloads.starts).sum())
            self.ratio = unpacked / int(batches.ends[payloads.next - 1] - batches.starts[first])
        if rows is not None and rows.needles is not None and len(payloads.chosen):
            held = np.zeros(len(payloads.chosen), np.bool_)
            holding(payloads.source, payloads.starts, payloads.ends, rows.needles.sought(), held)
            payloads = payloads.only(held)
        if not len(payloads.chosen):
            return None, payloads.next
        return self._decode(origin, batches, payloads, (rows or EVERY_ROW).as_kept())

    def messages(
        self, origin: Origin, data: memoryview, position: int, begin: int, end: int, rows: RowFilter | None = None
    ) -> tuple[pa.RecordBatch | None, int]:
        """Decode messages and wrappers of formats v0 and v1, as many as make a record batch of some megabytes.

        Args:
            origin: where the entries were read.
            data: bytes of a file.
            position: position of `data` in the file, in bytes.
            begin: position of the first entry in `data`.
            end: position in `data`; entries that end after it are not taken.
            rows: selects the messages that become rows; None for all.

        Returns:
            The messages, or None, and the position in `data` to continue from. If that is `begin`, the entry there is
            left to the reference engine.
        """
        found = self._messages.decode(origin, data, position, begin, end, (rows or EVERY_ROW).as_kept())
        self.ratio = self._messages.ratio
        return found

    def wrappers(self, data: memoryview, begin: int, end: int) -> Positions:
        """Ends of the adjacent wrappers from `begin` on, none of them past `end`."""
        return self._messages.wrappers(data, begin, end)

    def frames(self, data: memoryview, begin: int, end: int) -> npt.NDArray[np.void]:
        """Positions of messages and wrappers between `begin` and `end` that `messages` took; see `messages.FRAME`."""
        return self._messages.frames(data, begin, end)

    def _decode(
        self, origin: Origin, batches: Batches, payloads: Payloads, kept: Kept
    ) -> tuple[pa.RecordBatch | None, int]:
        headers = batches.headers[payloads.part]
        names = self._names
        if "sequence" in names and not (headers["base_sequence"] >= 0).any():
            names = names - {"sequence"}
        has_types = "controlType" in names and bool((headers["attributes"] & CONTROL).any())
        if has_types:
            names = names | {"key"}
        walk = walk_records
        if kept.all and names >= _WHOLE:
            # This kernel always fills timestamps, which costs less than a branch for each record.
            walk, names = walk_whole_records, names | {"timestamp"}
        data = int((payloads.ends - payloads.starts).sum())
        rows = int(headers["num_records"].sum())
        columns = new_columns(self._buffers, names, Needs(rows, data, data // SMALLEST_HEADER))
        totals = np.zeros(len(Totals._fields), np.int64)
        rows_after = np.empty(len(headers), np.int64)
        taken = walk(
            payloads.source,
            payloads.starts,
            payloads.ends,
            headers,
            batches.starts[payloads.part] + batches.position,
            kept,
            self._limits.max_headers_per_record,
            columns,
            totals,
            rows_after,
        )
        if taken == len(headers):
            following = payloads.next
        else:
            following = int(payloads.chosen[taken])
            self._payloads.read_less()
            start, number = int(payloads.starts[taken]), int(rows_after[taken])
            sound = SoundStart(number, record_at(payloads.source, start, number) - start)
            self.sound_start = origin, batches.position + int(batches.starts[following]), sound
        if taken == 0:
            self._payloads.forget()
        filled = Totals(*totals.tolist())
        self._buffers.filled = max(self._buffers.filled, data, filled_bytes(filled))
        if not filled.rows:
            return None, following
        counts = rows_after[:taken].copy()
        counts[1:] -= rows_after[: taken - 1]
        arrays = self._shared.columns(origin, headers[:taken], counts, filled.rows)
        arrays |= record_arrays(columns, filled, stored_names=STORED_HEADERS in self._schema)
        if has_types:
            arrays["controlType"] = _control_types(columns, filled, headers[:taken], rows_after)
        in_order = [arrays[name] for name in self._schema.names]
        return pa.RecordBatch.from_arrays(in_order, schema=self._schema), following


def _control_types(columns: Columns, filled: Totals, headers: Headers, rows_after: Counts) -> pa.Array:
    """Names of the types of control records, which are few."""
    types: list[str | None] = [None] * filled.rows
    keys = keys_array(columns, filled) if filled.key_rows else pa.nulls(filled.rows, pa.binary())
    for number in np.flatnonzero(headers["attributes"] & CONTROL).tolist():
        for row in range(int(rows_after[number - 1]) if number else 0, int(rows_after[number])):
            types[row] = type_name(type_id_of(keys[row].as_py()))
    return array(types, pa.string())
