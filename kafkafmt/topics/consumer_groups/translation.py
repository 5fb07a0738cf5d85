"""Translation: committed offsets for another copy of a topic, where the same records have other offsets.

A copy that was mirrored or restored keeps timestamps, keys and values. A committed offset lies between two records, the
last one that was read and the next one. It is translated if the copy has exactly one place between the same two
records, or if only one of them can exist there; for equal records, those around them decide. All other offsets are
listed, never guessed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.files.damage import Note
from kafkafmt.libraries import pa
from kafkafmt.logdir import sources
from kafkafmt.phrases import counted
from kafkafmt.scanning import scan
from kafkafmt.topics.consumer_groups.answer import CommittedOffset

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable

TranslationState = Literal["matched", "unmatched", "ambiguous"]

CONTEXT: Final = 256
"""Records on each side of an offset that are compared to distinguish equal places."""

MOST_PLACES: Final = 1000
"""Limit of places with equal records that are compared; if there are more, the offset is ambiguous."""

_COLUMNS: Final = ("offset", "timestamp", "key", "value")
_ISOLATIONS: Final = ("read_uncommitted", "read_committed")
_NAMED: Final = 4


class KnownRecord(NamedTuple):
    """The parts of a record that a copy keeps.

    Attributes:
        offset: offset in the log from which it was read.
        digest: hash of timestamp, key and value.
        timestamp: timestamp in ms since the epoch; None for none.
        key: the key.
    """

    offset: int
    digest: bytes
    timestamp: int | None
    key: bytes | None


@dataclass(frozen=True, slots=True)
class TranslatedOffset:
    """A committed offset, and its translation.

    Attributes:
        group: id of the group.
        topic: name of the topic.
        partition: number of the partition.
        offset: the committed offset.
        translated: the offset in the copy; None unless it is matched.
        state: "matched", "unmatched" or "ambiguous".
        reason: why it is not matched; None if it is.
    """

    group: Annotated[str, "string"]
    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]
    translated: Annotated[int | None, Named("translatedOffset", "int64")]
    state: Annotated[TranslationState, "string"]
    reason: Annotated[str | None, "string"] = None


_TRANSLATED = TableColumns(*columns_of(TranslatedOffset))
TRANSLATIONS = _TRANSLATED.schema
"""Columns of `translations_table`."""


def translations_table(translated: Iterable[TranslatedOffset]) -> "pa.Table":
    """Make a table with one row per offset."""
    return _TRANSLATED.to_table(translated)


class _Outcome(NamedTuple):
    """The translation of an offset of one partition."""

    state: TranslationState
    offset: int | None = None
    reason: str | None = None


class _Place(NamedTuple):
    """A place in the copy: the records before and after it; None at the ends of the log."""

    before: KnownRecord | None
    after: KnownRecord | None

    @property
    def offset(self) -> int:
        """Offset where the place ends."""
        return self.after.offset if self.after is not None else (self.before.offset + 1 if self.before else 0)

    def offset_after(self, distance: int, end: int) -> int:
        """The offset for this place: as far after the previous record as in the other log, if there is space.

        Between the two records there are only transaction markers and offsets without a record.

        Args:
            distance: distance of the offset from the previous record in the other log.
            end: log end of the copy.
        """
        if self.before is None:
            return self.offset
        room = self.after.offset if self.after is not None else max(end, self.offset)
        return min(self.before.offset + distance, room)


@dataclass(frozen=True)
class _Log:
    """One partition as consumers with an isolation level see it."""

    source: sources.Sources
    partition: "Partition"
    isolation: Any
    notes: dict[Note, None]

    def records(self, start: int | None, end: int | None = None, **wanted: Any) -> Iterator[KnownRecord]:  # noqa: ANN401 - arguments of scan
        """The partition's records from one offset up to another."""
        searched = scan(
            self.source,
            topics={str(self.partition.topic): int(self.partition.partition or 0)},
            start_offset=start,
            end_offset=end,
            columns=_COLUMNS,
            isolation_level=self.isolation,
            **wanted,
        )
        searched = searched.without_warnings()
        try:
            with searched.to_reader() as reader:
                for batch in reader:
                    columns = [batch.column(name) for name in _COLUMNS]
                    columns[1] = columns[1].cast(pa.int64())
                    for row in zip(*(column.to_pylist() for column in columns), strict=True):
                        yield _known(*row)
        finally:
            self.notes.update((note, None) for note in searched.notes if note.is_finding)

    def following(self, offset: int, most: int) -> list[KnownRecord]:
        """The first records at or after an offset."""
        found = []
        for record in self.records(offset):
            found.append(record)
            if len(found) == most:
                break
        return found

    def preceding(self, offset: int, most: int) -> list[KnownRecord]:
        """The last records before an offset, in log order, even if compaction has left few."""
        start = self.partition.log_start_offset or 0
        width = 4 * most
        while offset > start:
            begin = max(start, offset - width)
            found = list(self.records(begin, offset))[-most:]
            if len(found) == most or begin == start:
                return found
            width *= 8
        return []

    def equal(self, record: KnownRecord) -> list[KnownRecord]:
        """Records equal to one of another log; at most `MOST_PLACES` and one more."""
        wanted: dict[str, Any] = {}
        if record.timestamp is not None and record.timestamp >= 0:
            wanted = {"start_timestamp": record.timestamp, "end_timestamp": record.timestamp + 1}
        if record.key is not None:
            wanted["key"] = record.key
        found = []
        for other in self.records(None, None, **wanted):
            if other.digest == record.digest:
                found.append(other)
                if len(found) > MOST_PLACES:
                    break
        return found


