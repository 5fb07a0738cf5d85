"""Reading groups: lags and their basis, earlier moments, filters, many partitions, unreadable logs."""

import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pytest
from pyarrow import fs

import kafkafmt
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, SourceError, UnsupportedError
from kafkafmt.topics.consumer_groups import answer, groups, home_partition
from kafkafmt.topics.consumer_groups.catalog import locate_groups
from tests.logdir.builders import batch, segment
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import ORDERS, ORDERS_ID, Log, commit_key, commit_value, key

OTHER = UUID(int=0x07E4)


def committed(tmp_path: Path, *offsets: int, topic_id: UUID | None = None) -> Log:
    """A log in which group g committed offsets of orders-0 at 1000, 2000, .. ms."""
    log = Log()
    for number, offset in enumerate(offsets):
        value = commit_value(offset) if topic_id is None else pack.commit_value_4(offset, topic_id)
        log.put((commit_key("g", "orders", 0), value), time=1000 * (number + 1))
    log.write(tmp_path)
    return log


def topic_of(directory: Path, topic_id: UUID) -> None:
    text = f"version: 0\ntopic_id: {format_uuid(topic_id.bytes)}\n"
    (directory / "partition.metadata").write_text(text)


def test_lag_is_against_the_log_end_of_the_best_replica(tmp_path: Path) -> None:
    committed(tmp_path / "one", 4)
    segment(tmp_path / "one" / "orders-0", 0, batch(0, 7, epoch=1))
    segment(tmp_path / "two" / "orders-0", 0, batch(0, 9, epoch=2))
    (offset,) = groups([tmp_path / "one", tmp_path / "two"])["g"].offsets
    assert (offset.offset, offset.log_end_offset, offset.lag) == (4, 9, 5)
    (alone,) = groups(tmp_path / "one" / "__consumer_offsets-0")["g"].offsets
    assert (alone.log_end_offset, alone.lag) == (None, None)


@pytest.mark.parametrize(("stored", "on_disk", "lag"), [(ORDERS, ORDERS, 3), (ORDERS, OTHER, None), (None, OTHER, 3)])
def test_no_lag_against_another_topic_of_that_name(
    tmp_path: Path, stored: UUID | None, on_disk: UUID, lag: int | None
) -> None:
    committed(tmp_path, 4, topic_id=stored)
    segment(tmp_path / "orders-0", 0, batch(0, 7))
    topic_of(tmp_path / "orders-0", on_disk)
    found = groups(tmp_path)
    (offset,) = found["g"].offsets
    assert offset.lag == lag
    assert offset.topic_id == (None if stored is None else ORDERS_ID)
    noted = "no lag for orders-0: the log on these disks belongs to another topic with that name"
    assert found.notes == (() if lag else (noted,))


def test_a_lag_beyond_64_bits_is_null(tmp_path: Path) -> None:
    committed(tmp_path, -(1 << 63))
    segment(tmp_path / "orders-0", 0, batch(0, 7))
    (offset,) = groups(tmp_path)["g"].offsets
    assert (offset.log_end_offset, offset.lag) == (7, None)
    assert groups(tmp_path).to_table().column("lag").to_pylist() == [None]


def test_a_broken_partition_metadata_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    committed(tmp_path, 4, topic_id=ORDERS)
    segment(tmp_path / "orders-0", 0, batch(0, 7))
    (tmp_path / "orders-0" / "partition.metadata").write_text("nonsense")
    found = groups(tmp_path)
    assert found["g"].offsets[0].lag == 3
    assert [error.file for error in found.errors] == [str(tmp_path / "orders-0" / "partition.metadata")]


def test_as_of_an_offset(tmp_path: Path) -> None:
    committed(tmp_path, 4, 5, 6)
    segment(tmp_path / "orders-0", 0, batch(0, 7))
    assert groups(tmp_path, at_offset=2)["g"].offsets[0].offset == 5
    found = groups(tmp_path, at_offset={0: 1})
    assert (found["g"].offsets[0].offset, found["g"].offsets[0].lag) == (4, None)
    assert found.notes[-1].startswith("log ends as of an offset are unknown")
    assert not len(groups(tmp_path, at_offset=0))


def test_as_of_a_time_logs_end_there_too(tmp_path: Path) -> None:
    committed(tmp_path, 1, 2, 3)
    segment(tmp_path / "orders-0", 0, batch(0, 10, timestamp=2000))
    (offset,) = groups(tmp_path, at_time=2003)["g"].offsets
    # Records of orders-0 are 1 ms apart: 2000, .., 2009.
    assert (offset.offset, offset.log_end_offset, offset.lag) == (2, 4, 2)
    (offset,) = groups(tmp_path, at_time=datetime.fromtimestamp(9, UTC))["g"].offsets
    assert (offset.offset, offset.log_end_offset) == (3, 10)


