"""The data source "kafkafmt": the class behind `spark.read.format("kafkafmt")`.

Spark imports this in every session that uses any Python data source, so the reader is loaded only when it is needed.
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
    PERMISSIVE, append columns. `timestamp` is null outside the years 1 to 9999, which PySpark cannot represent;
    `timestampMs` has every value. Spark does not tell a Python data source which columns a query needs: pass them to
    `.schema("offset bigint, value binary")`, any columns in any order, and only those are decoded.

    **Options** of Spark's `kafka` source, with its JSON and defaults:

    - `subscribe`, `subscribePattern` or `assign`: which topics; without any of them, all topics found.
    - `startingTimestamp`, `startingOffsetsByTimestamp`, `startingOffsets` ("earliest"); `endingTimestamp`,
      `endingOffsetsByTimestamp`, `endingOffsets` ("latest"); `startingOffsetsByTimestampStrategy` ("error").
    - `failOnDataLoss` (true): whether offsets, topics or partitions that are not on disk are an error.
    - `minPartitions`, `maxRecordsPerPartition`: bounds for Spark's partitions; none by default.
    - `includeHeaders` (false): append headers array<struct<key string, value binary>>; null for a record without
      headers.
    - `kafka.isolation.level` ("read_uncommitted"): or "read_committed".

    **Options** of kafkafmt's own:

    - `path`: the argument of `load`.
    - `includeMetadata` (false): append partitionLeaderEpoch int, producerId bigint, producerEpoch smallint,
      sequence int, isTransactional boolean, isControl boolean, controlType string, magic tinyint, compression string,
      baseOffset bigint, position bigint, file string, timestampMs bigint.
    - `mode` (FAILFAST): damage ends the job, with file and position in the error. PERMISSIVE appends a column, and each
      damaged range becomes a row with JSON {file, position, length, reason} in it, topic and partition, and nulls. If
      `.schema(...)` has no such column, and in mode DROPMALFORMED, damage is left out, and a warning on the stderr of
      the executor (in local mode: of the program) counts it. A partial entry or zeros at the end of
      a log that a running broker writes are not damage in any mode. A file that cannot be read ends the job in every
      mode.
    - `columnNameOfCorruptRecord` (_corrupt_record): the name of that column.
    - `replica` (best): "all" reads every copy of a partition that is found more than once.
    - `maxPartitionBytes` (128m): bytes of log files in one of Spark's partitions.
    - `maxDecompressedBytes` (100m): maximum size of one batch of records after decompression, in bytes.
    - `decryptionKeys`: JSON object of private keys (PEM files) by their names, for encrypted tiers (KIP-405), as in
      {"key1": "/etc/keys/key1.pem"}. Driver and executors read the files; the plan only contains their paths.
    - `valueFormat`, `keyFormat`: decode values or keys: auto, avro, json, string, int, .. as for `Scan.decode`; the
      columns key and value are typed, and keySchemaId int, valueSchemaId int, keyError string, valueError string are
      appended. A value that cannot be decoded ends the job in mode FAILFAST; in the other modes it is null, with an
      error message.
    - `includeBytes` (false): append keyBytes binary, valueBytes binary: the stored bytes, even if they cannot be
      decoded.
    - `schemas`: where schemas come from, if the paths have no topic _schemas: as for `kafkafmt.values.schemas`.
    - `record`: with `valueFormat`, the full name of a record type, as in com.x.Order: other values are left out.

    **Splits.** When a query is planned, the driver lists the directories and divides the segments between batches,
    using their offset indexes or a walk over headers, into ranges of about `maxPartitionBytes`; small ones are combined
    in order. Segments outside the requested offsets are not opened. File sizes are those of the listing: records that a
    broker writes later are not read, and Spark may keep a plan for all queries of a DataFrame: load again to read them.
    Rows are in the order of topics, partitions and offsets only within each of Spark's partitions.

    **Streams.** `spark.readStream.format("kafkafmt")` takes the same options except those for an end, and the options
    of Spark's `kafka` source for triggers; offsets in its checkpoint have the form of the `kafka` source. See
    docs/spark_streaming.md for the rules.

    **Writing.** `df.write.format("kafkafmt").mode("append").save("/new")` creates a log directory, which must not
    exist, like `kafkafmt.write`; the arguments of that are the options (`message_format` is `messageFormat`). Each task
    writes its rows next to the target, on storage that all machines share; when all are done, the driver combines the
    partitions under the final name. Nothing is encoded twice if one task has all rows of a partition:
    `df.repartition("topic", "partition").sortWithinPartitions("topic", "partition", "offset")`.
    """

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return _NAME

    def schema(self) -> StructType:
        """The columns that the options ask for; not called if the user gives a `.schema(...)`.

        Raises:
            ValueError: an option is invalid.
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
        """Make the object that plans a read and reads.

        Args:
            schema: the columns to read, in order.

        Raises:
            ValueError: an option, or a column of `schema`, is invalid.
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
        """Make the object that finds new records at each trigger, and reads them.

        Args:
            schema: the columns to read, in order.

        Raises:
            ValueError: an option, or a column of `schema`, is invalid.
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
        """Make the object that writes a new log directory.

        Args:
            schema: schema of the DataFrame.
            overwrite: whether the mode is "overwrite", which is refused.

        Raises:
            ValueError: an option is invalid.
            SourceError: the directory exists, or is not a local path.
            UnsupportedError: the mode is "overwrite".
        """
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.sink_options import SinkOptions
        from pyspark_kafkafmt.worker import plainly
        from pyspark_kafkafmt.writer import new_writer

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
