"""Reader: the record batches of one pass, and the damage that it met."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Self

import pyarrow as pa

if TYPE_CHECKING:
    from types import TracebackType

    from kafkafmt.files.damage import Damage


class Reader:
    """Record batches of one pass, one after another, in bounded memory. Made by `Scan.to_reader`, `head` and `tail`.

    The pass starts with the first batch, and ends with the last one, with an error, or with `close`. Arrow's C stream
    interface hands on what is left of it: `pyarrow.RecordBatchReader.from_stream(reader)` makes one of pyarrow's.

    Attributes:
        schema: Arrow schema of the batches.
        damage: what the pass did not deliver so far, as `Scan.damage` lists it.
    """

    def __init__(
        self, schema: pa.Schema, batches: "Generator[pa.RecordBatch, None, None]", damage: "list[Damage]"
    ) -> None:
        self.schema = schema
        self.damage = damage
        self._batches = batches

    def read_next_batch(self) -> pa.RecordBatch:
        """Read the next record batch.

        Raises:
            StopIteration: there is none, or the reader was closed.
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        return next(self._batches)

    def read_all(self) -> pa.Table:
        """Read all batches that are left into one table.

        Raises:
            KafkafmtError: as for `read_next_batch`.
        """
        return pa.Table.from_batches(self._batches, schema=self.schema)

    def close(self) -> None:
        """End the pass: its files are closed, and there are no more batches."""
        self._batches.close()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.close()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export what is left by the Arrow C stream interface; its consumer raises its own error with our text."""
        return pa.RecordBatchReader.from_batches(self.schema, self._batches).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Reader of {', '.join(self.schema.names)}>"
