"""The data source "kafkafmt": the class for `spark.read.format("kafkafmt")`.

Spark imports this in every session that uses any Python data source, so the reader is loaded when it is needed.
"""

from typing import TYPE_CHECKING, NoReturn

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )

_NAME = "kafkafmt"


class KafkafmtDataSource(DataSource):
    """Records of Kafka's log directories, read from disks or object storage without a broker; its name is "kafkafmt".

        records = spark.read.format("kafkafmt").load("/var/lib/kafka/data")
        records.where("topic = 'orders'").selectExpr("cast(key as string)", "cast(value as string)").show()

    `load` takes the sources of `kafkafmt.scan`: a log directory, a directory above several (copies of brokers' disks:
    if a partition is found twice, the best replica is read), a partition directory, a segment; a path, a URI such as
    `s3://bucket/copies?region=eu-west-1`, or a list of those. Wildcards are `*`, `?` (not in URIs), `[a-c]`, `{a,b}`.
    Reading never writes there.

    **Schema.** That of Spark's `kafka` source: key binary, value binary, topic string, partition int, offset bigint,
    timestamp timestamp, timestampType int; all nullable. The options `includeHeaders` and `includeMetadata`, and mode
    PERMISSIVE, append columns. `timestamp` is null outside of the years 1 to 9999, which PySpark cannot represent;
    `timestampMs` has every value. Spark does not pass the columns of a query to a Python data source: give them to
    `.schema("offset bigint, value binary")`, any in any order, and only those are decoded.

    **Options**, as of Spark's `kafka` source, with its JSON and defaults:

    - `subscribe`, `subscribePattern` or `assign`: which topics; without any, all that are there.
    - `startingTimestamp`, `startingOffsetsByTimestamp`, `startingOffsets` ("earliest"); `endingTimestamp`,
      `endingOffsetsByTimestamp`, `endingOffsets` ("latest"); `startingOffsetsByTimestampStrategy` ("error").
    - `failOnDataLoss` (true): whether offsets, topics or partitions that are not on disk are an error.
    - `minPartitions`, `maxRecordsPerPartition`: of Spark's partitions; no bounds.
    - `includeHeaders` (false): append headers array<struct<key string, value binary>>; null if there are none.
    - `kafka.isolation.level` ("read_uncommitted"): or "read_committed".

    And our own:

    - `path`: the argument of `load`.
    - `includeMetadata` (false): append partitionLeaderEpoch int, producerId bigint, producerEpoch smallint,
      sequence int, isTransactional boolean, isControl boolean, controlType string, magic tinyint, compression string,
      baseOffset bigint, position bigint, file string, timestampMs bigint.
    - `mode` (FAILFAST): damage ends the job, with file and position in the error. PERMISSIVE appends a column, and each
      damaged range is a row with JSON {file, position, length, reason} in it, topic and partition, and nulls; where
      `.schema(...)` has no such column, and in mode DROPMALFORMED, it is left out, and a warning on the stderr of the
      executor (locally: of the program) counts. A partial entry or zeros that a running broker leaves at the end of a
      log are not damage in any mode. A file that cannot be read ends the job in all of them.
    - `columnNameOfCorruptRecord` (_corrupt_record): the name of that column.
    - `replica` (best): "all" reads each copy of a partition that is met more than once.
    - `maxPartitionBytes` (128m): bytes of log files in one of Spark's partitions.
    - `maxDecompressedBytes` (100m): most bytes of one batch of records when it is decompressed.
    - `decryptionKeys`: JSON object of private keys (PEM files) by their names, for encrypted tiers (KIP-405), as in
      {"key1": "/etc/keys/key1.pem"}. Driver and executors read the files; the plan holds their paths alone.
    - `valueFormat`, `keyFormat`: decode values, keys: auto, avro, json, string, int, .. as `Scan.decode`; the columns
      key and value are typed, and keySchemaId int, valueSchemaId int, keyError string, valueError string are appended.
      What does not decode ends the job in mode FAILFAST; in the other modes it is null, and its error says why.
    - `includeBytes` (false): append keyBytes binary, valueBytes binary: as stored, also what does not decode.
    - `schemas`: where schemas come from, if the paths have no topic _schemas: as for `kafkafmt.values.schemas`.
    - `record`: with `valueFormat`, the full name of a record type, as in com.x.Order: values of others are left out.

    **Splits.** When a query is planned, the driver lists the directories and divides the segments between batches, by
    their offset indexes or a walk over headers, into ranges of about `maxPartitionBytes`; small ones are put together
    in order. Segments outside the requested offsets are not opened. Sizes are those of the listing: records that a
    broker writes later are not read, and Spark may keep a plan for all queries of a DataFrame: load again to read them.
    Rows are in the order of topics, partitions and offsets in one of Spark's partitions only.

    **Streams.** `spark.readStream.format("kafkafmt")` takes the same options, but none for an end, and those of Spark's
    `kafka` source for triggers; offsets in its checkpoint are those of the `kafka` source. docs/spark_streaming.md has
    the rules.

    **Writing.** `df.write.format("kafkafmt").mode("append").save("/new")` makes a log directory that must not exist, as
    `kafkafmt.write` does; its arguments are the options (`message_format` is `messageFormat`). Each task writes its
    rows beside the target, on storage that all machines share; when all are done the driver puts the partitions
    together under the final name. Nothing is encoded twice if one task has all rows of a partition:
    `df.repartition("topic", "partition").sortWithinPartitions("topic", "partition", "offset")`.
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return _NAME

    def schema(self) -> StructType:
        """The columns that the options ask for; not called for a reader with a `.schema(...)` of its own.

        Raises:
            ValueError: an invalid option.
            KafkafmtError: with `valueFormat` or `keyFormat`, as for reading.
        """
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.options import default_schema
        from pyspark_kafkafmt.stream_options import options_of
        from pyspark_kafkafmt.worker import freeze, plainly

        try:
            options = options_of(self.options)
            if not options.is_typed:
                return default_schema(options)
            from pyspark_kafkafmt.planning import typed_columns

            typed = typed_columns(options)
            return default_schema(options, None if typed is None else typed.types)
        except (ValueError, KafkafmtError) as error:
            raise plainly(error) from None
        finally:
            freeze()

    def reader(self, schema: StructType) -> "DataSourceReader":
        """The object that plans a read and reads.

        Args:
            schema: the columns to read, in order.

        Raises:
            ValueError: an invalid option, or an invalid column of `schema`.
        """
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.options import SourceOptions
        from pyspark_kafkafmt.reader import KafkafmtReader
        from pyspark_kafkafmt.worker import plainly

        try:
            return KafkafmtReader(SourceOptions.parse(self.options), schema)
        except (ValueError, KafkafmtError) as error:
            raise plainly(error) from None

    def streamReader(self, schema: StructType) -> "DataSourceStreamReader":  # noqa: N802 - Spark's
        """The object that finds new records at each trigger, and reads them.

        Args:
            schema: the columns to read, in order.

        Raises:
            ValueError: an invalid option, or an invalid column of `schema`.
        """
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.stream_options import StreamOptions
        from pyspark_kafkafmt.streaming import HAS_LIMITS, KafkafmtStreamReader
        from pyspark_kafkafmt.worker import plainly

        try:
            return KafkafmtStreamReader(StreamOptions.parse(self.options, has_limits=HAS_LIMITS), schema)
        except (ValueError, KafkafmtError) as error:
            raise plainly(error) from None

    def writer(self, schema: StructType, overwrite: bool) -> "DataSourceWriter":
        """The object that writes a new log directory.

        Args:
            schema: of the DataFrame.
            overwrite: mode "overwrite", which is refused.

        Raises:
            ValueError: an invalid option.
            SourceError: the directory exists, or is not a local path.
            UnsupportedError: mode "overwrite".
        """
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.worker import plainly
        from pyspark_kafkafmt.writer import SinkOptions, new_writer

        if overwrite:
            _refuse("nothing is ever overwritten", 'mode("append")', 'mode("overwrite")')
        try:
            return new_writer(SinkOptions.parse(self.options), schema)
        except (ValueError, KafkafmtError) as error:
            raise plainly(error) from None

    def streamWriter(self, schema: StructType, overwrite: bool) -> "DataSourceStreamWriter":  # noqa: ARG002, N802 - Spark's
        """Refused: a log directory is written once, as a whole."""
        _refuse("streaming is not offered", "df.write", "df.writeStream")


def _refuse(why: str, expected: str, found: str) -> NoReturn:
    from kafkafmt.errors import UnsupportedError

    raise UnsupportedError(f'format("{_NAME}"): {why}', expected=expected, found=found)
