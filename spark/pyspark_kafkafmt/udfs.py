"""Functions for rows of "binaryFile": parsers of segments and indexes as UDFs, in Python and in SQL."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, cast, get_args

import pyspark
from pyspark.sql import functions
from pyspark.sql.types import ArrayType, StructType

from pyspark_kafkafmt.columns import (
    IndexKind,
    index_columns,
    record_columns,
    select_columns,
    source_columns,
    to_spark,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import Column, SparkSession
    from pyspark.sql._typing import ColumnOrName, UserDefinedFunctionLike

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits

MAX_ARRAY_BYTES: Final = 2**31 - 1
"""Maximum size of the values of one Arrow array, in bytes."""

MAX_VALUE_BYTES: Final = 2**31 - 16
"""Maximum size of one value (here: all records of a file) in Spark's own row format, in bytes."""

# Without a handler of its own a warning goes to stderr, here that of an executor.
_LOG: Final = logging.getLogger(__package__)

_INSTEAD: Final = "kafkafmt.scan reads a file of any size, as a stream"


class FileDecoder(Protocol):
    """Decodes one file; pickled from the driver to the workers."""

    def __call__(self, path: str, content: bytes, on_damage: "OnDamage") -> "pa.StructArray":
        """Give the entries of the file as structs; raise a KafkafmtError if it cannot be decoded."""


@dataclass(frozen=True)
class SegmentDecoder:
    """Decodes the records of a log segment.

    Attributes:
        names: fields of the structs.
        limits: as for `kafkafmt.scan`.
    """

    names: tuple[str, ...]
    limits: "Limits"

    def __call__(self, path: str, content: bytes, on_damage: "OnDamage") -> "pa.StructArray":
        """Decode the segment, without control records; `on_damage` is "raise" or "skip", as for `kafkafmt.scan`."""
        from kafkafmt.errors import LimitExceededError
        from kafkafmt.scanning import scan_bytes

        columns = source_columns(self.names)
        notes: dict[str, None] = {}
        damage: list[Damage] = []
        table = scan_bytes(
            content,
            file=path,
            columns=columns,
            on_damage=on_damage,
            limits=self.limits,
            note=notes.setdefault,
            report=damage.append,
        )
        for note in notes:
            _LOG.warning("kafkafmt: %s", note)
        skipped = [each.error for each in damage if not each.is_open_end]
        if skipped:
            ranges = "1 damaged range" if len(skipped) == 1 else f"{len(skipped)} damaged ranges"
            _LOG.warning("kafkafmt: left out %s; the first: %s", ranges, skipped[0])
        # In Spark's row format a record has a size, bits for nulls, and a word for each field, in addition to its
        # bytes.
        size = table.nbytes + len(table) * 8 * (2 + len(self.names))
        if size > MAX_VALUE_BYTES:
            raise LimitExceededError(
                f"the decoded segment is too large for one value of Spark; {_INSTEAD}",
                file=path,
                expected=f"at most {MAX_VALUE_BYTES} bytes",
                found=f"about {size} bytes",
            )
        return to_spark(table, self.names)


@dataclass(frozen=True)
class IndexDecoder:
    """Decodes the entries of an offset index or time index; any bytes are valid.

    Attributes:
        names: fields of the structs.
        kind: which of the two.
    """

    names: tuple[str, ...]
    kind: IndexKind

    def __call__(self, path: str, content: bytes, on_damage: "OnDamage") -> "pa.StructArray":  # noqa: ARG002 - no damage known
        """Decode the index, with the base offset in the name of the file."""
        from kafkafmt.files import index_file, offset_index, time_index

        module = {"offset": offset_index, "time": time_index}[self.kind]
        index = module.parse(content, base_offset=index_file.base_offset_of(path), file=path)
        return to_spark(index.to_table(), self.names)


def decode_file(
    decoder: FileDecoder, path: str | None, content: bytes | None, on_damage: str
) -> "pa.StructArray | None":
    """Decode one file; returns None for a file that cannot be read at all, if damage is skipped.

    Raises:
        KafkafmtError: from the decoder, or a SourceError for a null content; not if damage is skipped.
        ValueError: `on_damage` is neither "raise" nor "skip".
    """
    from kafkafmt.errors import KafkafmtError, SourceError

    mode = check_on_damage(on_damage)
    try:
        if content is None:
            raise SourceError(f"the file has no content (null); {_INSTEAD}", file=path)
        return decoder(path or "", content, mode)
    except KafkafmtError:
        if mode == "skip":
            return None
        raise


