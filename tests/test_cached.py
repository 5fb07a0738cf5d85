"""Values that are computed once; threads that use different objects do not wait for each other."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafkafmt.cached import cached_property, computed_once

_SECONDS = 20


class _Slow:
    def __init__(self, goes_on: threading.Event, reached: threading.Barrier | None = None) -> None:
        self._goes_on, self._reached = goes_on, reached
        self.begun = threading.Event()

    @cached_property
    def value(self) -> object:
        """A new object, once it may go on."""
        self.begun.set()
        if self._reached is not None:
            self._reached.wait(_SECONDS)
        assert self._goes_on.wait(_SECONDS)
        return object()


class _Once:
    def __init__(self, *, fails: bool = False) -> None:
        self.begun = threading.Event()
        self.goes_on = threading.Event()
        self.times = 0
        self.fails = fails

    @computed_once
    def value(self) -> object:
        """A new object, once it may go on."""
        self.times += 1
        self.begun.set()
        assert self.goes_on.wait(_SECONDS)
        if self.fails:
            raise ValueError
        return object()

    @computed_once
    def derived(self) -> object:
        """Derived from the value, by the same thread."""
        return self.value, "derived"


def test_an_object_that_takes_long_does_not_stop_another() -> None:
    hangs, open_way = threading.Event(), threading.Event()
    open_way.set()
    slow = _Slow(hangs)
    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(lambda: slow.value)
        try:
            assert slow.begun.wait(_SECONDS)
            threads.submit(lambda: _Slow(open_way).value).result(_SECONDS)
            assert not waiting.done()
        finally:
            hangs.set()
        assert waiting.result(_SECONDS) is slow.value


def test_threads_get_the_same_value_of_one_object() -> None:
    open_way = threading.Event()
    open_way.set()
    shared = _Slow(open_way, threading.Barrier(2))
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: shared.value, range(2))
    assert first is second is shared.value


def test_the_class_gives_the_property_itself() -> None:
    assert _Slow.value.__doc__ == "A new object, once it may go on."


def test_one_thread_computes_what_many_ask_for() -> None:
    shared = _Once()
    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(lambda: shared.value) for _ in range(3)] + [threads.submit(lambda: shared.derived)]
        assert shared.begun.wait(_SECONDS)
        shared.goes_on.set()
        first, second, third, derived = (each.result(_SECONDS) for each in found)
    assert first is second is third
    assert derived == (first, "derived")
    assert shared.times == 1


def test_a_failure_is_not_kept() -> None:
    shared = _Once(fails=True)
    shared.goes_on.set()
    with pytest.raises(ValueError):
        shared.value  # noqa: B018
    shared.fails = False
    assert shared.value is shared.value
    assert _Once.value.__doc__ == "A new object, once it may go on."
