"""Options of the data source: each value, each default and each error."""

import pickle
import re
from typing import Any

import pytest

from pyspark_kafkafmt import option_errors
from pyspark_kafkafmt.option_errors import DataLossError, OptionError
from pyspark_kafkafmt.options import SourceOptions

PATH = {"path": "/data"}

# Options that a job for Spark's kafka source may pass to its consumers.
CONSUMER_OPTIONS = (
    "allow.auto.create.topics",
    "auto.commit.interval.ms",
    "bootstrap.servers",
    "check.crcs",
    "client.dns.lookup",
    "client.id",
    "client.rack",
    "connections.max.idle.ms",
    "default.api.timeout.ms",
    "enable.metrics.push",
    "exclude.internal.topics",
    "fetch.max.bytes",
    "fetch.max.wait.ms",
    "fetch.min.bytes",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "max.partition.fetch.bytes",
    "max.poll.interval.ms",
    "max.poll.records",
    "metadata.max.age.ms",
    "metadata.recovery.strategy",
    "metric.reporters",
    "metrics.num.samples",
    "metrics.recording.level",
    "metrics.sample.window.ms",
    "partition.assignment.strategy",
    "receive.buffer.bytes",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "request.timeout.ms",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "sasl.client.callback.handler.class",
    "sasl.jaas.config",
    "sasl.kerberos.service.name",
    "sasl.login.class",
    "sasl.mechanism",
    "sasl.oauthbearer.token.endpoint.url",
    "security.protocol",
    "security.providers",
    "send.buffer.bytes",
    "session.timeout.ms",
    "socket.connection.setup.timeout.ms",
    "ssl.cipher.suites",
    "ssl.enabled.protocols",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
    "ssl.keystore.location",
    "ssl.protocol",
    "ssl.truststore.location",
    "ssl.truststore.password",
)


def parse(**options: str) -> SourceOptions:
    return SourceOptions.parse({**PATH, **options})


def refused(**options: str) -> str:
    with pytest.raises(OptionError) as caught:
        SourceOptions.parse({**PATH, **options})
    return str(caught.value)


def test_the_defaults_are_those_of_a_batch_query() -> None:
    options = parse()
    assert options == SourceOptions(paths=("/data",))
    assert (options.bounds.starting, options.bounds.ending, options.topics.option) == (None, None, None)
    assert (options.fail_on_data_loss, options.include_headers, options.include_metadata) == (True, False, False)
    assert (options.isolation_level, options.mode, options.replica) == ("read_uncommitted", "FAILFAST", "best")
    assert (options.min_partitions, options.max_records_per_partition) == (None, None)
    assert (options.max_partition_bytes, options.max_decompressed_bytes) == (128 << 20, None)
    assert options.column_name_of_corrupt_record == "_corrupt_record"
    assert options.notes == ()


