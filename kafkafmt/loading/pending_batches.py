"""PendingBatches: the batches of a pass with a look-ahead of one, so that a commit can end before damage."""

from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from kafkafmt.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

ReadBatch: TypeAlias = tuple[pa.RecordBatch, list[pa.RecordBatch]]
"""A batch of records, and the rows made from it."""


class PendingBatches:
    """Batches with the next one known before it is taken.

    Attributes:
        error: the damage that ends the batches, set when the last batch before it is taken.
    """

    def __init__(self, batches: "Generator[ReadBatch, None, None]") -> None:
        self.error: DataError | None = None
        self._batches = batches
        self._next = self._read()

    @property
    def has_rows(self) -> bool:
        """Whether there is another batch."""
        return self._next is not None

    def __iter__(self) -> "Iterator[ReadBatch]":
        while self._next is not None:
            taken, self._next = self._next, self._read()
            yield taken

    def close(self) -> None:
        """End the pass, so that its notes are complete."""
        self._batches.close()

    def _read(self) -> "ReadBatch | None":
        try:
            return next(self._batches, None)
        except DataError as error:
            self.error = error
            return None
