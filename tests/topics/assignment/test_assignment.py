"""kafkafmt.topics.assignment: its entry point, examples small enough to verify by hand, and too large groups."""

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import KafkafmtError, LimitExceededError, UnsupportedError
from kafkafmt.topics.assignment import COORDINATOR_ASSIGNORS, PROTOCOLS, Subscriber, assign, assign_by_coordinator
from kafkafmt.topics.assignment.group import (
    java_bucket_order,
    java_hash_map_order,
    java_hash_set_copy_order,
    java_string_key,
)
from kafkafmt.topics.assignment.sticky import generation_of, previous_assignment


def two(*topics: str) -> list[Subscriber]:
    return [Subscriber("c0", topics), Subscriber("c1", topics)]


def test_ranges_are_cut_topic_by_topic() -> None:
    assert assign("range", two("t0", "t1"), {"t0": 3, "t1": 3}) == {
        "c0": [("t0", 0), ("t0", 1), ("t1", 0), ("t1", 1)],
        "c1": [("t0", 2), ("t1", 2)],
    }


def test_round_robin_deals_all_partitions_out_in_turn() -> None:
    assert assign("roundrobin", two("t0", "t1"), {"t0": 3, "t1": 3}) == {
        "c0": [("t0", 0), ("t0", 2), ("t1", 1)],
        "c1": [("t0", 1), ("t1", 0), ("t1", 2)],
    }


def test_static_members_come_first_by_their_static_ids() -> None:
    members = [Subscriber("c0", ["t"]), Subscriber("c1", ["t"], "z"), Subscriber("c2", ["t"], "y")]
    assert assign("range", members, {"t": 3}) == {"c0": [("t", 2)], "c1": [("t", 1)], "c2": [("t", 0)]}


def test_a_range_goes_to_where_its_replicas_are() -> None:
    members = [Subscriber("c0", ["t"], rack="west"), Subscriber("c1", ["t"], rack="east")]
    racks = {("t", 0): ["east"], ("t", 1): ["west"]}
    assert assign("range", members, {"t": 2}, racks=racks) == {"c0": [("t", 1)], "c1": [("t", 0)]}
    assert assign("range", members, {"t": 2}) == {"c0": [("t", 0)], "c1": [("t", 1)]}


@pytest.mark.parametrize("topics", [(["t"], ["t"]), (["t"], ["t", "u"])])
def test_who_held_a_partition_keeps_it(topics: tuple[list[str], list[str]]) -> None:
    previous = {"c0": [3, 2], "c1": [1, 0]}
    data = {name: struct.pack(">ih1si2ii", 1, 1, b"t", 2, *numbers, 7) for name, numbers in previous.items()}
    members = [Subscriber(name, each, user_data=data[name]) for name, each in zip(("c0", "c1"), topics, strict=True)]
    kept = {name: sorted(("t", number) for number in numbers) for name, numbers in previous.items()}
    assert assign("sticky", members, {"t": 4}) == kept


@pytest.mark.parametrize("topics", [["t"], ["t", "u"]])
def test_a_partition_that_moves_is_left_out_until_its_owner_gives_it_up(topics: list[str]) -> None:
    held = [("t", number) for number in range(4)]
    members = [Subscriber("c0", ["t"], owned_partitions=held, generation=3), Subscriber("c1", topics)]
    given = assign("cooperative-sticky", members, {"t": 4})
    assert (len(given["c0"]), given["c1"]) == (2, [])


def test_many_partitions_that_move_take_no_longer_than_their_number() -> None:
    held = [("t", number) for number in range(100_000)]
    members = [Subscriber("c0", ["t"], owned_partitions=held, generation=3), Subscriber("c1", ["t"])]
    given = assign("cooperative-sticky", members, {"t": len(held)})
    assert (len(given["c0"]), given["c1"]) == (len(held) // 2, [])


def test_topics_without_partitions_and_groups_without_members_get_nothing() -> None:
    for protocol in PROTOCOLS:
        assert assign(protocol, two("t"), {"t": 0, "u": 5}) == {"c0": [], "c1": []}
        assert assign(protocol, two("t"), {"t": -1}) == {"c0": [], "c1": []}
        assert assign(protocol, [], {"t": 5}) == {}


def test_an_unknown_assignor_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"'stream'.*cooperative-sticky"):
        assign("stream", [], {})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_partition_count_that_is_too_large_is_refused_before_anything_is_made(protocol: str) -> None:
    with pytest.raises(LimitExceededError, match="too many partitions"):
        assign(protocol, two("t"), {"t": 2**31 - 1})


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "roundrobin"])
def test_a_group_that_takes_too_long_is_given_up(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.topics.assignment.group.MAX_STEPS", 100)
    members = [Subscriber(f"c{number}", ["u"], rack="east") for number in range(100)] + [
        Subscriber("d", ["t", "u"], rack="west")
    ]
    racks = {("t", number): ["east" if number % 2 else "west"] for number in range(200)}
    with pytest.raises(LimitExceededError, match="too many members and partitions"):
        assign(protocol, members, {"t": 200, "u": 1}, racks=racks)


def test_where_kafkas_own_assignor_dies_there_is_an_error() -> None:
    gone = [Subscriber("c0", ["t"], owned_partitions=[("t", 5)], generation=1), Subscriber("c1", ["t"])]
    with pytest.raises(UnsupportedError, match="Kafka's own assignor fails"):
        assign("cooperative-sticky", gone, {"t": 1})


def test_the_coordinator_leaves_a_target_assignment_alone_that_is_fair() -> None:
    held = {"c0": [("t", 3), ("t", 1)], "c1": [("t", 0)], "c2": [("t", 2), ("u", 0)]}
    members = [Subscriber(name, ["t", "u"], owned_partitions=partitions) for name, partitions in held.items()]
    kept = {name: sorted(partitions) for name, partitions in held.items()}
    assert assign_by_coordinator("uniform", members, {"t": 4, "u": 1}) == kept
    ranges = {"c0": [("t", 0), ("t", 1), ("u", 0)], "c1": [("t", 2)], "c2": [("t", 3)]}
    assert assign_by_coordinator("range", members, {"t": 4, "u": 1}) == ranges


def test_the_coordinator_moves_what_is_unfair() -> None:
    everything = [("t", number) for number in range(4)]
    members = [Subscriber("c0", ["t"], owned_partitions=everything), Subscriber("c1", ["t"])]
    assert assign_by_coordinator("uniform", members, {"t": 4}) == {"c0": everything[:2], "c1": everything[2:]}
    members.append(Subscriber("c2", ["u"]))
    given = assign_by_coordinator("uniform", members, {"t": 4, "u": 1})
    assert (len(given["c0"]), len(given["c1"]), given["c2"]) == (2, 2, [("u", 0)])


@pytest.mark.parametrize("assignor", COORDINATOR_ASSIGNORS)
def test_the_coordinator_has_nothing_to_give_without_topics_or_members(assignor: str) -> None:
    assert assign_by_coordinator(assignor, two("t"), {}) == {"c0": [], "c1": []}
    assert assign_by_coordinator(assignor, [], {"t": 1}) == {}


def test_an_unknown_assignor_of_the_coordinator_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"'simple'.*uniform, range"):
        assign_by_coordinator("simple", [], {})