@pytest.mark.parametrize(
    ("name", "value", "attribute", "expected"),
    [
        ("failOnDataLoss", "false", "fail_on_data_loss", False),
        ("FAILONDATALOSS", "False", "fail_on_data_loss", False),
        ("failondataloss", "TRUE", "fail_on_data_loss", True),
        ("includeHeaders", "true", "include_headers", True),
        ("includeMetadata", "true", "include_metadata", True),
        ("minPartitions", "7", "min_partitions", 7),
        ("minPartitions", "+7", "min_partitions", 7),
        ("minPartitions", "2147483647", "min_partitions", 2**31 - 1),
        ("maxRecordsPerPartition", "9223372036854775807", "max_records_per_partition", 2**63 - 1),
        ("kafka.isolation.level", "read_committed", "isolation_level", "read_committed"),
        ("Kafka.Isolation.Level", "read_uncommitted", "isolation_level", "read_uncommitted"),
        ("mode", "permissive", "mode", "PERMISSIVE"),
        ("mode", "DropMalformed", "mode", "DROPMALFORMED"),
        ("replica", "all", "replica", "all"),
        ("columnNameOfCorruptRecord", "damage", "column_name_of_corrupt_record", "damage"),
        ("maxPartitionBytes", "1", "max_partition_bytes", 1),
        ("maxPartitionBytes", " 128M ", "max_partition_bytes", 128 << 20),
        ("maxPartitionBytes", "128mb", "max_partition_bytes", 128 << 20),
        ("maxDecompressedBytes", "10b", "max_decompressed_bytes", 10),
        ("maxDecompressedBytes", "3k", "max_decompressed_bytes", 3 << 10),
        ("maxDecompressedBytes", "1g", "max_decompressed_bytes", 1 << 30),
        ("maxDecompressedBytes", "1tb", "max_decompressed_bytes", 1 << 40),
        ("maxDecompressedBytes", "1p", "max_decompressed_bytes", 1 << 50),
    ],
)
def test_a_value_is_parsed_as_spark_does(name: str, value: str, attribute: str, expected: object) -> None:
    assert getattr(parse(**{name: value}), attribute) == expected


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        *(
            (name, value, "allowed: true, false")
            for name in ("failOnDataLoss", "includeHeaders")
            for value in ("", "1")
        ),
        ("includeMetadata", "yes", "allowed: true, false"),
        ("pushFilters", "true", "other queries of it lose rows; say what to read by subscribe"),
        ("foo", "1", "no such option; there are subscribe, "),
        ("header", "true", "no such option; there are subscribe, "),
        ("threads", "2", "no such option; there are subscribe, "),
        ("minPartitions", "0", "allowed: 1 to 2147483647"),
        ("minPartitions", "2147483648", "allowed: 1 to 2147483647"),
        ("minPartitions", "1.0", "allowed: 1 to 2147483647"),
        ("minPartitions", "٣", "allowed: 1 to 2147483647"),
        ("maxRecordsPerPartition", "-1", "allowed: 1 to 9223372036854775807"),
        ("maxRecordsPerPartition", "9" * 30, "allowed: 1 to 9223372036854775807"),
        ("kafka.isolation.level", "serializable", "allowed: read_uncommitted, read_committed"),
        ("kafka.isolation.level", "READ_COMMITTED", "allowed: read_uncommitted, read_committed"),
        ("mode", "IGNORE", "allowed: FAILFAST, PERMISSIVE, DROPMALFORMED"),
        ("replica", "worst", "allowed: best, all"),
        ("maxPartitionBytes", "0", "with a unit of 1024 as in 512k"),
        ("maxPartitionBytes", "1.5m", "with a unit of 1024 as in 512k"),
        ("maxPartitionBytes", "-1", "with a unit of 1024 as in 512k"),
        ("maxPartitionBytes", "64 m", "with a unit of 1024 as in 512k"),
        ("maxDecompressedBytes", "1bb", "with a unit of 1024 as in 512k"),
        ("maxDecompressedBytes", "8192p", "with a unit of 1024 as in 512k"),
        ("columnNameOfCorruptRecord", " ", "choose a name that no column has"),
        ("columnNameOfCorruptRecord", "Offset", "choose a name that no column has"),
        ("subscribe", " , ,", "names of topics, with commas between them"),
        ("subscribe", "", "names of topics, with commas between them"),
        ("subscribePattern", " ", "a Java regular expression"),
        ("assign", "", 'expected JSON like {"topicA":[0,1]'),
        ("assign", "orders", 'expected JSON like {"topicA":[0,1]'),
        ("paths", "/data", 'expected JSON like ["/data/a","/data/b"]'),
        ("paths", "[1]", 'expected JSON like ["/data/a","/data/b"]'),
        ("paths", '["/data",""]', "name a file, a directory, a URI or a glob"),
        ("path", "", "name a file, a directory, a URI or a glob"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name: str, value: str, allowed: str) -> None:
    text = refused(**{name: value})
    assert text.startswith(f"option {name} = '{value[:200]}")
    assert allowed in text
    assert len(text) < 600


def test_paths_come_from_load_or_from_options() -> None:
    assert SourceOptions.parse({"path": "s3://bucket/data"}).paths == ("s3://bucket/data",)
    assert SourceOptions.parse({"paths": '["/a","/b"]'}).paths == ("/a", "/b")
    assert SourceOptions.parse({"PATHS": '["/a"]', "Path": "/b"}).paths == ("/b", "/a")


@pytest.mark.parametrize("options", [{}, {"paths": "[]"}])
def test_without_a_path_nothing_can_be_read(options: dict[str, str]) -> None:
    with pytest.raises(OptionError, match=re.escape('.load("/var/lib/kafka/data")')):
        SourceOptions.parse(options)


def test_topics_are_chosen_by_name() -> None:
    choice = parse(subscribe=" orders ,payments,, orders").topics
    assert choice.wanted_topics == {"orders", "payments"}
    assert choice.takes("orders", 7)
    assert not choice.takes("order", 0)
    assert parse(subscribe="__consumer_offsets").topics.takes("__consumer_offsets", 0)