@dataclass
class OffsetTranslator:
    """Translates offsets from one copy of topics to another.

    Args:
        source: the copy with the committed offsets; as for `kafkafmt.scan`.
        target: the other copy.

    Attributes:
        notes: faults of the records compared so far, such as offsets that go back, each once.
    """

    source: "Searchable"
    target: "Searchable"
    notes: dict[Note, None] = field(default_factory=dict, init=False)
    _known: dict[tuple[str, int, int], _Outcome] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._from = sources.search(self.source, None)
        self._to = sources.search(self.target, None)

    def translate(self, offsets: Iterable[CommittedOffset]) -> Iterator[TranslatedOffset]:
        """Translate committed offsets; each offset of a partition is translated once for all groups.

        Raises:
            KafkafmtError: damage around an offset, or a file cannot be read.
        """
        for each in offsets:
            if each.topic is None:
                continue
            place = each.topic, each.partition, each.offset
            if place not in self._known:
                self._known[place] = self._translated(*place)
            outcome = self._known[place]
            where = (each.group_id, each.topic, each.partition, each.offset)
            yield TranslatedOffset(*where, outcome.offset, outcome.state, outcome.reason)

    def _translated(self, topic: str, partition: int, offset: int) -> _Outcome:
        here, there = (_partition(each, topic, partition) for each in (self._from, self._to))
        if here is None or there is None:
            where = "the disks of the group" if here is None else "the copy"
            return _Outcome("unmatched", reason=f"{topic}-{partition} is not on {where}")
        start, end = here.log_start_offset or 0, here.log_end_offset or 0
        if not start <= offset <= end:
            return _Outcome("unmatched", reason=f"outside of its own log, which has offsets {start} to {end}")
        first: _Outcome | None = None
        for isolation in _ISOLATIONS:  # a mirror may copy only committed records
            logs = _Log(self._from, here, isolation, self.notes), _Log(self._to, there, isolation, self.notes)
            outcome = _between(*logs, offset)
            if outcome.state == "matched":
                return outcome
            first = first or outcome
        return first or _Outcome("unmatched")


def _partition(source: sources.Sources, topic: str, number: int) -> "Partition | None":
    found = scan(source, topics={topic: number}, missing="note").best_partitions()
    return found[0] if found else None


