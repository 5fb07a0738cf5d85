"""HelperThreads: threads that work ahead of the calling thread, which receives all results in order."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Generic, TypeVar, cast

from kafkafmt.libraries import futures

T = TypeVar("T")

# Number of calls beyond the number of helpers that may be made ahead: their results are in memory.
_MADE_AHEAD = 2


class HelperThreads:
    """Threads of a pass besides the calling one, started once there is work for them.

    Args:
        count: number of threads, at least one.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: futures.ThreadPoolExecutor | None = None
        self._process = 0  # id of the process that started the pool
        self._aside: futures.Future[object] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the last function passed to `aside` is still running or waiting."""
        return self._aside is not None and not self._aside.done()

    def aside(self, function: Callable[[], T]) -> "futures.Future[T]":
        """Let a helper run a function when it is free; see `kafkafmt.files.read_ahead.Aside`."""
        future = self._submit(function)
        self._aside = cast("futures.Future[object]", future)
        return future

    def _submit(self, function: Callable[[], T]) -> "futures.Future[T]":
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._pool = futures.ThreadPoolExecutor(self._count, thread_name_prefix="kafkafmt")
        return self._pool.submit(function)

    def in_turn(self, calls: Sequence[Callable[[bool], T]]) -> Generator[T | None, None, None]:
        """Yield the results of calls, in order. While a helper runs the next call, the calling thread runs later ones.

        At the end, also if this generator is closed or raises, no helper is running one of the calls any more.

        Args:
            calls: the calls; the argument of each says whether a helper runs it.

        Returns:
            None for a call that was not run and will not be: it is left to the caller, at its turn.
        """
        process = os.getpid()
        left = deque(map(_Call, calls))
        ahead: deque[_Call[T]] = deque()
        try:
            while left or ahead:
                turn = ahead[0] if ahead else left.popleft()
                while left and len(ahead) < self._count + _MADE_AHEAD:
                    ahead.append(left.popleft())
                    ahead[-1].future = self._submit(ahead[-1].make_aside)
                if turn.made:
                    yield turn.made.pop()
                # A forked child has none of the threads, and their locks may be held forever.
                elif os.getpid() != process or turn.future is None or turn.take_back():
                    turn.forget()
                    yield None
                else:
                    while not turn.future.done() and _make_first(ahead):
                        pass
                    yield turn.future.result()
                if ahead and ahead[0] is turn:
                    ahead.popleft()
        finally:
            if os.getpid() == process:
                futures.wait([call.future for call in ahead if call.future is not None and call.is_aside()])
            for call in ahead:
                call.forget()

    def end(self) -> None:
        """End the threads, and wait for them; calls not yet begun are dropped."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(cancel_futures=True)


class _Call(Generic[T]):
    """A call that runs once: in a helper, or in the calling thread if no helper has begun it.

    Only this object refers to the call's arguments, and drops them when the call returns: memory to be reused must not
    seem in use because a thread still refers to it.

    Attributes:
        future: the result from a helper; None if no helper runs it.
        made: the result from the calling thread, if that ran the call ahead of its turn.
    """

    __slots__ = ("_call", "future", "made")

    def __init__(self, call: Callable[[bool], T]) -> None:
        self._call: Callable[[bool], T] | None = call
        self.future: futures.Future[T] | None = None
        self.made: list[T] = []

    def make_aside(self) -> T:
        """Run the call in a helper."""
        return self._make(is_aside=True)

    def make_here(self) -> None:
        """Run the call in the calling thread, ahead of its turn."""
        self.made.append(self._make(is_aside=False))

    def take_back(self) -> bool:
        """Whether the call has not been run, and no helper will run it."""
        return not self.made and (self.future is None or self.future.cancel())

    def is_aside(self) -> bool:
        """Whether a helper runs the call, or has run it; a call not yet begun is taken back."""
        return not self.made and not self.take_back()

    def forget(self) -> None:
        """Drop the call and its arguments."""
        self._call = None

    def _make(self, *, is_aside: bool) -> T:
        call, self._call = self._call, None
        if call is None:
            raise RuntimeError("a call was to be made twice")
        return call(is_aside)


def _make_first(calls: "Iterable[_Call[T]]") -> bool:
    """Run the first call that no helper has begun, in this thread; return whether there was one."""
    first = next((call for call in calls if call.take_back()), None)
    if first is not None:
        first.make_here()
    return first is not None
