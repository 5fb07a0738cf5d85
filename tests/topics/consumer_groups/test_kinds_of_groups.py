"""Kinds of groups, from hand-packed records: states, assignors, members, and removal of a group."""

from pathlib import Path

import pytest

from kafkafmt.topics.consumer_groups import Group, Groups, Tasks, TopicPartitions, groups
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import ORDERS, ORDERS_ID, Log, key

STABLE, UNREVOKED, UNRELEASED = 0, 1, 2
STREAMS_STABLE, STREAMS_UNREVOKED = 1, 2


def read(tmp_path: Path, *records: tuple[bytes | None, bytes | None]) -> Groups:
    log = Log()
    for record in records:
        log.put(record)
    return groups(log.write(tmp_path))


def consumer_group(
    tmp_path: Path, *, epoch: int = 5, assigned: int = 5, member_epoch: int = 5, state: int = STABLE
) -> Group:
    found = read(
        tmp_path,
        (key(5, "g", "m"), pack.consumer_member("orders", assignor="range")),
        (key(3, "g"), pack.epoch(epoch)),
        (key(4, "g"), b"\0\0" + pack.array([ORDERS.bytes + pack.compact("orders") + b"\0\0\0\4\1\0"]) + b"\0"),
        (key(7, "g", "m"), pack.target([0, 1])),
        (key(6, "g"), pack.epoch(assigned)),
        (key(8, "g", "m"), pack.current(member_epoch, state, [1], [3, 2])),
    )
    assert not found.errors
    return found["g"]


@pytest.mark.parametrize(
    ("epochs", "member_state", "expected"),
    [
        ((5, 5, 5), STABLE, "Stable"),
        ((6, 5, 5), STABLE, "Assigning"),
        ((5, 5, 4), STABLE, "Reconciling"),
        ((5, 5, 5), UNREVOKED, "Reconciling"),
        ((5, 5, 5), UNRELEASED, "Reconciling"),
    ],
)
def test_state_of_a_consumer_group(
    tmp_path: Path, epochs: tuple[int, int, int], member_state: int, expected: str
) -> None:
    epoch, assigned, member_epoch = epochs
    group = consumer_group(tmp_path, epoch=epoch, assigned=assigned, member_epoch=member_epoch, state=member_state)
    assert (group.type, group.state, group.epoch, group.assignment_epoch) == ("Consumer", expected, epoch, assigned)


def test_member_of_a_consumer_group(tmp_path: Path) -> None:
    group = consumer_group(tmp_path, state=UNREVOKED)
    (member,) = group.members
    assert group.protocol == "range"
    assert (member.client_id, member.host, member.rack_id) == ("client", "/192.0.2.1", "rack")
    assert (member.group_instance_id, member.protocol, member.state) == ("instance", "consumer", "UNREVOKED_PARTITIONS")
    assert (member.epoch, member.previous_epoch, member.rebalance_timeout_ms) == (5, 4, 45_000)
    assert (member.subscribed_topics, member.subscribed_regex) == (("orders",), None)
    # Including partitions still to be revoked, as AdminClient shows it.
    assert member.assignment == (TopicPartitions("orders", (1, 2, 3), ORDERS_ID),)
    assert member.pending_revocation == (TopicPartitions("orders", (2, 3), ORDERS_ID),)
    assert member.target_assignment == (TopicPartitions("orders", (0, 1), ORDERS_ID),)


def test_the_assignor_is_the_one_that_most_members_ask_for(tmp_path: Path) -> None:
    asked = {"a": "range", "b": "mine", "c": "mine", "d": None}
    records = [(key(5, "g", name), pack.consumer_member(assignor=assignor)) for name, assignor in asked.items()]
    assert read(tmp_path, *records)["g"].protocol == "mine"


def test_a_member_may_take_part_by_the_classic_protocol(tmp_path: Path) -> None:
    found = read(tmp_path, (key(5, "g", "m"), pack.consumer_member("orders", regex="o.*", classic=True)))
    (member,) = found["g"].members
    assert (member.protocol, member.session_timeout_ms, member.subscribed_regex) == ("classic", 30_000, "o.*")
    # No record has its epochs: they are those of a member just created by the coordinator.
    assert (member.epoch, member.state, found["g"].state) == (0, "STABLE", "Reconciling")
    assert found["g"].protocol == "uniform"


def test_topics_that_nothing_names_are_told_by_id(tmp_path: Path) -> None:
    found = read(tmp_path, (key(8, "g", "m"), pack.current(5, 9, [0])))
    (member,) = found["g"].members
    assert (member.assignment, member.state) == ((TopicPartitions(None, (0,), ORDERS_ID),), "UNKNOWN")
    assert found.notes == (f"no name on these disks for topic id {ORDERS_ID}",)
    assert found.members.column("assignment").to_pylist() == [
        [{"topic": None, "topicId": ORDERS_ID, "partitions": [0]}]
    ]


