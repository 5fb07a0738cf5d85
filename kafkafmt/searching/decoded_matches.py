"""MatchingDecoder: searches by a JSON path in decoded keys and values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.scanning.decoded_filter import SelectingDecoder
from kafkafmt.scanning.decoded_scan import DecodedScan, SelectedRows
from kafkafmt.searching.record_search import MATCHED_IN, RecordSearch
from kafkafmt.values.decoding import PARTS, STORED_BYTES, ValueDecoder


@dataclass(frozen=True)
class MatchingDecoder(SelectingDecoder):
    """Keeps the records that match.

    Attributes:
        search: the search; a pattern without a path is searched in the stored bytes.
        schema: columns to build, out of the decoder's and `MATCHED_IN`.
    """

    search: RecordSearch

    @property
    def label(self) -> str:
        """Name of the decoded records."""
        return f"matches among {self.decoder.label}"

    def _kept(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        stored = {name: rows.column(f"{name}Bytes") for name in PARTS} | {"headers": rows.column("headers")}
        numbers, matched_in = self.search.matching(
            pa.RecordBatch.from_pydict(stored), {name: rows.column(name) for name in PARTS}
        )
        if len(numbers):
            columns = [
                matched_in if name == MATCHED_IN.name else rows.column(name).take(numbers) for name in self.schema.names
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def matching(decoded: DecodedScan[ValueDecoder], search: RecordSearch) -> DecodedScan[Any]:
    """The records of a decoded scan that match.

    Args:
        decoded: a result of `Scan.decode`.
        search: the search.
    """
    whole = decoded.schema
    needed = [name for name in (*STORED_BYTES, "headers", *PARTS) if name not in whole.names]
    decoder = decoded.decoder.with_columns((*whole.names, *needed))
    schema = record_columns.select([*whole.names, MATCHED_IN.name], pa.schema([*whole, MATCHED_IN]))
    made = MatchingDecoder(decoder, schema, search)
    return SelectedRows(decoded.scan.select(made.scanned), made)
