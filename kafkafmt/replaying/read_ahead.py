"""`read_ahead`: a thread reads the source, so that a source that stalls does not keep a transaction open."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from typing import Final, TypeVar

T = TypeVar("T")

_WAIT_SECONDS: Final = 1.0


def read_ahead(steps: Generator[T, None, None]) -> Generator[T | None, None, None]:
    """Take the steps of a generator from a thread that is one step ahead.

    Args:
        steps: closed at the end, once the thread has its step.

    Yields:
        The steps; None for each second in which there is none.

    Raises:
        BaseException: as `steps` raises, once the steps before were taken.
    """
    with closing(steps), ThreadPoolExecutor(1, thread_name_prefix="kafkafmt-replay") as pool:
        coming = pool.submit(_next, steps)
        while True:
            if not wait([coming], _WAIT_SECONDS).done:
                yield None
                continue
            step = coming.result()
            if not step:
                return
            coming = pool.submit(_next, steps)
            yield step[0]


def _next(steps: Generator[T, None, None]) -> tuple[T, ...]:
    for step in steps:
        return (step,)
    return ()