@pytest.mark.parametrize(
    ("epochs", "topology", "member_state", "expected"),
    [
        ((5, 5), (2, 2), STREAMS_STABLE, "Stable"),
        ((5, 5), (2, 1), STREAMS_STABLE, "NotReady"),
        ((5, 5), (None, 2), STREAMS_STABLE, "NotReady"),
        ((5, 5), (2, None), STREAMS_STABLE, "NotReady"),
        ((6, 5), (2, 2), STREAMS_STABLE, "Assigning"),
        ((5, 5), (2, 2), STREAMS_UNREVOKED, "Reconciling"),
    ],
)
def test_state_of_a_streams_group(
    tmp_path: Path,
    epochs: tuple[int, int],
    topology: tuple[int | None, int | None],
    member_state: int,
    expected: str,
) -> None:
    records = [
        (key(19, "s", "m"), pack.streams_member()),
        (key(17, "s"), pack.hashed_epoch(epochs[0], validated=topology[1])),
        (key(20, "s"), pack.epoch(epochs[1])),
        (key(22, "s", "m"), pack.streams_current(5, member_state, [2, 1])),
    ]
    if topology[0] is not None:
        records.append((key(23, "s"), pack.topology(topology[0])))
    found = read(tmp_path, *records)
    assert not found.errors
    group = found["s"]
    assert (group.type, group.state, group.protocol, group.topology_epoch) == ("Streams", expected, None, topology[0])
    (member,) = group.members
    assert member.tasks == (Tasks("active", "0", (1, 2)),)
    assert (member.user_endpoint, member.client_tags, member.process_id) == ("host:9000", {"zone": "a"}, "process")
    assert found.members.column("tasks").to_pylist() == [
        [{"role": "active", "subtopologyId": "0", "partitions": [1, 2]}]
    ]


def test_a_classic_groups_tombstone_removes_a_group_of_any_kind_and_others_only_their_own(tmp_path: Path) -> None:
    assert not len(read(tmp_path, (key(3, "g"), pack.epoch(1)), (key(2, "g"), None)))
    found = read(tmp_path, (key(2, "g"), pack.classic_group()), (key(3, "g"), None))
    assert found["g"].type == "Classic"


def test_a_group_that_is_upgraded_and_one_that_is_downgraded(tmp_path: Path) -> None:
    up = [(key(2, "up"), pack.classic_group()), (key(2, "up"), None), (key(3, "up"), pack.epoch(1))]
    down = [(key(3, "down"), pack.epoch(1)), (key(3, "down"), None), (key(2, "down"), pack.classic_group())]
    found = read(tmp_path, *up, *down)
    assert {group.group_id: group.type for group in found} == {"up": "Consumer", "down": "Classic"}
    assert not found.notes


def test_a_group_of_two_kinds_is_told_as_the_last_and_said_to_be_odd(tmp_path: Path) -> None:
    found = read(tmp_path, (key(2, "g"), pack.classic_group()), (key(3, "g"), pack.epoch(1)))
    assert found["g"].type == "Consumer"
    (failure,) = found.load_failures
    assert (failure.offset, found.errors) == (1, (failure.error,))
    assert "group g is not a consumer group: no coordinator of Kafka 4.x loads this partition" in failure.error.message


def test_keys_of_unknown_types_are_one_note(tmp_path: Path) -> None:
    newer = [(b"\0\x18" + bytes([number]), b"\0\0") for number in range(3)]
    found = read(tmp_path, *newer, (key(3, "g"), pack.epoch(1)))
    assert not found.errors
    (note,) = found.notes
    assert "left out keys of __consumer_offsets-0 that this release does not know" in note
    assert "3 of type 24 (the first is at offset 0, position 0 of __consumer_offsets-0/" in note
    history = found.history_answer
    assert [row[1] for row in history.rows()] == ["g"]
    assert not history.findings
    assert any("3 of type 24 (the first is at offset 0" in each for each in history.notes)


@pytest.mark.parametrize("last_is_classic", [True, False])
def test_a_classic_record_that_replaces_or_is_replaced_is_not_odd(tmp_path: Path, last_is_classic: bool) -> None:
    simple = (key(2, "g"), pack.classic_group(protocol_type="", protocol=None))
    consumer = (key(3, "g"), pack.epoch(1))
    found = read(tmp_path, *((consumer, simple) if last_is_classic else (simple, consumer)))
    assert found["g"].type == ("Classic" if last_is_classic else "Consumer")
    assert not found.notes


def test_a_group_that_only_had_offsets_is_empty_once_they_are_deleted(tmp_path: Path) -> None:
    found = read(tmp_path, (pack.commit_key("g", "t", 0), pack.commit_value(1)), (pack.commit_key("g", "t", 0), None))
    assert (found["g"].state, found["g"].is_simple, found["g"].offsets) == ("Empty", True, ())


