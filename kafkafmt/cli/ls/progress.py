"""Progress of a survey, on stderr while that is a terminal; elsewhere nothing."""

import sys
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_LONGEST = 40
"""Characters of a path that are shown beside the bar: the last ones."""


class Progress:
    """A bar that goes away at the end, and while something else is written to the terminal."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Make the bar ready, if stderr is a terminal."""
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        """Take the bar away."""
        self.pause()

    def begin(self, description: str, total: int) -> None:
        """Start a bar of `total` steps in place of the last one."""
        if self._bar is None:
            return
        from kafkafmt.cli.printable import escape

        if self._task is not None:
            self._bar.remove_task(self._task)
        text = escape(description)
        shown = text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"
        self._task = self._bar.add_task(shown, total=total)
        self._bar.start()

    def advance(self) -> None:
        """Take one step."""
        if self._bar is not None and self._task is not None:
            self._bar.start()
            self._bar.advance(self._task)

    def pause(self) -> None:
        """Take the bar away until the next step, so that stdout can be written to."""
        if self._bar is not None:
            self._bar.stop()
