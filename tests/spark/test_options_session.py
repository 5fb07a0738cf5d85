"""Options in real queries: the rows and messages that a user of `spark.read.format("kafkafmt")` gets."""

import json

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import kafkafmt
from pyspark_kafkafmt import register
from tests.golden_cases import GOLDEN

pytestmark = [pytest.mark.volume, pytest.mark.xdist_group("spark")]

# all-gone-0: 60 to 60; by-size-0: 60 to 120; trimmed-0: 33 to 78; trimmed-1: 2 to 60; and Kafka's own topics.
RETENTION = GOLDEN / "modern/06-retention-4.3.1/log-dir"
TRANSACTIONS = GOLDEN / "modern/04-transactions-4.3.1/log-dir"
# trimmed-0 has records with each of these times, and trimmed-1 later ones.
EARLY, LATER = 1795234958600, 1795234958625


@pytest.fixture(autouse=True)
def _registered(spark: SparkSession) -> None:
    register(spark)


def load(spark: SparkSession, path: object = RETENTION, **options: str) -> DataFrame:
    return spark.read.format("kafkafmt").options(**options).load(str(path))


def offsets(records: DataFrame) -> dict[str, list[int]]:
    """Offsets of each partition, in order."""
    found: dict[str, list[int]] = {}
    for topic, partition, offset in sorted(records.select("topic", "partition", "offset").collect()):
        found.setdefault(f"{topic}-{partition}", []).append(offset)
    return found


def scanned(topic: str, partition: int, start: int | None = None, end: int | None = None) -> list[int]:
    scan = kafkafmt.scan(RETENTION, topics=topic, partitions=partition, start_offset=start, end_offset=end)
    found: list[int] = scan.to_table()["offset"].to_pylist()
    assert found
    return found


def told(records: DataFrame) -> str:
    """The text of the error in one line, as Spark shows it."""
    with pytest.raises(PySparkException) as caught:
        records.collect()
    return " ".join(str(caught.value).split())


def first_at(topic: str, partition: int, timestamp: int) -> int:
    found = kafkafmt.Partition(str(RETENTION / f"{topic}-{partition}")).find_timestamp(timestamp)
    assert found is not None
    return found.offset


def test_topics_are_subscribed_to_by_name(spark: SparkSession) -> None:
    assert set(offsets(load(spark, SUBSCRIBE="trimmed, by-size ,all-gone"))) == {"trimmed-0", "trimmed-1", "by-size-0"}


def test_topics_are_found_by_a_pattern_without_kafkas_own(spark: SparkSession) -> None:
    assert set(offsets(load(spark, subscribePattern="size|trim"))) == {"trimmed-0", "trimmed-1", "by-size-0"}
    assert "__transaction_state-1" not in offsets(load(spark, subscribePattern=".*"))


def test_several_paths_are_loaded(spark: SparkSession) -> None:
    paths = [str(RETENTION / name) for name in ("trimmed-0", "by-size-0")]
    assert set(offsets(spark.read.format("kafkafmt").load(paths))) == {"by-size-0", "trimmed-0"}


def test_without_a_choice_all_topics_are_read(spark: SparkSession) -> None:
    found = offsets(load(spark))
    assert sum(map(len, found.values())) == kafkafmt.scan(RETENTION).count()
    assert "__transaction_state-1" in found


def test_partitions_are_assigned(spark: SparkSession) -> None:
    assert offsets(load(spark, assign='{"trimmed":[1]}')) == {"trimmed-1": scanned("trimmed", 1)}
    assert offsets(load(spark, assign="{}")) == {}


def test_offsets_bound_each_partition(spark: SparkSession) -> None:
    records = load(
        spark,
        subscribe="trimmed",
        startingOffsets='{"trimmed":{"0":40,"1":-2}}',
        endingOffsets='{"trimmed":{"0":-1,"1":7}}',
    )
    assert offsets(records) == {"trimmed-0": scanned("trimmed", 0, 40), "trimmed-1": scanned("trimmed", 1, None, 7)}


def test_words_are_the_ends_of_the_log(spark: SparkSession) -> None:
    records = load(spark, assign='{"trimmed":[0]}', startingOffsets="Earliest", endingOffsets="LATEST")
    assert offsets(records) == {"trimmed-0": scanned("trimmed", 0)}


def test_one_time_bounds_all_partitions(spark: SparkSession) -> None:
    first, end = first_at("trimmed", 0, EARLY), first_at("trimmed", 0, LATER)
    assert 33 < first < end
    records = load(spark, assign='{"trimmed":[0]}', startingTimestamp=str(EARLY), endingTimestamp=str(LATER))
    assert offsets(records) == {"trimmed-0": scanned("trimmed", 0, first, end)}


