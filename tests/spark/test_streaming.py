"""Streams of growing log directories: the records of each batch, and the offsets between batches."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir.growth import TreeWatch
from kafkafmt.logdir.sources import Sources
from pyspark_kafkafmt.datasource import KafkafmtDataSource
from pyspark_kafkafmt.option_errors import OptionError
from tests.golden_cases import GOLDEN, tier_case
from tests.logdir.builders import ABORT_KEY, batch
from tests.scanning.following.deleted import metadata, set_aside
from tests.scanning.following.test_selection import COMMIT_KEY, in_transaction, marker
from tests.scanning.growing import Broker
from tests.spark.growing_stream import Stream
from tests.tier_store import Store
from tests.values.golden_values import unpack

COMMITTED: dict[str, Any] = {"kafka.isolation.level": "read_committed"}
NO_LOSS_CHECK: dict[str, Any] = {"failOnDataLoss": "false"}


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path / "log-dir")


def test_each_batch_has_what_was_written_since(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    broker.write("t-1", 0, batch(0))
    stream = Stream(broker.log_dir)
    assert [(row["topic"], row["partition"], row["offset"]) for row in stream.rows()] == [
        ("t", 0, 0),
        ("t", 0, 1),
        ("t", 0, 2),
        ("t", 1, 0),
    ]
    assert stream.start == {"t": {"0": 3, "1": 1}}
    assert stream.rows() == []
    broker.write("t-0", 0, batch(3), batch(4))
    assert stream.offsets() == [3, 4]
    # It rolls, and the new segment grows.
    broker.write("t-0", 5, batch(5))
    assert stream.offsets() == [5]
    broker.write("t-0", 5, batch(6, 2))
    assert stream.offsets() == [6, 7]
    assert stream.restarted().rows() == []


def test_an_incomplete_last_batch_waits(broker: Broker) -> None:
    content = batch(3, 2)
    broker.write("t-0", 0, batch(0, 3), content[:40])
    stream = Stream(broker.log_dir)
    assert stream.offsets() == [0, 1, 2]
    broker.write("t-0", 0, content[40:-1])
    assert (stream.offsets(), stream.start) == ([], {"t": {"0": 3}})
    broker.write("t-0", 0, content[-1:])
    assert stream.offsets() == [3, 4]


def test_a_last_batch_with_a_wrong_crc_waits(broker: Broker) -> None:
    """It may be a half-written batch in a preallocated file."""
    first, second = batch(0, 3), batch(3, 2)
    position = len(first)
    broker.write("t-0", 0, first, second[:-4], bytes(4096))
    stream = Stream(broker.log_dir)
    assert stream.offsets() == [0, 1, 2]
    broker.write("t-0", 0, second, at=position)
    assert stream.offsets() == [3, 4]


def test_new_partitions_and_topics_are_read_from_their_start(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    stream = Stream(broker.log_dir, subscribePattern="^[tu]$")
    assert stream.offsets() == [0]
    broker.write("t-1", 0, batch(0, 2))
    broker.write("u-0", 0, batch(0))
    broker.write("v-0", 0, batch(0))
    assert [(row["topic"], row["partition"], row["offset"]) for row in stream.rows()] == [
        ("t", 1, 0),
        ("t", 1, 1),
        ("u", 0, 0),
    ]
    assert stream.start == {"t": {"0": 1, "1": 2}, "u": {"0": 1}}


def test_a_new_directory_whose_search_fails_is_searched_again(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.write("t-0", 0, batch(0))
    stream = Stream(broker.log_dir)
    assert stream.offsets() == [0]
    broker.write("t-1", 0, batch(0))
    with monkeypatch.context() as patch:
        patch.setattr(Sources, "_below", _vanished)
        assert stream.offsets() == []
    assert stream.offsets() == [0]


def _vanished(*_: object) -> None:
    raise kafkafmt.SourceError("the directory vanished")


def test_a_partition_that_was_gone_at_a_look_and_is_back_is_found(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    broker.write("t-0", 0, batch(0))
    broker.write("t-1", 0, batch(0))
    stream = Stream(broker.log_dir, **NO_LOSS_CHECK)
    assert stream.offsets() == [0, 0]
    away = broker.log_dir.parent / "away"
    appeared = TreeWatch.appeared

    def then_gone(tree: TreeWatch) -> list[str]:
        found = appeared(tree)
        (broker.log_dir / "t-1").rename(away)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(TreeWatch, "appeared", then_gone)
        patch.setattr("pyspark_kafkafmt.stream_logs._LOOKS", 1)
        assert stream.end() == {"t": {"0": 1}}
    away.rename(broker.log_dir / "t-1")  # the names are those of the previous listing
    assert stream.end() == {"t": {"0": 1, "1": 1}}


def test_a_partition_that_moves_to_another_log_directory_goes_on(tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    two.write("u-0", 0)
    one.write("t-0", 0, batch(0, 3))
    stream = Stream([str(one.log_dir), str(two.log_dir)])
    assert stream.offsets() == [0, 1, 2]
    (one.log_dir / "t-0").rename(two.log_dir / "t-0")
    one.tick(one.log_dir)
    two.write("t-0", 0, batch(3))
    assert stream.offsets() == [3]


def test_a_copy_takes_the_place_of_one_that_is_gone(tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    one.write("t-0", 0, batch(0, 3))
    two.write("t-0", 0, batch(0, 2))
    stream = Stream([str(one.log_dir), str(two.log_dir)])
    assert stream.offsets() == [0, 1, 2]
    shutil.rmtree(one.log_dir / "t-0")
    two.write("t-0", 0, batch(2), batch(3))
    assert stream.offsets() == [3]


def test_committed_records_come_when_their_transaction_ends(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 2))
    stream = Stream(broker.log_dir, **COMMITTED)
    found = [stream.offsets()]
    for content in (
        in_transaction(2, 2),
        batch(4),
        in_transaction(5, producer=8),
        marker(6, COMMIT_KEY),
        in_transaction(7),
        marker(8, ABORT_KEY, producer=8),
        marker(9, ABORT_KEY),
        batch(10),
    ):
        broker.write("t-0", 0, content)
        found.append(stream.offsets())
        if len(found) % 3 == 0:
            stream = stream.restarted()
    assert found == [[0, 1], [], [], [], [2, 3, 4], [], [], [], [10]]
    assert stream.start == {"t": {"0": 11}}


def test_aborted_records_stay_out_where_a_batch_ends_inside_a_transaction(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0), in_transaction(1, 4), batch(5), marker(6, ABORT_KEY), batch(7))
    stream = Stream(broker.log_dir, maxOffsetsPerTrigger=3, **COMMITTED)
    found = [stream.offsets() for _ in range(4)]
    assert found == [[0], [5], [7], []]


def test_damage_follows_the_mode(broker: Broker) -> None:
    damaged = bytearray(batch(1))
    damaged[-1] ^= 1
    broker.write("t-0", 0, batch(0), bytes(damaged), batch(2))
    failing = Stream(broker.log_dir)
    assert failing.end() == {"t": {"0": 3}}
    with pytest.raises(kafkafmt.ChecksumError):
        failing.rows()
    assert Stream(broker.log_dir, mode="DROPMALFORMED").offsets() == [0, 2]
    rows = Stream(broker.log_dir, mode="PERMISSIVE").rows()
    assert [row["offset"] for row in rows if row["_corrupt_record"] is None] == [0, 2]
    [described] = [json.loads(row["_corrupt_record"]) for row in rows if row["_corrupt_record"] is not None]
    assert (described["firstOffset"], described["lastOffset"]) == (1, 1)


@pytest.mark.parametrize("name", ["modern/01-codecs-4.3.1", "modern/04-transactions-4.3.1", "legacy/m0-codecs-0.9.0.1"])
@pytest.mark.parametrize("level", [{}, COMMITTED], ids=["uncommitted", "committed"])
def test_golden_logs_come_in_batches_as_a_scan_gives_them(name: str, level: dict[str, Any]) -> None:
    log_dir = GOLDEN / name / "log-dir"
    columns = ["topic", "partition", "offset", "value"]
    expected = kafkafmt.scan(
        log_dir, isolation_level="read_committed" if level else "read_uncommitted", columns=columns
    )
    stream = Stream(log_dir, maxOffsetsPerTrigger=17, **level)
    found: list[tuple[object, ...]] = []
    while True:
        before = stream.start
        found += [(row["topic"], row["partition"], row["offset"], row["value"]) for row in stream.rows()]
        if stream.start == before:
            break
    assert sorted(found, key=str) == sorted((tuple(row.values()) for row in expected.to_table().to_pylist()), key=str)
    assert len(set(map(str, found))) == len(found)


def test_what_only_a_batch_read_has_is_refused(broker: Broker) -> None:
    options: dict[str, Any] = {"endingOffsets": "latest", "endingTimestamp": "1", "replica": "all"}
    for name, value in options.items():
        with pytest.raises(OptionError, match=f"option {name} = '{value}': not supported in a stream"):
            Stream(broker.log_dir, **{name: value})


def test_aborted_records_stay_out_of_compacted_files(broker: Broker) -> None:
    content = (batch(0), in_transaction(1, 2), marker(3, ABORT_KEY), in_transaction(4), marker(5, COMMIT_KEY))
    broker.write("t-0", 0, *content)
    broker.write("t-0", 6, batch(6))
    stream = Stream(broker.log_dir, **COMMITTED)
    tasks = stream.planned()
    broker.replace("t-0", 0, b"".join(content[1:]))
    assert stream.offsets_of(tasks) == [4, 6]


def test_a_stream_goes_on_where_a_read_meets_a_directory_that_is_gone(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    stream = Stream(broker.log_dir)
    tasks = stream.planned()
    set_aside(broker, "t-0", unique=1)
    with pytest.raises(kafkafmt.SourceError):
        stream.offsets_of(tasks)


def test_an_end_that_nobody_will_write_on_is_said_once(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    path = broker.write("t-0", 0, batch(0), batch(1)[:-4])  # hours ago, by `tick`
    stream = Stream(broker.log_dir)
    assert stream.offsets() == [0]
    text = f"{path}: position {len(batch(0))}: {len(batch(1)) - 4} bytes at the end of the log are not a whole batch"
    assert caplog.text.count(text) == 1
    assert stream.offsets() == []
    assert caplog.text.count(text) == 1
    broker.write("t-1", 0, bytes(4096))
    stream.offsets()
    assert caplog.text.count("bytes at the end") == 1


@pytest.mark.parametrize("name", ["tier", "both"])
def test_a_tier_is_listed_at_each_trigger(name: str) -> None:
    case = tier_case(4)
    keys = json.dumps({key: str(path) for key, path in case.keys.items()})
    paths = [str(case.tier)] if name == "tier" else [str(case.log_dir), str(case.tier)]
    columns = ["topic", "partition", "offset", "value"]
    expected = kafkafmt.scan(paths, columns=columns, decryption_keys=case.keys).to_table().to_pylist()
    stream = Stream(paths, decryptionKeys=keys, maxOffsetsPerTrigger=200)
    found: list[dict[str, Any]] = []
    while rows := stream.rows():
        found += [{column: row[column] for column in columns} for row in rows]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert len(found) > 400


def test_a_tier_that_grows(tmp_path: Path) -> None:
    table = pa.table({"value": [b"%06d" % number * 40 for number in range(120)], "timestamp": [1000] * 120})
    kafkafmt.write(table, tmp_path / "disk", topic="t", partitions=1, segment_bytes=4096, batch_bytes=1024)
    Store(1024, is_compressed=False, key=None).put(tmp_path / "disk" / "t-0", tmp_path / "whole")
    objects = sorted(path for path in (tmp_path / "whole").rglob("*") if path.is_file())
    half = [path for path in objects if path.name[:20] <= objects[len(objects) // 2].name[:20]]
    for path in half:
        _copy(path, tmp_path / "whole", tmp_path / "tier")
    stream = Stream(tmp_path / "tier")
    first = stream.offsets()
    assert stream.offsets() == []
    for path in objects:
        _copy(path, tmp_path / "whole", tmp_path / "tier")
    second = stream.offsets()
    assert min(len(first), len(second)) > 20
    assert first + second == [*range(120)]


def _copy(path: Path, source: Path, target: Path) -> None:
    to = target / path.relative_to(source)
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, to)


def test_values_are_decoded(tmp_path: Path) -> None:
    log_dir = unpack("registry", tmp_path)
    options: dict[str, Any] = {"subscribe": "crm.people", "valueFormat": "auto"}
    schema = KafkafmtDataSource({"path": str(log_dir), **options}).schema()
    stream = Stream(log_dir, schema=schema, maxOffsetsPerTrigger=5, **options)
    found: list[Any] = []
    while rows := stream.rows():
        found += rows
    batch_rows = kafkafmt.scan(log_dir, topics="crm.people").decode(columns=["offset", "value"]).to_table().to_pylist()
    assert sorted((row["offset"], str(row["value"])) for row in found) == sorted(
        (row["offset"], str(row["value"])) for row in batch_rows
    )
    assert len(found) == 13


def test_a_trigger_without_news_opens_and_lists_nothing(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        for at in range(4):
            broker.write(f"t-{number}", at, batch(at))
        metadata(broker, f"t-{number}", 1)
    for path in [*broker.log_dir.rglob("*"), broker.log_dir]:
        os.utime(path, (1, 1))  # recent changes are checked twice
    stream = Stream(broker.log_dir, **COMMITTED)
    assert len(stream.rows()) == 20
    touched: list[str] = []
    for name in ("open", "list"):
        real = getattr(LocalLocation, name)

        def noted(place: LocalLocation, real: Any = real) -> Any:
            touched.append(str(place))
            return real(place)

        monkeypatch.setattr(LocalLocation, name, noted)
    assert (stream.rows(), touched) == ([], [])
    broker.write("t-3", 3, batch(4))
    assert stream.offsets() == [4]
    assert touched
    assert all(path.startswith(str(broker.log_dir / "t-3")) for path in touched)
    touched.clear()
    broker.write("t-5", 0, batch(0))
    assert stream.offsets() == [0]
    places = {os.path.relpath(path, broker.log_dir).partition("/")[0] for path in touched}
    assert "t-5" in places
    assert not places & {f"t-{number}" for number in range(5)}


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_broker_does_each_record_comes_once_and_in_order(broker: Broker, seed: int) -> None:
    """Appends, half-written batches, rolls, new partitions, restarts and repeated batches."""
    chance = random.Random(seed)
    options: dict[str, Any] = chance.choice([{}, {"maxOffsetsPerTrigger": 7}, {"maxBytesPerTrigger": "300"}, COMMITTED])
    ends: dict[int, int] = {0: 0}
    segments: dict[int, int] = {0: 0}
    open_ends: dict[int, bytes] = {}
    broker.write("t-0", 0)
    stream = Stream(broker.log_dir, maxPartitionBytes="200", **options)
    found: dict[int, list[int]] = {}

    def trigger() -> int:
        start, end = stream.start, stream.end()
        rows = stream.read(stream.start or {}, end)
        if chance.random() < 0.2:  # as after a kill
            assert stream.restarted().read(stream.start or {}, end) == rows
        for row in rows:
            found.setdefault(row["partition"], []).append(row["offset"])
        stream.start = end
        return len(rows) or end != start

    for _ in range(60):
        number = chance.choice(list(ends))
        name, at = f"t-{number}", ends[number]
        match chance.randrange(8):
            case 0 if len(ends) < 4:
                ends[len(ends)] = segments[len(segments)] = 0
                broker.write(f"t-{len(ends) - 1}", 0)
            case 1 if number not in open_ends:
                segments[number] = at
                broker.write(name, at)
            case 2 if number not in open_ends:
                content = batch(at, count := chance.randrange(1, 9))
                cut = chance.randrange(1, len(content))
                broker.write(name, segments[number], content[:cut])
                open_ends[number] = content[cut:]
                ends[number] += count
            case 3 if number in open_ends:
                broker.write(name, segments[number], open_ends.pop(number))
            case 4:
                stream = stream.restarted()
            case 5 | 6:
                trigger()
            case _ if number not in open_ends:
                broker.write(name, segments[number], batch(at, count := chance.randrange(1, 9)))
                ends[number] += count
    for number, rest in open_ends.items():
        broker.write(f"t-{number}", segments[number], rest)
    while trigger():
        pass
    assert {number: [*range(end)] for number, end in ends.items() if end} == found
