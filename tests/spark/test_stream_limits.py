"""Start of a stream, size of a trigger's batch, lag of a query; incremental batch reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from pyspark_kafkafmt import lag, offsets_since
from pyspark_kafkafmt.option_errors import DataLossError, OptionError
from pyspark_kafkafmt.option_values import duration
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.stream_limits import Delay, limited_offsets
from pyspark_kafkafmt.stream_options import LIMITS, StreamOptions, options_of
from pyspark_kafkafmt.streaming import KafkafmtStreamReader
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch
from tests.scanning.growing import Broker
from tests.spark.growing_stream import Stream

A, B, C = ("t", 0), ("t", 1), ("u", 0)


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    made = Broker(tmp_path / "log-dir")
    made.write("t-0", 0, *[batch(at, timestamp=1000 + at) for at in range(20)])
    made.write("t-1", 0, *[batch(at, timestamp=2000 + at) for at in range(5)])
    return made


@pytest.mark.parametrize(
    ("limit", "start", "end", "expected"),
    [
        (10, {A: 0, B: 0}, {A: 30, B: 10}, {A: 7, B: 2}),  # 7.5 and 2.5
        (2, {A: 0, B: 0, C: 0}, {A: 1000, B: 1, C: 1}, {A: 1, B: 1, C: 1}),  # small ones are not starved
        (10, {A: 5, B: 7}, {A: 5, B: 7}, {A: 5, B: 7}),
        (10, {A: 5, B: 7}, {A: 5, B: 9}, {A: 5, B: 9}),
        (10, {A: 50}, {A: 7, B: 3}, {A: 7, B: 3}),  # earlier, and unknown: left to the plan
        (2**63 - 1, {A: 1}, {A: 2**63 - 1}, {A: 2**63 - 1}),
    ],
)
def test_offsets_are_divided_in_proportion(limit: int, start: Any, end: Any, expected: Any) -> None:
    assert limited_offsets(limit, start, end) == expected


def test_a_trigger_waits_for_enough_offsets_or_long_enough() -> None:
    now = 1_000_000.0
    delay = Delay(10, 500, lambda: now)
    assert not delay.holds_back({A: 0}, {A: 1})  # the first one
    assert delay.holds_back({A: 1}, {A: 10})
    assert not delay.holds_back({A: 1}, {A: 11})
    now += 499
    assert delay.holds_back({A: 11}, {A: 12})
    now += 1
    assert not delay.holds_back({A: 11}, {A: 12})
    assert delay.holds_back({A: 12}, {A: 13})


def test_triggers_take_what_the_options_say(broker: Broker) -> None:
    stream = Stream(broker.log_dir, maxOffsetsPerTrigger=10)
    ends = []
    for _ in range(4):
        stream.rows()
        ends.append(stream.start)
    assert ends == [{"t": {"0": n, "1": m}} for n, m in ((8, 2), (16, 4), (20, 5), (20, 5))]
    assert Stream(broker.log_dir, maxOffsetsPerTrigger=10).end(takes_all=True) == {"t": {"0": 20, "1": 5}}
    waiting = Stream(broker.log_dir, minOffsetsPerTrigger=4, maxOffsetsPerTrigger=100, maxTriggerDelay="1h")
    assert len(waiting.rows()) == 25
    broker.write("t-1", 0, batch(5, 2))
    broker.write("t-2", 0, batch(0))
    assert (waiting.rows(), waiting.start) == ([], {"t": {"0": 20, "1": 5}})
    broker.write("t-0", 0, batch(20))
    assert len(waiting.rows()) == 4
    assert waiting.start == {"t": {"0": 21, "1": 7, "2": 1}}


def test_bytes_are_divided_in_whole_batches(broker: Broker) -> None:
    stream = Stream(broker.log_dir, maxBytesPerTrigger="100")
    assert stream.end() == {"t": {"0": 20, "1": 5}}  # without an index the next position is the end of the segment


def test_bytes_of_golden_logs_are_those_between_entries_of_the_index() -> None:
    log_dir = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
    whole = len(Stream(log_dir, subscribe="codec-none").rows())
    stream = Stream(log_dir, subscribe="codec-none", maxBytesPerTrigger="8k")
    sizes = []
    while rows := stream.rows():
        sizes.append(sum(len(row["value"] or b"") for row in rows))
        assert max(sizes) < 24 * 1024
    assert len(sizes) > 2
    assert sum(len(batch_of) for batch_of in [Stream(log_dir, stream.start, subscribe="codec-none").rows()]) == 0
    assert whole > 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"startingOffsets": "earliest"}, (0, 0)),
        ({"startingOffsets": "latest"}, (20, 5)),
        ({"startingOffsets": "LATEST"}, (20, 5)),
        ({"startingOffsets": '{"t":{"0":7,"1":-1}}'}, (7, 5)),
        ({"startingOffsets": '{"t":{"0":-2,"1":5}}'}, (0, 5)),
        ({"startingTimestamp": "1004", "startingOffsets": "latest"}, (4, 0)),
        ({"startingTimestamp": "1500", "startingOffsetsByTimestampStrategy": "latest"}, (20, 0)),
        ({"startingOffsetsByTimestamp": '{"t":{"0":1010,"1":2003}}'}, (10, 3)),
    ],
)
def test_where_it_starts(broker: Broker, options: dict[str, Any], expected: tuple[int, int]) -> None:
    stream = Stream(broker.log_dir, **options)
    stream.end()
    assert stream.start == {"t": {"0": expected[0], "1": expected[1]}}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"startingOffsets": "none"}, "option startingOffsets = 'none': .*expected earliest, latest, or JSON like"),
        ({"startingOffsets": '{"t":{"0":-3}}'}, "allowed: offsets from 0 up, and -1 .latest. or -2 .earliest."),
        ({"startingOffsets": '{"t":{"0":1}}'}, "option startingOffsets: it has no value for t-1"),
        ({"startingOffsets": '{"t":{"0":1,"1":1,"2":1}}', "subscribe": "t"}, "no such partition .*: t-2"),
        ({"startingOffsets": '{"t":{"0":21,"1":1}}'}, "offset 21 of t-0 is not on disk"),
        ({"startingTimestamp": "1500"}, "t-0 has no record with this timestamp or a later one"),
        ({"startingTimestamp": "-1"}, "a negative timestamp"),
        ({"subscribe": "x"}, "option subscribe: no such topic in the paths given: x"),
        ({"maxOffsetsPerTrigger": "0"}, "option maxOffsetsPerTrigger = '0': not a whole number in range"),
        ({"maxOffsetsPerTrigger": "3", "minOffsetsPerTrigger": "4"}, "more than maxOffsetsPerTrigger, which is 3"),
        ({"maxTriggerDelay": "soon"}, "option maxTriggerDelay = 'soon': not a length of time"),
        ({"maxBytesPerTrigger": "1x"}, "option maxBytesPerTrigger = '1x': not a size"),
        ({"maxOffsetPerTrigger": "1"}, "no such option; did you mean maxOffsetsPerTrigger"),
    ],
)
def test_wrong_options_are_errors(broker: Broker, options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Stream(broker.log_dir, **options).end()


@pytest.mark.parametrize(
    ("value", "ms"), [("7", 7), ("30s", 30_000), ("15m", 900_000), ("2H", 7_200_000), ("1d", 86_400_000)]
)
def test_lengths_of_time_are_sparks(value: str, ms: int) -> None:
    assert duration("maxTriggerDelay", value) == ms


def test_limits_need_a_spark_that_asks_for_them() -> None:
    for name in LIMITS:
        with pytest.raises(
            OptionError, match=f"option {name} = '9': this Spark does not support limits .*; use Spark 4.2 or later"
        ):
            StreamOptions.parse({"path": "x", name: "9"}, has_limits=False)


def test_a_spark_without_admission_control_gives_no_arguments(broker: Broker) -> None:
    """Spark 4.0 and 4.1: each batch has all available records."""
    options = StreamOptions.parse({"path": str(broker.log_dir), "startingOffsets": "earliest"})
    stream = Stream(broker.log_dir)
    reader = KafkafmtStreamReader(options, stream.reader._batches().schema and stream_schema())
    assert reader.initialOffset() == {"t": {"0": 0, "1": 0}}
    assert reader.latestOffset() == {"t": {"0": 20, "1": 5}}
    broker.write("t-1", 0, batch(5))
    assert reader.latestOffset() == {"t": {"0": 20, "1": 6}}
    assert reader.partitions(reader.latestOffset(), reader.latestOffset()) == []


def stream_schema() -> Any:
    from pyspark_kafkafmt.options import default_schema

    return default_schema(SourceOptions.parse({"path": "x"}))


def test_available_now_ends_where_the_logs_end_at_the_first_look(broker: Broker) -> None:
    stream = Stream(broker.log_dir, maxOffsetsPerTrigger=10)
    stream.reader.prepareForTriggerAvailableNow()
    seen = len(stream.rows())
    broker.write("t-0", 0, batch(20, 9))
    broker.write("u-0", 0, batch(0))
    while rows := stream.rows():
        seen += len(rows)
    assert (seen, stream.start) == (25, {"t": {"0": 20, "1": 5}})
    assert stream.reader.reportLatestOffset() == {"t": {"0": 20, "1": 5}}


def test_the_schema_is_there_before_it_is_known_whether_it_streams() -> None:
    assert options_of({"path": "x", "startingOffsets": "latest"}).paths == ("x",)
    assert options_of({"path": "x", "endingOffsets": "latest"}).paths == ("x",)
    with pytest.raises(OptionError, match="option endingOffsets = 'x': not JSON"):
        options_of({"path": "x", "endingOffsets": "x"})
    with pytest.raises(OptionError, match="option maxTriggerDelay = 'x'"):
        options_of({"path": "x", "startingOffsets": "latest", "maxTriggerDelay": "x"})
    with pytest.raises(OptionError, match="option mode = 'x'"):
        options_of({"path": "x", "mode": "x"})


def test_the_lag_is_that_of_the_kafka_source() -> None:
    source = {"latestOffset": '{"t":{"0":20,"1":5}}', "endOffset": '{"t":{"0":8,"1":4}}'}
    found = lag({"sources": [source]})
    assert found is not None
    assert (found.min_offsets_behind_latest, found.max_offsets_behind_latest, found.avg_offsets_behind_latest) == (
        1,
        12,
        6.5,
    )
    assert found.by_partition == {A: 12, B: 1}
    assert lag({"sources": [source]}, 1) is None
    assert lag({"sources": [{"latestOffset": None, "endOffset": None}]}) is None
    assert lag({}) is None


def test_the_end_of_a_read_is_the_start_of_the_next(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pyspark_kafkafmt.stream_logs._BETWEEN_LOOKS", 0)
    first = offsets_since(broker.log_dir)
    assert {name: json.loads(value) for name, value in first.items()} == {
        "startingOffsets": {"t": {"0": 0, "1": 0}},
        "endingOffsets": {"t": {"0": 20, "1": 5}},
    }
    broker.write("t-1", 0, batch(5))
    broker.write("t-2", 0, batch(0))
    second = offsets_since([broker.log_dir], first["endingOffsets"], subscribe="t")
    assert {name: json.loads(value) for name, value in second.items()} == {
        "startingOffsets": {"t": {"0": 20, "1": 5, "2": 0}},
        "endingOffsets": {"t": {"0": 20, "1": 6, "2": 1}},
    }
    (broker.log_dir / "t-2").rename(tmp_path / "away")
    with pytest.raises(DataLossError, match=r"partitions were deleted, .*: t-2"):
        offsets_since(broker.log_dir, second["endingOffsets"])
    third = offsets_since(broker.log_dir, second["endingOffsets"], failOnDataLoss="false")
    assert json.loads(third["startingOffsets"]) == json.loads(third["endingOffsets"]) == {"t": {"0": 20, "1": 6}}
    assert "t-2" in caplog.text
    with pytest.raises(OptionError, match=r"option seen = '\{': not JSON: .*; expected JSON like \{"):
        offsets_since(broker.log_dir, "{")
