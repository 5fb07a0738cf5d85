"""Classic groups: Kafka's GroupCoordinator as clients see it, with a manual clock."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any

import pytest

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups.bounds import LONGEST_SESSION_MS, MOST_MEMBERS, GroupError, Room
from kafkafmt.serving.groups.classic import INITIAL_DELAY, ClassicGroup
from kafkafmt.serving.groups.classic_member import Joining
from tests.serving.clocks import ManualClock, settle

JOINING = Joining(
    "",
    None,
    "client",
    "/192.0.2.1",
    "consumer",
    (("range", b"meta"),),
    10_000,
    60_000,
    knows_ids=False,
    skips_assignment=True,
)


class Tried:
    """A group, its clock, and tasks of its clients."""

    def __init__(self, generation: int = 0, room: Room | None = None) -> None:
        self.clock = ManualClock()
        self.emptied: list[str] = []
        self.group = ClassicGroup("g", generation, self.clock, room or Room(), self.emptied.append)

    async def joining(self, **fields: Any) -> "asyncio.Task[Any]":
        task = asyncio.ensure_future(self.group.join(replace(JOINING, **fields)))
        await settle()
        return task

    async def joined(self, *clients: dict[str, Any]) -> list[Any]:
        """Join clients together; return the answers."""
        tasks = [await self.joining(**fields) for fields in clients]
        await self.clock.advance(len(tasks) * INITIAL_DELAY)
        return [await task for task in tasks]

    async def syncing(self, answer: Any, assignments: dict[str, bytes] | None = None) -> "asyncio.Task[Any]":
        fields = answer["MemberId"], None, answer["GenerationId"], ("consumer", "range"), assignments or {}
        task = asyncio.ensure_future(self.group.sync(*fields))
        await settle()
        return task

    async def stable(self, *clients: dict[str, Any]) -> list[Any]:
        """Join clients and give each its member id as assignment; return the answers to the joins."""
        answers = await self.joined(*clients)
        given = {answer["MemberId"]: answer["MemberId"].encode() for answer in answers}
        tasks = [await self.syncing(each, given if each["Leader"] == each["MemberId"] else None) for each in answers]
        for answer, task in zip(answers, tasks, strict=True):
            assert (await task)["Assignment"] == answer["MemberId"].encode()
        assert self.group.state == "Stable"
        return answers

    def beat(self, answer: Any, **fields: Any) -> None:
        known = {"member_id": answer["MemberId"], "instance_id": None, "generation": answer["GenerationId"]}
        self.group.heartbeat(**known | fields)


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*arguments: Any, **keywords: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **keywords), 20))

    return run


def refused(code: ErrorCode, call: Callable[[], Any]) -> None:
    with pytest.raises(GroupError) as caught:
        call()
    assert caught.value.code == code


async def refused_later(code: ErrorCode, coroutine: Any) -> None:
    with pytest.raises(GroupError) as caught:
        await coroutine
    assert caught.value.code == code


@in_loop
async def test_members_that_come_within_the_delay_join_one_generation() -> None:
    tried = Tried()
    first, second = await tried.joined({}, {"client_id": "other"})
    assert first["GenerationId"] == second["GenerationId"] == 1
    assert first["Leader"] == second["Leader"] == first["MemberId"]
    assert [each["MemberId"] for each in first["Members"]] == [first["MemberId"], second["MemberId"]]
    assert first["Members"][0]["Metadata"] == b"meta"
    assert second["Members"] == []
    assert first["ProtocolName"] == "range"
    assert second["MemberId"].startswith("other-")


@in_loop
async def test_a_member_is_given_an_id_first_from_version_4_on() -> None:
    tried = Tried()
    answer = await (await tried.joining(knows_ids=True))
    assert answer["ErrorCode"] == ErrorCode.MEMBER_ID_REQUIRED
    assert not tried.group.is_empty
    (joined,) = await tried.joined({"member_id": answer["MemberId"], "knows_ids": True})
    assert joined["MemberId"] == answer["MemberId"]


@in_loop
async def test_an_id_that_never_joins_holds_the_group_up_until_its_session_ends() -> None:
    tried = Tried()
    await (await tried.joining(knows_ids=True))
    await tried.clock.advance(10)
    assert tried.emptied == ["g"]
    assert tried.clock.waiting == 0


@in_loop
async def test_followers_wait_for_the_leaders_assignment() -> None:
    tried = Tried()
    leader, follower = await tried.joined({}, {})
    waiting = await tried.syncing(follower)
    assert not waiting.done()
    await tried.syncing(leader, {follower["MemberId"]: b"theirs"})
    assert (await waiting)["Assignment"] == b"theirs"
    assert (await (await tried.syncing(leader)))["Assignment"] == b""


@in_loop
async def test_another_member_lets_all_join_again() -> None:
    tried = Tried()
    (first,) = await tried.stable({})
    second = await tried.joining()
    assert not second.done()
    refused(ErrorCode.REBALANCE_IN_PROGRESS, lambda: tried.beat(first))
    await refused_later(ErrorCode.REBALANCE_IN_PROGRESS, await tried.syncing(first))
    again = await tried.joining(member_id=first["MemberId"])
    assert (await again)["GenerationId"] == (await second)["GenerationId"] == 2
    refused(ErrorCode.ILLEGAL_GENERATION, lambda: tried.beat(first))


@in_loop
async def test_a_member_that_does_not_join_again_is_removed_after_its_rebalance_timeout() -> None:
    tried = Tried()
    (first,) = await tried.stable({"session_ms": 90_000})
    second = await tried.joining()
    await tried.clock.advance(59)
    assert not second.done()
    await tried.clock.advance(1)
    assert (await second)["Leader"] == (await second)["MemberId"]
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.beat(first))


@in_loop
async def test_one_that_leaves_lets_the_others_join_again() -> None:
    tried = Tried()
    first, second = await tried.stable({}, {})
    tried.group.leave(first["MemberId"], None)
    refused(ErrorCode.REBALANCE_IN_PROGRESS, lambda: tried.beat(second))
    again = await (await tried.joining(member_id=second["MemberId"]))
    assert again["Leader"] == second["MemberId"]
    tried.group.leave(second["MemberId"], None)
    assert tried.emptied == ["g"]
    assert tried.group.state == "Empty"
    assert tried.clock.waiting == 0


@in_loop
async def test_a_member_without_heartbeats_is_removed() -> None:
    tried = Tried()
    first, second = await tried.stable({}, {})
    await tried.clock.advance(9)
    tried.beat(first)
    await tried.clock.advance(2)
    assert list(tried.group.members) == [first["MemberId"]]
    refused(ErrorCode.REBALANCE_IN_PROGRESS, lambda: tried.beat(first))
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.beat(second))


@in_loop
async def test_a_member_that_never_syncs_is_removed() -> None:
    tried = Tried()
    leader, silent = await tried.joined({"session_ms": 600_000}, {"session_ms": 600_000})
    await (await tried.syncing(leader, {}))
    await tried.clock.advance(60)
    assert list(tried.group.members) == [leader["MemberId"]]
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.beat(silent))


@in_loop
async def test_a_static_member_comes_again_without_a_rebalance_and_fences_itself() -> None:
    tried = Tried()
    (first,) = await tried.stable({"instance_id": "i"})
    again = await (await tried.joining(instance_id="i"))
    assert again["MemberId"] != first["MemberId"]
    assert again["GenerationId"] == 1
    assert again["SkipAssignment"] is True
    refused(ErrorCode.FENCED_INSTANCE_ID, lambda: tried.beat(first, instance_id="i"))
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.beat(first, instance_id="j"))
    assert (await (await tried.syncing(again)))["Assignment"] == first["MemberId"].encode()
    older = await (await tried.joining(instance_id="i", skips_assignment=False))
    assert older["Leader"] == again["MemberId"]  # otherwise it would assign again
    tried.group.leave("", "i")
    assert tried.group.is_empty


@in_loop
async def test_a_member_keeps_the_static_id_with_which_it_joined_first() -> None:
    tried = Tried()
    (first,) = await tried.stable({"instance_id": "i"})
    waiting = await tried.joining(member_id=first["MemberId"], protocols=(("range", b"other"),))
    assert (await waiting)["GenerationId"] == 2
    tried.group.leave(first["MemberId"], "i")
    assert tried.emptied == ["g"]
    assert (await tried.joined({"instance_id": "i"}))[0]["GenerationId"] == 4


@in_loop
async def test_a_static_member_that_does_not_join_again_keeps_its_place() -> None:
    tried = Tried()
    first, _ = await tried.stable({"instance_id": "i", "session_ms": 600_000}, {"session_ms": 600_000})
    third = await tried.joining()
    await tried.clock.advance(60)
    assert (await third)["Leader"] == (await third)["MemberId"]
    assert set(tried.group.members) == {first["MemberId"], (await third)["MemberId"]}


@in_loop
async def test_unchanged_followers_are_told_the_generation_and_leaders_cause_a_rebalance() -> None:
    tried = Tried()
    leader, follower = await tried.stable({}, {})
    same = await (await tried.joining(member_id=follower["MemberId"]))
    assert same["GenerationId"] == 1
    assert same["Members"] == []
    waiting = await tried.joining(member_id=leader["MemberId"])
    assert not waiting.done()
    assert tried.group.state == "PreparingRebalance"


@in_loop
async def test_the_assignor_is_the_one_that_most_prefer_of_those_that_all_know() -> None:
    tried = Tried()
    both, other = (("range", b""), ("sticky", b"")), (("sticky", b""), ("range", b""), ("own", b""))
    answers = await tried.joined({"protocols": both}, {"protocols": other}, {"protocols": other})
    assert {answer["ProtocolName"] for answer in answers} == {"sticky"}
    await refused_later(
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL, tried.group.join(replace(JOINING, protocols=(("own", b""),)))
    )
    await refused_later(
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL, tried.group.join(replace(JOINING, protocol_type="connect"))
    )
    wrong = tried.group.sync(answers[0]["MemberId"], None, 1, ("consumer", "range"), {})
    await refused_later(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, wrong)


@pytest.mark.parametrize("fields", [{"protocols": ()}, {"protocol_type": ""}], ids=str)
@in_loop
async def test_a_join_without_protocols_is_refused(fields: dict[str, Any]) -> None:
    tried = Tried()
    await refused_later(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, tried.group.join(replace(JOINING, **fields)))
    assert tried.group.is_empty
    assert tried.clock.waiting == 0


@in_loop
async def test_commits_of_members_only_while_there_are_any() -> None:
    tried = Tried()
    tried.group.check_commit("", None, -1)
    (first,) = await tried.joined({})
    refused(ErrorCode.REBALANCE_IN_PROGRESS, lambda: tried.group.check_commit(first["MemberId"], None, 1))
    await (await tried.syncing(first, {}))
    tried.group.check_commit(first["MemberId"], None, 1)
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.group.check_commit("", None, -1))
    refused(ErrorCode.UNKNOWN_MEMBER_ID, lambda: tried.group.check_commit("nobody", None, 1))
    refused(ErrorCode.ILLEGAL_GENERATION, lambda: tried.group.check_commit(first["MemberId"], None, 2))


@in_loop
async def test_generations_go_on_from_those_of_the_disk() -> None:
    tried = Tried(generation=2**31 - 2)
    (first,) = await tried.stable({})
    assert first["GenerationId"] == 2**31 - 1
    again = await (await tried.joining(member_id=first["MemberId"]))
    assert again["GenerationId"] == 0


@in_loop
async def test_a_timeout_of_24_days_is_cut() -> None:
    tried = Tried()
    (first,) = await tried.stable({"rebalance_ms": 2**31 - 1})
    assert tried.group.members[first["MemberId"]].rebalance_ms == LONGEST_SESSION_MS


@in_loop
async def test_members_and_their_bytes_are_bounded() -> None:
    tried = Tried()
    for _ in range(MOST_MEMBERS):
        await tried.group.join(replace(JOINING, knows_ids=True))
    await refused_later(ErrorCode.GROUP_MAX_SIZE_REACHED, tried.group.join(replace(JOINING, knows_ids=True)))
    room = Room(5000)
    tried = Tried(room=room)
    (first,) = await tried.stable({})
    await refused_later(
        ErrorCode.GROUP_MAX_SIZE_REACHED, tried.group.join(replace(JOINING, protocols=(("range", bytes(4000)),)))
    )
    synced = tried.group.sync(first["MemberId"], None, 1, (None, None), {first["MemberId"]: bytes(9000)})
    assert (await synced)["Assignment"] == first["MemberId"].encode()  # a stable group accepts none
    tried.group.leave(first["MemberId"], None)
    room.take(5000)


@in_loop
async def test_a_client_that_has_gone_while_it_waits_harms_nobody() -> None:
    tried = Tried()
    gone = await tried.joining()
    gone.cancel()
    other = await tried.joining()
    await tried.clock.advance(2 * INITIAL_DELAY)
    assert (await other)["GenerationId"] == 1
    await tried.clock.advance(10)
    assert len(tried.group.members) <= 1


@in_loop
async def test_only_a_stable_group_shows_subscriptions_and_assignments() -> None:
    tried = Tried()
    (first,) = await tried.joined({})
    described = tried.group.described()
    assert (described["GroupState"], described["ProtocolData"]) == ("CompletingRebalance", "")
    assert described["Members"][0]["MemberMetadata"] == b""
    await (await tried.syncing(first, {first["MemberId"]: b"given"}))
    described = tried.group.described()
    assert (described["GroupState"], described["ProtocolData"]) == ("Stable", "range")
    assert described["Members"] == [
        {
            "MemberId": first["MemberId"],
            "GroupInstanceId": None,
            "ClientId": "client",
            "ClientHost": "/192.0.2.1",
            "MemberMetadata": b"meta",
            "MemberAssignment": b"given",
        }
    ]


@in_loop
async def test_static_members_that_die_while_they_wait_for_the_leader_expire() -> None:
    """A session that ends during the wait is not ended; another begins with the error that ends the wait."""
    tried = Tried()
    leader, other = await tried.joined({"instance_id": "1", "session_ms": 15_000}, {"instance_id": "2"})
    assert leader["Leader"] == leader["MemberId"]
    waiting = await tried.syncing(other)
    await tried.clock.advance(16)
    assert (await waiting)["ErrorCode"] == ErrorCode.REBALANCE_IN_PROGRESS
    assert list(tried.group.members) == [other["MemberId"]]
    await tried.clock.advance(11)
    assert tried.group.is_empty
    assert tried.emptied == ["g"]
