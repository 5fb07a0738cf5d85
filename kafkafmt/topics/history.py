"""History: the events of a log in log order, the table `history` of an answer.

Each pass reads the log again, so the table costs nothing until it is requested. Rows are yielded as they are made.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from kafkafmt.answer_columns import TableColumns
from kafkafmt.files.damage import ignore
from kafkafmt.libraries import pa
from kafkafmt.phrases import counted
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.findings import Finding
    from kafkafmt.logdir.partition import Partition

HISTORY: Final = "history"
"""Name of the table."""


E = TypeVar("E", bound=tuple[Any, ...])


class History(TableAnswer, Generic[E]):
    """Events as rows, with the notes, findings and damage of the last pass over them.

    Attributes:
        COLUMNS: columns of the rows.
        TABLE: name of the table.
        notes: notes for the user.
        findings: faults of records.
        damage: ranges that were not read.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
    """

    COLUMNS: ClassVar[TableColumns]
    TABLE: ClassVar[str] = HISTORY

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.findings: list[Finding] = []
        self.damage: list[Damage] = []
        self.skipped_replicas: list[Partition] = []
        self._advance: Callable[[int], None] = ignore

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of the only table."""
        return {cls.TABLE: cls.COLUMNS.schema}

    def rows(self, name: str = HISTORY) -> Iterator[E]:  # noqa: ARG002 - there is one table
        """Start a pass, and yield the events in log order.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        self.notes, self.findings, self.damage = [], [], []
        yield from self._events()

    def watch(self, advance: Callable[[int], None]) -> None:
        """Let later passes report their progress.

        Args:
            advance: called with numbers of bytes of log files, which add up to `size_in_bytes` in a complete pass.
        """
        self._advance = advance

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Size of the log files that a pass reads, as listed; without other logs that explain its records."""

    @abstractmethod
    def _events(self) -> Iterator[E]:
        """The rows of a new pass."""


H = TypeVar("H", bound=History[Any])


class LazyHistory(Generic[H]):
    """Makes the history of an answer once, when it is requested.

    It is pickled with its answer, and reads the logs where the history is requested.

    Args:
        make: makes the history; it can be pickled.
    """

    def __init__(self, make: Callable[[], H]) -> None:
        self._make = make
        self._made: H | None = None

    def __call__(self) -> H:
        """The history."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyHistory, (self._make,)


class WithHistory(TableAnswer, Generic[H]):
    """An answer that also has a history, which is made when it is requested."""

    _history: LazyHistory[H]

    @property
    def history(self) -> "pa.Table":
        """The table `history`: one row per event, in log order.

        It reads the log again; notes and damage are in `history_answer`.
        """
        return self.history_answer.to_table()

    @property
    def history_answer(self) -> H:
        """The history of the same things as a separate answer."""
        return self._history()


class OffsetGaps:
    """Counts the offsets of one partition that no longer have a record.

    Attributes:
        first: offset of the first record; None before it.
        next: offset after the last record.
        records: number of records.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.next = 0
        self.records = 0

    def see(self, offset: int) -> None:
        """Add the next record."""
        if self.first is None:
            self.first = offset
        self.next = offset + 1
        self.records += 1

    def note(self, name: str) -> str | None:
        """A sentence on the records that compaction or retention removed; None if there are none."""
        if self.first is None:
            return None
        gone = self.next - self.records
        if not gone:
            return None
        begins = f", all before offset {self.first} among them" if self.first else ""
        return (
            f"{name}: {counted(gone, 'record')} of {self.next:,} are no longer in the log{begins}: this history "
            "lacks the records that compaction or retention removed"
        )
