"""Whether a stored assignment equals its assignor's: golden groups at every moment, and undecidable cases."""

from pathlib import Path

import pytest

from kafkafmt.errors import LimitExceededError
from kafkafmt.topics.consumer_groups import groups
from kafkafmt.topics.consumer_groups.assignment_check import AssignmentCheck, check_assignments
from tests.golden_cases import Case, cases
from tests.logdir.builders import segment
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import Log, key

CASES = [case for case in cases("modern") if case.name.startswith("08-")]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_real_groups_agree_at_every_moment(case: Case) -> None:
    batches = [each for each in case.jsonl("batches.jsonl") if each["file"].startswith("__consumer_offsets-")]
    agreeing = set()
    for each in batches:
        # Between two batches: the coordinator writes related records as one batch.
        number = int(each["file"].split("/")[0].removeprefix("__consumer_offsets-"))
        found = groups(case.log_dir, at_offset={0: 0, 1: 0, 2: 0} | {number: each["lastOffset"] + 1})
        for check in check_assignments(found, case.log_dir):
            group = found[check.group_id]
            if check.agrees:
                given = [(given.topic, given.partitions) for given in check.expected or ()]
                assert given == [(stored.topic, stored.partitions) for stored in check.stored]
                agreeing.add((group.type, check.protocol))
            else:
                assert check.agrees is None, check
                assert group.type in ("Share", "Streams") or group.state == "Assigning"
    classic = {("Classic", name) for name in ("range", "roundrobin", "sticky", "cooperative-sticky")}
    assert agreeing == classic | {("Consumer", "uniform")}


def checks_of(
    tmp_path: Path, *members: bytes, protocol: str = "range", protocol_type: str = "consumer"
) -> tuple[AssignmentCheck, ...]:
    log = Log()
    log.put((key(2, "g"), pack.classic_group(*members, protocol=protocol, protocol_type=protocol_type)))
    return check_assignments(groups(log.write(tmp_path)), tmp_path)


def test_what_differs_says_what_the_answer_rests_on(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    segment(tmp_path / "t-2", 0)
    (check,) = checks_of(tmp_path, pack.classic_member("m", pack.subscription("t"), pack.assignment({"t": [0, 1]})))
    assert check.agrees is False
    assert [(each.topic, each.partitions) for each in check.expected or ()] == [("t", (0, 1, 2))]
    assert check.reason == "computed with the current partition counts (highest on these disks): t 3"


@pytest.mark.parametrize(
    ("subscribed", "protocol", "protocol_type", "reason"),
    [
        (pack.subscription("gone"), "range", "consumer", "unknown partition count, neither on these disks"),
        (pack.subscription("t"), "mine", "consumer", "mine is not a built-in assignor (range, roundrobin, sticky, "),
        (b"x", "default", "connect", "protocol type is 'connect', not 'consumer'"),
        (b"\0\1\0", "range", "consumer", "a member's subscription or assignment cannot be decoded"),
    ],
)
def test_where_it_cannot_be_told_it_says_why(
    tmp_path: Path, subscribed: bytes, protocol: str, protocol_type: str, reason: str
) -> None:
    member = pack.classic_member("m", subscribed, pack.assignment({}))
    (check,) = checks_of(tmp_path, member, protocol=protocol, protocol_type=protocol_type)
    assert (check.agrees, check.expected) == (None, None)
    assert check.reason is not None
    assert check.reason.startswith(reason)


def consumer_group(tmp_path: Path, *members: tuple[str, bytes], epoch: int = 5) -> Log:
    log = Log()
    log.put(*((key(5, "g", name), packed) for name, packed in members))
    log.put((key(3, "g"), pack.epoch(epoch)), (key(6, "g"), pack.epoch(5)))
    log.write(tmp_path)
    return log


@pytest.mark.parametrize(
    ("member", "epoch", "reason"),
    [
        (pack.consumer_member("t"), 6, "the coordinator has not assigned yet"),
        (b"\0\x63", 5, "a record of the group cannot be decoded"),
        (pack.consumer_member("t", assignor="mine"), 5, "mine is not a built-in assignor (uniform, range)"),
        (pack.consumer_member("gone"), 5, "unknown partition count, neither on these disks"),
    ],
)
def test_where_a_coordinators_assignment_cannot_be_told(tmp_path: Path, member: bytes, epoch: int, reason: str) -> None:
    log = consumer_group(tmp_path, ("m", member), epoch=epoch)
    log.put((key(8, "g", "m"), pack.current(5, 0)))
    (check,) = check_assignments(groups(log.write(tmp_path)), tmp_path)
    assert check.agrees is None
    assert (check.reason or "").startswith(reason)


def test_a_target_assignment_of_a_topic_without_a_name_cannot_be_told(tmp_path: Path) -> None:
    log = consumer_group(tmp_path, ("m", pack.consumer_member()))
    log.put((key(7, "g", "m"), pack.target([0])))
    (check,) = check_assignments(groups(log.write(tmp_path)), tmp_path)
    assert check.reason == "the name of an assigned topic is not on these disks"


def test_a_target_assignment_that_differs(tmp_path: Path) -> None:
    segment(tmp_path / "orders-1", 0)
    (tmp_path / "orders-1" / "partition.metadata").write_text(f"version: 0\ntopic_id: {pack.ORDERS_ID}\n")
    log = consumer_group(tmp_path, ("m", pack.consumer_member("orders")), ("n", pack.consumer_member(regex="o.*")))
    log.put((key(7, "g", "m"), pack.target([0, 1])))
    log.put((key(16, "g", "o.*"), b"\0\0" + pack.array([pack.compact("orders")]) + bytes(16) + b"\0"))
    first, second = check_assignments(groups(log.write(tmp_path)), tmp_path)
    assert (first.agrees, second.agrees) == (False, False)
    assert [each.partitions for each in (*(first.expected or ()), *(second.expected or ()))] == [(0,), (1,)]


def test_share_and_streams_groups_are_not_judged(tmp_path: Path) -> None:
    log = Log()
    log.put((key(19, "g", "m"), pack.streams_member()))
    (check,) = check_assignments(groups(log.write(tmp_path)), tmp_path)
    assert (check.agrees, check.reason) == (None, "assignments of streams groups are not computed")


def test_what_kafkas_assignor_cannot_do_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LimitExceededError("too large")

    monkeypatch.setattr("kafkafmt.topics.assignment.assign", fail)
    segment(tmp_path / "t-0", 0)
    (check,) = checks_of(tmp_path, pack.classic_member("m", pack.subscription("t"), pack.assignment({"t": [0]})))
    assert (check.agrees, check.reason) == (None, "too large")
