"""ComparedCopies: the tables of `compare`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.columns import SCHEMA
from kafkafmt.files.damage import Note
from kafkafmt.libraries import pa
from kafkafmt.logdir.truncation import LEADER_EPOCHS, PROTOCOLS, follow
from kafkafmt.operations.copies import ContentHash, Reported
from kafkafmt.operations.pairs import (
    EQUAL,
    PREFIX,
    RELATIONS,
    SHOWN,
    FollowerOutcome,
    PairComparison,
    PartitionCopies,
    compare_pair,
    differing_records,
    hashed_ranges,
)
from kafkafmt.startup.outcome import copied_while_running
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.findings import Finding
    from kafkafmt.logdir.partition import Partition

_OF_BOTH: Final = pa.list_(pa.int64())
_NAMES: Final = [("topic", pa.string()), ("partition", pa.int32())]
_PAIR: Final = [("first", pa.string()), ("second", pa.string())]
_ROLES: Final = [("leader", pa.string()), ("follower", pa.string()), ("protocol", pa.string())]


def _of_contents(name: str) -> Callable[[PairComparison], Any]:
    return lambda each: None if each.contents is None else getattr(each.contents, name)


def _of_states(name: str) -> Callable[[PairComparison], list[int | None]]:
    return lambda each: [None if one is None or one.state is None else getattr(one.state, name) for one in each.copies]


def _by_epochs(number: int, name: str) -> Callable[[PairComparison], Any]:
    value = attrgetter(name)
    return lambda each: value(each.outcomes[LEADER_EPOCHS][number]) if LEADER_EPOCHS in each.outcomes else None


_COMPARISON: Final = TableColumns(
    ("relation", "string", "relation"),
    ("firstDivergentOffset", "int64", _of_contents("first_difference")),
    ("epochsAtDivergence", pa.list_(pa.int32()), _of_contents("epochs")),
    ("logStartOffsets", _OF_BOTH, _of_states("start")),
    ("logEndOffsets", _OF_BOTH, _of_states("end")),
    ("highWatermarks", _OF_BOTH, _of_states("high_watermark")),
    ("contentHashes", pa.list_(pa.string()), _of_contents("hashes")),
    ("truncateIfFirstLeads", "int64", _by_epochs(0, "truncation.cut")),
    ("truncateIfSecondLeads", "int64", _by_epochs(1, "truncation.cut")),
    ("lostIfFirstLeads", "int64", _by_epochs(0, "cut_records")),
    ("lostIfSecondLeads", "int64", _by_epochs(1, "cut_records")),
    ("differingRecords", "int64", _of_contents("differing")),
    ("damaged", _OF_BOTH, _of_contents("damaged")),
    ("remarks", pa.list_(pa.string()), lambda each: [] if each.contents is None else each.contents.remarks),
)
_OUTCOME: Final = TableColumns(*columns_of(FollowerOutcome))
_STEP: Final = TableColumns(
    ("fetchOffset", "int64", "fetch_offset"),
    ("lastFetchedEpoch", "int32", "last_epoch"),
    ("response", "string", "response"),
    ("divergingEpoch", "int32", "diverging_epoch"),
    ("divergingEndOffset", "int64", "diverging_end"),
    ("truncateTo", "int64", "truncate_to"),
    ("explanation", "string", str),
)
_SCHEMAS: Final = {
    "partitions": pa.schema([*_NAMES, *_PAIR, *_COMPARISON.schema]),
    "records": pa.schema(
        [
            *_NAMES,
            *_PAIR,
            ("offset", pa.int64()),
            ("differs", pa.list_(pa.string())),
            *(
                (f"{which}{shown}", SCHEMA.field(name).type)
                for name, shown in SHOWN.items()
                for which in ("first", "second")
            ),
        ]
    ),
    "following": pa.schema([*_NAMES, *_ROLES, *_OUTCOME.schema]),
    "truncation": pa.schema([*_NAMES, *_ROLES, ("step", pa.int32()), *_STEP.schema]),
    "ranges": pa.schema(
        [
            *_NAMES,
            ("firstOffset", pa.int64()),
            ("endOffset", pa.int64()),
            ("records", _OF_BOTH),
            ("contentHashes", pa.list_(pa.string())),
        ]
    ),
}


class ComparedCopies(TableAnswer):
    """Copies of partitions, compared: made by `compare`.

    Logs are read when a table is first asked for: "truncation" needs the reads of a killed broker's start, alone.

    Attributes:
        names: the copies, as they were named.
        skipped_replicas: partition directories that were left to a better replica in the same source.
    """

    def __init__(
        self,
        names: Sequence[str],
        copies: "Sequence[PartitionCopies]",
        reported: Reported,
        skipped_replicas: "Sequence[Partition]",
        *,
        hashes: bool,
        range_size: int,
    ) -> None:
        self.names = tuple(names)
        self.skipped_replicas = tuple(skipped_replicas)
        self._copies = copies
        self._reported = reported
        self._with_hashes = hashes
        self._range_size = range_size

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table: "partitions" (the main one), "records", "following", "truncation", "ranges"."""
        return _SCHEMAS

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table."""
        of_table: dict[str, Callable[[], Iterable[Sequence[Any]]]] = {
            "partitions": lambda: map(self._row, self.comparisons),
            "records": self._record_rows,
            "following": self._following_rows,
            "truncation": self._truncation_rows,
            "ranges": self._range_rows,
        }
        return of_table[name]()

    @cached_property
    def comparisons(self) -> list[PairComparison]:
        """Each pair of copies of each partition, compared.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
        """
        found = [
            compare_pair(of, numbers, hashes=self._with_hashes) for of in self._copies for numbers, *_ in of.pairs()
        ]
        running = {
            number
            for each in found
            if each.relation == PREFIX
            for number, copy in zip(each.numbers, each.copies, strict=True)
            if copy is not None and copy.was_stopped is False
        }
        if running:
            self._reported.note(copied_while_running([self.names[number] for number in sorted(running)]))
        return found

    @property
    def has_partitions(self) -> bool:
        """Whether there is any partition to compare."""
        return bool(self._copies)

    @property
    def size_in_bytes(self) -> int:
        """Bytes of the log files that are compared, those of more than two copies more than once.

        Raises:
            SourceError: a directory cannot be listed.
        """
        return sum(
            segment.size
            for of in self._copies
            for _, *pair in of.pairs()
            if None not in pair
            for copy in pair
            if copy is not None
            for segment in copy.found.segments
        )

    def watch(self, advance: Callable[[int], None]) -> None:
        """Have a function called with numbers of bytes while logs are compared: in sum about `size_in_bytes`."""
        self._reported.advance = advance

    @property
    def relations(self) -> Mapping[str | None, int]:
        """How many pairs have each relation, in the order of `RELATIONS`."""
        found = [each.relation for each in self.comparisons]
        return {relation: found.count(relation) for relation in (*RELATIONS, None) if relation in found}

    @property
    def undecided(self) -> Mapping[str, int]:
        """How many pairs have no relation, by the reason."""
        reasons = [_why_undecided(each) for each in self.comparisons if each.relation is None]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    @property
    def damaged_pairs(self) -> int:
        """In how many pairs a copy is damaged."""
        return sum(each.contents is not None and any(each.contents.are_damaged) for each in self.comparisons)

    @property
    def equal_where_sound(self) -> int:
        """How many pairs are equal except for damage in one or both."""
        return sum(
            each.relation == EQUAL and each.contents is not None and any(each.contents.are_damaged)
            for each in self.comparisons
        )

    @property
    def damage(self) -> "Sequence[Damage]":
        """Stretches of the logs that were skipped; incomplete last batches too."""
        return tuple(self._reported.damage.values())

    @property
    def notes(self) -> Sequence[Note]:
        """Sentences for the user."""
        return tuple(self._reported.notes)

    @property
    def findings(self) -> "Sequence[Finding]":
        """Faults of checkpoints."""
        return tuple(self._reported.findings)

    def _row(self, each: PairComparison) -> Sequence[Any]:
        return each.of.topic, each.of.partition, *(self.names[one] for one in each.numbers), *_COMPARISON.row(each)

    def _record_rows(self) -> Iterator[Sequence[Any]]:
        for each in self.comparisons:
            first, second = each.copies
            if each.contents is None or first is None or second is None:
                continue
            if not each.contents.differing and not any(each.contents.damaged):
                continue
            names = (each.of.topic, each.of.partition, *(self.names[number] for number in each.numbers))
            for row in differing_records(first, second, each.contents):
                yield (*names, *row)

    def _roles(self, numbers: tuple[int, int]) -> Iterator[tuple[int, str, str]]:
        first, second = (self.names[number] for number in numbers)
        yield 0, first, second
        yield 1, second, first

    def _following_rows(self) -> Iterator[Sequence[Any]]:
        for each in self.comparisons:
            for protocol, outcomes in each.outcomes.items():
                for which, leader, follower in self._roles(each.numbers):
                    outcome = _OUTCOME.row(outcomes[which])
                    yield each.of.topic, each.of.partition, leader, follower, protocol, *outcome

    def _truncation_rows(self) -> Iterator[Sequence[Any]]:
        for of in self._copies:
            for numbers, first, second in of.pairs():
                states = [None if copy is None else copy.state_to_follow for copy in (first, second)]
                for protocol in PROTOCOLS:
                    for which, leader, follower in self._roles(numbers):
                        leading, behind = states[which], states[1 - which]
                        if leading is None or behind is None:
                            continue
                        for number, step in enumerate(follow(leading, behind, protocol).steps, 1):
                            yield of.topic, of.partition, leader, follower, protocol, number, *_STEP.row(step)

    def _range_rows(self) -> Iterator[Sequence[Any]]:
        size = self._range_size
        for of in self._copies:
            streams = [hashed_ranges(copy, which, size) for which, copy in enumerate(of.copies) if copy is not None]
            held: dict[int, ContentHash] = {}
            current: int | None = None
            for start, which, of_range in merge(*streams, key=lambda each: each[:2]):
                if current is not None and start != current:
                    yield self._range_row(of, current, held)
                    held = {}
                current = start
                held[which] = of_range
            if current is not None:
                yield self._range_row(of, current, held)

    def _range_row(self, of: PartitionCopies, start: int, held: Mapping[int, ContentHash]) -> Sequence[Any]:
        hashes = [held.get(which) for which in range(len(of.copies))]
        return (
            of.topic,
            of.partition,
            start,
            start + self._range_size,
            [None if each is None else each.records for each in hashes],
            [None if each is None else each.hexdigest() for each in hashes],
        )


def _why_undecided(each: PairComparison) -> str:
    if each.contents is not None:
        return "damage leaves nothing in common"
    if any(copy is not None and copy.state is None for copy in each.copies):
        return "a log end or checkpoint cannot be read"
    return "no offsets in common"