def test_the_coordinators_assignor_dies_at_a_partition_that_is_no_more() -> None:
    gone = [Subscriber("c0", ["t"], owned_partitions=[("t", 5)]), Subscriber("c1", ["u"])]
    with pytest.raises(UnsupportedError, match="Kafka's own assignor fails"):
        assign_by_coordinator("uniform", gone, {"t": 1, "u": 1})


NAMES = st.sampled_from(["", "t", "u", "v", "\ud800"])
PARTITIONS = st.tuples(NAMES, st.integers(-1, 4) | st.integers(-(2**31), 2**31 - 1))
SUBSCRIBERS = st.builds(
    Subscriber,
    st.sampled_from(["", "a", "b", "c"]),
    st.lists(NAMES, max_size=4),
    st.none() | NAMES,
    st.none() | NAMES,
    st.lists(PARTITIONS, max_size=8),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.binary(max_size=40),
)


@pytest.mark.slow
@given(st.lists(SUBSCRIBERS, max_size=6), st.dictionaries(NAMES, st.integers(-1, 5)), st.data())
def test_any_group_gets_an_assignment_or_an_error_of_kafkafmt(
    members: list[Subscriber], counts: dict[str, int], data: st.DataObject
) -> None:
    racks = data.draw(st.none() | st.dictionaries(PARTITIONS, st.lists(NAMES, max_size=3), max_size=8))
    names = {member.member_id for member in members}
    for protocol in PROTOCOLS:
        with contextlib.suppress(KafkafmtError):
            assert assign(protocol, members, counts, racks=racks).keys() == names
    for assignor in COORDINATOR_ASSIGNORS:
        with contextlib.suppress(KafkafmtError):
            assert assign_by_coordinator(assignor, members, counts).keys() == names


def test_java_orders_texts_by_utf_16_units() -> None:
    assert sorted(["\uff61", "\U0001f600"], key=java_string_key) == ["\U0001f600", "\uff61"]


def test_a_hash_map_gives_its_keys_by_bucket() -> None:
    assert java_hash_map_order(["b", "a", "q"]) == ["a", "q", "b"]  # 97 and 113 meet in bucket 1 of 16
    many = [f"{number}" for number in range(13)]
    assert java_hash_map_order(many) == ["11", "12", *"0123456789", "10"]  # 13 make it 32 buckets


def test_a_hash_set_that_is_made_of_a_collection_has_more_buckets() -> None:
    numbers = [16, *range(1, 12)]
    assert java_bucket_order(numbers, int) == numbers
    assert java_hash_set_copy_order(numbers, int) == [*range(1, 12), 16]


def test_user_data_of_sticky_members() -> None:
    old = struct.pack(">ih1si2i", 1, 1, b"t", 2, 5, 6)
    assert previous_assignment(old) == ([("t", 5), ("t", 6)], None)
    assert previous_assignment(old + struct.pack(">i", 9)) == ([("t", 5), ("t", 6)], 9)
    assert (generation_of(struct.pack(">ii", 9, 1)), generation_of(b"\0")) == (9, -1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0",
        struct.pack(">i", -1),
        struct.pack(">i", 2**31 - 1),
        struct.pack(">ih", 1, -1),
        struct.pack(">ih", 1, 5) + b"abc",
        struct.pack(">ih1s", 1, 1, b"t"),
        struct.pack(">ih1si", 1, 1, b"t", -1),
        struct.pack(">ih1si", 1, 1, b"t", 2**31 - 1),
    ],
)
def test_unreadable_user_data_counts_as_nothing_held(data: bytes) -> None:
    assert previous_assignment(data) == ([], -1)
