"""Whether two copies of a partition hold the same records where both have them: which batches and records differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.operations.copies import HASHED, ComparedCopy, ContentHash
from kafkafmt.operations.remarks import of_damage, of_missing, of_shifted
from kafkafmt.operations.stretches import BatchStream, StretchFinder
from kafkafmt.reference.header import INT64_MAX

COMPARED: Final = ("timestamp", "key", "value", "headers", "isControl")
"""Columns by which records at the same offset differ."""

_COLUMNS: Final = (*HASHED, "partitionLeaderEpoch", "controlType")
ONLY_IN_FIRST: Final = "only in first"
ONLY_IN_SECOND: Final = "only in second"
DIFFERENCES: Final = (*COMPARED, ONLY_IN_FIRST, ONLY_IN_SECOND)
"""How the records at an offset can differ."""

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

# Keys are held in memory; above this number compaction does not explain missing batches.
_MOST_KEYS: Final = 1_000_000

_Offsets = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Records of two copies at the same offsets.

    Attributes:
        both: of each copy the records whose offsets the other has too, in the same order.
        only: of each copy the records whose offsets the other does not have.
    """

    both: tuple[pa.RecordBatch, pa.RecordBatch]
    only: tuple[pa.RecordBatch, pa.RecordBatch]

    @classmethod
    def of(cls, first: pa.RecordBatch, second: pa.RecordBatch) -> "Pairing":
        """Pair the records of two copies by their offsets."""
        ours, theirs = _offsets(first), _offsets(second)
        if np.array_equal(ours, theirs):
            return cls((first, second), (first.slice(0, 0), second.slice(0, 0)))
        _, left, right = np.intersect1d(ours, theirs, return_indices=True)
        rest = (np.setdiff1d(np.arange(len(ours)), left), np.setdiff1d(np.arange(len(theirs)), right))
        return cls(
            (first.take(pa.array(left)), second.take(pa.array(right))),
            (first.take(pa.array(rest[0])), second.take(pa.array(rest[1]))),
        )

    def differing(self) -> dict[str, _Mask]:
        """For each of `COMPARED` that differs in some record, in which."""
        masks = {}
        for name in COMPARED:
            first, second = (each.column(name) for each in self.both)
            if not first.equals(second):
                mask = _unequal(first, second)
                if mask.any():
                    masks[name] = mask
        return masks

    @property
    def other_epochs(self) -> bool:
        """Whether a record has another leader epoch; formats 0 and 1 have none."""
        first, second = (each.column("partitionLeaderEpoch").to_numpy() for each in self.both)
        return bool(((first != second) & (first >= 0) & (second >= 0)).any())


@dataclass(slots=True)
class _Missing:
    """Records that one copy lacks and the other has, without an explanation.

    Attributes:
        first: the first offset, or None.
        last: the last offset, or -1.
        count: their number.
        compacted: number of others that compaction explains.
        damaged: number of others that damage explains.
        lacking: first and last of those, a range for each stretch that damage has cost.
        superseded: the last record of each key among the unexplained ones: its offset, and whether it has a value; None
            if one has no key, or there are too many of them.
    """

    first: int | None = None
    last: int = -1
    count: int = 0
    compacted: int = 0
    damaged: int = 0
    lacking: list[tuple[int, int]] = field(default_factory=list)
    superseded: dict[bytes, tuple[int, bool]] | None = field(default_factory=dict)

    def add(self, records: pa.RecordBatch, stream: BatchStream, lost: "Iterable[tuple[int, int]]") -> None:
        offsets = _offsets(records)
        if not len(offsets):
            return
        in_damage = inside(offsets, (*stream.holes, *lost))
        below = (offsets < stream.compacted_to) & ~in_damage
        self.damaged += int(in_damage.sum())
        for begin, end in merged((*stream.holes, *lost)):
            here = offsets[(offsets >= begin) & (offsets < end)]
            if len(here):
                self._lacks(int(here[0]), int(here[-1]), begin)
        self.compacted += int(below.sum())
        left = offsets[~in_damage & ~below]
        if len(left):
            self.first = int(left[0]) if self.first is None else min(self.first, int(left[0]))
            self.last = int(left[-1])
            self.count += len(left)
            if self.superseded is not None and "key" in records.schema.names:
                self._remember(records.filter(pa.array(~in_damage & ~below)))

    def _remember(self, records: pa.RecordBatch) -> None:
        """Take the keys of records that nothing explains; control records have none of their own."""
        data = records.filter(pc.invert(records.column("isControl")))
        keys = data.column("key")
        if keys.null_count or len(self.superseded or ()) + len(keys) > _MOST_KEYS:
            self.superseded = None
        elif self.superseded is not None:
            is_data = data.column("value").is_valid().to_pylist()
            for key, offset, has_value in zip(keys.to_pylist(), _offsets(data).tolist(), is_data, strict=True):
                self.superseded[key] = offset, has_value

    def _lacks(self, first: int, last: int, begin: int) -> None:
        """Take offsets that damage has cost, which begins at an offset."""
        if self.lacking and (self.lacking[-1][1] >= begin or self.lacking[-1][1] + 1 >= first):
            first, last = self.lacking[-1][0], max(last, self.lacking.pop()[1])
        self.lacking.append((first, last))

    def settle(self, compacted_to: int) -> None:
        """Compaction explains all that was missing before the last batch of which it removed records."""
        if self.first is not None and self.first < compacted_to:
            self.compacted += self.count
            self.first, self.count = None, 0
            if self.superseded is not None:
                self.superseded.clear()


