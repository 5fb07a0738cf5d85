"""Compares the records of two copies of a partition at the offsets that both cover."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.answer_columns import Named
from kafkafmt.operations.batch_stream import BatchStream
from kafkafmt.operations.copies import HASHED, ComparedCopy, ContentHash
from kafkafmt.operations.missing_records import Explained, MissingRecords, inside, merged
from kafkafmt.operations.paired_records import Pairing, offsets_of, paired, sorted_by_offset
from kafkafmt.operations.remarks import of_damage, of_missing, of_shifted
from kafkafmt.operations.stretches import StretchFinder
from kafkafmt.reference.header import INT64_MAX

_COLUMNS: Final = (*HASHED, "partitionLeaderEpoch", "controlType", "producerId")
_TRANSACTIONS: Final = ("producerId", "offset", "isTransactional", "isControl")

REMARKS: Final = (
    "other batches",
    "other compression",
    "other message format",
    "other leader epochs",
    "first compacted further",
    "second compacted further",
    "first damaged",
    "second damaged",
)
"""Remarks on two copies that are not differences of their records."""


@dataclass
class SharedContents:
    """The overlap of two copies, and their differences in it.

    Attributes:
        start: the first offset that both can have.
        end: the offset after the last.
        first_difference: the first offset with different records, or that only one copy has; None for none.
        epochs: leader epochs of the two records there; -1 in formats 0 and 1, None for a missing record.
        differing: number of offsets with different records, or with a record in only one copy.
        hashes: a hash over each copy's records at the compared offsets, if they were wanted: equal if the records are;
            different, whatever "relation" is, if one copy is damaged or compacted further.
        remarks: the texts of `REMARKS` that apply.
        others: stretches in which the batches differ, so that records may.
        explained: for each copy, the offset up to which compaction explains missing records, and where damage does.
        are_damaged: for each copy, whether it is damaged at these offsets, or damage ends it sooner.
        damaged: for each copy, the number of records that only the other one has, because this one is damaged there; a
            record with a wrong base offset, which no CRC covers, counts.
        lacking: first and last of these offsets, a range for each damaged stretch.
        is_all_hidden: whether at each of these offsets one or the other is damaged, so that both have nothing.
    """

    start: int
    end: int
    first_difference: Annotated[int | None, Named("firstDivergentOffset", "int64")] = None
    epochs: Annotated[tuple[int | None, int | None] | None, Named("epochsAtDivergence", "list<int32>")] = None
    differing: Annotated[int, Named("differingRecords", "int64")] = 0
    hashes: Annotated[tuple[str, str] | None, Named("contentHashes", "list<string>")] = None
    remarks: list[str] = field(default_factory=list)
    others: list[tuple[int, int]] = field(default_factory=list)
    explained: tuple[Explained, ...] = ()
    are_damaged: tuple[bool, bool] = (False, False)
    damaged: Annotated[tuple[int, int], "list<int64>"] = (0, 0)
    lacking: tuple[list[tuple[int, int]], list[tuple[int, int]]] = field(default_factory=lambda: ([], []))
    is_all_hidden: bool = False


def compare_contents(
    first: ComparedCopy, second: ComparedCopy, start: int, end: int, *, hashes: bool
) -> SharedContents:
    """Compare the records of two copies between two offsets, in one pass over each.

    Args:
        first: the first copy.
        second: the second copy.
        start: the first offset.
        end: the offset after the last.
        hashes: whether content hashes are wanted, which need all records of at least one copy to be decoded.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
    """
    return _ContentComparison((first, second), start, end, hashes=hashes).compare()


class _ContentComparison:
    def __init__(self, copies: tuple[ComparedCopy, ComparedCopy], start: int, end: int, *, hashes: bool) -> None:
        self._copies = copies
        self._streams = copies[0].batches(start, end), copies[1].batches(start, end)
        self._finder = StretchFinder(*self._streams)
        self._missing = MissingRecords(), MissingRecords()
        self._found = SharedContents(start, end)
        self._other_epochs = False
        # While the records are the same, one hash is used for both copies.
        self._hashes = [ContentHash()] if hashes else []

    def compare(self) -> SharedContents:
        found = self._found
        for stretch in self._finder.stretches():
            self._settle()
            if stretch.is_same:
                if self._hashes:
                    self._hash_same(stretch.start, stretch.end)
                continue
            found.others.append((stretch.start, stretch.end))
            for pairing in paired(*(copy.records(stretch.start, stretch.end, _COLUMNS) for copy in self._copies)):
                self._take(pairing)
        self._settle()
        self._look_for_later_records()
        self._look_beyond()
        for which, missing in enumerate(self._missing):
            found.differing += missing.count
            if missing.first is not None and (found.first_difference is None or missing.first < found.first_difference):
                found.first_difference = missing.first
                found.epochs = self._epochs_of_missing(which, missing.first)
        if self._hashes:
            digests = [each.hexdigest() for each in self._hashes]
            found.hashes = digests[0], digests[-1]
        found.explained = tuple(
            Explained(stream.compacted_to, (*stream.holes, *copy.lost)) for stream, copy in self._pairs()
        )
        holes = merged(each for stream in self._streams for each in stream.holes)
        found.is_all_hidden = any(begin <= found.start and end >= found.end for begin, end in holes)
        tails = [self._is_tail_damaged(copy) for copy in self._copies]
        inner = [bool(stream.holes or copy.lost) for stream, copy in self._pairs()]
        found.are_damaged = inner[0] or tails[0], inner[1] or tails[1]
        found.damaged = self._missing[0].damaged, self._missing[1].damaged
        found.lacking = self._missing[0].lacking, self._missing[1].lacking
        found.remarks = [*of_damage(found.damaged, found.lacking, found.are_damaged), *self._of_missing()]
        found.remarks += [remark for remark, applies in zip(REMARKS, self._remarks(), strict=True) if applies]
        for name, offset in zip(("first", "second"), self._finder.without_epoch, strict=True):
            if offset is not None:
                found.remarks.append(f"leader epoch -1 in {name} at offset {offset}")
        self._note_order()
        return found

    def _of_missing(self) -> Iterator[str]:
        """Remarks on records that a copy lacks without a reason, and on batches that it has at another offset."""
        for which, missing in enumerate(self._missing):
            if missing.first is not None:
                yield of_missing(which, missing.count, missing.first, missing.last)
                own, other = self._copies[which], self._copies[1 - which]
                beyond = own.batches(self._found.end, self._found.end if own.state is None else own.state.end)
                yield from of_shifted(which, beyond, other.batches(missing.first, missing.last + 1))

    def _pairs(self) -> Iterator[tuple[BatchStream, ComparedCopy]]:
        return zip(self._streams, self._copies, strict=True)

    def _look_for_later_records(self) -> None:
        """Explain records that one copy lacks by compaction if nothing else differs: removed batches leave no trace.

        A cleaner that removes a record also removes all earlier ones with its key, because a later one exists;
        tombstones are removed last. It removes a transaction marker once no record of its transaction is left.
        """
        for which, (stream, missing) in enumerate(zip(self._streams, self._missing, strict=True)):
            keys = missing.superseded
            if missing.count and keys is not None and not (self._missing[1 - which].count or self._found.differing):
                left = {key for key, (_, has_value) in keys.items() if has_value}
                if self._has_no_earlier(which, keys, left) and not left and not self._has_open(which, missing.markers):
                    stream.compacted_to = max(stream.compacted_to, missing.last + 1)
                    missing.settle(INT64_MAX)

    def _has_no_earlier(self, lacking: int, keys: Mapping[bytes, tuple[int, bool]], left: set[bytes]) -> bool:
        """Whether a copy has no earlier record of the keys whose later ones it lacks; drops keys with later records."""
        for which, copy in enumerate(self._copies):
            for batch in copy.records(0, INT64_MAX, ("offset", "key", "isControl")):
                data = batch.filter(pc.invert(batch.column("isControl")))
                for key, offset in zip(data.column("key").to_pylist(), offsets_of(data).tolist(), strict=True):
                    found = keys.get(key)
                    if found is not None and offset > found[0]:
                        left.discard(key)
                    elif found is not None and offset < found[0] and which == lacking:
                        return False
        return True

    def _has_open(self, lacking: int, markers: Sequence[tuple[int, int]]) -> bool:
        """Whether a copy has records of a transaction whose marker it lacks.

        Args:
            lacking: number of the copy.
            markers: producer id and offset of each marker, in order.
        """
        waiting: dict[int, list[int]] = defaultdict(list)
        for producer, offset in reversed(markers):
            waiting[producer].append(offset)
        is_open: dict[int, bool] = {}
        for batch in self._copies[lacking].records(0, markers[-1][1], _TRANSACTIONS) if markers else ():
            rows = batch.filter(pc.is_in(batch.column("producerId"), pa.array(waiting, pa.int64())))
            columns = (rows.column(name).to_pylist() for name in _TRANSACTIONS)
            for producer, offset, in_transaction, is_control in zip(*columns, strict=True):
                while waiting[producer] and waiting[producer][-1] < offset:
                    waiting[producer].pop()
                    if is_open.get(producer):
                        return True
                is_open[producer] = in_transaction and not is_control
        return any(offsets and is_open.get(producer) for producer, offsets in waiting.items())

    def _is_tail_damaged(self, copy: ComparedCopy) -> bool:
        """Whether a copy is damaged after the common end; the walk reports the damage."""
        end = self._found.end
        stream = copy.batches(end, end if copy.state is None else copy.state.end)
        for _ in stream if stream.end > end else ():
            pass
        return bool(stream.holes)

    def _look_beyond(self) -> None:
        """Count the records that only the other copy has if one copy ends sooner because of damage."""
        end = self._found.end
        for which, (stream, copy) in enumerate(self._pairs()):
            other = self._copies[1 - which]
            stop = min(
                max((after for _, after in stream.holes), default=0), 0 if other.state is None else other.state.end
            )
            for batch in other.records(end, stop, ("offset",)) if stop > end else ():
                in_damage = inside(offsets_of(batch), stream.holes)
                self._missing[which].add(batch.filter(pa.array(in_damage)), stream, copy.lost)

    def _settle(self) -> None:
        for missing, stream in zip(self._missing, self._streams, strict=True):
            missing.settle(stream.compacted_to)

    def _take(self, pairing: Pairing) -> None:
        found = self._found
        masks = pairing.differing()
        self._other_epochs |= pairing.other_epochs
        if masks:
            rows = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
            found.differing += len(rows)
            if found.first_difference is None:
                row = int(rows[0])
                found.first_difference = int(offsets_of(pairing.both[0])[row])
                one, other = (int(each.column("partitionLeaderEpoch")[row].as_py()) for each in pairing.both)
                found.epochs = one, other
        for which, records in enumerate(pairing.only):
            lacking = 1 - which
            self._missing[lacking].add(records, self._streams[lacking], self._copies[lacking].lost)
        if self._hashes:
            self._hash_others(pairing, is_same=not masks and not any(each.num_rows for each in pairing.only))

    def _hash_same(self, start: int, end: int) -> None:
        for batch in self._copies[0].records(start, end, HASHED):
            for each in self._hashes:
                each.update(batch)

    def _hash_others(self, pairing: Pairing, *, is_same: bool) -> None:
        if is_same:
            for each in self._hashes:
                each.update(pairing.both[0])
            return
        if len(self._hashes) == 1:
            self._hashes.append(self._hashes[0].copy())
        for each, both, only in zip(self._hashes, pairing.both, pairing.only, strict=True):
            each.update(sorted_by_offset(pa.concat_batches([both, only])))

    def _epochs_of_missing(self, lacking: int, offset: int) -> tuple[int | None, int | None]:
        having = self._copies[1 - lacking]
        batch = next(having.records(offset, offset + 1, ("offset", "partitionLeaderEpoch")), None)
        epoch = None if batch is None or not batch.num_rows else int(batch.column(1)[0].as_py())
        return (None, epoch) if lacking == 0 else (epoch, None)

    def _remarks(self) -> Sequence[bool]:
        finder = self._finder
        first, second = self._missing
        # Different records imply different batches.
        same = self._found.first_difference is None
        return (
            same and finder.other_batches,
            same and finder.other_compression,
            same and finder.other_formats,
            same and (finder.other_epochs or self._other_epochs),
            bool(first.compacted),
            bool(second.compacted),
            *(is_damaged and not any(self._found.damaged) for is_damaged in self._found.are_damaged),
        )

    def _note_order(self) -> None:
        for copy, stream in zip(self._copies, self._streams, strict=True):
            for note in stream.faults:
                copy.reported.note(note)
