"""Batches at which Kafka's loader throws: their CRCs and offsets are right, but no broker starts with them."""

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.errors import CorruptError
from kafkafmt.files import producer_snapshot
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.reference.header import BatchHeader, increment_sequence
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, LOG_OVERHEAD, TRANSACTIONAL
from kafkafmt.repairing.salvage import SalvagedFile, if_sound
from kafkafmt.repairing.sound import Dropped

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.repairing.merged_partition import MergedPartition
    from kafkafmt.repairing.sound import SoundCopy

REFUSED: Final = "producer_state"
"""Reason of a batch that Kafka's `ProducerAppendInfo` refuses: a control batch that is not a transaction marker, or a
non-transactional batch of a producer with an open transaction.
"""


class OpenSegments(ExitStack):
    """The log files of copies, opened when they are needed, and closed together.

    Args:
        copies: the copies.
    """

    def __init__(self, copies: "list[SoundCopy]") -> None:
        super().__init__()
        self._copies = copies
        self._opened: dict[tuple[int, int], File] = {}

    def of(self, row: "np.void") -> "File":
        """The log file that holds a batch."""
        key = int(row["copy"]), int(row["segment"])
        if key not in self._opened:
            copy, segment = key
            file = SalvagedFile(self._copies[copy].segments[segment].open())
            self._opened[key] = self.enter_context(file)
        return self._opened[key]

    def control_batch(self, row: "np.void") -> bytes:
        """The bytes that producer state depends on: the whole batch if it is a control batch, else none."""
        if not row["attributes"] & CONTROL:
            return b""
        data = self.of(row).read_at(int(row["position"]), int(row["size"]) + LOG_OVERHEAD)
        return int(row["base_offset"]).to_bytes(8, "big") + data[8:]


def states_at(copy: "SoundCopy", start: int, *, only_open: bool = False) -> ProducerStates:
    """The producers in a sound snapshot at the log start offset; their batches are gone."""
    for offset, location in copy.partition.producer_snapshot_files:
        if offset == start:
            # A broken snapshot is rebuilt without these producers; a recovering broker would lose them, too.
            known = if_sound(partial(producer_snapshot.read, location))
            return ProducerStates(() if known is None else known.entries, only_open=only_open)
    return ProducerStates(only_open=only_open)


def leave_out_refused(merged: "MergedPartition", notes: list[str]) -> None:
    """Leave out the batches at which Kafka's loader throws, and list them among those not kept.

    Args:
        merged: the merged partition, which is changed.
        notes: list that collects Kafka's messages.
    """
    rows = merged.rows
    states = states_at(merged.copies[0], merged.bases[0], only_open=True)
    of_producers = (rows["magic"] >= CURRENT_MAGIC) & (rows["producer_id"] >= 0)
    of_transactions = of_producers & ((rows["attributes"] & (CONTROL | TRANSACTIONAL)) != 0)
    ids = {*states.ongoing.values(), *rows["producer_id"][of_transactions].tolist()}
    if not ids:
        return
    kept = np.ones(len(rows), np.bool_)
    refused = []
    with OpenSegments(merged.copies) as segments:
        for number in np.flatnonzero(of_producers & np.isin(rows["producer_id"], list(ids))).tolist():
            row = rows[number]
            append = states.prepare()
            try:
                append.add(header_of(row), segments.control_batch(row))
                append.commit()
            except CorruptError as error:
                kept[number] = False
                length, first, last = int(row["size"]) + LOG_OVERHEAD, int(row["first_offset"]), int(row["last_offset"])
                place = segments.of(row).name, int(row["position"])
                refused.append(Dropped(*place, length, REFUSED, first, last, int(row["num_records"])))
                notes.append(f"{place[0]}, position {place[1]}: left out, no broker starts with it: {error.message}")
    merged.rows = rows[kept]
    best = merged.copies[0]
    best.dropped = sorted([*best.dropped, *refused], key=lambda each: (each.file, each.position))


def header_of(row: "np.void") -> BatchHeader:
    """The header fields of a batch that producer state depends on."""
    base_sequence, delta = int(row["base_sequence"]), int(row["last_offset_delta"])
    return BatchHeader(
        None,
        int(row["position"]),
        int(row["size"]) + LOG_OVERHEAD,
        int(row["base_offset"]),
        int(row["magic"]),
        last_offset=int(row["last_offset"]),
        max_timestamp=int(row["max_timestamp"]),
        producer_id=int(row["producer_id"]),
        producer_epoch=int(row["producer_epoch"]),
        base_sequence=base_sequence,
        last_sequence=-1 if base_sequence == -1 else increment_sequence(base_sequence, delta),
        is_transactional=bool(row["attributes"] & TRANSACTIONAL),
        is_control_batch=bool(row["attributes"] & CONTROL),
        count=int(row["num_records"]),
    )
