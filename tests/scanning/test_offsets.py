"""`Offsets`: a mapping with topic ids, its JSON, and scans of today's logs that continue from it."""

import json
import pickle
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import Offsets
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, checkpoint, segment

FIRST_ID, SECOND_ID = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
SEEN = Offsets({("t", 0): 10, ("t", 1): 3, ("u", 0): 5}, {"t": FIRST_ID})


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """The logs that `SEEN` was taken from, with three more records."""
    segment(tmp_path / "t-0", 0)
    segment(tmp_path / "t-0", 10, batch(10, 3))
    segment(tmp_path / "t-1", 0, batch(0, 3))
    segment(tmp_path / "u-0", 0, batch(0, 5))
    for name in ("t-0", "t-1"):
        set_topic_id(tmp_path / name, FIRST_ID)
    return tmp_path


def set_topic_id(partition: Path, topic_id: str) -> None:
    (partition / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")


def rows(scan: kafkafmt.Scan) -> list[tuple[str, int, int]]:
    return [(row["topic"], row["partition"], row["offset"]) for row in scan.to_table().to_pylist()]


def notes(scan: kafkafmt.Scan) -> list[str]:
    return [str(note) for note in scan.notes]


def test_it_is_a_mapping_that_travels() -> None:
    assert isinstance(SEEN, Mapping)
    assert dict(SEEN) == SEEN == {("t", 0): 10, ("t", 1): 3, ("u", 0): 5}
    assert SEEN.topic_ids == {"t": FIRST_ID}
    assert json.loads(SEEN.to_json()) == {
        "version": 1,
        "offsets": {"t": {"0": 10, "1": 3}, "u": {"0": 5}},
        "topicIds": {"t": FIRST_ID},
    }
    for again in (Offsets.from_json(SEEN.to_json()), Offsets.from_json(SEEN.to_json().encode()), travelled(SEEN)):
        assert (again, again.topic_ids) == (SEEN, SEEN.topic_ids)
    assert repr(SEEN) == "<Offsets of 3 partitions (t-0: 10, t-1: 3, u-0: 5)>"
    many = Offsets({("a" * 249, number): 2**63 - 1 for number in range(20_000)})
    assert len(repr(many)) < 200
    assert repr(Offsets({})) == "<Offsets of 0 partitions (none)>"


def travelled(offsets: Offsets) -> Offsets:
    again = pickle.loads(pickle.dumps(offsets))
    assert isinstance(again, Offsets)
    return again


def test_the_offsets_of_two_loads_together() -> None:
    later = Offsets({("t", 1): 7, ("v", 0): 1}, {"t": FIRST_ID, "v": SECOND_ID})
    both = SEEN | later
    assert both == {("t", 0): 10, ("t", 1): 7, ("u", 0): 5, ("v", 0): 1}
    assert both.topic_ids == {"t": FIRST_ID, "v": SECOND_ID}
    recreated = SEEN | Offsets({("t", 0): 1}, {"t": SECOND_ID})  # partition 1 of the old topic is gone
    assert recreated == {("t", 0): 1, ("u", 0): 5}
    assert (
        SEEN | {("t", 0): 11}
        == {**SEEN, ("t", 0): 11}
        == {("t", 0): 99, ("t", 1): 3, ("u", 0): 5} | Offsets({("t", 0): 11})
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "not the JSON of offsets"),
        ('{"t": {"0": 5}}', "not the JSON of offsets"),
        ('{"version": 2, "offsets": {}, "topicIds": {}}', "version 2"),
        ('{"version": 1, "offsets": {"t": {"0": -1}}, "topicIds": {}}', "0 or more, not -1 .t-0."),
        ('{"version": 1, "offsets": {"t": {"0": 1.5}}, "topicIds": {}}', "must be an int"),
        ('{"version": 1, "offsets": {"t": {"0": true}}, "topicIds": {}}', "must be an int"),
        ('{"version": 1, "offsets": {"t": {"x": 1}}, "topicIds": {}}', "not the JSON"),
        ('{"version": 1, "offsets": {"t": {"0_1": 1}}, "topicIds": {}}', "'0_1' is not the number of a partition"),
        ('{"version": 1, "offsets": {"t": {"01": 1}}, "topicIds": {}}', "'01' is not the number of a partition"),
        ('{"version": 1, "offsets": {"t": {"-1": 1}}, "topicIds": {}}', "'-1' is not the number of a partition"),
        ('{"version": 1, "offsets": {"t": {"2147483648": 1}}, "topicIds": {}}', "from 0 to 2147483647, not 2147483648"),
        ('{"version": 1, "offsets": {"t": {"0": 9223372036854775809}}, "topicIds": {}}', "at most 9223372036854775808"),
        ('{"version": 1, "offsets": {"t": {"0": 3, "0": 4}}, "topicIds": {}}', "'0' is there twice"),
        ('{"version": 1, "offsets": {"t": 5}, "topicIds": {}}', "not the JSON"),
        ('{"version": 1, "offsets": {}, "topicIds": {"t": 5}}', "topic ids must be texts"),
        ('{"version": 1, "offsets": {}, "topicIds": [1]}', "not the JSON"),
    ],
)
def test_what_is_not_its_json(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Offsets.from_json(text)


@pytest.mark.parametrize(("offsets", "kind"), [({"t": 5}, TypeError), ({("t", 0): -1}, ValueError)])
def test_what_are_not_offsets(offsets: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Offsets(offsets)


def test_a_scan_goes_on_from_them(disk: Path) -> None:
    before = kafkafmt.scan(disk)
    assert before.end_offsets() == {("t", 0): 13, ("t", 1): 3, ("u", 0): 5}
    assert before.end_offsets().topic_ids == {"t": FIRST_ID}
    scan = kafkafmt.scan(disk, start_offset=SEEN)
    assert rows(scan) == [("t", 0, 10), ("t", 0, 11), ("t", 0, 12)]
    assert scan.notes == ()
    assert scan.end_offsets() == before.end_offsets()
    assert rows(kafkafmt.scan(disk, start_offset=SEEN, end_offset=4)) == []
    assert kafkafmt.scan(disk, start_offset=SEEN, end_offset=4).end_offsets() == SEEN
    # Partitions that are not read now keep their offsets.
    one = kafkafmt.scan(disk, topics={"t": 0}, start_offset=SEEN)
    assert one.end_offsets() == {("t", 0): 13, ("t", 1): 3, ("u", 0): 5}
    assert one.notes == ()
    assert sum(one.plan().reading.count(split) for split in one.plan().splits) == 3
    assert kafkafmt.open(disk).scan(start_offset=SEEN).count() == 3


def test_of_a_recreated_topic_all_records_come(disk: Path) -> None:
    for name in ("t-0", "t-1"):
        set_topic_id(disk / name, SECOND_ID)
    scan = kafkafmt.scan(disk, start_offset=SEEN)
    assert len(rows(scan)) == 16
    text = f"t-0, t-1: the topic was recreated (its id was {FIRST_ID}, and is {SECOND_ID}): read from its start"
    assert notes(scan) == [text]
    assert scan.end_offsets() == {("t", 0): 13, ("t", 1): 3, ("u", 0): 5}
    assert scan.end_offsets().topic_ids == {"t": SECOND_ID}
    assert kafkafmt.scan(disk, start_offset=scan.end_offsets()).count() == 0
    # One partition only: the other offset belonged to the topic that is gone.
    assert kafkafmt.scan(disk, topics={"t": 0}, start_offset=SEEN).end_offsets() == {("t", 0): 13, ("u", 0): 5}
    # Plain offsets are used unchanged.
    assert kafkafmt.scan(disk, start_offset=dict(SEEN)).count() == 3


def test_what_is_not_as_it_was_left_is_noted(disk: Path) -> None:
    segment(disk / "t-0", 0, batch(0, 4))
    (disk / "t-0" / f"{10:020d}.log").unlink()
    shutil.rmtree(disk / "t-1")
    checkpoint(disk, "log-start-offset-checkpoint", {("u", 0): 8})
    segment(disk / "u-0", 0, batch(0, 9))
    scan = kafkafmt.scan(disk, start_offset=SEEN)
    said = [
        "t-0: the log was cut: it ends at offset 4, below the next offset 10 of the last run",
        "u-0: offsets 5 to 7 were deleted since the last run, and never read",
        "t-1: read before, and missing now",
    ]
    assert notes(scan) == said
    assert rows(scan) == [("u", 0, 8)]
    assert notes(scan) == said
    assert not any(note.is_finding for note in scan.notes)
    assert scan.end_offsets() == {("t", 0): 4, ("t", 1): 3, ("u", 0): 9}
    assert notes(kafkafmt.scan(disk, start_offset=SEEN, below_log_start=True)) == [said[0], said[2]]
    (disk / "t-0" / "partition.metadata").unlink()
    scan = kafkafmt.scan(disk, topics="t", start_offset=SEEN)
    assert rows(scan) == [("t", 0, offset) for offset in range(4)]
    assert notes(scan)[0].endswith("so the topic was recreated or its log cut: read from its start")


def test_a_log_without_a_name_of_kafkas_is_noted(tmp_path: Path) -> None:
    segment(tmp_path / "copied", 0, batch(0, 2))
    scan = kafkafmt.scan(tmp_path / "copied", start_offset=Offsets({}))
    assert notes(scan) == ["copied: not named <topic>-<partition>, so read from its start each time"]
    assert scan.count() == 2


def test_followed_from_there_on(disk: Path) -> None:
    scan = kafkafmt.scan(disk, topics="t", start_offset=SEEN)
    with scan.follow() as follower:
        assert follower.poll().read_all().column("offset").to_pylist() == [10, 11, 12]
        shutil.rmtree(disk / "t-0")
        segment(disk / "t-0", 0, batch(0, 2))
        set_topic_id(disk / "t-0", SECOND_ID)
        assert follower.poll().read_all().column("offset").to_pylist() == [0, 1]


def test_offsets_of_a_log_that_was_deleted_are_not_those_of_the_next(disk: Path) -> None:
    with kafkafmt.scan(disk, topics={"t": 0}, start_offset={("t", 0): 12}).follow() as follower:
        assert follower.poll().read_all().column("offset").to_pylist() == [12]
        shutil.rmtree(disk / "t-0")
        segment(disk / "t-0", 0, batch(0, 3))
        set_topic_id(disk / "t-0", SECOND_ID)
        assert follower.poll().read_all().column("offset").to_pylist() == [0, 1, 2]
        assert str(follower.notes[-1]).endswith("the new one is read from its start")


def test_read_committed_never_goes_back() -> None:
    log_dir = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
    ends = kafkafmt.scan(log_dir, topics="tx").end_offsets()
    committed = kafkafmt.scan(log_dir, topics="tx", isolation_level="read_committed")
    assert committed.end_offsets() != ends
    again = kafkafmt.scan(log_dir, topics="tx", isolation_level="read_committed", start_offset=ends)
    assert (again.count(), again.end_offsets()) == (0, ends)
