"""Ctrl-C at every moment: after each call of a C function, where Python looks for signals."""

import contextlib
import pathlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType

_MAKING = ("open", "mkdir")


def interruptions(run: Callable[[], object], module: ModuleType) -> Iterator[None]:
    """Run something whole, then again and again, each time interrupted one call later; yield after each.

    What an interrupted `os.scandir` or `open` leaves is closed by whoever counts references, with a ResourceWarning.

    Args:
        run: makes a file or a directory; the moments are those from then on.
        module: whose calls count, with those of `contextlib` and `pathlib`.
    """
    run()  # what it imports is there afterwards
    yield
    number = 0
    while _is_interrupted(run, module, number):
        yield
        number += 1


def _is_interrupted(run: Callable[[], object], module: ModuleType, number: int) -> bool:
    passed = -1  # until something is made
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