def test_filters(tmp_path: Path) -> None:
    log = Log()
    for group in ("a", "b", "ab"):
        for topic in ("t", "u"):
            log.put((commit_key(group, topic, 0), commit_value(1)))
    log.write(tmp_path)
    assert [group.group_id for group in groups(tmp_path, groups=["b", "a"])] == ["a", "b"]
    assert [group.group_id for group in groups(tmp_path, groups=re.compile("a.?"))] == ["a", "ab"]
    assert [each.topic for each in groups(tmp_path, groups="a", topics="u")["a"].offsets] == ["u"]
    assert groups(tmp_path, topics=re.compile("u")).offsets.num_rows == 3


@pytest.mark.parametrize("wrong", [re.compile(b"a"), [b"a"]])
def test_filters_of_bytes_are_refused(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(TypeError, match="groups must be"):
        groups(tmp_path, groups=wrong)  # type: ignore[arg-type]


def test_a_group_in_two_partitions_is_told_from_its_home(tmp_path: Path) -> None:
    # As when partitions were added: one group stays, another moves, and one belongs to neither.
    at_home = {
        number: next(f"g{each}" for each in range(99) if home_partition(f"g{each}", 3) == number) for number in range(3)
    }
    for number in range(2):
        log = Log()
        log.put(*((commit_key(group, "t", 0), commit_value(number)) for group in at_home.values()))
        log.write(tmp_path, number)
    Log().write(tmp_path, 2)
    found = groups(tmp_path)
    told = {group.group_id: (group.coordinator_partition, group.offsets[0].offset) for group in found}
    assert told == {at_home[0]: (0, 0), at_home[1]: (1, 1), at_home[2]: (1, 1)}
    assert sum("is in partitions 0, 1 of __consumer_offsets" in note for note in found.notes) == 3


@pytest.mark.parametrize(
    ("partitions", "missing"),
    [
        ((0, 1), None),
        ((0, 2), "__consumer_offsets-1: groups in it are"),
        ((3,), "__consumer_offsets-0, __consumer_offsets-1, __consumer_offsets-2: groups in them are"),
        (
            (0, (1 << 31) - 1),
            ", ".join(f"__consumer_offsets-{number}" for number in range(1, 11))
            + " and 2,147,483,636 more: groups in them are",
        ),
    ],
    ids=["none", "one", "some", "most"],
)
def test_partitions_that_are_not_there_are_told(
    tmp_path: Path, partitions: tuple[int, ...], missing: str | None
) -> None:
    for number in partitions:
        Log().write(tmp_path, number)
    assert groups(tmp_path).notes == (() if missing is None else (f"missing {missing} not shown",))


def test_newer_versions_and_unknown_types_are_told_where_they_stand(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "t", 0), b"\0\x63" + b"x"))
    log.put((key(99, "g"), b"\0\0"), (b"\1", b"x"), (None, b"x"))
    log.put((key(2, "g"), b"\0\x63"), (commit_key("g", "t", 1), commit_value(5)))
    found = groups(log.write(tmp_path))
    assert [(each.partition, each.offset) for each in found["g"].offsets] == [(1, 5)]
    kinds = {type(error) for error in found.errors}
    assert kinds <= {UnsupportedError, CorruptError, kafkafmt.TruncatedError}
    positions = {error.message.split(" of ")[0]: error.position for error in found.errors}
    assert positions["record 0"] == 0
    assert "record 1" not in positions  # a type newer than this reader: a note
    assert positions["record 2"] == positions["record 3"] == len(log.batches[0])
    assert positions["record 4"] == len(log.batches[0]) + len(log.batches[1])
    assert {error.file for error in found.errors} == {"__consumer_offsets-0/00000000000000000000.log"}


def test_a_commit_that_is_superseded_and_cannot_be_decoded_costs_the_partition_and_no_answer(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "t", 0), b"\0\x63"))
    log.put((commit_key("g", "t", 0), commit_value(5)))
    found = groups(log.write(tmp_path))
    assert [each.offset for each in found["g"].offsets] == [5]
    assert [each.offset for each in found.load_failures] == [0]


def test_tombstones_take_commits_out_of_the_transactions_that_hold_them(tmp_path: Path) -> None:
    log = Log()
    for producer in (7, 8):
        log.put(
            (commit_key("g", "t", 0), commit_value(5)),
            (commit_key("g", "t", producer), commit_value(6)),
            producer=producer,
        )
    log.put((commit_key("g", "t", 0), None))
    log.put((commit_key("g", "t", 0), commit_value(9)), producer=8)
    log.end(7, pack.COMMIT)
    (group,) = groups(log.write(tmp_path))
    assert [(each.partition, each.offset) for each in group.offsets] == [(7, 6)]
    assert sorted((each.partition, each.offset) for each in group.pending_offsets) == [(0, 9), (8, 6)]


def test_damage_is_raised_or_told(tmp_path: Path) -> None:
    log = committed(tmp_path, 1, 2, 3)
    file = tmp_path / "__consumer_offsets-0" / "00000000000000000000.log"
    content = bytearray(file.read_bytes())
    content[len(log.batches[0]) + 70] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(CorruptError):
        groups(tmp_path, on_damage="raise")
    found = groups(tmp_path)
    assert found["g"].offsets[0].offset == 3
    (damage,) = found.damage
    assert damage.position == len(log.batches[0])