def test_classic_groups_of_others_than_consumers_keep_their_bytes(tmp_path: Path) -> None:
    member = pack.classic_member("m", b"\x01\x02", b"\x03")
    found = read(tmp_path, (key(2, "connect"), pack.classic_group(member, protocol_type="connect")))
    assert not found.errors
    (member_found,) = found["connect"].members
    assert (member_found.raw_subscription, member_found.raw_assignment) == (b"\x01\x02", b"\x03")
    assert (found["connect"].protocol_type, found["connect"].is_simple) == ("connect", False)


def test_classic_members(tmp_path: Path) -> None:
    members = [
        pack.classic_member(
            "b", pack.subscription("t", user_data=b"\0x"), pack.assignment({"t": [1, 0]}), instance="i"
        ),
        pack.classic_member("a"),
    ]
    group = read(tmp_path, (key(2, "g"), pack.classic_group(*members, protocol=None)))["g"]
    first, second = group.members
    assert (group.state, group.protocol, group.state_timestamp, group.leader) == ("Stable", "", 7000, None)
    assert (first.member_id, first.group_instance_id, first.user_data) == ("b", "i", b"\0x")
    assert first.assignment == (TopicPartitions("t", (0, 1)),)
    assert (first.rebalance_timeout_ms, first.session_timeout_ms) == (45_000, 45_000)
    assert (second.subscribed_topics, second.assignment, second.raw_assignment) == ((), (), None)


@pytest.mark.parametrize(
    ("subscribed", "assigned", "what"),
    [(b"\0\1\0", b"", "subscription"), (pack.subscription("t"), b"\0\1\0", "assignment")],
)
def test_what_a_member_stored_and_cannot_be_decoded_is_told(
    tmp_path: Path, subscribed: bytes, assigned: bytes, what: str
) -> None:
    found = read(tmp_path, (key(2, "g"), pack.classic_group(pack.classic_member("m", subscribed, assigned))))
    (error,) = found.errors
    assert f"record 0 of __consumer_offsets-0: {what} of member m" in error.message
    assert (error.file, error.position) == ("__consumer_offsets-0/00000000000000000000.log", 0)
    (member,) = found["g"].members
    assert (member.raw_subscription, member.raw_assignment) == (
        subscribed if what == "subscription" else None,
        assigned,
    )


@pytest.mark.parametrize("kind", [2, 3, 5, 11, 17, 23])
def test_a_group_of_which_a_record_cannot_be_decoded_has_no_state(tmp_path: Path, kind: int) -> None:
    names = ("g", "m") if kind == 5 else ("g",)
    found = read(
        tmp_path,
        (key(kind, *names), b"\0\x63"),
        (pack.commit_key("g", "t", 0), pack.commit_value(1)),
    )
    types = {2: "Classic", 3: "Consumer", 5: "Consumer", 11: "Share", 17: "Streams", 23: "Streams"}
    assert (found["g"].type, found["g"].state, found["g"].protocol) == (types[kind], None, None)
    assert not found["g"].is_simple
    assert found["g"].offsets[0].offset == 1
    (error,) = found.errors
    assert error.message.startswith("record 0 of __consumer_offsets-0: ")


def test_subscribed_topics_of_a_group_are_those_of_its_members_and_their_expressions(tmp_path: Path) -> None:
    def matched(*topics: str) -> bytes:
        return b"\0\0" + pack.array([pack.compact(topic) for topic in topics]) + bytes(16) + b"\0"

    found = read(
        tmp_path,
        (key(5, "g", "a"), pack.consumer_member("t", "u")),
        (key(5, "g", "b"), pack.consumer_member("u", regex="o.*")),
        (key(16, "g", "o.*"), matched("orders", "other")),
        (key(16, "g", "gone.*"), matched("gone")),
        (key(16, "g", "gone.*"), None),
    )
    assert found["g"].subscribed_topics == ("orders", "other", "t", "u")
    assert not found.errors


def test_a_member_that_gave_back_what_it_had_has_left(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        (key(5, "g", "left"), pack.consumer_member("t")),
        (key(8, "g", "left"), pack.current(5, STABLE, [1])),
        (key(8, "g", "left"), None),
        (key(8, "g", "back"), None),
        (key(5, "g", "back"), pack.consumer_member("t")),
    )
    members = {member.member_id: (member.epoch, member.state) for member in found["g"].members}
    assert members == {"left": (-1, None), "back": (0, "STABLE")}


def test_a_target_assignment_that_was_removed_has_no_epoch(tmp_path: Path) -> None:
    found = read(tmp_path, (key(11, "g"), pack.hashed_epoch(2)), (key(12, "g"), pack.epoch(2)), (key(12, "g"), None))
    assert (found["g"].epoch, found["g"].assignment_epoch) == (2, -1)
    assert found["g"].state == "Empty"


def test_a_streams_group_is_not_ready_before_a_record_says_that_its_topology_is_valid(tmp_path: Path) -> None:
    found = read(tmp_path, (key(19, "s", "m"), pack.streams_member()), (key(23, "s"), pack.topology(0)))
    assert found["s"].state == "NotReady"  # Kafka before 4.4 accepted topology 0 as valid
