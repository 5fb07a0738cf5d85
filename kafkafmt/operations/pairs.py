"""Compares two copies of a partition: their relation, and what each would lose as a follower of the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Final, Literal

from kafkafmt.files.damage import Note
from kafkafmt.libraries import np, pa
from kafkafmt.logdir.truncation import LEADER_EPOCHS, PROTOCOLS, LogState, Truncation, TruncationProtocol, follow
from kafkafmt.operations.contents import SharedContents, compare_contents
from kafkafmt.operations.copies import HASHED, ComparedCopy, ContentHash
from kafkafmt.operations.missing_records import inside
from kafkafmt.operations.paired_records import ONLY_IN_FIRST, ONLY_IN_SECOND, paired

Relation = Literal["equal", "prefix", "diverged", "missing"]
EQUAL: Final = "equal"
PREFIX: Final = "prefix"
DIVERGED: Final = "diverged"
MISSING: Final = "missing"
RELATIONS: Final = (EQUAL, PREFIX, DIVERGED, MISSING)

SHOWN: Final = {
    "timestamp": "Timestamp",
    "key": "Key",
    "value": "Value",
    "headers": "Headers",
    "controlType": "ControlType",
    "partitionLeaderEpoch": "LeaderEpoch",
}
"""Columns of a scan that "records" has for both copies, and their names in it."""


@dataclass(frozen=True, slots=True)
class PartitionCopies:
    """The copies of one partition.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        copies: the copies in the order in which they were named; None for a missing one.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    copies: tuple[ComparedCopy | None, ...]

    def pairs(self) -> Iterator[tuple[tuple[int, int], ComparedCopy | None, ComparedCopy | None]]:
        """Numbers of two copies, at least one of which exists, and the copies."""
        for one, other in combinations(range(len(self.copies)), 2):
            if self.copies[one] is not None or self.copies[other] is not None:
                yield (one, other), self.copies[one], self.copies[other]


