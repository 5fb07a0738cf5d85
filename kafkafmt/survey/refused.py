"""Batches with right CRCs that Kafka's loader refuses because of the log's producers (`ProducerAppendInfo`).

These are control batches that are not transaction markers, and non-transactional batches of a producer with an open
transaction. `verify` describes the effect on a start, which depends on how much of the log the start reads.
"""

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from kafkafmt.columnar.headers import OTHER_MARKER, marker_types
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.damage import ignore
from kafkafmt.findings import FINDING, Finding
from kafkafmt.libraries import np
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import CONTROL, TRANSACTIONAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

LEAVE_IT_OUT: Final = "kafkafmt repair makes a copy without this batch; or move the partition away, if a replica has it"

KIND: Final = "producer_state"
"""Kind of the findings on refused batches."""


class LoaderCheck:
    """Finds the batches that the loader refuses in one log, in log order.

    Markers with the ordinary layout are skipped in bulk; the log is read again only for producers that write both with
    and without transactions.

    Args:
        partition: partition of the log.
        segments: segments of the log, in order.
    """

    def __init__(self, partition: "Partition", segments: "Sequence[Segment]") -> None:
        self._partition = partition
        self._segments = segments
        self._known = self._producers_before()
        self._in_transactions = {each.producer_id for each in self._known}
        self._mixed: set[int] = set()
        self._found: dict[tuple[str, int], Finding] = {}

    def see(self, path: str, entry: Entry, header: "BatchHeader") -> None:
        """Observe the next entry, whose header is sound, in the file at `path`."""
        producer_id = header.producer_id
        if producer_id < 0:
            return
        if header.is_control_batch:
            self._try(ProducerStates(), path, entry, header)
        elif header.is_transactional:
            self._in_transactions.add(producer_id)
        elif producer_id in self._in_transactions:
            self._mixed.add(producer_id)

    def see_batches(self, path: str, batches: "Batches") -> None:
        """Observe the next batches with their bytes, in the file at `path`; the same as `see` for each batch."""
        ids, attributes = batches.headers["producer_id"], batches.headers["attributes"]
        chosen = (ids >= 0) & ((attributes & (CONTROL | TRANSACTIONAL)) != 0)
        if chosen.any():
            is_control = (attributes & CONTROL) != 0
            control = np.flatnonzero(chosen & is_control)
            for number in control[marker_types(batches[control]) == OTHER_MARKER].tolist() if len(control) else ():
                start, end = int(batches.starts[number]), int(batches.ends[number])
                entry = Entry(batches.data[start:end], path, batches.position + start)
                self._try(ProducerStates(), path, entry, entry.header())
            self._in_transactions.update(ids[chosen & ~is_control].tolist())
        if self._in_transactions:
            plain = ids[(ids >= 0) & ((attributes & (CONTROL | TRANSACTIONAL)) == 0)]
            self._mixed.update(self._in_transactions.intersection(plain.tolist()))

    def end(self) -> list[Finding]:
        """All findings, after the last batch."""
        if self._mixed:
            known = [each for each in self._known if each.producer_id in self._mixed]
            states = ProducerStates(known, only_open=True)
            for segment, following in zip_longest(self._segments, self._segments[1:]):
                self._replay(states, segment, following)
        return [self._found[place] for place in sorted(self._found)]

    def _replay(self, states: ProducerStates, segment: "Segment", following: "Segment | None") -> None:
        def visit(entry: Entry) -> None:
            header = entry.header()
            if header.producer_id in self._mixed:
                self._try(states, segment.path, entry, header)

        try:
            with segment.open() as file:
                reader = segment.reader(file, following, limits=Limits(), on_damage="skip", report=ignore)
                for _ in reader.walk(visit):
                    pass
        except KafkafmtError:
            return  # the survey of the segment reports the error

    def _try(self, states: ProducerStates, path: str, entry: Entry, header: "BatchHeader") -> None:
        """Append a batch as the loader does; a refused batch does not change the state."""
        append = states.prepare()
        try:
            append.add(header, entry.data if header.is_control_batch else b"")
            append.commit()
        except CorruptError as error:
            self._found[path, entry.position] = Finding(
                FINDING,
                KIND,
                path,
                f"Kafka's loader refuses this batch: {error.message}",
                LEAVE_IT_OUT,
                entry.position,
                header.size_in_bytes,
                self._partition.topic,
                self._partition.partition,
                header.base_offset,
                header.last_offset,
            )

    def _producers_before(self) -> "list[ProducerState]":
        """Producers with an open transaction at the start of the log, from the snapshot at that offset."""
        start = self._segments[0].base_offset if self._segments else None
        for offset, place in self._partition.producer_snapshot_files:
            if offset == start:
                try:
                    entries = producer_snapshot.read(place).entries
                except KafkafmtError:
                    return []  # the broken snapshot is a finding of its own
                return [each for each in entries if each.current_txn_first_offset is not None]
        return []