def _between(here: _Log, there: _Log, offset: int) -> _Outcome:
    """Translate one offset."""
    before, after = here.preceding(offset, CONTEXT), here.following(offset, CONTEXT)
    if not before and not after:
        end = there.partition.log_end_offset or 0
        if not there.following(0, 1):
            return _Outcome("matched", end)
        return _Outcome("unmatched", reason="its log has no record, and the copy has some")
    last = there.equal(before[-1]) if before else []
    following = there.equal(after[0]) if after else []
    if max(len(last), len(following)) > MOST_PLACES:
        return _Outcome("ambiguous", reason=f"more than {MOST_PLACES} equal records in the copy")
    if not last and not following:
        sides = ["before"] * bool(before) + ["at"] * bool(after)
        return _Outcome("unmatched", reason=f"the record {' and '.join(sides)} this offset is not in the copy")
    places = _places(there, before, after, last, following)
    if len(places) > 1:
        places = _alike(there, places, before, after) or places
    if len(places) == 1:
        distance = offset - before[-1].offset if before else 0
        return _Outcome("matched", places[0].offset_after(distance, there.partition.log_end_offset or 0))
    if places:
        named = ", ".join(str(place.offset) for place in places[:_NAMED]) + (", .." if places[_NAMED:] else "")
        return _Outcome("ambiguous", reason=f"{counted(len(places), 'place')} in the copy fit equally: {named}")
    if last and following:
        return _Outcome(
            "ambiguous",
            reason=f"the copy has other records between those around this offset, at {last[-1].offset} and "
            f"{following[0].offset}",
        )
    known, side = (last[-1], "before") if last else (following[0], "at")
    return _Outcome(
        "ambiguous", reason=f"the copy has only the record {side} this offset, at {known.offset}, beside unknown ones"
    )


def _places(
    there: _Log,
    before: Sequence[KnownRecord],
    after: Sequence[KnownRecord],
    last: Sequence[KnownRecord],
    following: Sequence[KnownRecord],
) -> list[_Place]:
    """Places in the copy between the same two records; or next to one of them, if the other cannot exist there."""
    if not before:
        return [_Place(None, record) for record in following]
    if not after:
        return [_Place(record, None) for record in last]
    if last and following:
        by_offset = {record.offset: record for record in following}
        pairs = []
        for record in last:
            next_record = next(iter(there.following(record.offset + 1, 1)), None)
            if next_record is not None and next_record.offset in by_offset:
                pairs.append(_Place(record, next_record))
        return pairs
    if last:
        later = {record.digest for record in after}
        beside = [(record, next(iter(there.following(record.offset + 1, 1)), None)) for record in last]
        return [_Place(record, other) for record, other in beside if other is None or other.digest in later]
    earlier = {record.digest for record in before}
    led = [(record, next(iter(there.preceding(record.offset, 1)), None)) for record in following]
    return [_Place(None, record) for record, other in led if other is None or other.digest in earlier]


def _alike(
    there: _Log, places: Sequence[_Place], before: Sequence[KnownRecord], after: Sequence[KnownRecord]
) -> list[_Place]:
    """The places with the same records around them, as far as both logs extend, and none on the wrong side."""
    read, unread = ({record.digest for record in records} for records in (before, after))
    kept = []
    for place in places:
        earlier = there.preceding(place.offset, CONTEXT)
        later = there.following(place.offset, CONTEXT)
        pairs = (*zip(reversed(earlier), reversed(before), strict=False), *zip(later, after, strict=False))
        on_wrong_side = {record.digest for record in earlier} & (unread - read)
        on_wrong_side |= {record.digest for record in later} & (read - unread)
        if not on_wrong_side and all(one.digest == other.digest for one, other in pairs):
            kept.append(place)
    return kept


def _known(offset: int, timestamp: int | None, key: bytes | None, value: bytes | None) -> KnownRecord:
    """Reduce a record to the parts that a copy also has."""
    digest = blake2b(digest_size=16)
    for part in (None if timestamp is None else timestamp.to_bytes(8, "big", signed=True), key, value):
        # The length separates the parts, and distinguishes null from empty.
        digest.update((-1 if part is None else len(part)).to_bytes(8, "big", signed=True) + (part or b""))
    return KnownRecord(offset, digest.digest(), timestamp, key)
