"""Model: after any commits, deletions and transactions, groups are as a coordinator's own rules leave them."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.topics.consumer_groups import groups
from tests.topics.consumer_groups.coordinator_log import (
    ABORT,
    COMMIT,
    Log,
    classic_group,
    classic_member,
    commit_key,
    commit_value,
    key,
)

Place = tuple[str, int]


@dataclass
class Coordinator:
    """Kafka's rules, record by record: `OffsetMetadataManager.replay`, `GroupMetadataManager.replay`."""

    groups: dict[str, int] = field(default_factory=dict)  # members by group id
    offsets: dict[Place, tuple[int, int]] = field(default_factory=dict)  # committed offset, and offset of the record
    pending: dict[int, dict[Place, tuple[int, int]]] = field(default_factory=dict)

    def commit(self, record_offset: int, producer: int, place: Place, offset: int | None) -> None:
        if offset is None:
            self.offsets.pop(place, None)
            for pending in self.pending.values():
                pending.pop(place, None)
            return
        self.groups.setdefault(place[0], 0)
        if producer < 0:
            self.offsets[place] = offset, record_offset
        else:
            self.pending.setdefault(producer, {})[place] = offset, record_offset

    def end(self, producer: int, kind: int) -> None:
        for place, (offset, record_offset) in self.pending.pop(producer, {}).items():
            if kind == COMMIT and (place not in self.offsets or self.offsets[place][1] < record_offset):
                self.offsets[place] = offset, record_offset

    def describe(self, group: str, members: int | None) -> None:
        if members is None:
            self.groups.pop(group, None)
        else:
            self.groups[group] = members

    def known(self) -> dict[str, int]:
        """Groups and their members; remaining offsets keep a removed group known, as before 0.10.1."""
        left = [*self.offsets, *(place for offsets in self.pending.values() for place in offsets)]
        return {group: 0 for group, _ in left} | self.groups


GROUPS = st.sampled_from(["a", "b"])
PRODUCERS = st.sampled_from([-1, -1, 7, 8])
COMMITS = st.tuples(
    st.just("commit"),
    PRODUCERS,
    st.lists(st.tuples(GROUPS, st.integers(0, 1), st.sampled_from([0, 1])), min_size=1, max_size=3),
)
STEPS = st.one_of(
    COMMITS,
    COMMITS,
    st.tuples(st.just("delete"), GROUPS, st.integers(0, 1), st.sampled_from([0, 1])),
    st.tuples(st.just("end"), st.sampled_from([7, 8]), st.sampled_from([ABORT, COMMIT])),
    st.tuples(st.just("describe"), GROUPS, st.one_of(st.none(), st.integers(0, 2))),
)


def play(steps: list[Any]) -> tuple[Log, Coordinator]:
    """The log that the steps produce, and the coordinator's state from it."""
    log, coordinator = Log(), Coordinator()
    for step in steps:
        if step[0] == "commit":
            records = []
            for number, (group, partition, kind) in enumerate(step[2]):
                offset = log.offset + number
                records.append((commit_key(group, "t", partition, kind=kind), commit_value(1000 + offset)))
                coordinator.commit(offset, step[1], (group, partition), 1000 + offset)
            log.put(*records, producer=step[1])
        elif step[0] == "delete":
            coordinator.commit(log.offset, -1, (step[1], step[2]), None)
            log.put((commit_key(step[1], "t", step[2], kind=step[3]), None))
        elif step[0] == "end":
            coordinator.end(step[1], step[2])
            log.end(step[1], step[2])
        else:
            coordinator.describe(step[1], step[2])
            members = [classic_member(f"m{number}") for number in range(step[2] or 0)]
            log.put((key(2, step[1]), None if step[2] is None else classic_group(*members)))
    return log, coordinator


def check(steps: list[Any], write: Callable[[Log], Path]) -> None:
    log, coordinator = play(steps)
    if not log.offset:
        return
    found = groups(write(log))
    assert {group.group_id: len(group.members) for group in found} == coordinator.known()
    assert {
        (group.group_id, each.partition): (each.offset, each.record_offset) for group in found for each in group.offsets
    } == coordinator.offsets
    pending = {
        (group.group_id, each.partition, each.record_offset) for group in found for each in group.pending_offsets
    }
    assert pending == {
        (*place, record_offset)
        for offsets in coordinator.pending.values()
        for place, (_, record_offset) in offsets.items()
    }
    # Here keys of type 0 have values of later versions, which no coordinator loads and no broker writes.
    assert set(found.errors) == {failure.error for failure in found.load_failures}


@given(st.lists(STEPS, max_size=20))
def test_groups_are_what_the_coordinators_rules_leave(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        check(steps, lambda log: log.write(Path(directory)))


def test_a_later_plain_commit_stands_against_a_transaction_committed_after_it(tmp_path: Path) -> None:
    place = [("a", 0, 1)]
    check(
        [("commit", 7, place), ("commit", -1, place), ("end", 7, COMMIT)],
        lambda log: log.write(tmp_path),
    )
    assert groups(tmp_path)["a"].offsets[0].record_offset == 1


def test_a_tombstone_also_deletes_what_a_transaction_has_pending(tmp_path: Path) -> None:
    check(
        [("commit", 7, [("a", 0, 1)]), ("delete", "a", 0, 1), ("end", 7, COMMIT)],
        lambda log: log.write(tmp_path),
    )
    assert not groups(tmp_path)["a"].offsets
