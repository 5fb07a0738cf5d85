"""The explanation: the steps of a look-up as a person would follow them on paper, with the files and a hex dump."""

import shutil
import sys
from collections import deque
from functools import singledispatchmethod
from typing import Final

import click

from kafkafmt.cli import human
from kafkafmt.cli.find.log import Log
from kafkafmt.cli.find.question import Question
from kafkafmt.cli.output.aligned import Aligned, Column, wrapped
from kafkafmt.cli.printable import escape
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.logdir.trace import (
    BytesScanned,
    EntryFound,
    HeaderRead,
    IndexEntryChosen,
    IndexEntryCompared,
    IndexNotBelieved,
    IndexOpened,
    NothingFound,
    RecordFound,
    ScanBegun,
    SegmentChosen,
    Step,
)
from kafkafmt.phrases import counted

_WANTED: Final = {"index": "offset", "timeindex": "time"}
# A long list shows this many lines at its beginning and its end.
_FIRST, _LAST = 12, 6
_NARROWEST_VERDICT: Final = 8
_INDEX_COLUMNS: Final = {
    "index": ("entry", "atByte", "offset", "position"),
    "timeindex": ("entry", "atByte", "timestamp", "offset"),
}
_HEADER_COLUMNS: Final = ("position", "sizeInBytes", "offsets", "maxTimestamp")


