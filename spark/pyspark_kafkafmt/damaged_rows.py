"""Damage in a DataFrame: rows that describe it, or a count of what was left out; and notes, which are logged."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from kafkafmt.columns import Origin
    from kafkafmt.files.damage import Damage, Note

# A warning goes to stderr where there is no handler: that of an executor, or locally of the program.
_LOG: Final = logging.getLogger(__package__)


@dataclass
class DamagedRows:
    """Takes the damage and the notes of a task.

    What a running broker leaves at the end of a log is no damage, and passes unmentioned.

    Attributes:
        schema: Arrow's schema of the DataFrame.
        corrupt: name of the column that describes damage; None if the mode has none.
        mode: of the data source; also in FAILFAST the garbage at the end of a log is left out.
    """

    schema: pa.Schema
    corrupt: str | None
    mode: str
    _ranges: int = 0
    _bytes: int = 0
    _first: str = ""
    _notes: "dict[Note, None]" = field(default_factory=dict)
    _waiting: list[dict[str, object]] = field(default_factory=list)

    def take(self, damage: "Damage", origin: "Origin") -> None:
        """Note damage."""
        if damage.is_open_end:
            return
        if self.corrupt is not None and self.corrupt in self.schema.names:
            described = {
                "file": damage.file,
                "position": damage.position,
                "length": damage.length,
                "reason": damage.reason,
                "firstOffset": damage.first_offset,
                "lastOffset": damage.last_offset,
                "records": damage.records,
            }
            row: dict[str, object] = {
                "topic": origin.topic,
                "partition": origin.partition,
                self.corrupt: json.dumps(described),
            }
            self._waiting.append(row)
            return
        self._ranges += 1
        self._bytes += damage.length
        self._first = self._first or str(damage.error)

    def note(self, note: "Note") -> None:
        """Keep a note, once."""
        self._notes.setdefault(note)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Give the rows that describe what was noted since the last call."""
        if self._waiting:
            yield pa.RecordBatch.from_pylist(self._waiting, schema=self.schema)
            self._waiting.clear()

    def warn(self) -> None:
        """Log the notes, and how much was left out, if anything was."""
        for note in self._notes:
            _LOG.warning("kafkafmt: %s", note)
        if not self._ranges:
            return
        ranges = "1 damaged range" if self._ranges == 1 else f"{self._ranges} damaged ranges"
        why = f"mode {self.mode}" if self.corrupt is None else f"the schema has no column {self.corrupt}"
        _LOG.warning("kafkafmt: left out %s of %d bytes (%s); the first: %s", ranges, self._bytes, why, self._first)