def test_without_consumer_offsets_there_is_nothing_to_tell(tmp_path: Path) -> None:
    segment(tmp_path / "orders-0", 0)
    with pytest.raises(SourceError, match="no partition of __consumer_offsets"):
        groups(tmp_path)


def test_a_log_file_by_itself(tmp_path: Path) -> None:
    committed(tmp_path / "data", 4)
    copy = tmp_path / "copied.log"
    copy.write_bytes((tmp_path / "data" / "__consumer_offsets-0" / "00000000000000000000.log").read_bytes())
    found = groups(copy)
    assert found["g"].offsets[0].offset == 4
    assert found.offsets.column("coordinatorPartition").to_pylist() == [None]


def test_share_groups_have_start_offsets(tmp_path: Path) -> None:
    group = Log()
    group.put((key(11, "s"), pack.hashed_epoch(3)))
    group.put(
        (
            key(15, "s"),
            b"\0\0\1" + pack.array([ORDERS.bytes + pack.compact("orders") + pack.int32s([0]) + b"\0"]) + b"\1\0",
        )
    )
    group.write(tmp_path)
    state = Log()
    state.put((pack.share_key("s", 0), pack.share_snapshot(-1)), (pack.share_key("s", 1), pack.share_snapshot(-1)))
    state.put((pack.share_key("s", 0, kind=1), pack.share_update(5, complete=2)))
    state.put((pack.share_key("s", 0, kind=1), pack.share_update(-1, complete=1)))
    state.put((pack.share_key("s", 2), pack.share_snapshot(4)), (pack.share_key("s", 2), None))
    state.put((pack.share_key("s", 3), pack.share_snapshot(4)), (pack.share_key("other", 3), pack.share_snapshot(4)))
    state.put((b"\0\7", b""), (None, b""), (pack.share_key("s", 4, kind=1), b"\0\x63"), (b"\0\0\xff", b""))
    state.end(5, pack.COMMIT)
    state.write(tmp_path, topic="__share_group_state")
    segment(tmp_path / "orders-0", 0, batch(0, 10))
    found = groups(tmp_path)
    offsets = {each.partition: each for each in found["s"].offsets}
    assert {number: each.offset for number, each in offsets.items()} == {0: 5, 3: 4}
    assert (offsets[0].topic, offsets[0].log_end_offset, offsets[0].lag) == ("orders", 10, 4)
    assert (offsets[3].lag, offsets[3].leader_epoch, offsets[3].metadata) == (None, 1, None)
    assert {error.message.split(":")[0] for error in found.errors} == {
        f"record {number} of __share_group_state-0" for number in (9, 10, 11)
    }
    assert any(": 1 of type 7 (the first is at offset 8" in note for note in found.notes)
    assert all(error.file and error.position is not None for error in found.errors)
    earlier = groups(tmp_path, at_offset=5)["s"]
    assert (earlier.type, earlier.offsets) == ("Share", ())


def test_tables_have_their_documented_shapes_also_when_empty(tmp_path: Path) -> None:
    found = groups(committed(tmp_path, 1).write(tmp_path), groups="nobody", missing="note")
    assert not len(found)
    assert found.offsets.schema.equals(answer.OFFSETS)
    assert found.pending_offsets.schema.equals(answer.OFFSETS)
    assert found.members.schema.equals(answer.MEMBERS)
    assert found.to_table().schema.equals(answer.GROUPS)
    assert all(isinstance(each, pa.Table) for each in (found.offsets, found.members))
    assert "g" in groups(tmp_path)


def test_a_file_system_of_pyarrows(tmp_path: Path) -> None:
    committed(tmp_path, 4, topic_id=ORDERS)
    segment(tmp_path / "orders-0", 0, batch(0, 7))
    filesystem = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    found = groups("", filesystem=filesystem)
    assert found["g"].offsets[0].lag == 3
    (home,) = locate_groups(["g"], "", filesystem=filesystem)
    assert home.paths == (str(tmp_path / "__consumer_offsets-0"),)


def test_a_log_whose_end_cannot_be_told_is_told(tmp_path: Path) -> None:
    committed(tmp_path / "one", 4)
    segment(tmp_path / "two" / "orders-0", 0, batch(0, 7))
    (tmp_path / "two" / "log-start-offset-checkpoint").write_text("nonsense")
    found = groups([tmp_path / "one", tmp_path / "two"])
    assert found["g"].offsets[0].lag is None
    (error,) = found.errors
    assert str(error.file).endswith("log-start-offset-checkpoint")


def test_a_commit_that_was_deleted_and_whose_key_cannot_be_decoded_costs_the_partition(tmp_path: Path) -> None:
    log = Log()
    log.put((b"\0\1\xff", b"x"))
    log.put((b"\0\1\xff", None))
    found = groups(log.write(tmp_path))
    assert not len(found)
    assert [each.offset for each in found.load_failures] == [0]


def test_a_directory_without_segments_has_no_end(tmp_path: Path) -> None:
    committed(tmp_path, 4)
    segment(tmp_path / "orders-0", 0, batch(0, 7), suffix=".deleted")
    assert groups(tmp_path)["g"].offsets[0].log_end_offset is None
