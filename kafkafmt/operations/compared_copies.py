"""ComparedCopies: the tables of `compare`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from kafkafmt.answer_columns import AnswerColumn, Named, TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.columns import SCHEMA
from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Note
from kafkafmt.logdir.truncation import PROTOCOLS, TruncationStep, follow
from kafkafmt.operations.contents import SharedContents
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


class _Compared(NamedTuple):
    """Two copies of a partition, and a record in which they differ.

    Attributes:
        first: the first copy, as it was named.
        second: the second copy, as it was named.
        offset: offset of the record.
        differs: the parts that differ: "timestamp", "key", "value", "headers", "isControl"; or "only in first", "only
            in second".
    """

    pair: PairComparison
    first: Annotated[str, "string"]
    second: Annotated[str, "string"]
    offset: Annotated[int, "int64"] = -1
    differs: Annotated[Sequence[str], "list<string>"] = ()
    values: Sequence[Any] = ()


class _Following(NamedTuple):
    """A copy that follows another, and a step on its way.

    Attributes:
        leader: the copy that leads, as it was named.
        follower: the copy that follows, as it was named.
        protocol: "leader epochs": since Kafka 0.11 (KIP-101, KIP-279); "high watermark": Kafka 0.10 and before.
        number: number of the step, from 1.
    """

    of: PartitionCopies
    leader: Annotated[str, "string"]
    follower: Annotated[str, "string"]
    protocol: Annotated[str, "string"]
    outcome: FollowerOutcome | None = None
    number: Annotated[int, Named("step", "int32")] = 0
    step: TruncationStep | None = None


class _Range(NamedTuple):
    """A range of offsets of a partition.

    Attributes:
        first_offset: first offset of the range.
        end_offset: offset after its last.
        records: number of records of each copy, in the order of the PATHs; None without any.
        content_hashes: a hash over these records of each copy; None without any.
    """

    of: PartitionCopies
    first_offset: Annotated[int, "int64"]
    end_offset: Annotated[int, "int64"]
    records: Annotated[list[int | None], "list<int64>"]
    content_hashes: Annotated[list[str | None], "list<string>"]


def _followers(name: str, shown: str) -> Iterator[AnswerColumn]:
    """A column of the outcome for each possible leader."""
    for leader, follows in (("First", "second_follows"), ("Second", "first_follows")):
        (found,) = columns_of(FollowerOutcome, f"pair.{follows}", only=(name,), optional=True)
        yield found._replace(name=f"{shown}If{leader}Leads")


def _values() -> Iterator[AnswerColumn]:
    """The columns with the records of both copies."""
    places = ((name, which) for name in SHOWN for which in ("first", "second"))
    for number, (name, which) in enumerate(places):

        def value(row: _Compared, number: int = number) -> Any:  # noqa: ANN401 - any value of a column
            return row.values[number]

        value.__doc__ = f"`{name}` of the record in the {which} copy; None if it has none."
        yield AnswerColumn(f"{which}{SHOWN[name]}", SCHEMA.field(name).type, value, is_optional=True)


class ComparedCopies(TableAnswer):
    """Copies of partitions, compared: made by `compare`.

    Logs are read when a table is first needed: "truncation" only needs what a killed broker's start reads.

    Attributes:
        names: the copies, as they were named.
        skipped_replicas: partition directories skipped in favour of a better replica in the same source.
    """

    _TABLES: ClassVar = {
        "partitions": TableColumns(
            *columns_of(PartitionCopies, "pair.of"),
            *columns_of(_Compared, to="second"),
            *columns_of(PairComparison, "pair", to="relation"),
            *columns_of(SharedContents, "pair.contents", only=("first_difference", "epochs"), optional=True),
            *columns_of(PairComparison, "pair", after="relation", to="high_watermarks"),
            *columns_of(SharedContents, "pair.contents", only=("hashes",), optional=True),
            *_followers("truncate_to", "truncate"),
            *_followers("cut_records", "lost"),
            *columns_of(SharedContents, "pair.contents", only=("differing", "damaged"), optional=True),
            *columns_of(PairComparison, "pair", only=("remarks",)),
        ),
        "records": TableColumns(
            *columns_of(PartitionCopies, "pair.of"),
            *columns_of(_Compared),
            *_values(),
        ),
        "following": TableColumns(
            *columns_of(PartitionCopies, "of"),
            *columns_of(_Following, to="protocol"),
            *columns_of(FollowerOutcome, "outcome", only=("truncate_to",)),
            *columns_of(FollowerOutcome, "outcome", to="diverged_from"),
        ),
        "truncation": TableColumns(
            *columns_of(PartitionCopies, "of"), *columns_of(_Following), *columns_of(TruncationStep, "step")
        ),
        "ranges": TableColumns(*columns_of(PartitionCopies, "of"), *columns_of(_Range)),
    }

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

    def _objects(self, name: str) -> Iterable[object]:
        of_table: dict[str, Callable[[], Iterable[object]]] = {
            "partitions": lambda: map(self._compared, self.comparisons),
            "records": self._records,
            "following": self._following,
            "truncation": self._truncation,
            "ranges": self._ranges,
        }
        return of_table[name]()

    @cached_property
    def comparisons(self) -> list[PairComparison]:
        """Each pair of copies of each partition, compared.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
        """
        found = [self._of_pair(of, numbers) for of in self._copies for numbers, *_ in of.pairs()]
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
        """Bytes of the log files that are compared; with more than two copies they count more than once.

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
        """Call a function with numbers of bytes while logs are compared: about `size_in_bytes` in total."""
        self._reported.advance = advance

    @property
    def relations(self) -> Mapping[str | None, int]:
        """Number of pairs with each relation, in the order of `RELATIONS`."""
        found = [each.relation for each in self.comparisons]
        return {relation: found.count(relation) for relation in (*RELATIONS, None) if relation in found}

    @property
    def undecided(self) -> Mapping[str, int]:
        """Number of pairs without a relation, by reason."""
        reasons = [_why_undecided(each) for each in self.comparisons if each.relation is None]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    @property
    def damaged_pairs(self) -> int:
        """Number of pairs with a damaged copy."""
        return sum(each.contents is not None and any(each.contents.are_damaged) for each in self.comparisons)

    @property
    def equal_where_sound(self) -> int:
        """Number of pairs that are equal except for damage in one or both copies."""
        return sum(
            each.relation == EQUAL and each.contents is not None and any(each.contents.are_damaged)
            for each in self.comparisons
        )

    @property
    def damage(self) -> "Sequence[Damage]":
        """Ranges of the logs that were skipped, including incomplete last batches."""
        return tuple(self._reported.damage.values())

    @property
    def notes(self) -> Sequence[Note]:
        """Notes for the user."""
        return tuple(self._reported.notes)

    @property
    def findings(self) -> "Sequence[Finding]":
        """Faults of checkpoints."""
        return tuple(self._reported.findings)

    def _of_pair(self, of: PartitionCopies, numbers: tuple[int, int]) -> PairComparison:
        """Two copies, compared; an unreadable copy leaves its pairs undecided if its source allows it."""
        try:
            return compare_pair(of, numbers, hashes=self._with_hashes)
        except SourceError as error:
            self._reported.unreadable(error)
            return PairComparison(of, numbers, (None, None), None, None, {})

    def _compared(self, each: PairComparison) -> _Compared:
        first, second = each.numbers
        return _Compared(each, self.names[first], self.names[second])

    def _records(self) -> Iterator[_Compared]:
        for each in self.comparisons:
            first, second = each.copies
            if each.contents is None or first is None or second is None:
                continue
            if not each.contents.differing and not any(each.contents.damaged):
                continue
            pair = self._compared(each)
            for offset, differs, *values in differing_records(first, second, each.contents):
                yield pair._replace(offset=offset, differs=differs, values=values)

    def _roles(self, numbers: tuple[int, int]) -> Iterator[tuple[int, str, str]]:
        first, second = (self.names[number] for number in numbers)
        yield 0, first, second
        yield 1, second, first

    def _following(self) -> Iterator[_Following]:
        for each in self.comparisons:
            for protocol, outcomes in each.outcomes.items():
                for which, leader, follower in self._roles(each.numbers):
                    yield _Following(each.of, leader, follower, protocol, outcomes[which])

    def _truncation(self) -> Iterator[_Following]:
        for of in self._copies:
            for numbers, first, second in of.pairs():
                try:
                    states = [None if copy is None else copy.state_to_follow for copy in (first, second)]
                except SourceError as error:
                    self._reported.unreadable(error)
                    continue
                for protocol in PROTOCOLS:
                    for which, leader, follower in self._roles(numbers):
                        leading, behind = states[which], states[1 - which]
                        if leading is None or behind is None:
                            continue
                        for number, step in enumerate(follow(leading, behind, protocol).steps, 1):
                            yield _Following(of, leader, follower, protocol, number=number, step=step)

    def _ranges(self) -> Iterator[_Range]:
        size = self._range_size
        for of in self._copies:
            streams = [hashed_ranges(copy, which, size) for which, copy in enumerate(of.copies) if copy is not None]
            held: dict[int, ContentHash] = {}
            current: int | None = None
            try:
                for start, which, of_range in merge(*streams, key=lambda each: each[:2]):
                    if current is not None and start != current:
                        yield self._range(of, current, held)
                        held = {}
                    current = start
                    held[which] = of_range
            except SourceError as error:
                self._reported.unreadable(error)
                continue
            if current is not None:
                yield self._range(of, current, held)

    def _range(self, of: PartitionCopies, start: int, held: Mapping[int, ContentHash]) -> _Range:
        hashes = [held.get(which) for which in range(len(of.copies))]
        return _Range(
            of,
            start,
            start + self._range_size,
            [None if each is None else each.records for each in hashes],
            [None if each is None else each.hexdigest() for each in hashes],
        )


def _why_undecided(each: PairComparison) -> str:
    if each.contents is not None:
        return "damage leaves nothing in common"
    if each.copies == (None, None):
        return "a file cannot be read"
    if any(copy is not None and copy.state is None for copy in each.copies):
        return "a log end or checkpoint cannot be read"
    return "no offsets in common"
