"""Matches among decoded records: a JSON path is searched in keys and values as they were decoded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.scanning.decoded_scan import DecodedScan, SelectedRows
from kafkafmt.searching.record_search import MATCHED_IN, RecordSearch
from kafkafmt.values.decoding import PARTS, DecodingErrors, ValueDecoder

_STORED: Final = tuple(f"{part}Bytes" for part in PARTS)


@dataclass(frozen=True)
class MatchingDecoder:
    """Decodes records, and gives those that match.

    Attributes:
        decoder: decodes them.
        search: the search; a pattern without a path is searched in the stored bytes.
        schema: columns to build, of the decoder's and `MATCHED_IN`.
    """

    decoder: ValueDecoder
    search: RecordSearch
    schema: pa.Schema

    @property
    def topic(self) -> str:
        """Name of the topic, or of several."""
        return self.decoder.topic

    @property
    def label(self) -> str:
        """Name of what it decodes."""
        return f"matches among {self.decoder.label}"

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that it needs."""
        return self.decoder.scanned

    @property
    def stored(self) -> pa.Schema:
        """Columns that it can take from the scan as they are."""
        return self.decoder.stored

    @property
    def keeps_rows(self) -> bool:
        """Whether each record becomes a row."""
        return False

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""
        return replace(self, schema=schema)

    def new_account(self) -> DecodingErrors:
        """An account of nothing yet."""
        return self.decoder.new_account()

    def decode(self, batch: pa.RecordBatch, account: DecodingErrors) -> Iterator[pa.RecordBatch]:
        """Decode rows, and give those that match.

        Raises:
            DataError: as for `ValueDecoder.decode`.
        """
        for rows in self.decoder.decode(batch, account):
            stored = {name: rows.column(f"{name}Bytes") for name in PARTS} | {"headers": rows.column("headers")}
            numbers, matched_in = self.search.matching(
                pa.RecordBatch.from_pydict(stored), {name: rows.column(name) for name in PARTS}
            )
            if len(numbers):
                columns = [
                    matched_in if name == MATCHED_IN.name else rows.column(name).take(numbers)
                    for name in self.schema.names
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def matching(decoded: DecodedScan[ValueDecoder], search: RecordSearch) -> DecodedScan[Any]:
    """The records of a decoded scan that match.

    Args:
        decoded: as `Scan.decode` gives it.
        search: the search.
    """
    whole = decoded.schema
    needed = [name for name in (*_STORED, "headers", *PARTS) if name not in whole.names]
    decoder = decoded.decoder.with_columns((*whole.names, *needed))
    schema = record_columns.select([*whole.names, MATCHED_IN.name], pa.schema([*whole, MATCHED_IN]))
    made = MatchingDecoder(decoder, search, schema)
    return SelectedRows(decoded.scan.select(made.scanned), made)
