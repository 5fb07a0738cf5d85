"""Interruptions: Ctrl-C after each call of a C function, where Python checks signals; kills at every disk change."""

import builtins
import contextlib
import os
import pathlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

import pytest

_MAKING = ("open", "mkdir")


def interruptions(run: Callable[[], object], module: ModuleType) -> Iterator[None]:
    """Run something to its end, then repeatedly, interrupted one call later each time; yield after each run.

    Whatever an interrupted `os.scandir` or `open` leaves open is closed by reference counting, with a ResourceWarning.

    Args:
        run: makes a file or a directory; interruptions start after that.
        module: the module whose calls count, as do those of `contextlib` and `pathlib`.
    """
    run()  # so that its imports are done
    yield
    number = 0
    while _is_interrupted(run, module, number):
        yield
        number += 1


def _is_interrupted(run: Callable[[], object], module: ModuleType, number: int) -> bool:
    passed = -1  # until something has been created
    files = (module.__file__, contextlib.__file__, pathlib.__file__)

    def interrupt(frame: FrameType, event: str, called: object) -> None:
        nonlocal passed
        if event != "c_return" or frame.f_code.co_filename not in files:
            return
        if passed >= 0 or getattr(called, "__name__", "") in _MAKING:
            passed += 1
            if passed >= number:
                sys.setprofile(None)
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(interrupt)
    try:
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(before)
    return False


class KilledError(BaseException):
    """The process was killed: nothing after this affects the disk."""


_CHANGES = ("mkdir", "rename", "replace", "unlink", "rmdir", "chmod", "fchmod")


class Disk:
    """A directory whose process is killed at each change of it in turn, optionally by a power failure.

    Files that were written but not synced before the kill are empty, as after a power failure.

    Args:
        directory: the only directory whose changes count.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._left = -1
        self._synced: set[int] = set()

    def killed_at(self, number: int, run: Callable[[], object]) -> bool:
        """Run something, kill it before change `number` (from 0), and return whether it got that far."""
        self._left, self._synced = number, {path.stat().st_ino for path in self._directory.rglob("*")}
        handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
        with pytest.MonkeyPatch.context() as patch:
            for name in _CHANGES:
                patch.setattr(os, name, self._counted(getattr(os, name)))
            patch.setattr(os, "fsync", self._counted(self._sync))
            patch.setattr(builtins, "open", self._opened(builtins.open))
            with contextlib.suppress(KilledError):
                run()
        for each, handler in handlers.items():
            signal.signal(each, handler)
        if self._left >= 0:
            return False
        for path in self._directory.rglob("*"):
            if path.is_file() and path.stat().st_ino not in self._synced:
                path.write_bytes(b"")
        return True

    def _sync(self, file: int) -> None:
        self._synced.add(os.fstat(file).st_ino)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise KilledError

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self._count()
            return function(*arguments, **named)

        return counted

    def _opened(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def opened(path: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
            if set(mode) & set("wxa"):
                self._count()
            return function(path, mode, *arguments, **named)

        return opened
