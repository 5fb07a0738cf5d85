"""Progress: bars on stderr while a command reads; they disappear at the end."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, Self

from kafkafmt.cli import human
from kafkafmt.cli.printable import escape, is_dumb

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task, TaskID
    from rich.text import Text

_LONGEST = 40
"""Most characters of a description shown beside a bar; the last ones are kept."""


class WatchedPass(Protocol):
    """A source of progress: a `Scan`, `Matches` or `History`."""

    def size_in_bytes(self) -> int:
        """Bytes of the log files that a pass reads."""

    def watch(self, advance: Callable[[int], None]) -> None:
        """Set the function that later passes call with numbers of bytes."""


class RowProgress:
    """The progress of a command; hidden unless `progress_of_rows` shows it."""

    def rows(self, count: int) -> None:
        """Count rows that have been written."""

    def watch(self, scan: WatchedPass) -> None:
        """Count the bytes of the log files that a scan is about to read, and follow the progress of its pass."""

    def end(self) -> None:
        """Stop showing progress."""


def shows_progress() -> bool:
    """Whether a bar may be drawn: stderr is a terminal that can take it away again, and stdout is not a pipe.

    A pager or head at the end of the pipe writes to the same terminal, and a bar would break its lines.
    """
    if not sys.stderr.isatty() or is_dumb():
        return False
    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError):  # closed, or not a file
        return True
    return not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _bar(*columns: "ProgressColumn") -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def _rate() -> "ProgressColumn":
    """Bytes in a second, in the units of all sizes; that of rich has units of 1,000 bytes."""
    from rich.progress import ProgressColumn
    from rich.text import Text

    class _Rate(ProgressColumn):
        def render(self, task: "Task") -> "Text":
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{human.size(int(speed))}/s", style="progress.data.speed")

    return _Rate()


@contextmanager
def progress_of_rows(noun: str, *, shown: bool, least: int = 0) -> Iterator[RowProgress]:
    """Show the number of written rows on stderr if `shows_progress`, and for scans the share and the time left.

    Args:
        noun: name of the rows.
        shown: whether the terminal is free, as rows go elsewhere.
        least: fewest bytes of scans for which anything is shown.
    """
    if not shown or not shows_progress():
        yield RowProgress()
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    rows = TextColumn("{task.fields[rows]:,.0f} " + noun)
    bar = _bar(rows, BarColumn(), TaskProgressColumn(), _rate(), TimeRemainingColumn())
    try:
        yield _Bar(bar, bar.add_task("", total=None, rows=0), least)
    finally:
        bar.stop()


class _Bar(RowProgress):
    def __init__(self, bar: "Progress", task: "TaskID", least: int) -> None:
        self._bar = bar
        self._task = task
        self._least = least
        self._rows = 0
        self._is_over = False
        if not least:
            bar.start()

    def rows(self, count: int) -> None:
        self._rows += count
        self._bar.update(self._task, rows=self._rows)

    def watch(self, scan: WatchedPass) -> None:
        (shown,) = self._bar.tasks
        self._bar.update(self._task, total=(shown.total or 0) + scan.size_in_bytes())
        scan.watch(lambda size: self._bar.advance(self._task, size))
        if not self._is_over and (shown.total or 0) >= self._least:
            self._bar.start()

    def end(self) -> None:
        self._is_over = True
        self._bar.stop()


@contextmanager
def progress_of_bytes(total: "Callable[[], int]") -> "Iterator[Callable[[int], None]]":
    """Show share, bytes, rate and time left on stderr if `shows_progress`; yields the function that counts more bytes.

    Args:
        total: function that returns the total number of bytes; called only if they are shown.
    """
    if not shows_progress():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, TaskProgressColumn, TimeRemainingColumn

    done = DownloadColumn(binary_units=True)
    with _bar(BarColumn(), TaskProgressColumn(), done, _rate(), TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=total())
        yield lambda size: bar.advance(task, size)


class StepProgress:
    """A bar of steps, if `shows_progress`; it is hidden while the terminal is written to."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._share = 0.0

    def __enter__(self) -> Self:
        """Prepare the bar."""
        if shows_progress():
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

            text = TextColumn("{task.description}", markup=False)
            self._bar = _bar(text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        self.pause()

    def begin(self, description: str, total: int) -> None:
        """Start a bar with `total` steps instead of the last one."""
        if self._bar is None:
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        text = escape(description)
        shown = text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"
        self._task = self._bar.add_task(shown, total=total)
        self._bar.start()

    def part(self, share: float, _size: int = 0) -> None:
        """Advance by a part of the next step, between 0 and 1."""
        if self._bar is not None and self._task is not None:
            self._bar.start()
            self._bar.advance(self._task, share)
            self._share += share

    def advance(self) -> None:
        """Advance by one step, or the rest of it."""
        if self._bar is not None and self._task is not None:
            self._bar.start()
            self._bar.advance(self._task, 1 - self._share)
            self._share = 0.0

    def pause(self) -> None:
        """Hide the bar until the next step, while stdout is written."""
        if self._bar is not None:
            self._bar.stop()
