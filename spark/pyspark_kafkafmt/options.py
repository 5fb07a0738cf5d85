"""Options of the data source: those of Spark's kafka source for a batch query, our own, and the resulting schema.

docs/spark_options.md has the table for users; a test compares it with the names here.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.columns import STORED, record_columns
from pyspark_kafkafmt.offsets import OffsetBounds
from pyspark_kafkafmt.topics import ASSIGN, SUBSCRIBE, SUBSCRIBE_PATTERN, TopicChoice

# `topic` belongs to the kafka sink. Beside `subscribe` it has no effect; alone it is probably meant as `subscribe`.
_SINK_TOPIC: Final = "topic"
_KEYS: Final = "decryptionKeys"
_BYTES: Final = "includeBytes"
_CHOICES: Final = {name.lower() for name in (SUBSCRIBE, SUBSCRIBE_PATTERN, ASSIGN)}

KAFKA_SOURCE_OPTIONS: Final = (
    SUBSCRIBE,
    SUBSCRIBE_PATTERN,
    ASSIGN,
    "startingOffsets",
    "endingOffsets",
    "startingTimestamp",
    "endingTimestamp",
    "startingOffsetsByTimestamp",
    "endingOffsetsByTimestamp",
    "startingOffsetsByTimestampStrategy",
    "failOnDataLoss",
    "minPartitions",
    "maxRecordsPerPartition",
    "includeHeaders",
    "kafka.isolation.level",
)
"""Options with the same meaning as in Spark's kafka source."""

OWN_OPTIONS: Final = (
    "path",
    "paths",
    "includeMetadata",
    "mode",
    "columnNameOfCorruptRecord",
    "replica",
    "maxPartitionBytes",
    "maxDecompressedBytes",
    "decryptionKeys",
    "valueFormat",
    "keyFormat",
    "schemas",
    "record",
    "includeBytes",
)
"""Options that Spark's kafka source does not have."""

IGNORED_OPTIONS: Final = (
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "groupIdPrefix",
    "kafkaConsumer.pollTimeoutMs",
    "checkpointLocation",
    "maxBytesPerTrigger",
    "maxOffsetsPerTrigger",
    "maxTriggerDelay",
    "minOffsetsPerTrigger",
    _SINK_TOPIC,
)
"""Options that a batch query does not use, and those of Spark's kafka source for the connection to a broker."""

_OF_STREAMS: Final = tuple(name for name in IGNORED_OPTIONS if "Trigger" in name or name == "checkpointLocation")

REFUSED_OPTIONS: Final = {
    "kafka.auto.offset.reset": "startingOffsets says where to start",
    "kafka.key.deserializer": "keys are bytes; convert them with functions of DataFrames",
    "kafka.value.deserializer": "values are bytes; convert them with functions of DataFrames",
    "kafka.enable.auto.commit": "remove it: no offsets are committed",
    "kafka.interceptor.classes": "remove it: nothing may change records on their way",
}
"""Options that Spark's kafka source refuses, and what to do instead."""

MODES: Final = ("FAILFAST", "PERMISSIVE", "DROPMALFORMED")
ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
REPLICAS: Final = ("best", "all")
DEFAULT_MAX_PARTITION_BYTES: Final = 128 * 1024 * 1024
DEFAULT_CORRUPT_RECORD: Final = "_corrupt_record"

Mode = Literal["FAILFAST", "PERMISSIVE", "DROPMALFORMED"]
IsolationLevel = Literal["read_uncommitted", "read_committed"]
Replica = Literal["best", "all"]