@dataclass
class SharedContents:
    """The common part of two copies, and their differences.

    Attributes:
        start: the first offset that both can have.
        end: the offset after the last.
        first_difference: the first offset with different records, or that only one copy has; None for none.
        epochs: leader epochs of the records there; -1 for none, None where there is no record.
        differing: how many offsets have different records, or a record in one copy alone.
        hashes: content hashes of both, if they were wanted.
        remarks: those of `REMARKS` that apply.
        others: stretches in which the batches differ, so that records may.
        explained: for each copy, the offset up to which compaction explains missing records, and where damage does.
        are_damaged: of each copy, whether it is damaged at these offsets, or ends sooner for damage.
        damaged: of each copy, how many records only the other one has, because this one is damaged there.
        lacking: first and last of these offsets, a range for each damaged stretch.
        is_all_hidden: whether at each of these offsets one or the other is damaged, so that both have nothing.
    """

    start: int
    end: int
    first_difference: int | None = None
    epochs: tuple[int | None, int | None] | None = None
    differing: int = 0
    hashes: tuple[str, str] | None = None
    remarks: list[str] = field(default_factory=list)
    others: list[tuple[int, int]] = field(default_factory=list)
    explained: "tuple[Explained, ...]" = ()
    are_damaged: tuple[bool, bool] = (False, False)
    damaged: tuple[int, int] = (0, 0)
    lacking: tuple[list[tuple[int, int]], list[tuple[int, int]]] = field(default_factory=lambda: ([], []))
    is_all_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Explained:
    """Explains why a copy lacks records.

    Attributes:
        compacted_to: compaction does below this offset.
        damaged: damage does, from and up to these offsets.
    """

    compacted_to: int
    damaged: tuple[tuple[int, int], ...]

    def by_compaction(self, offsets: _Offsets) -> _Mask:
        """Which of these offsets compaction alone explains."""
        mask: _Mask = (offsets < self.compacted_to) & ~inside(offsets, self.damaged)
        return mask


def compare_contents(
    first: ComparedCopy, second: ComparedCopy, start: int, end: int, *, hashes: bool
) -> SharedContents:
    """Compare the records of two copies between two offsets, in one pass over each.

    Args:
        first: one copy.
        second: the other.
        start: the first offset.
        end: the offset after the last.
        hashes: whether content hashes are wanted, for which all records of at least one copy are decoded.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
    """
    return _ContentComparison((first, second), start, end, hashes=hashes).compare()