def test_a_time_bounds_each_partition_and_goes_before_offsets(spark: SparkSession) -> None:
    records = load(
        spark,
        subscribe="trimmed",
        startingOffsetsByTimestamp=json.dumps({"trimmed": {"0": EARLY, "1": 0}}),
        startingOffsets="latest",
        endingOffsetsByTimestamp=json.dumps({"trimmed": {"0": LATER, "1": 99999999999999}}),
    )
    first, end = first_at("trimmed", 0, EARLY), first_at("trimmed", 0, LATER)
    assert offsets(records) == {"trimmed-0": scanned("trimmed", 0, first, end), "trimmed-1": scanned("trimmed", 1)}


def test_no_record_late_enough_to_start_at_is_an_error_or_reads_nothing(spark: SparkSession) -> None:
    late = {"assign": '{"trimmed":[0]}', "startingTimestamp": "99999999999999"}
    assert "trimmed-0 has no record with this timestamp or a later one" in told(load(spark, **late))
    assert offsets(load(spark, **late, startingOffsetsByTimestampStrategy="latest")) == {}


@pytest.mark.parametrize(
    ("options", "problem", "left"),
    [
        (
            {"assign": '{"by-size":[0]}', "startingOffsets": '{"by-size":{"0":5}}'},
            "option startingOffsets: offset 5 of by-size-0 is not on disk: the log has offsets 60 to 120",
            ["by-size-0"],
        ),
        (
            {"assign": '{"by-size":[0]}', "endingOffsets": '{"by-size":{"0":500}}'},
            "option endingOffsets: offset 500 of by-size-0 is not on disk",
            ["by-size-0"],
        ),
        ({"subscribe": "by-size,lost"}, "option subscribe: no such topic in the paths given: lost;", ["by-size-0"]),
        (
            {"assign": '{"by-size":[0,3]}'},
            "option assign: no such partition in the paths given: by-size-3;",
            ["by-size-0"],
        ),
        ({"subscribe": "lost"}, "option subscribe: no such topic in the paths given: lost;", []),
    ],
    ids=["start", "end", "topic", "partition", "nothing"],
)
def test_missing_data_end_the_query_or_are_left_out(
    spark: SparkSession, options: dict[str, str], problem: str, left: list[str]
) -> None:
    text = told(load(spark, **options))
    assert problem in text
    assert "set failOnDataLoss to false to read what is there" in text
    found = offsets(load(spark, **options, failOnDataLoss="false"))
    assert found == {name: scanned("by-size", 0) for name in left}


def test_only_committed_records_are_read_on_demand(spark: SparkSession) -> None:
    for level in ("read_uncommitted", "read_committed"):
        records = load(spark, TRANSACTIONS, subscribe="tx", **{"kafka.isolation.level": level})
        expected = kafkafmt.scan(TRANSACTIONS, topics="tx", isolation_level=level).count()
        assert records.count() == expected
    assert expected < kafkafmt.scan(TRANSACTIONS, topics="tx").count()


def test_what_is_said_to_a_broker_does_not_disturb(spark: SparkSession) -> None:
    options = {"kafka.bootstrap.servers": "broker:9092", "kafka.group.id": "g", "groupIdPrefix": "p"}
    assert offsets(load(spark, assign='{"trimmed":[0]}', **options)) == {"trimmed-0": scanned("trimmed", 0)}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"subscribe": "a", "assign": "{}"}, "option subscribe and assign: they exclude each other"),
        ({"startingOffset": "earliest"}, "no such option; did you mean startingOffsets"),
        (
            {"kafka.auto.offset.reset": "latest"},
            "not supported, as in Spark's kafka source; startingOffsets says where",
        ),
        ({"minPartitions": "many"}, "option minPartitions = 'many': not a whole number in range"),
        ({"includeHeaders": "yes"}, "option includeHeaders = 'yes': not an allowed value; allowed: true, false"),
    ],
    ids=["choices", "misspelt", "refused", "number", "boolean"],
)
def test_a_wrong_option_is_told_when_the_query_is_made(spark: SparkSession, options: dict[str, str], text: str) -> None:
    with pytest.raises(PySparkException) as caught:
        load(spark, **options)
    assert text in " ".join(str(caught.value).split())


def test_a_start_that_only_a_stream_can_have_is_told_when_the_query_runs(spark: SparkSession) -> None:
    text = told(load(spark, startingOffsets="latest"))
    assert "option startingOffsets = 'latest': a batch query cannot start at the latest" in text


def test_bounds_that_do_not_name_all_that_is_read_are_told(spark: SparkSession) -> None:
    text = told(load(spark, subscribe="trimmed", startingOffsets='{"trimmed":{"0":40}}'))
    assert "option startingOffsets: it has no value for trimmed-1; name every partition that is read" in text