_KNOWN: Final = {
    name.lower(): name for name in (*KAFKA_SOURCE_OPTIONS, *OWN_OPTIONS, *IGNORED_OPTIONS, *REFUSED_OPTIONS)
}
_OFFERED: Final = (*KAFKA_SOURCE_OPTIONS, *OWN_OPTIONS)
# Argument names of kafkafmt.scan that users may try, with the option to use instead.
_MEANT: Final = {
    "topics": SUBSCRIBE,
    "partitions": ASSIGN,
    "columns": "the schema",
    "on_damage": "mode",
    "ondamage": "mode",
    "isolation_level": "kafka.isolation.level",
    "isolationlevel": "kafka.isolation.level",
}
# Properties that Spark itself gives with a table of its catalog (`TableCatalog.PROP_OWNER` and the like).
_OF_TABLES: Final = frozenset(
    {"collation", "comment", "external", "is_managed_location", "location", "owner", "provider", "table_type"}
)
_FILTERS: Final = "pushfilters"
_NO_FILTERS: Final = (
    "Spark 4 keeps pushed filters with the DataFrame, and other queries of it lose rows; say what to read by "
    "subscribe, startingOffsets and startingTimestamp"
)
_LEAST_LIKENESS: Final = 0.8
_BROKER: Final = "kafka."


@dataclass(frozen=True)
class SourceOptions:
    """All options, checked.

    Attributes:
        paths: what to read: paths, URIs, globs; at least one.
        topics: which topics and partitions.
        bounds: where to start and end.
        fail_on_data_loss: whether requested data that is not on disk is an error (else a warning).
        min_partitions: minimum number of Spark partitions, or None.
        max_records_per_partition: maximum number of offsets in one Spark partition, or None.
        isolation_level: whether records of open and aborted transactions are read.
        include_headers: whether there is a column of headers.
        include_metadata: whether there are columns for the origin of a record.
        mode: what to do about damage.
        column_name_of_corrupt_record: name of the column that describes damage in PERMISSIVE mode.
        replica: whether a partition that is found several times is read once or every time.
        max_partition_bytes: approximate size of the segments in one Spark partition, in bytes.
        max_decompressed_bytes: maximum size of one batch of records after decompression, in bytes.
        decryption_keys: paths of private keys by their names, or None.
        value_format: the format that values are decoded from, or None.
        key_format: the format that keys are decoded from, or None.
        schemas: a source of schemas: a path or the URL of a registry; None for the `_schemas` of the paths.
        record: the only record type of values to read; None for all.
        include_bytes: whether there are columns of keys and values as they are stored, beside the decoded ones.
        notes: texts for the user, about options without effect.
    """

    paths: tuple[str, ...]
    topics: TopicChoice = field(default_factory=TopicChoice)
    bounds: OffsetBounds = field(default_factory=OffsetBounds)
    fail_on_data_loss: bool = True
    min_partitions: int | None = None
    max_records_per_partition: int | None = None
    isolation_level: IsolationLevel = "read_uncommitted"
    include_headers: bool = False
    include_metadata: bool = False
    mode: Mode = "FAILFAST"
    column_name_of_corrupt_record: str = DEFAULT_CORRUPT_RECORD
    replica: Replica = "best"
    max_partition_bytes: int = DEFAULT_MAX_PARTITION_BYTES
    max_decompressed_bytes: int | None = None
    decryption_keys: Mapping[str, str] | None = None
    value_format: str | None = None
    key_format: str | None = None
    schemas: str | None = None
    record: str | None = None
    include_bytes: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_typed(self) -> bool:
        """Whether keys or values are decoded."""
        return self.value_format is not None or self.key_format is not None

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "SourceOptions":
        """Check the options of the user.

        Args:
            options: values by name, in any case.

        Raises:
            OptionError: a value is invalid, options exclude each other, a name is unknown, or there is no path.
        """
        given, notes = _known(options)
        numbers: dict[str, Any] = {
            attribute: option_values.whole_number(name, given[name], 1, most)
            for attribute, name, most in (
                ("min_partitions", "minPartitions", option_values.INT_MAX),
                ("max_records_per_partition", "maxRecordsPerPartition", option_values.LONG_MAX),
            )
            if name in given
        }
        sizes: dict[str, Any] = {
            attribute: option_values.size(name, given[name])
            for attribute, name in (
                ("max_partition_bytes", "maxPartitionBytes"),
                ("max_decompressed_bytes", "maxDecompressedBytes"),
            )
            if name in given
        }
        flags: dict[str, Any] = {
            attribute: option_values.boolean(name, given[name])
            for attribute, name in (
                ("fail_on_data_loss", "failOnDataLoss"),
                ("include_headers", "includeHeaders"),
                ("include_metadata", "includeMetadata"),
                ("include_bytes", _BYTES),
            )
            if name in given
        }
        choices: dict[str, Any] = {
            attribute: option_values.choice(name, given[name], allowed, any_case=any_case)
            for attribute, name, allowed, any_case in (
                ("mode", "mode", MODES, True),
                # Kafka's consumer accepts these values only in this exact spelling.
                ("isolation_level", "kafka.isolation.level", ISOLATION_LEVELS, False),
                ("replica", "replica", REPLICAS, True),
            )
            if name in given
        }
        if flags.get("include_bytes"):
            _check_formats(_BYTES, given)
        return cls(
            paths=_paths(given),
            topics=TopicChoice.parse(given),
            bounds=OffsetBounds.parse(given),
            column_name_of_corrupt_record=_corrupt_record(given),
            value_format=_format("valueFormat", given),
            key_format=_format("keyFormat", given),
            schemas=_schemas(given),
            record=_record(given),
            decryption_keys=option_values.texts(_KEYS, given[_KEYS]) if _KEYS in given else None,
            notes=tuple(notes),
            **numbers,
            **sizes,
            **flags,
            **choices,
        )


