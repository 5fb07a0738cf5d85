"""The sessions with the server find what is wrong with it."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from kafkafmt.protocol.codec import Value
from kafkafmt.serving.api import Broker, Request
from kafkafmt.serving.broker import HANDLERS
from tests.hostile.hostile_sessions import check_session

pytestmark = pytest.mark.slow


async def raising(_: Broker, __: Request) -> Value:
    raise KeyError("Groups")


async def endless(_: Broker, __: Request) -> Value:
    await asyncio.Event().wait()
    return {}


async def leaking(broker: Broker, _: Request) -> Value:
    broker.memory.take(1)
    return {}


async def failing_later(_: Broker, __: Request) -> Value:
    def ring() -> None:
        raise KeyError("a")

    asyncio.get_running_loop().call_later(5, ring)
    return {}


async def other(_: Broker, __: Request) -> Value:
    return {"ThrottleTimeMs": random.randrange(2**31)}


def found(api: str, handler: Callable[[Broker, Request], Awaitable[Value]], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(HANDLERS, api, handler)
    for number in range(5):
        try:
            check_session(random.Random(number))
        except Exception as error:  # noqa: BLE001 - it is what is looked at
            return repr(error)
    return ""


@pytest.mark.parametrize(
    ("api", "handler", "expected"),
    [
        ("ListGroups", raising, "KeyError('Groups')"),
        ("ListGroups", leaking, "AssertionError"),
        ("ListGroups", failing_later, "KeyError('a')"),
        ("Metadata", endless, "AssertionError"),
        ("Fetch", other, "AssertionError"),
    ],
)
def test_what_is_wrong_is_found(
    api: str,
    handler: Callable[[Broker, Request], Awaitable[Value]],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert expected in found(api, handler, monkeypatch)
