"""Helper threads: results in order whichever thread makes them, none made twice, no work left running."""

import gc
import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from kafkafmt.scanning.helper_threads import HelperThreads


@pytest.fixture(params=[1, 3])
def helpers(request: pytest.FixtureRequest) -> Iterator[HelperThreads]:
    helpers = HelperThreads(request.param)
    yield helpers
    helpers.end()


def test_what_calls_return_comes_in_order_and_each_is_made_once(helpers: HelperThreads) -> None:
    rnd = random.Random(3)
    made: list[int] = []

    def make(number: int, pause: float, is_aside: bool) -> int:
        assert is_aside is (threading.current_thread() is not threading.main_thread())
        time.sleep(pause)
        made.append(number)
        return number

    for count in (0, 1, 2, 3, 7, 40):
        made.clear()
        calls = [partial(make, number, rnd.choice((0, 0, 0.001, 0.003))) for number in range(count)]
        left: list[int] = []
        for number, found in enumerate(helpers.in_turn(calls)):
            if found is None:
                left.append(number)
            else:
                assert found == number
        assert sorted([*made, *left]) == list(range(count))
        assert left[:1] == [0] * min(count, 1)


def test_the_asking_thread_makes_others_while_it_waits(helpers: HelperThreads) -> None:
    begun, go = threading.Event(), threading.Event()
    main: list[int] = []

    def make(number: int, is_aside: bool) -> int:
        if is_aside:
            begun.set()
            assert go.wait(60)
        else:
            main.append(number)
            go.set()
        return number

    found = helpers.in_turn([partial(make, number) for number in range(8)])
    assert next(found) is None
    assert begun.wait(60)
    rest = list(found)
    assert main
    assert [each for each in rest if each is not None] == [n for n, each in enumerate(rest, 1) if each is not None]


def test_no_more_is_made_ahead_than_a_few(helpers: HelperThreads) -> None:
    made: list[int] = []

    def make(number: int, is_aside: bool) -> int:
        made.append(number)
        return number

    found = helpers.in_turn([partial(make, number) for number in range(100)])
    for turn in range(3):
        next(found)
        time.sleep(0.05)
        assert all(number <= turn + 6 for number in made)
    found.close()


def test_what_a_helper_raises_is_raised_in_its_turn_and_others_end(helpers: HelperThreads) -> None:
    ended: list[int] = []
    failed = threading.Event()

    def make(number: int, is_aside: bool) -> int:
        if number == 2 and is_aside:
            failed.set()
            raise MemoryError("mine")
        time.sleep(0.01)
        ended.append(number)
        return number

    calls: list[Callable[[bool], int]] = [partial(make, number) for number in range(9)]
    found = helpers.in_turn(calls)
    assert next(found) is None
    assert failed.wait(60)
    assert next(found) == 1
    with pytest.raises(MemoryError, match="mine"):
        next(found)
    before = list(ended)
    time.sleep(0.05)
    assert ended == before


def test_in_the_end_nobody_works_and_nothing_is_held(helpers: HelperThreads) -> None:
    class Window:
        pass

    under_way = 0
    lock = threading.Lock()

    def make(_: Window, is_aside: bool) -> int:
        nonlocal under_way
        if is_aside:
            with lock:
                under_way += 1
            time.sleep(0.01)
            with lock:
                under_way -= 1
        return 1

    gc.disable()  # memory must be free at once
    try:
        for turns in range(6):
            window = Window()
            found = helpers.in_turn([partial(make, window) for _ in range(6)])
            for _ in range(turns):
                next(found)
            found.close()
            assert under_way == 0
            gone = weakref.ref(window)
            del window, found
            assert gone() is None
    finally:
        gc.enable()


def test_a_forked_child_is_left_what_nobody_has_made_for_it(
    helpers: HelperThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(number: int, is_aside: bool) -> int:
        return number

    found = helpers.in_turn([partial(make, number) for number in range(5)])
    next(found)
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: -1)
        assert list(found) == [None] * 4
