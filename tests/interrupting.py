"""Ctrl-C at every moment: after each call of a C function, where Python looks for signals."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType


def interruptions(run: Callable[[], object]) -> Iterator[None]:
    """Run something whole, then again and again, each time interrupted one call later; yield after each.

    What an interrupted `os.scandir` or `open` leaves is closed by whoever counts references, with a ResourceWarning.
    """
    run()  # what it imports is there afterwards
    yield
    number = 0
    while _is_interrupted(run, number):
        yield
        number += 1


def _is_interrupted(run: Callable[[], object], number: int) -> bool:
    passed = 0

    def interrupt(_: FrameType, event: str, __: object) -> None:
        nonlocal passed
        if event == "c_return":
            passed += 1
            if passed > number:
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