def decode_arrays(decoder: FileDecoder, paths: "pa.Array", contents: "pa.Array", on_damage: "pa.Array") -> "pa.Array":
    """Decode a batch of files into one list of structs for each; null for a file that was skipped as a whole.

    Raises:
        KafkafmtError: as for `decode_file`; LimitExceededError if the lists together are too large for an Arrow array.
    """
    import pyarrow as pa

    from kafkafmt.errors import LimitExceededError

    offsets: list[int | None] = []
    decoded: list[pa.StructArray] = []
    end = size = 0
    for path, content, mode in zip(paths, contents, on_damage, strict=True):
        structs = decode_file(decoder, path.as_py(), content.as_py(), mode.as_py())
        offsets.append(None if structs is None else end)
        if structs is None:
            continue
        end += len(structs)
        size += structs.nbytes
        if size > MAX_ARRAY_BYTES:
            raise LimitExceededError(
                "the decoded files of one Arrow batch are too large together; "
                "lower spark.sql.execution.arrow.maxRecordsPerBatch, the number of files in one",
                file=path.as_py(),
                expected=f"at most {MAX_ARRAY_BYTES} bytes",
                found=f"{size} bytes",
            )
        decoded.append(structs)
    if not decoded:
        return pa.nulls(len(offsets))
    return pa.ListArray.from_arrays(pa.array([*offsets, end], pa.int32()), pa.concat_arrays(decoded))


def decode_rows(
    decoder: FileDecoder, path: str | None, content: bytes | None, on_damage: str
) -> list[tuple[Any, ...]] | None:
    """Decode one file into tuples of plain Python values, which Spark 4.0 accepts without pandas."""
    structs = decode_file(decoder, path, content, on_damage)
    if structs is None:
        return None
    return list(zip(*(field.to_pylist() for field in structs.flatten()), strict=True))


def check_on_damage(on_damage: str) -> "OnDamage":
    """Return `on_damage`, if it is valid.

    Raises:
        ValueError: it is neither "raise" nor "skip".
    """
    from kafkafmt.errors import OnDamage

    if on_damage not in get_args(OnDamage):
        raise ValueError(f'on_damage must be "raise" or "skip", not {on_damage!r}')
    return cast("OnDamage", on_damage)


_OLDEST_SPARK: Final = (4, 0)
ARROW_FUNCTIONS_SINCE: Final = (4, 1)
"""The first version of Spark with functions on Arrow arrays."""


def parse_segment(
    path: "ColumnOrName",
    content: "ColumnOrName",
    *,
    columns: Sequence[str] | None = None,
    on_damage: "OnDamage" = "raise",
    limits: "Limits | None" = None,
) -> "Column":
    """Decode log segments (`.log`) into an array of records.

        files = spark.read.format("binaryFile").load("/var/kafka-logs/*-*[0-9]/*.log")
        records = files.select(explode(parse_segment("path", "content")).alias("r")).select("r.*")

    This sees one file at a time, so its rows include records below the log start offset, and segments that an
    interrupted compaction has replaced. Control records are left out, as in `kafkafmt.scan`.

    Name the files with a glob, as above. If Spark walks a directory itself (`recursiveFileLookup`), it skips
    names that begin with an underscore, and with them Kafka's internal topics.

    Size: binaryFile reads a whole file into memory, and Spark treats all its records as one value. With Spark's default
    memory (1 GiB per JVM) segments of up to about 30 MB work; 100 MB take 4 GiB, 250 MB 8 GiB. Decoded records above 2
    GiB, as from about 500 MB on, are not supported (Kafka's default segment has 1 GiB). `kafkafmt.scan` reads files of
    any size. For many files reduce `spark.sql.execution.arrow.maxRecordsPerBatch` (10000), which here counts files.
    Spark 4.0 handles the records more slowly than later releases.

    Args:
        path: the file's path or URI, a column or its name; its last directory gives topic and partition.
        content: the file's bytes, a column or its name.
        columns: names of the fields to decode, in this order; all of them if None.
        on_damage: "raise" ends the job at the first damage; "skip" gives all records that are whole, and null for
            a file that cannot be read at all (`explode` leaves it out, `explode_outer` does not).
        limits: bounds of one batch of records; `kafkafmt.Limits()` if None.

    Returns:
        array<struct<..>> with the columns of `kafkafmt.scan`. `timestamp` is null outside the years 1 to 9999, which
        PySpark cannot represent; the last field, `timestampMs` bigint, always has the number that Kafka stores. `file`
        is the given path.

    Raises:
        kafkafmt.UnsupportedError: this Spark is older than 4.0.
        ValueError: a column name is unknown, or `on_damage` is neither of the two.

        When the job runs, Spark's own `PythonException` contains the text of a KafkafmtError with file and position:
        for damage with `on_damage="raise"`, a null content, or a segment that exceeds the limits.
    """
    check_on_damage(on_damage)
    return _segment_function(columns, limits)(path, content, functions.lit(on_damage))


