"""Records that a coordinator rejects: offsets at which GroupCoordinatorShard of Kafka 4.4 throws on each log."""

import struct
from pathlib import Path

import pytest

from kafkafmt.topics.consumer_groups import groups
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import NO_TAGS, ORDERS, Log, array, commit_key, commit_value, key

Records = list[tuple[bytes | None, bytes | None]]

COMMIT = (commit_key("g", "t", 0), commit_value(1))
EPOCH, MEMBER = (key(3, "g"), pack.epoch(1)), (key(5, "g", "m"), pack.consumer_member("orders"))
TARGET, TARGETS = (key(7, "g", "m"), pack.target([0])), (key(6, "g"), pack.epoch(1))
CURRENT = (key(8, "g", "m"), pack.current(1, 0, [0]))
SHARE, STREAMS = (key(11, "g"), pack.hashed_epoch(1)), (key(17, "g"), pack.hashed_epoch(1))
STREAMS_MEMBER = (key(19, "g", "m"), pack.streams_member())
SIMPLE = (key(2, "g"), pack.classic_group(protocol_type="", protocol=None))
CLASSIC = (key(2, "g"), pack.classic_group(pack.classic_member("a")))
TWICE = array([pack.partitions(ORDERS, [0]), pack.partitions(ORDERS, [1])]) + NO_TAGS


def none(record: tuple[bytes, bytes]) -> tuple[bytes, None]:
    """The tombstone of a record."""
    return record[0], None


REFUSED: dict[str, tuple[Records, int | None]] = {
    "whole life": (
        [EPOCH, MEMBER, TARGET, TARGETS, CURRENT, *map(none, (CURRENT, TARGET, MEMBER, TARGETS, EPOCH)), CLASSIC],
        None,
    ),
    "member before its assignment": ([EPOCH, MEMBER, CURRENT, none(MEMBER)], 3),
    "member before its target": ([EPOCH, MEMBER, TARGET, CURRENT, none(CURRENT), none(MEMBER)], 5),
    "group before its members": ([EPOCH, MEMBER, none(EPOCH)], 2),
    "group before its target": ([EPOCH, none(EPOCH)], 1),
    "target before its members": ([EPOCH, TARGET, TARGETS, none(TARGETS)], 3),
    "tombstones alone": ([*map(none, (EPOCH, MEMBER, TARGET, TARGETS, CURRENT, SHARE, STREAMS))], None),
    "owned by two": ([CURRENT, (key(8, "g", "n"), pack.current(1, 0, [0]))], 1),
    "handed on": ([CURRENT, (key(8, "g", "n"), pack.current(2, 0, [0]))], None),
    "owned and given back": ([(key(8, "g", "m"), pack.current(1, 0, [0], [0]))], 0),
    "offset, then consumer": ([COMMIT, EPOCH], None),
    "offset, then share": ([COMMIT, SHARE], 1),
    "offset after the group": ([SHARE, COMMIT], None),
    "removed by a classic tombstone": ([SHARE, none(CLASSIC), COMMIT, STREAMS], None),
    "many offsets, then share": ([COMMIT, COMMIT, none(CLASSIC), COMMIT, SHARE], 4),
    "simple, then streams": ([SIMPLE, STREAMS], None),
    "simple, then share": ([SIMPLE, SHARE], 1),
    "classic, then consumer": ([CLASSIC, EPOCH], 1),
    "consumer, then classic": ([EPOCH, CLASSIC], None),
    "streams over consumer": ([EPOCH, none(STREAMS)], 1),
    "streams member without epoch": ([STREAMS, STREAMS_MEMBER, none(STREAMS_MEMBER)], 2),
    "static member twice": (
        [(key(2, "g"), pack.classic_group(*(pack.classic_member(name, instance="i") for name in "ab")))],
        0,
    ),
    "member twice, then another": ([(key(2, "g"), pack.classic_group(*map(pack.classic_member, "aab")))], 0),
    "member twice": ([(key(2, "g"), pack.classic_group(*map(pack.classic_member, "aa")))], None),
    "topology with a negative epoch": ([(key(23, "g"), pack.topology(-1))], 0),
    "target with a topic twice": ([(key(7, "g", "m"), struct.pack(">h", 0) + TWICE)], 0),
    "current with a topic twice": (
        [(key(8, "g", "m"), struct.pack(">hiib", 0, 1, 0, 0) + TWICE[:-1] + array([]) + NO_TAGS)],
        None,
    ),
    "negative assignment epoch": ([(key(6, "g"), pack.epoch(-2))], 0),
    "no assignment": ([(key(6, "g"), pack.epoch(-1)), (key(3, "g"), None)], None),
    "overwritten, cut": ([(COMMIT[0], COMMIT[1][:-1]), COMMIT], 0),
    "overwritten, of a later version": ([EPOCH, (EPOCH[0], b"\0\1" + EPOCH[1][2:]), EPOCH], 1),
    "offset of a later version": ([COMMIT, (COMMIT[0], b"\0\5" + COMMIT[1][2:]), COMMIT], 1),
    "offset with other lengths": ([COMMIT, (COMMIT[0], COMMIT[1][:14] + b"\0\1" + COMMIT[1][16:]), COMMIT], 1),
    "unknown type": ([(b"\0\x18\0", b"\0\0"), (b"\0\x09\0\1g", None)], None),
    "no key": ([COMMIT, (None, b"\0\0")], 1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_first_record_that_a_coordinator_refuses(case: str, tmp_path: Path) -> None:
    records, refused = REFUSED[case]
    log = Log()
    for record in records:
        log.put(record)
    found = groups(log.write(tmp_path))
    assert min((each.offset for each in found.load_failures), default=None) == refused
    assert all(each.error in found.errors for each in found.load_failures)