def _known(options: Mapping[str, str]) -> tuple[dict[str, str], Iterable[str]]:
    """Options that are used, in the spelling of the docs, and notes about those that are not."""
    given: dict[str, str] = {}
    unused: dict[str, list[str]] = {}
    for name, value in options.items():
        if name.lower() in _OF_TABLES:
            continue
        known = _KNOWN.get(name.lower())
        if known in REFUSED_OPTIONS:
            raise option_errors.refused_by_kafka_source(known, value, REFUSED_OPTIONS[known])
        if known == _SINK_TOPIC and not _CHOICES & {each.lower() for each in options}:
            raise option_errors.no_such_option(name, value, [SUBSCRIBE], _OFFERED)
        if known in IGNORED_OPTIONS:
            unused.setdefault(option_errors.SOURCE_OPTIONS_IGNORED, []).append(known)
        elif known is not None:
            given[known] = value
        else:
            if name.lower() == _FILTERS:
                raise option_errors.not_on_offer(name, value, _NO_FILTERS)
            meant = _nearly(name.lower())
            if meant or not name.lower().startswith(_BROKER):
                raise option_errors.no_such_option(name, value, meant, _OFFERED)
            unused.setdefault(option_errors.BROKER_OPTIONS_IGNORED, []).append(name)
    return given, [option_errors.ignored(kind, names) for kind, names in sorted(unused.items())]


def _nearly(name: str) -> list[str]:
    if name in _MEANT:
        return [_MEANT[name]]
    ours = [known.lower() for known in (*_OFFERED, *_OF_STREAMS)]
    return [_KNOWN[near] for near in difflib.get_close_matches(name, ours, n=2, cutoff=_LEAST_LIKENESS)]


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    paths: list[str] = []
    for option, value in ((name, given[name]) for name in ("path", "paths") if name in given):
        named = (value,) if option == "path" else option_values.strings(option, value)
        if not all(path.strip() for path in named):
            raise option_errors.empty_path(option, value)
        paths += named
    if not paths:
        raise option_errors.no_path()
    return tuple(paths)


def _format(option: str, given: Mapping[str, str]) -> str | None:
    if option not in given:
        return None
    from kafkafmt.values.decode_arguments import FormatName

    return option_values.choice(option, given[option], get_args(FormatName))


