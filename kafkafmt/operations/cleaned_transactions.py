"""CleanedTransactions: tracks transactions while the cleaner reads a log (Kafka's `CleanedTransactionMetadata`)."""

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.columnar.headers import ABORT, COMMIT, Mask
from kafkafmt.operations.stored_batches import StoredBatches
from kafkafmt.reference.layout import CONTROL, TRANSACTIONAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.files.transaction_index import AbortedTransaction


# Version and type, an int16 each.
_CONTROL_KEY_SIZE: Final = 4


_NO_TYPE: Final = -1


class CleanedTransactions:
    """Decides which transactional batches a pass can discard; takes the batches of a log once, in order.

    Data of an aborted transaction can be discarded; a marker can once no data of its transaction was found.

    Attributes:
        met: aborted transactions that still had data, in the order of their markers: the transaction index entries of
            the segment being written. The pass empties it for the next segment.
    """

    def __init__(self) -> None:
        self._waiting: list[AbortedTransaction] = []
        self._aborted: dict[int, AbortedTransaction] = {}
        self._with_data: set[int] = set()
        self._committed: set[int] = set()
        self.met: list[AbortedTransaction] = []

    def expect(self, aborted: "Iterable[AbortedTransaction]") -> None:
        """Add the aborted transactions of the next batches."""
        self._waiting += aborted
        self._waiting.sort(key=lambda each: each.first_offset, reverse=True)

    def discardable(self, batches: StoredBatches, first: int = 0) -> Mask:
        """Mask of the next batches that can be discarded; batches before number `first` are not looked at."""
        mask = np.zeros(len(batches), np.bool_)
        numbers = np.flatnonzero(batches.has(TRANSACTIONAL | CONTROL))
        numbers = numbers[numbers >= first]
        if not len(numbers):
            return mask
        is_control = batches.has(CONTROL)[numbers].tolist()
        producer_ids = batches.headers["producer_id"][numbers].tolist()
        last_offsets = batches.last_offsets[numbers].tolist()
        for number, control, producer_id, last_offset in zip(
            numbers.tolist(), is_control, producer_ids, last_offsets, strict=True
        ):
            while self._waiting and self._waiting[-1].first_offset <= last_offset:
                begun = self._waiting.pop()
                self._aborted.setdefault(begun.producer_id, begun)
            mask[number] = (
                self._marker(producer_id, _control_type(batches, number)) if control else self._data(producer_id)
            )
        return mask

    def _data(self, producer_id: int) -> bool:
        if producer_id in self._aborted:
            self._with_data.add(producer_id)
            return True
        self._committed.add(producer_id)
        return False

    def _marker(self, producer_id: int, kind: int | None) -> bool:
        if kind is None:
            return True
        if kind == ABORT:
            known = self._aborted.pop(producer_id, None)
            if known is None or producer_id not in self._with_data:
                return True
            self._with_data.discard(producer_id)
            self.met.append(known)
            return False
        if kind == COMMIT:
            was_met = producer_id in self._committed
            self._committed.discard(producer_id)
            return not was_met
        return False


def _control_type(batches: StoredBatches, number: int) -> int | None:
    """Type of the first control record of a batch; None if the batch has no record."""
    row = int(batches.rows[number])
    if row == int(batches.rows[number + 1]):
        return None
    if int(batches.places.key_sizes[row]) < _CONTROL_KEY_SIZE:
        return _NO_TYPE
    at = int(batches.places.key_starts[row]) + 2
    return int.from_bytes(batches.source[at : at + 2].tobytes(), "big", signed=True)