class Explanation:
    """Prints the steps of look-ups.

    Args:
        to_stderr: whether to print to stderr, as stdout is reserved for the rows.
    """

    def __init__(self, *, to_stderr: bool) -> None:
        self._to_stderr = to_stderr
        stream = sys.stderr if to_stderr else sys.stdout
        self._width = shutil.get_terminal_size().columns if stream.isatty() else 100
        self._table_width = self._width if stream.isatty() else None
        self._titles: tuple[str, ...] = ()
        self._lines: list[tuple[str | None, ...]] = []
        self._last: deque[tuple[str | None, ...]] = deque(maxlen=_LAST)
        self._left_out = 0
        self._compared = 0
        self._index_bytes = 0
        self._headers = 0
        self._scanned = 0

    def begin(self, log: Log, question: Question) -> None:
        """Print the target, and the log to be searched."""
        self._compared = self._index_bytes = self._headers = self._scanned = 0
        self._say(f"{_questioned(question)}, in {log.path}:", 0)
        segments = log.segments
        if not segments:
            self._say("It has no segment.", 2)
            return
        bases = [str(segment.base_offset) for segment in segments]
        shown = ", ".join(bases if len(bases) <= _LAST else [*bases[:3], "..", *bases[-2:]])
        count = "1 segment, starting at offset" if len(bases) == 1 else f"{len(bases)} segments, starting at offsets"
        self._say(f"{count} {shown} (by their names).", 2)
        if question.kind in ("earliest", "timestamp"):
            self._tell_start(log)
        if question.kind == "latest":
            self._tell_end(log)

    def step(self, step: Step) -> None:
        """Print one step."""
        self._print(step)

    def stopped(self, error: KafkafmtError) -> None:
        """Print the error that ended the search."""
        self._say(f"Stopped by an error: {error}.", 0)

    def end(self) -> None:
        """Print how much was read."""
        self._flush()
        if self._compared or self._headers:
            index = f"{counted(self._compared, 'index entry', 'index entries')} ({self._index_bytes} bytes)"
            headers = f"{counted(self._headers, 'header', 'headers')} in {self._scanned} bytes of log"
            self._say(f"Read in total: {index}, {headers}.", 0)
        self._say("", 0)

    @singledispatchmethod
    def _print(self, step: Step) -> None:
        raise NotImplementedError(type(step).__name__)

    @_print.register
    def _(self, step: SegmentChosen) -> None:
        self._say(f"Segment {step.file}: {step.reason}.", 0)

    @_print.register
    def _(self, step: IndexOpened) -> None:
        padding = f", then {step.padding} slots of zeros" if step.padding else ""
        wanted = step.wanted
        text = human.time(wanted) if wanted is not None and step.kind == "timeindex" else str(wanted)
        which = "the last entry" if wanted is None else f"the last entry at or below {_WANTED[step.kind]} {text}"
        entries = counted(step.entries, "entry", "entries")
        self._say(f"Index {step.file}: {entries} of {LAYOUTS[step.kind].size} bytes{padding}. Wanted: {which}.", 2)
        if step.finding is not None:
            self._say(f"Finding: {step.finding.message}.", 4)

    @_print.register
    def _(self, step: IndexEntryCompared) -> None:
        size = LAYOUTS[step.kind].size
        self._compared += 1
        self._index_bytes += size
        if step.kind == "index":
            fields: tuple[object, ...] = (step.offset, step.position)
        else:
            fields = (None if step.timestamp is None else human.time(step.timestamp), step.offset)
        verdict = "low enough: this one or a later one" if step.is_below else "too high: an earlier one"
        self._row(_INDEX_COLUMNS[step.kind], (step.number, step.number * size, *fields), verdict)

    @_print.register
    def _(self, step: IndexEntryChosen) -> None:
        if step.number is None:
            self._say("No entry is low enough.", 4)
            return
        if step.kind == "index":
            told = f"offset {step.offset} at position {step.position} of the log"
        else:
            told = f"up to offset {step.offset} no timestamp is above {human.time(step.timestamp or 0)}"
        self._say(f"Result: entry {step.number}, at byte {step.number * LAYOUTS[step.kind].size}: {told}.", 4)

    @_print.register
    def _(self, step: IndexNotBelieved) -> None:
        finding = step.finding
        if isinstance(finding, SourceError):
            self._say(f"Without {step.file}: {finding.message}.", 2)
            return
        what = "This index" if step.number is None else f"Entry {step.number}"
        self._say(f"{what} is ignored{_reason(finding)}.", 4)

    @_print.register
    def _(self, step: ScanBegun) -> None:
        self._say(f"Headers in {step.file} from position {step.position}, {step.reason}:", 2)

    @_print.register
    def _(self, step: HeaderRead) -> None:
        self._headers += 1
        self._scanned += step.size_in_bytes
        if step.base_offset is None:
            offsets = f"up to {step.last_offset}"
        elif step.base_offset == step.last_offset:
            offsets = f"{step.base_offset}"
        else:
            offsets = f"{step.base_offset} to {step.last_offset}"
        fields = (step.position, step.size_in_bytes, offsets, human.time(step.max_timestamp))
        self._row(_HEADER_COLUMNS, fields, "may hold it" if step.may_hold else "not in it: on to the next")

    @_print.register
    def _(self, step: BytesScanned) -> None:
        self._say(f"Scanned bytes {step.begin}-{step.end} ({step.end - step.begin}).", 4)

    @_print.register
    def _(self, step: EntryFound) -> None:
        size = "a damaged batch" if step.size_in_bytes is None else f"{step.size_in_bytes} bytes"
        self._say(
            f"Found: position {step.position} of {step.file}, {size} with base offset {step.base_offset}.",
            0,
        )

    @_print.register
    def _(self, step: RecordFound) -> None:
        self._say(
            f"Found: offset {step.offset} with timestamp {human.time(step.timestamp)}, in the batch at position"
            f" {step.position} of {step.file}.",
            0,
        )

    @_print.register
    def _(self, step: NothingFound) -> None:
        self._say(f"Not found: {step.reason}.", 0)

    def _tell_start(self, log: Log) -> None:
        checkpointed = log.checkpointed_start
        if log.checkpoint_error is not None:
            told = "log-start-offset-checkpoint cannot be read"
        elif checkpointed is None:
            told = "log-start-offset-checkpoint has no entry for it"
        else:
            told = f"log-start-offset-checkpoint says {checkpointed}"
        self._say(f"The log start offset is {log.start}: {told}.", 2)

    def _tell_end(self, log: Log) -> None:
        file, position = log.end_place or ("", 0)
        last = f"The last batch of {file} ends at position {position}" if position else f"{file} has no batch"
        self._say(f"{last}: the next offset is {log.end}.", 2)

    def _row(self, titles: tuple[str, ...], fields: tuple[object, ...], verdict: str) -> None:
        if titles != self._titles:
            self._flush()
            self._titles = titles
        line = (*(None if field is None else str(field) for field in fields), verdict)
        if len(self._lines) < _FIRST:
            self._lines.append(line)
            return
        self._left_out += len(self._last) == _LAST
        self._last.append(line)

    def _flush(self) -> None:
        """Print the rows collected so far as a table."""
        if not self._lines:
            return
        columns = [Column(title, right=True) for title in self._titles]
        table = Aligned([*columns, Column("", rank=1, least=_NARROWEST_VERDICT)], self._table_width, self._write, 4)
        more = [("..", *[""] * (len(columns) - 1), f"({self._left_out} more)")] if self._left_out else []
        for line in (*self._lines, *more, *self._last):
            table.add(line)
        self._titles = ()
        self._lines = []
        self._last.clear()
        self._left_out = 0
        table.flush()

    def _say(self, text: str, indent: int) -> None:
        self._flush()
        for line in wrapped(escape(text), self._width, indent) or [""]:
            self._write(line)

    def _write(self, line: str) -> None:
        click.echo(line, err=self._to_stderr)


def _questioned(question: Question) -> str:
    if question.kind == "offset":
        return f"Looking for offset {question.value}"
    if question.kind == "timestamp":
        return f"Looking for the first record at or after {human.time(question.value)}"
    if question.kind == "max-timestamp":
        return "Looking for the record with the largest timestamp"
    return f"Looking for the {question.kind} offset"


def _reason(finding: KafkafmtError | None) -> str:
    if finding is None:
        return ""
    values = (("expected", finding.expected), ("found", finding.found))
    told = ", ".join(f"{name} {value}" for name, value in values if value is not None)
    return f": {finding.message}" + (f" ({told})" if told else "")
