"""Progress of planning: a line on stderr now and then, once it takes longer than a moment."""

import sys
import threading
import time
from types import TracebackType
from typing import Final, Self

PATIENCE_SECONDS: Final = 2.0
"""After how long the first line comes."""

_SLOWER: Final = 2.0
_SLOWEST_SECONDS: Final = 60.0
_GB: Final = 10**9


class Progress:
    """Says what is going on, at longer and longer intervals, from a thread of its own.

    Attributes:
        now: what is being done.
    """

    def __init__(self) -> None:
        self.now = ""
        self._begun = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._report, name="kafkafmt-progress", daemon=True)

    def planned(self, partitions: int, files: int, size: int) -> None:
        """Take the numbers of partitions, files and bytes planned so far."""
        self.now = f"planned {partitions:,} partitions, {files:,} segments, {size / _GB:,.1f} GB"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _report(self) -> None:
        wait = PATIENCE_SECONDS
        while not self._done.wait(wait):
            seconds = time.monotonic() - self._begun
            sys.stderr.write(f"kafkafmt: {self.now} ({seconds:.0f} s)\n")
            sys.stderr.flush()
            wait = min(wait * _SLOWER, _SLOWEST_SECONDS)
