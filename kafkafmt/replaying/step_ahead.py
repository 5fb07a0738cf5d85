"""`StepAhead`: a thread reads the source, so that a source that stalls does not keep a transaction open."""

from collections.abc import Generator, Iterator
from concurrent.futures import Future, wait
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

T = TypeVar("T")

_WAIT_SECONDS: Final = 1.0


class StepAhead(Generic[T]):
    """Takes the steps of a generator from a thread that is one step ahead.

    Iterating gives the steps, and None for each second without a step. An error of the generator is raised after the
    steps before it.

    Args:
        steps: the generator. It is closed at the end, after the thread has its step; an interrupt does not wait for
            that.
    """

    def __init__(self, steps: Generator[T, None, None]) -> None:
        self._steps = steps
        self._asked: SimpleQueue[Future[tuple[T, ...]] | None] = SimpleQueue()
        # A daemon thread, so that the process can exit while it waits for a disk.
        self._thread = Thread(target=self._read, name="kafkafmt-replay", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self._asked.put(None)
        if kind is None or issubclass(kind, Exception):
            self._thread.join()
            self._steps.close()

    def __iter__(self) -> Iterator[T | None]:
        coming = self._ask()
        while True:
            if not wait([coming], _WAIT_SECONDS).done:
                yield None
                continue
            step = coming.result()
            if not step:
                return
            coming = self._ask()
            yield step[0]

    def _ask(self) -> "Future[tuple[T, ...]]":
        coming: Future[tuple[T, ...]] = Future()
        self._asked.put(coming)
        return coming

    def _read(self) -> None:
        for coming in iter(self._asked.get, None):
            try:
                coming.set_result(_next(self._steps))
            except BaseException as error:  # noqa: BLE001 - raised to the caller that iterates
                coming.set_exception(error)


def _next(steps: Generator[T, None, None]) -> tuple[T, ...]:
    for step in steps:
        return (step,)
    return ()