@dataclass(frozen=True, slots=True)
class FollowerOutcome:
    """The fate of one copy if it follows the other.

    Attributes:
        truncation: its steps until it fetches records.
        cut_records: data records that it cuts off; for a damaged copy also those that its own next start cuts off, as
            brokers do after a kill; None if unknown, as outside of a node's log directory.
        cut_committed_records: cut records below the higher of both high watermarks, which consumers may have read; None
            if unknown.
        lost_records: cut records that the leader does not have: lost for good; None if unknown.
        diverged_from: first offset at which the logs differ, and stay different; None if there is none.
    """

    truncation: Truncation
    cut_records: Annotated[int | None, "int64"]
    cut_committed_records: Annotated[int | None, "int64"]
    lost_records: Annotated[int | None, "int64"]
    diverged_from: Annotated[int | None, "int64"]

    @property
    def truncate_to(self) -> Annotated[int | None, "int64"]:
        """The follower's log end once it fetches records; None if nothing is cut."""
        return self.truncation.cut


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two copies of a partition.

    Attributes:
        of: the partition.
        numbers: numbers of the two compared copies.
        copies: both copies; None for a missing one.
        relation: "equal", "prefix", "diverged" or "missing", see below; None if it is undecided.
        contents: the common part; None without one.
        outcomes: by protocol, the fate of the second copy if the first leads, and of the first if the second leads.
    """

    of: PartitionCopies
    numbers: tuple[int, int]
    copies: tuple[ComparedCopy | None, ComparedCopy | None]
    relation: Annotated[Relation | None, "string"]
    contents: SharedContents | None
    outcomes: Mapping[TruncationProtocol, tuple[FollowerOutcome, FollowerOutcome]]

    @property
    def log_start_offsets(self) -> Annotated[list[int | None], "list<int64>"]:
        """Log start offsets of the first and the second copy."""
        return self._of_states("start")

    @property
    def log_end_offsets(self) -> Annotated[list[int | None], "list<int64>"]:
        """Log end offsets of the first and the second copy; "remarks" say where a start cuts a log."""
        return self._of_states("end")

    @property
    def high_watermarks(self) -> Annotated[list[int | None], "list<int64>"]:
        """High watermarks of both in replication-offset-checkpoint, None without an entry."""
        return self._of_states("high_watermark")

    @property
    def remarks(self) -> Annotated[list[str], "list<string>"]:
        """Further differences, see below."""
        return [] if self.contents is None else self.contents.remarks

    @property
    def second_follows(self) -> FollowerOutcome | None:
        """The outcome for the second copy if the first leads, by leader epochs."""
        return self.outcomes[LEADER_EPOCHS][0] if LEADER_EPOCHS in self.outcomes else None

    @property
    def first_follows(self) -> FollowerOutcome | None:
        """The outcome for the first copy if the second leads, by leader epochs."""
        return self.outcomes[LEADER_EPOCHS][1] if LEADER_EPOCHS in self.outcomes else None

    def _of_states(self, name: str) -> list[int | None]:
        return [None if each is None or each.state is None else getattr(each.state, name) for each in self.copies]


def compare_pair(of: PartitionCopies, numbers: tuple[int, int], *, hashes: bool) -> PairComparison:
    """Compare two copies of a partition, one of which may be missing.

    Args:
        of: the partition.
        numbers: the numbers of two of its copies.
        hashes: whether content hashes are wanted.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
    """
    first, second = (of.copies[number] for number in numbers)
    if first is None or second is None:
        return PairComparison(of, numbers, (first, second), MISSING, None, {})
    _note_topic_ids(first, second)
    if first.state is None or second.state is None:
        return PairComparison(of, numbers, (first, second), None, None, {})
    states = first.state, second.state
    relation, contents = _related(first, second, *states, hashes=hashes)
    starting = _after_start(first, second, contents)
    if contents is not None:
        contents.remarks += _of_starts(states, starting)
    is_known = None not in starting
    one, other = (after or before for after, before in zip(starting, states, strict=True))
    outcomes: dict[TruncationProtocol, tuple[FollowerOutcome, FollowerOutcome]] = {
        protocol: (
            _outcome(second, follow(one, other, protocol), one, other, contents, is_known=is_known),
            _outcome(first, follow(other, one, protocol), other, one, contents, is_known=is_known),
        )
        for protocol in PROTOCOLS
    }
    return PairComparison(of, numbers, (first, second), relation, contents, outcomes)


def _after_start(
    first: ComparedCopy, second: ComparedCopy, contents: SharedContents | None
) -> tuple[LogState | None, LogState | None]:
    """The logs after the next start, which recovers a log after a kill; None if that is unknown."""
    damaged = (False, False) if contents is None else contents.are_damaged
    one, other = (
        copy.state_after_start() if is_damaged or copy.was_stopped is False else copy.state
        for copy, is_damaged in zip((first, second), damaged, strict=True)
    )
    return one, other


def _of_starts(before: tuple[LogState, LogState], after: tuple[LogState | None, LogState | None]) -> Iterator[str]:
    """Remarks on logs that end sooner after the next start."""
    for name, state, starting in zip(("first", "second"), before, after, strict=True):
        if starting is not None and starting.end < state.end:
            yield f"the next start cuts {name} to {starting.end}"


def _note_topic_ids(first: ComparedCopy, second: ComparedCopy) -> None:
    if None not in (first.topic_id, second.topic_id) and first.topic_id != second.topic_id:
        is_same = first.partition.topic == second.partition.topic
        why = "created again, or of another cluster" if is_same else "these are different topics"
        text = (
            f"{first.partition.path} and {second.partition.path} have different topic ids ({first.topic_id},"
            f" {second.topic_id}): {why}"
        )
        of = first.partition
        note = Note(text, is_finding=False, path=of.path, topic=of.topic, partition=of.partition)
        first.reported.note(note)


def _related(
    first: ComparedCopy, second: ComparedCopy, one: LogState, other: LogState, *, hashes: bool
) -> tuple[Relation | None, SharedContents | None]:
    """The relation of two copies, and the comparison of their contents where they overlap."""
    start, end = max(one.start, other.start), min(one.end, other.end)
    if start >= end:
        both_empty = (one.start, one.end) == (other.start, other.end)
        return (EQUAL if both_empty else None), None
    contents = compare_contents(first, second, start, end, hashes=hashes)
    if contents.first_difference is not None:
        return DIVERGED, contents
    if contents.is_all_hidden:
        return None, contents
    return (EQUAL if one.end == other.end else PREFIX), contents


def _outcome(
    follower: ComparedCopy,
    truncation: Truncation,
    leading: LogState,
    before: LogState,
    contents: SharedContents | None,
    *,
    is_known: bool,
) -> FollowerOutcome:
    """The fate of a follower whose log is `before` once it has started.

    Args:
        follower: the copy, which its start may have cut.
        truncation: truncation of the follower's log to the offset that it fetches.
        leading: the leader's log after its start.
        before: the follower's log after its start.
        contents: the comparison of the common part.
        is_known: whether the effect of both starts is known.
    """
    difference = None if contents is None else contents.first_difference
    kept = truncation.end if truncation.cut is not None else min(before.end, leading.end)
    diverged_from = difference if difference is not None and difference < kept and not truncation.drops_all else None
    if not is_known or follower.state is None:
        return FollowerOutcome(truncation, None, None, None, diverged_from)
    is_cut_before = before.end < follower.state.end
    if truncation.cut is None and not is_cut_before:
        return FollowerOutcome(truncation, 0, 0, 0, diverged_from)
    cut = before.end if truncation.cut is None else before.start if truncation.drops_all else truncation.cut
    committed = min(max(leading.high_watermark or 0, before.high_watermark or 0), follower.state.end)
    # The leader has the common part up to the first difference.
    shared = leading.end if difference is None else difference
    elsewhere = max(cut, shared) if leading.start <= cut else cut
    return FollowerOutcome(
        truncation, follower.count(cut), follower.count(cut, committed), follower.count(elsewhere), diverged_from
    )


def differing_records(first: ComparedCopy, second: ComparedCopy, contents: SharedContents) -> Iterator[Sequence[Any]]:
    """Offset, differences, and the columns of `SHOWN` of both copies, for each offset with different records.

    Records that only one copy has because the other is damaged there are included; those that compaction has removed
    from the other are not.

    Raises:
        KafkafmtError: as in `compare_pair`.
    """
    columns = tuple(dict.fromkeys((*HASHED, *SHOWN)))
    beyond = max((end for lacking in contents.lacking for _, end in lacking), default=-1) + 1
    rest = [(contents.end, beyond)] if beyond > contents.end else []
    for start, end in (*contents.others, *rest):
        for pairing in paired(first.records(start, end, columns), second.records(start, end, columns)):
            masks = pairing.differing()
            rows: list[tuple[int, list[str], Any, Any]] = []
            if masks:
                numbers = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
                one, other = (_values(each.take(pa.array(numbers))) for each in pairing.both)
                for number, ours, theirs in zip(numbers, one, other, strict=True):
                    rows.append((ours["offset"], [name for name in masks if masks[name][number]], ours, theirs))
            for which, name in enumerate((ONLY_IN_FIRST, ONLY_IN_SECOND)):
                only = pairing.only[which]
                offsets = only.column("offset").to_numpy()
                left = ~contents.explained[1 - which].by_compaction(offsets)
                left &= (offsets < contents.end) | inside(offsets, contents.explained[1 - which].damaged)
                for record in _values(only.filter(pa.array(left))):
                    pair = (record, {}) if which == 0 else ({}, record)
                    rows.append((record["offset"], [name], *pair))
            for offset, differs, ours, theirs in sorted(rows, key=lambda row: row[0]):
                yield (offset, differs, *(each.get(name) for name in SHOWN for each in (ours, theirs)))


def _values(records: "pa.RecordBatch") -> list[dict[str, Any]]:
    """Rows of records; timestamps are in ms, as some exceed the range of a datetime."""
    number = records.schema.get_field_index("timestamp")
    times = records.column(number).cast(pa.int64())
    rows: list[dict[str, Any]] = records.set_column(number, "timestamp", times).to_pylist()
    return rows


def hashed_ranges(copy: ComparedCopy, which: int, size: int) -> Iterator[tuple[int, int, ContentHash]]:
    """For each range of offsets in which a copy has records: its start, the number of the copy, and the hash.

    Args:
        copy: the copy.
        which: number of the copy.
        size: number of offsets in a range, which starts at a multiple of it.

    Raises:
        KafkafmtError: as in `compare_pair`.
    """
    if copy.state is None:
        return
    current, hashed = -1, ContentHash()
    for batch in copy.records(copy.state.start, copy.state.end, HASHED):
        offsets = batch.column("offset").to_numpy()
        begin = 0
        while begin < len(offsets):
            start = int(offsets[begin]) // size * size
            if start != current:
                if hashed.records:
                    yield current, which, hashed
                current, hashed = start, ContentHash()
            stop = max(int(np.searchsorted(offsets, start + size)), begin + 1)
            hashed.update(batch.slice(begin, stop - begin))
            begin = stop
    if hashed.records:
        yield current, which, hashed