def test_partitions_are_chosen_by_number() -> None:
    choice = parse(assign=' {"orders":[0,2,3,2],"payments":[]} ').topics
    assert choice.wanted_partitions == {("orders", 0), ("orders", 2), ("orders", 3)}
    assert [number for number in range(5) if choice.takes("orders", number)] == [0, 2, 3]
    assert not choice.takes("payments", 0)
    assert not choice.takes("other", 0)


def test_assigning_nothing_reads_nothing() -> None:
    assert not parse(assign="{}").topics.takes("orders", 0)


def test_without_a_choice_every_topic_is_read() -> None:
    assert parse().topics.takes("__consumer_offsets", 0)


@pytest.mark.parametrize(
    "options",
    [
        {"subscribe": "a", "assign": '{"a":[0]}'},
        {"SUBSCRIBE": "a", "subscribePattern": "a"},
        {"subscribe": "a", "subscribePattern": "a", "assign": "{}"},
    ],
)
def test_only_one_choice_of_topics_may_be_made(options: dict[str, str]) -> None:
    assert "set only one of subscribe, subscribePattern and assign" in refused(**options)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("kafka.auto.offset.reset", "startingOffsets says where to start"),
        ("kafka.key.deserializer", "keys are bytes"),
        ("KAFKA.value.Deserializer", "values are bytes"),
        ("kafka.enable.auto.commit", "no offsets are committed"),
        ("kafka.interceptor.classes", "nothing may change records"),
    ],
)
def test_what_the_kafka_source_refuses_is_refused(name: str, instead: str) -> None:
    text = refused(**{name: "x"})
    assert text.startswith(f"option {name.lower()} = 'x': not supported, as in Spark's kafka source; ")
    assert instead in text


def test_what_is_said_to_a_broker_has_no_effect_and_is_told() -> None:
    given = {f"kafka.{name}": "x" for name in CONSUMER_OPTIONS}
    options = parse(**given)
    (note,) = options.notes
    assert note.startswith("ignored, options about a broker")
    assert all(name in note for name in given)
    assert "'x'" not in note


def test_what_a_batch_of_files_has_no_use_for_is_told() -> None:
    (without_meaning,) = parse(MAXOFFSETSPERTRIGGER="1", groupIdPrefix="g", topic="out", subscribe="in").notes
    assert without_meaning.startswith("ignored, options that have no meaning for such a read of files")
    assert without_meaning.endswith(": groupIdPrefix, maxOffsetsPerTrigger, topic")


def test_what_spark_says_of_a_table_is_no_option_of_a_user() -> None:
    assert parse(owner="root", provider="kafkafmt").notes == ()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("subscribes", "subscribe"),
        ("subscribe_pattern", "subscribePattern"),
        ("startingOffset", "startingOffsets"),
        ("startOffsets", "startingOffsets"),
        ("endingTimestamps", "endingTimestamp"),
        ("failOnDataloss ", "failOnDataLoss"),
        ("isolation.level", "kafka.isolation.level"),
        ("kafka.isolationLevel", "kafka.isolation.level"),
        ("maxPartitionsBytes", "maxPartitionBytes"),
        ("includeHeader", "includeHeaders"),
        ("replicas", "replica"),
        ("topics", "subscribe"),
        ("Topic", "subscribe"),
        ("partitions", "assign"),
        ("on_damage", "mode"),
        ("onDamage", "mode"),
        ("isolation_level", "kafka.isolation.level"),
    ],
)
def test_a_misspelt_option_is_refused_rather_than_ignored(name: str, meant: str) -> None:
    text = refused(**{name: "x"})
    assert text.startswith(f"option {name} = 'x': no such option; did you mean ")
    assert meant in text


def test_options_go_to_executors() -> None:
    options = parse(subscribePattern="a.*", startingOffsets='{"a":{"0":1}}', endingTimestamp="5")
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize("kind", [OptionError, DataLossError])
def test_errors_survive_pickling(kind: type[OptionError]) -> None:
    error = kind("path", "x\ny", "wrong", "do this")
    copy: Any = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.option, copy.value) == (kind, str(error), "path", "x\ny")


def test_an_error_is_one_printable_line() -> None:
    text = refused(replica="a\nb\x1b[31m\udcff")
    assert text.startswith(r"option replica = 'a\x0ab\x1b[31m\udcff': ")


def test_a_long_list_is_cut() -> None:
    text = str(option_errors.not_specified("startingOffsets", {("t", number) for number in range(7)}))
    assert "t-0, t-1, t-2, t-3, t-4 and 2 more" in text
