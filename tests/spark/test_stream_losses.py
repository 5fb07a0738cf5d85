"""Streams of growing log directories whose records were deleted, compacted or truncated: which of these are losses."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from pyspark_kafkafmt.option_errors import DataLossError, OptionError
from pyspark_kafkafmt.stream_ids import StreamTopicIds
from tests.logdir.builders import batch
from tests.scanning.following.deleted import metadata, set_aside
from tests.scanning.growing import Broker
from tests.spark.growing_stream import Stream

NO_LOSS_CHECK: dict[str, Any] = {"failOnDataLoss": "false"}


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path / "log-dir")


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_new_partition_that_lost_its_first_records_is_a_loss(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    broker.write("t-0", 0, batch(0))
    stream = Stream(broker.log_dir, {"t": {"0": 1}}, **options)
    broker.write("t-1", 7, batch(7))
    text = "the new partition t-1 begins at offset 7, and offsets 0 to 6 were deleted"
    if options:
        assert stream.offsets() == [7]
        assert text in caplog.text
    else:
        with pytest.raises(DataLossError, match=f"option failOnDataLoss: {text}"):
            stream.rows()


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_deleted_segments_are_a_loss_if_they_were_not_read(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    for at in range(0, 6, 2):
        broker.write("t-0", at, batch(at, 2))
    stream = Stream(broker.log_dir, **options)
    assert stream.offsets() == [*range(6)]
    broker.delete("t-0", 0)
    broker.write("t-0", 4, batch(6))
    assert stream.offsets() == [6]
    assert not caplog.text
    broker.write("t-0", 7, batch(7, 2))
    broker.write("t-0", 9, batch(9))
    for at in (2, 4, 7):
        broker.delete("t-0", at)
    text = "offsets 7 to 8 of t-0 were deleted before they were read; the log now starts at 9"
    if options:
        assert (stream.offsets(), stream.start) == ([9], {"t": {"0": 10}})
        assert text in caplog.text
    else:
        with pytest.raises(DataLossError, match=text):
            stream.rows()


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_log_start_that_moves_past_the_stream_is_a_loss(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    broker.write("t-0", 0, batch(0, 3))
    stream = Stream(broker.log_dir, **options)
    stream.rows()
    broker.write("t-0", 0, batch(3), batch(4))
    broker.checkpoint("log-start-offset-checkpoint", "t-0", 4)
    if options:
        assert stream.offsets() == [4]
        assert "offsets 3 to 3 of t-0 were deleted before they were read" in caplog.text
    else:
        with pytest.raises(DataLossError):
            stream.rows()


def test_compaction_is_no_loss(broker: Broker) -> None:
    content = [batch(at) for at in range(6)]
    broker.write("t-0", 0, *content)
    stream = Stream(broker.log_dir, maxOffsetsPerTrigger=3)
    assert stream.offsets() == [0, 1, 2]
    broker.write("t-0", 6, batch(6))
    broker.replace("t-0", 0, content[1] + content[5])
    assert stream.offsets() == [5]
    assert (stream.offsets(), stream.start) == ([6], {"t": {"0": 7}})


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_deleted_topic_is_a_loss(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    for name in ("t-0", "u-0"):
        broker.write(name, 0, batch(0))
    stream = Stream(broker.log_dir, **options)
    assert stream.offsets() == [0, 0]
    set_aside(broker, "u-0", unique=1)
    broker.write("t-0", 0, batch(1))
    text = "partitions were deleted, perhaps before all their records were read: u-0"
    if options:
        assert (stream.offsets(), stream.start) == ([1], {"t": {"0": 2}})
        assert text in caplog.text
    else:
        with pytest.raises(DataLossError, match=text):
            stream.rows()


@pytest.mark.parametrize("limit", [{"maxOffsetsPerTrigger": 5}, {"maxBytesPerTrigger": "1m"}], ids=["offsets", "bytes"])
def test_a_trigger_with_a_limit_sees_that_the_only_topic_was_deleted(
    broker: Broker, limit: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    broker.write("t-0", 0, batch(0))
    (broker.log_dir / "meta.properties").touch()
    stream = Stream(broker.log_dir, **limit)
    assert stream.offsets() == [0]
    set_aside(broker, "t-0", unique=1)
    with pytest.raises(DataLossError, match="partitions were deleted, perhaps before all their records were read: t-0"):
        stream.rows()


@pytest.mark.parametrize("count", [2, 5], ids=["behind", "ahead"])
@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_recreated_topic_is_seen_by_its_id(
    broker: Broker,
    options: dict[str, Any],
    count: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    broker.write("t-0", 0, batch(0, 3))
    metadata(broker, "t-0", 1)
    stream = Stream(broker.log_dir, **options)
    assert stream.offsets() == [0, 1, 2]
    shutil.rmtree(broker.log_dir / "t-0")
    broker.write("t-0", 0, batch(0, count, value=b"new"))
    metadata(broker, "t-0", 2)
    if not options:
        with pytest.raises(DataLossError, match="the topic of t-0 was deleted and created again"):
            stream.rows()
        return
    assert [row["value"] for row in stream.rows()] == [b"new"] * count
    assert "records of the deleted one from offset 3 on may not have been read" in caplog.text
    broker.write("t-0", 0, batch(count))
    assert stream.offsets() == [count]


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
@pytest.mark.parametrize("count", [2, 3, 5], ids=["behind", "as long", "ahead"])
def test_a_topic_that_was_recreated_between_two_runs_is_seen_by_the_ids_in_the_checkpoint(
    broker: Broker, options: dict[str, Any], count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    checkpoint = tmp_path / "checkpoint"
    broker.write("t-0", 0, batch(0, 3))
    metadata(broker, "t-0", 1)
    stream = Stream(broker.log_dir, checkpointLocation=checkpoint, **options)
    assert stream.offsets() == [0, 1, 2]
    stream = stream.restarted()
    assert stream.rows() == []
    shutil.rmtree(broker.log_dir / "t-0")
    broker.write("t-0", 0, batch(0, count, value=b"new"))
    metadata(broker, "t-0", 2)
    if not options:
        for _ in range(2):  # also after another restart
            with pytest.raises(DataLossError, match="the topic of t-0 was deleted and created again"):
                stream.restarted().rows()
        return
    stream = stream.restarted()
    if count == 3:
        assert stream.rows() == []  # Spark sees no difference in offsets yet
        broker.write("t-0", 0, batch(3, value=b"new"))
    start, end = stream.start or {}, stream.end()
    expected = [b"new"] * (4 if count == 3 else count)
    assert [row["value"] for row in stream.read(start, end)] == expected
    # A killed batch is repeated with the same rows.
    again = stream.restarted()
    assert [row["value"] for row in again.read(start, end)] == expected
    again.start = end
    assert again.rows() == []
    broker.write("t-0", 0, batch(len(expected)))
    assert again.offsets() == [len(expected)]
    assert len(list(checkpoint.iterdir())) == 1


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_recreated_topic_is_seen_without_admission_control(broker: Broker, options: dict[str, Any]) -> None:
    """Spark 4.0 and 4.1 pass the start of a batch only when it is planned."""
    broker.write("t-0", 0, batch(0, 3))
    metadata(broker, "t-0", 1)
    stream = Stream(broker.log_dir, **options)
    start = stream.reader.initialOffset()
    for _ in range(3):
        end = stream.reader.latestOffset()
    assert len(stream.read(start, end)) == 3
    broker.write("t-0", 0, batch(3))
    start, end = end, stream.reader.latestOffset()
    assert [row["offset"] for row in stream.read(start, end)] == [3]
    shutil.rmtree(broker.log_dir / "t-0")
    broker.write("t-0", 0, batch(0, 6))
    metadata(broker, "t-0", 2)
    start, end = end, stream.reader.latestOffset()
    if options:
        assert [row["offset"] for row in stream.read(start, end)] == [*range(6)]
    else:
        with pytest.raises(DataLossError, match="the topic of t-0 was deleted and created again"):
            stream.read(start, end)


@pytest.mark.parametrize("is_there", [True, False], ids=["an empty mount point", "no directory"])
def test_a_disk_that_is_not_mounted_is_no_deleted_topic(broker: Broker, tmp_path: Path, *, is_there: bool) -> None:
    broker.write("t-0", 0, batch(0, 3))
    broker.checkpoint("replication-offset-checkpoint", "t-0", 3)
    stream = Stream(broker.log_dir, **NO_LOSS_CHECK)
    assert stream.offsets() == [0, 1, 2]
    broker.log_dir.rename(tmp_path / "away")
    if is_there:
        broker.log_dir.mkdir()
    with pytest.raises(kafkafmt.SourceError, match="is its disk mounted"):
        stream.rows()


def test_a_checkpoint_that_cannot_be_used_is_an_error(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "kafkafmt-topic-ids.json").mkdir()
    with pytest.raises(OptionError, match=r"option checkpointLocation = .*: topic ids cannot be kept there"):
        Stream(broker.log_dir, checkpointLocation=tmp_path).end()
    with pytest.raises(OptionError, match=r"option checkpointLocation = .*: topic ids cannot be kept there"):
        Stream(broker.log_dir, checkpointLocation="hdfs://[").end()


@pytest.mark.parametrize("place", ["", " ", "dbfs:/checkpoint", "other:checkpoint"])
def test_a_checkpoint_elsewhere_leaves_no_file_in_the_working_directory(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    broker.write("t-0", 0, batch(0, 3))
    with pytest.raises(OptionError, match=r"option checkpointLocation = .*directory of the (query's )?checkpoint"):
        Stream(broker.log_dir, checkpointLocation=place).rows()
    assert list((tmp_path / "here").iterdir()) == []


def test_a_checkpoint_has_hadoops_scheme_of_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoBucket:
        @staticmethod
        def from_uri(uri: str) -> None:
            raise OSError(f"cannot open {uri}")

    monkeypatch.setattr("pyarrow.fs.FileSystem", NoBucket)
    with pytest.raises(OptionError, match="topic ids cannot be kept there: cannot open s3://bucket/checkpoint"):
        StreamTopicIds("s3a://bucket/checkpoint")


@pytest.mark.parametrize("offsets", [{"logOffset": 0}, 5, {"t": [1]}, {"t": {"x": 1}}, {"t": {"0": "1"}}])
def test_the_checkpoint_of_another_source_is_an_error(broker: Broker, offsets: Any) -> None:
    broker.write("t-0", 0, batch(0, 3))
    with pytest.raises(OptionError, match=r"which are not those of partitions.*a checkpoint of its own"):
        Stream(broker.log_dir, offsets).rows()
    with pytest.raises(OptionError, match="which are not those of partitions"):
        Stream(broker.log_dir).read(offsets, {"t": {"0": 3}})


@pytest.mark.parametrize("content", ["", "null", "[{}]", "[1]"])
def test_a_damaged_file_of_topic_ids_is_named(broker: Broker, tmp_path: Path, content: str) -> None:
    (tmp_path / "kafkafmt-topic-ids.json").write_text(content)
    with pytest.raises(OptionError, match=r"the file kafkafmt-topic-ids.json there is not one of topic ids.*delete it"):
        Stream(broker.log_dir, checkpointLocation=tmp_path).end()


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_log_that_ends_before_the_stream_is_a_loss(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    first = batch(0, 3)
    broker.write("t-0", 0, first, batch(3, 5))
    stream = Stream(broker.log_dir, **options)
    stream.rows()
    broker.truncate("t-0", 0, len(first))
    text = "the log of t-0 ends at offset 3, before the stream's offset 8"
    if not options:
        with pytest.raises(DataLossError, match=text):
            stream.rows()
        return
    assert (stream.offsets(), stream.start) == ([], {"t": {"0": 3}})
    assert text in caplog.text
    broker.write("t-0", 0, batch(3))
    assert stream.offsets() == [3]


def test_compaction_between_plan_and_reading_is_read_from_the_new_files(broker: Broker) -> None:
    content = [batch(at, value=b"v" * 300) for at in range(6)]
    broker.write("t-0", 0, *content)
    broker.write("t-0", 6, batch(6))
    stream = Stream(broker.log_dir, maxPartitionBytes="700")
    tasks = stream.planned()
    assert len(tasks) > 2
    # The cleaner removes a record and merges both segments; its output is as long as the file was.
    broker.write("t-0", 8, batch(8))
    broker.replace("t-0", 0, content[0] + content[2] + content[3] + content[4] + content[5] + batch(6))
    broker.delete("t-0", 6)
    assert stream.offsets_of(tasks) == [0, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_deletion_between_plan_and_reading_is_a_loss(
    broker: Broker, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    for at in range(0, 6, 2):
        broker.write("t-0", at, batch(at, 2))
    stream = Stream(broker.log_dir, maxPartitionBytes="10", **options)
    tasks = stream.planned()
    broker.delete("t-0", 0)
    if options:
        assert stream.offsets_of(tasks) == [2, 3, 4, 5]
        assert "offsets 0 to 1 of t-0 were deleted before they were read" in caplog.text
    else:
        with pytest.raises(DataLossError, match="offsets 0 to 1 of t-0 were deleted before they were read"):
            stream.offsets_of(tasks)


@pytest.mark.parametrize("options", [{}, NO_LOSS_CHECK], ids=["fails", "warns"])
def test_a_log_that_is_cut_between_plan_and_reading_is_a_loss(broker: Broker, options: dict[str, Any]) -> None:
    first = batch(0, 2)
    broker.write("t-0", 0, first, batch(2, 2))
    stream = Stream(broker.log_dir, **options)
    tasks = stream.planned()
    broker.truncate("t-0", 0, len(first))
    if options:
        assert stream.offsets_of(tasks) == [0, 1]
    else:
        with pytest.raises(DataLossError, match="the log of t-0 ends at offset 2, before the stream's offset 4"):
            stream.offsets_of(tasks)