def parse_index(
    kind: IndexKind,
    path: "ColumnOrName",
    content: "ColumnOrName",
    *,
    columns: Sequence[str] | None = None,
    on_damage: "OnDamage" = "raise",
) -> "Column":
    """Decode indexes into an array of entries, without the zeros that pad an active one.

        files = spark.read.format("binaryFile").load("/var/kafka-logs/*-*[0-9]/*.timeindex")
        entries = files.select(explode(parse_index("time", "path", "content")).alias("e")).select("e.*")

    Args:
        kind: "offset" for offset indexes (`.index`), "time" for time indexes (`.timeindex`).
        path: the file's path or URI, a column or its name; the file's name gives the base offset.
        content: the file's bytes, a column or its name.
        columns: names of the fields, in this order; all of them if None.
        on_damage: "raise" ends the job at a file without content (null); "skip" gives null for it. Any bytes are a
            valid index.

    Returns:
        of offset indexes array<struct<offset bigint, relativeOffset int, position bigint>>, `position` in bytes; of
        time indexes array<struct<timestamp timestamp, offset bigint, relativeOffset int, timestampMs bigint>>,
        `timestamp` null outside the years 1 to 9999, as in `parse_segment`. `offset` is null if the name has no base
        offset.

    Raises:
        kafkafmt.UnsupportedError: this Spark is older than 4.0.
        ValueError: a kind or column name is unknown, or `on_damage` is neither of the two.
    """
    check_on_damage(on_damage)
    return _index_function(kind, columns)(path, content, functions.lit(on_damage))


def register(spark: "SparkSession") -> None:
    """Register the data source "kafkafmt" in a session, and the functions above as SQL functions.

    Spark also finds the data source by the name of this package. The functions are `kafkafmt_parse_segment(path,
    content [, on_damage => 'raise'])`, `kafkafmt_parse_offset_index(path, content)` and
    `kafkafmt_parse_time_index(path, content)`, with all columns and the default limits.

    Raises:
        kafkafmt.UnsupportedError: this Spark is older than 4.0.
    """
    for name, function in (
        ("kafkafmt_parse_segment", _segment_function(None, None)),
        ("kafkafmt_parse_offset_index", _index_function("offset", None)),
        ("kafkafmt_parse_time_index", _index_function("time", None)),
    ):
        spark.udf.register(name, function)
    from pyspark_kafkafmt.datasource import KafkafmtDataSource

    spark.dataSource.register(KafkafmtDataSource)


def _segment_function(columns: Sequence[str] | None, limits: "Limits | None") -> "UserDefinedFunctionLike":
    from kafkafmt.limits import Limits

    struct = select_columns(record_columns(), columns)
    return _spark_function(SegmentDecoder(tuple(struct.names), limits or Limits()), struct)


def _index_function(kind: IndexKind, columns: Sequence[str] | None) -> "UserDefinedFunctionLike":
    if kind not in get_args(IndexKind):
        raise ValueError(f'kind must be "offset" or "time", not {kind!r}')
    struct = select_columns(index_columns(kind), columns)
    return _spark_function(IndexDecoder(tuple(struct.names), kind), struct)


def _spark_function(decoder: FileDecoder, struct: StructType) -> "UserDefinedFunctionLike":
    if require_spark() < ARROW_FUNCTIONS_SINCE:

        def decode_plain(
            path: str | None, content: bytearray | None, on_damage: str = "raise"
        ) -> list[tuple[Any, ...]] | None:
            return decode_rows(decoder, path, None if content is None else bytes(content), on_damage)

        return functions.udf(decode_plain, ArrayType(struct), useArrow=False)

    import pyarrow as pa

    # The annotations tell Spark what kind of function this is; SQL may leave out the third argument.
    def decode(path: pa.Array, content: pa.Array, on_damage: pa.Array = None) -> pa.Array:
        modes = pa.repeat("raise", len(path)) if on_damage is None else on_damage
        return decode_arrays(decoder, path, content, modes)

    # PySpark's own stubs leave it out.
    arrow_udf: Callable[..., UserDefinedFunctionLike] = cast("Any", functions).arrow_udf
    return arrow_udf(decode, ArrayType(struct))


def require_spark() -> tuple[int, int]:
    """Version of pyspark, as (major, minor).

    Raises:
        kafkafmt.UnsupportedError: it is older than 4.0.
    """
    major, minor = pyspark.__version__.split(".")[:2]
    version = int(major), int(minor)
    if version < _OLDEST_SPARK:
        from kafkafmt.errors import UnsupportedError

        raise UnsupportedError(
            "pyspark_kafkafmt needs a newer Spark", expected="pyspark 4.0 or later", found=pyspark.__version__
        )
    return version