def _schemas(given: Mapping[str, str]) -> str | None:
    option = "schemas"
    if option in given:
        _check_formats(option, given)
    return given.get(option)


def _record(given: Mapping[str, str]) -> str | None:
    option = "record"
    if option in given and "valueFormat" not in given:
        raise option_errors.OptionError(option, None, "has no effect on its own", "it goes with valueFormat")
    return given.get(option)


def _check_formats(option: str, given: Mapping[str, str]) -> None:
    if not {"valueFormat", "keyFormat"}.intersection(given):
        raise option_errors.OptionError(
            option, None, "has no effect on its own", "it goes with valueFormat or keyFormat"
        )


def _corrupt_record(given: Mapping[str, str]) -> str:
    option = "columnNameOfCorruptRecord"
    name = given.get(option, DEFAULT_CORRUPT_RECORD)
    if not name.strip():
        raise option_errors.empty_column(option, name)
    if name.lower() in {column.lower() for column in record_columns()}:
        raise option_errors.column_taken(option, name)
    return name


_HEADERS = "headers"
_COUNTS_WITHOUT_COLUMNS_SINCE = (4, 3)
_ALWAYS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")


def default_schema(options: "SourceOptions", typed: Mapping[str, DataType] | None = None) -> StructType:
    """The columns of Spark's `kafka` source, and those that options append. All are nullable.

    Args:
        options: the options.
        typed: types of the decoded columns, if there are any.
    """
    names = [*_ALWAYS, *([_HEADERS] if options.include_headers else [])]
    if options.include_metadata:
        names += [name for name in record_columns() if name not in (*_ALWAYS, _HEADERS)]
    known = {**record_columns(), **(typed or {})}
    names += [name for name in typed or {} if name not in names and (options.include_bytes or name not in STORED)]
    schema = StructType([StructField(name, known[name]) for name in names])
    corrupt = corrupt_column(options)
    return schema if corrupt is None else schema.add(corrupt, StringType())


def corrupt_column(options: "SourceOptions") -> str | None:
    """Name of the column that describes damage; None if the mode has none."""
    return options.column_name_of_corrupt_record if options.mode == "PERMISSIVE" else None


def check_schema(schema: StructType, options: "SourceOptions", typed: Mapping[str, DataType] | None = None) -> None:
    """Check a user's `.schema(...)`: any columns are allowed, in any order, but no other names or types.

    Args:
        schema: the user's schema.
        options: the options.
        typed: types of the decoded columns, if there are any.

    Raises:
        ValueError: it has another column or type.
    """
    if not schema.fields:
        from pyspark_kafkafmt.udfs import require_spark

        if require_spark() < _COUNTS_WITHOUT_COLUMNS_SINCE:
            raise ValueError('schema: this Spark cannot count rows without columns; to count, read "offset bigint"')
    corrupt = corrupt_column(options)
    known: dict[str, DataType] = {
        **record_columns(),
        **(typed or {}),
        **({} if corrupt is None else {corrupt: StringType()}),
    }
    seen: set[str] = set()
    for column in schema.fields:
        if column.name not in known:
            raise ValueError(f"schema: there is no column {column.name}; {_hint(column.name, options, known)}")
        if column.name in seen:
            raise ValueError(f"schema: column {column.name} is given twice")
        seen.add(column.name)
        expected = known[column.name]
        if column.dataType.simpleString() != expected.simpleString():
            raise ValueError(
                f"schema: column {column.name} is {expected.simpleString()}, not {column.dataType.simpleString()}"
            )
        if not column.nullable or column.dataType != expected:
            raise ValueError(f"schema: column {column.name}, and all within it, must be nullable")


def _hint(name: str, options: "SourceOptions", known: dict[str, DataType]) -> str:
    for other in known:
        if other.lower() == name.lower():
            return f"it is written {other}"
    if name == options.column_name_of_corrupt_record:
        return "the column of corrupt records exists only in mode PERMISSIVE"
    return f"there are {', '.join(known)}"