class _ContentComparison:
    def __init__(self, copies: tuple[ComparedCopy, ComparedCopy], start: int, end: int, *, hashes: bool) -> None:
        self._copies = copies
        self._streams = copies[0].batches(start, end), copies[1].batches(start, end)
        self._finder = StretchFinder(*self._streams)
        self._missing = _Missing(), _Missing()
        self._found = SharedContents(start, end)
        self._other_epochs = False
        # One hash for both as long as their records are the same.
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
        """The records that each copy lacks without a reason, and batches that it has at another offset."""
        for which, missing in enumerate(self._missing):
            if missing.first is not None:
                yield of_missing(which, missing.count, missing.first, missing.last)
                own, other = self._copies[which], self._copies[1 - which]
                beyond = own.batches(self._found.end, self._found.end if own.state is None else own.state.end)
                yield from of_shifted(which, beyond, other.batches(missing.first, missing.last + 1))

    def _pairs(self) -> Iterator[tuple[BatchStream, ComparedCopy]]:
        return zip(self._streams, self._copies, strict=True)

    def _look_for_later_records(self) -> None:
        """Explain the records that one copy lacks by compaction, if nothing else differs: whole batches leave no trace.

        A cleaner removes a record if a later one has its key, with all earlier ones of that key; at last a tombstone.
        """
        for which, (stream, missing) in enumerate(zip(self._streams, self._missing, strict=True)):
            keys = missing.superseded
            if missing.count and keys is not None and not (self._missing[1 - which].count or self._found.differing):
                left = {key for key, (_, has_value) in keys.items() if has_value}
                if self._has_no_earlier(which, keys, left) and not left:
                    stream.compacted_to = max(stream.compacted_to, missing.last + 1)
                    missing.settle(INT64_MAX)

    def _has_no_earlier(self, lacking: int, keys: Mapping[bytes, tuple[int, bool]], left: set[bytes]) -> bool:
        """Whether a copy has no earlier record of keys whose later ones it lacks; takes those with later ones away."""
        for which, copy in enumerate(self._copies):
            for batch in copy.records(0, INT64_MAX, ("offset", "key", "isControl")):
                data = batch.filter(pc.invert(batch.column("isControl")))
                for key, offset in zip(data.column("key").to_pylist(), _offsets(data).tolist(), strict=True):
                    found = keys.get(key)
                    if found is not None and offset > found[0]:
                        left.discard(key)
                    elif found is not None and offset < found[0] and which == lacking:
                        return False
        return True

    def _is_tail_damaged(self, copy: ComparedCopy) -> bool:
        """Whether a copy is damaged after the common end; the walk reports it."""
        end = self._found.end
        stream = copy.batches(end, end if copy.state is None else copy.state.end)
        for _ in stream if stream.end > end else ():
            pass
        return bool(stream.holes)

    def _look_beyond(self) -> None:
        """Count the records that only the other copy has where one ends sooner because of damage."""
        end = self._found.end
        for which, (stream, copy) in enumerate(self._pairs()):
            other = self._copies[1 - which]
            stop = min(
                max((after for _, after in stream.holes), default=0), 0 if other.state is None else other.state.end
            )
            for batch in other.records(end, stop, ("offset",)) if stop > end else ():
                in_damage = inside(_offsets(batch), stream.holes)
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
                found.first_difference = int(_offsets(pairing.both[0])[row])
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


def paired(first: Iterator[pa.RecordBatch], second: Iterator[pa.RecordBatch]) -> Iterator[Pairing]:
    """Pair the records of two copies, in order of their offsets, some at a time.

    Args:
        first: records with a column "offset" of one copy.
        second: records with a column "offset" of the other copy.
    """
    streams = first, second
    held: list[pa.RecordBatch | None] = [None, None]
    ended = [False, False]
    while True:
        for which, stream in enumerate(streams):
            while not ended[which] and _is_empty(held[which]):
                held[which] = next(stream, None)
                ended[which] = held[which] is None
        left = [each for each in held if each is not None]
        if all(map(_is_empty, held)):
            return
        whole = [sorted_by_offset(left[0].slice(0, 0) if each is None else each) for each in held]
        bounds = [int(_offsets(whole[which])[-1]) for which in range(2) if not ended[which]]
        counts = [
            each.num_rows if not bounds else int(np.searchsorted(_offsets(each), min(bounds), "right"))
            for each in whole
        ]
        yield Pairing.of(*(each.slice(0, count) for each, count in zip(whole, counts, strict=True)))
        held = [each.slice(count) for each, count in zip(whole, counts, strict=True)]


def sorted_by_offset(records: pa.RecordBatch) -> pa.RecordBatch:
    """The records in order of their offsets; they are sorted, except in a log that is out of order."""
    offsets = _offsets(records)
    if (offsets[1:] >= offsets[:-1]).all():
        return records
    return records.take(pa.array(np.argsort(offsets, kind="stable")))


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges, each from its start up to its end, in order; those that touch as one."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def inside(offsets: _Offsets, ranges: Iterable[tuple[int, int]]) -> _Mask:
    """Which offsets are in ranges, each from its start up to its end."""
    mask = np.zeros(len(offsets), np.bool_)
    for begin, end in ranges:
        mask |= (offsets >= begin) & (offsets < end)
    return mask


def _unequal(first: pa.Array, second: pa.Array) -> _Mask:
    if pa.types.is_list(first.type):
        pairs = zip(first.to_pylist(), second.to_pylist(), strict=True)
        return np.array([(one or []) != (other or []) for one, other in pairs], np.bool_)
    nulls = [each.is_null().to_numpy(zero_copy_only=False) for each in (first, second)]
    unequal = pc.fill_null(pc.not_equal(first, second), False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    mask: _Mask = unequal | (nulls[0] != nulls[1])
    return mask


def _is_empty(records: pa.RecordBatch | None) -> bool:
    return records is None or not records.num_rows


def _offsets(records: pa.RecordBatch) -> _Offsets:
    offsets: _Offsets = records.column("offset").to_numpy()
    return offsets
