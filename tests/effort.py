"""The cost of work, measured independently of other load on the machine."""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

ATTEMPTS = 5


def calls(work: Callable[[], object]) -> int:
    """Run `work` and count its calls of Python and C functions."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def is_ever(is_quick_enough: Callable[[], bool]) -> bool:
    """Whether a comparison of CPU times holds in any of several attempts: other load only makes times longer."""
    return any(is_quick_enough() for _ in range(ATTEMPTS))


def cpu_seconds(work: Callable[[], object]) -> float:
    """Run `work` and measure its CPU time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def lines(work: Callable[[], object]) -> int:
    """Run `work` and count the lines of Python executed: a one-line loop counts once per iteration."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return on_event

    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
