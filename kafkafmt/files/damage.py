"""Damage: a range of a file that was not delivered, and the reason. Note: any other report. Both become warnings."""

import inspect
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from kafkafmt.errors import KafkafmtError, KafkafmtWarning
from kafkafmt.findings import FINDING, NOTE, STATE, Finding
from kafkafmt.phrases import counted, listed, sized

INCOMPLETE_TAIL = "incomplete_tail"
"""The file ends before its last entry does, as after a crash or in a copy of a running broker's file."""

ZERO_TAIL = "zero_tail"
"""The file ends in zeros after the last whole entry: space that was preallocated and never written."""

GARBAGE_TAIL = "garbage_tail"
"""The file ends in bytes after the last whole entry that no write leaves: their size or magic is impossible."""

NORMAL_END = "normal after a kill or in a live copy"
"""Description of an open end, which is not damage."""

TAILS = (INCOMPLETE_TAIL, ZERO_TAIL, GARBAGE_TAIL)
"""Reasons of damage at the end of a file."""

# Frames of these packages are not the caller's: our own, and libraries that read a stream on behalf of a caller.
_BETWEEN = frozenset({"contextlib", "duckdb", "kafkafmt", "pandas", "polars", "pyarrow"})
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Damage:
    """A range of a file from a bad entry to the position where reading continues, or to the end of the file.

    Attributes:
        file: name of the file in the `file` column.
        position: position of the first byte that was not delivered.
        length: number of bytes not delivered.
        reason: "incomplete_tail", "zero_tail", "garbage_tail", "checksum", "truncated", "unsupported", "limit_exceeded"
            or "corrupt".
        error: the error that was raised, or would have been with `on_damage="raise"`.
        is_open_end: whether it is the partial last entry or the zeros that a running broker leaves at the end of a log,
            and so not damage; in an earlier segment it is damage.
        topic: name of the topic, or None if unknown.
        partition: number of the partition, or None if unknown.
        first_offset: lowest lost offset, from the header of the batch or from neighbouring ones; None if unknown, or if
            nothing is lost.
        last_offset: highest lost offset; None if unknown, or if nothing is lost.
        records: number of lost records; None if unknown.
    """

    file: str | None
    position: int
    length: int
    reason: str
    error: KafkafmtError
    is_open_end: bool = field(default=False, compare=False)
    topic: str | None = None
    partition: int | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    records: int | None = None


class Note(str):
    """A report of a pass other than damage, in one or two sentences; can be pickled.

    Attributes:
        finding: the report as a record: kind, place, offsets, cost and advice, as far as known.
    """

    __slots__ = ("finding",)

    finding: Finding

    def __new__(
        cls,
        text: str,
        *,
        is_finding: bool = True,
        kind: str = STATE,
        path: str | None = None,
        topic: str | None = None,
        partition: int | None = None,
    ) -> Self:
        """Make a note from a sentence that names its own place; by default a finding.

        Args:
            text: the sentence.
            is_finding: whether something is wrong with the data.
            kind: kind of the finding.
            path: the file or directory concerned, or None.
            topic: topic of the partition, or None.
            partition: number of the partition, or None.
        """
        level = FINDING if is_finding else NOTE
        message = text if path is None else text.removeprefix(f"{path}: ")
        return cls._made(text, Finding(level, kind, path or "", message, topic=topic, partition=partition))

    @classmethod
    def of(cls, finding: Finding) -> Self:
        """Make the note of a finding, with its text."""
        return cls._made(str(finding), finding)

    @classmethod
    def _made(cls, text: str, finding: Finding) -> Self:
        note = super().__new__(cls, text)
        note.finding = finding
        return note

    @property
    def is_finding(self) -> bool:
        """Whether something is wrong with the data, so that a command ends with exit status 1."""
        return self.finding.level == FINDING


class Absence(Note):
    """A note on a requested name that does not exist, with the names that do."""

    def __new__(cls, text: str) -> Self:
        """Make a note that is not a finding."""
        return super().__new__(cls, text, is_finding=False, kind="absent")


def ignore(_: object) -> None:
    """Ignore a report that is not needed; unlike a lambda, this function can be pickled."""


def is_finding(note: str) -> bool:
    """Whether a sentence for the user is a note of a fault in the data."""
    return isinstance(note, Note) and note.is_finding


def cost_text(first_offset: int | None, last_offset: int | None, records: int | None) -> str:
    """The known loss in words: `offsets 5 to 7, 3 records`; "" if nothing is known."""
    if first_offset is None and last_offset is None:
        offsets = ""
    elif first_offset is None:
        offsets = f"offsets up to {last_offset}"
    elif last_offset is None:
        offsets = f"offsets from {first_offset} on"
    elif first_offset == last_offset:
        offsets = f"offset {first_offset}"
    else:
        offsets = f"offsets {first_offset} to {last_offset}"
    counted = {None: "", 0: "no records", 1: "1 record"}.get(records, f"{records} records")
    return ", ".join(filter(None, (offsets, counted)))


def skipped_text(damage: Damage, error: str) -> str:
    """What was skipped and its cost: `a.log: position 5: CRC mismatch: checksum, 80 bytes skipped (offset 3)`."""
    cost = cost_text(damage.first_offset, damage.last_offset, damage.records)
    return f"{error}: {damage.reason}, {sized(damage.length)} skipped{cost and f' ({cost})'}"


def warn(said: "Iterable[Damage | Note]") -> None:
    """Warn of everything for which the command line exits with status 1: once per finding, once for skipped damage.

    Args:
        said: damage and notes of a pass; open ends, and notes that are not findings, are left out.

    Raises:
        KafkafmtWarning: the filters of `warnings` turn warnings into errors.
    """
    texts: dict[str, None] = {}
    skipped: list[str] = []
    for each in said:
        if isinstance(each, Note):
            texts |= {str(each): None} if each.is_finding else {}
        elif not each.is_open_end:
            cost = cost_text(each.first_offset, each.last_offset, each.records)
            skipped.append(f"{each.error} ({cost})" if cost else str(each.error))
    if skipped:
        were = "was" if len(skipped) == 1 else "were"
        texts[f"{counted(len(skipped), 'damaged range')} {were} skipped: {listed(skipped, _MOST_NAMED, '; ')}"] = None
    if not texts or sys.is_finalizing():
        return
    # `skip_file_prefixes` exists since Python 3.12.
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, KafkafmtWarning, stacklevel=level)


@contextmanager
def warning_at_end(*said: "Iterable[Damage | Note]") -> Iterator[None]:
    """Call `warn` at the end of a block, unless the block ends with an error, which says more.

    Args:
        said: as for `warn`; read at the end of the block.
    """
    try:
        yield
    except GeneratorExit:  # the reader needs no more
        warn(chain.from_iterable(said))
        raise
    warn(chain.from_iterable(said))
