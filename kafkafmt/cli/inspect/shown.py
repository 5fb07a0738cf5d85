"""Which records of an entry are shown field by field, and the rows that stand for the others."""

from dataclasses import dataclass

from kafkafmt.cli.inspect.rows import Row, Space

MOST_ROWS = 200_000
"""No further record is shown field by field behind so many rows, whatever is wanted."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which records of an entry are shown field by field.

    Attributes:
        records: at most so many; None for all.
        offset: the first one is that of this offset, or the next one that there is.
        position: the first one is that which holds this byte of the file.
    """

    records: int | None = None
    offset: int | None = None
    position: int | None = None


class Shown:
    """Decides which records are shown, and makes one row of those before, between and after them.

    Args:
        rows: where that row goes.
        space: where the records lie.
        path: of the field that they are elements of.
        element: type of one of them.
        wanted: which of them are shown.

    Attributes:
        count: how many were shown so far.
    """

    def __init__(self, rows: list[Row], space: Space, path: str, element: str, wanted: Wanted) -> None:
        self.count = 0
        self._rows = rows
        self._space = space
        self._path = path
        self._element = element
        self._wanted = wanted
        self._skipped: tuple[int, int] | None = None

    def begins(self, number: int, begin: int, end: int, *, has_offset: bool) -> bool:
        """Whether a record is to be shown; if so, its rows are to follow.

        Args:
            number: of the record.
            begin: index of its first byte in the space's data.
            end: index behind its last byte.
            has_offset: whether it may be the first one by its offset.
        """
        full = len(self._rows) > MOST_ROWS or (self._wanted.records is not None and self.count >= self._wanted.records)
        if full or not (self.count or (has_offset and self._has_position(end))):
            if self._skipped is None:
                self._skipped = number, begin
            return False
        self.skipped_end(number, begin)
        self.count += 1
        return True

    def skipped_end(self, number: int, end: int) -> None:
        """Add the row of those that were not shown in front of the record of this number and place."""
        if self._skipped is None:
            return
        first, begin = self._skipped
        self._skipped = None
        which = f"{first}" if number - first == 1 else f"{first} to {number - 1}"
        note = f"{number - first} not shown: --records all"
        if len(self._rows) > MOST_ROWS:
            note = f"{number - first} not shown, as there are too many rows: --offset leads to each of them"
        self._rows.append(Row(f"{self._path}[{which}]", f"{self._element}[]", self._space, begin, end, note=note))

    def _has_position(self, end: int) -> bool:
        """Whether the byte that is wanted is in front of `end`; of what was decompressed it is always."""
        position = self._wanted.position
        return position is None or self._space.name is not None or self._space.begin + end > position
