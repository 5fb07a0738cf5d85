"""TreeWatch: whether partition directories have appeared or vanished below some places of this machine."""

import os
from collections.abc import Collection, Iterable
from typing import TypeAlias

from kafkafmt.files.names import FOREIGN_DIRECTORIES, is_log_file
from kafkafmt.io.watching import Watch

_Contents: TypeAlias = tuple[frozenset[str], bool]


class TreeWatch:
    """Looks at the directories above partitions, and at those that may become partitions.

    A log directory changes every few seconds, as checkpoints are written anew; what counts are the names of the
    directories in it. Links are not followed.

    Args:
        places: directories that were searched.
        partitions: absolute paths of partition directories, which are not looked at.
    """

    def __init__(self, places: Iterable[str], partitions: Collection[str]) -> None:
        self._contents: dict[str, _Contents] = {}
        self._watches: list[Watch] = []
        to_visit = [os.path.abspath(place) for place in places]
        while to_visit:
            path = to_visit.pop()
            if path in partitions or path in self._contents:
                continue
            watch = Watch(path)
            watch.has_changed()  # before it is listed: what changes after that is seen
            names, holds_logs = self._contents[path] = _contents_of(path)
            if not holds_logs:
                self._watches.append(watch)
                to_visit += [os.path.join(path, name) for name in names]

    def has_changed(self) -> bool:
        """Whether to search again: a directory has appeared or vanished, or a first log file in one."""
        changed = [watch.path for watch in self._watches if watch.has_changed()]
        return any(_contents_of(path) != self._contents[path] for path in changed)


def _contents_of(path: str) -> _Contents:
    """Names of the directories in it, and whether it holds log files; nothing if it cannot be listed."""
    names, holds_logs = [], False
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                else:
                    holds_logs = holds_logs or is_log_file(entry.name)
    except OSError:
        return frozenset(), False
    return frozenset(names) - FOREIGN_DIRECTORIES, holds_logs
