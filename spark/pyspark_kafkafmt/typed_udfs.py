"""`decode_value`: typed values of any binary column, such as that of Spark's own kafka source."""

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from pyspark.sql import functions
from pyspark.sql.types import StringType, StructField, StructType

from pyspark_kafkafmt.udfs import ARROW_FUNCTIONS_SINCE, check_on_damage, require_spark

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql._typing import ColumnOrName, UserDefinedFunctionLike

    from kafkafmt.errors import OnDamage
    from kafkafmt.values import Schemas
    from kafkafmt.values.formats import ValueFormat

# Without a handler of its own a warning goes to stderr, here that of an executor.
_LOG: Final = logging.getLogger(__package__)


@dataclass(frozen=True)
class ValuesDecoder:
    """Decodes a column; pickled from the driver to the workers.

    Attributes:
        format: format of the values.
        on_damage: "raise" or "skip".
        with_error: whether each value is in a struct, with the reason why it cannot be decoded.
    """

    format: "ValueFormat"
    on_damage: "OnDamage"
    with_error: bool = False

    def __call__(self, stored: "pa.Array") -> "pa.Array":
        """Decode the values for Spark; a warning counts those that are null because they cannot be decoded.

        Raises:
            DataError: one cannot be decoded, unless such values are skipped.
        """
        import pyarrow as pa

        from kafkafmt.values.chosen import OtherRecordError
        from pyspark_kafkafmt.typed_values import as_spark
        from pyspark_kafkafmt.worker import plainly

        headers = pa.nulls(len(stored), pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])))
        decoded = self.format.decode_column(stored.cast(pa.binary()), headers)
        faults = {row: each for row, each in decoded.errors.items() if not isinstance(each, OtherRecordError)}
        if faults and self.on_damage == "raise":
            raise plainly(next(iter(faults.values())))
        values = as_spark(decoded.values)
        if not self.with_error:
            if faults:
                first = next(iter(faults.values()))
                count = f"{len(faults)} of {len(stored)} values"
                _LOG.warning("kafkafmt: decode_value made null of %s; the first: %s", count, first)
            return values
        errors = pa.array([str(faults[row]) if row in faults else None for row in range(len(stored))], pa.string())
        return pa.StructArray.from_arrays([values, errors], ["value", "error"])


def decode_value(
    column: "ColumnOrName",
    *,
    schemas: "Schemas | str",
    subject: str,
    record: str | None = None,
    part: Literal["key", "value"] = "value",
    on_damage: "OnDamage" = "raise",
    with_error: bool = False,
) -> "Column":
    """Decode a binary column of keys or values that begin with the id of a schema.

        records = spark.read.format("kafka").options(..).load()
        records.select(decode_value("value", schemas="http://registry:8081", subject="orders-value").alias("order"))

    The column may come from the data source "kafkafmt", from Spark's own kafka source, even in a stream, or from a
    file. The type is that of the latest schema of the subject; values are resolved to it. Schemas are read once, on the
    driver: a schema that is registered later is unknown to the query.

    Args:
        column: the column, or its name.
        schemas: the schemas, or a source of them: a log directory, a folder, or the URL of a registry, as for
            `kafkafmt.values.schemas`.
        subject: the subject whose latest schema the values are resolved to.
        record: the full name of a record type of this schema, as in "com.x.Order": values of other types are null. If
            None, a Protobuf value of a message other than the first of the schema cannot be decoded.
        part: whether the column has keys or values.
        on_damage: "raise" ends the job at a value that cannot be decoded; "skip" makes it null, and a warning on the
            executor counts such values.
        with_error: with "skip", return structs of `value` and `error`: the reason why the value cannot be decoded, or
            null.

    Returns:
        The decoded values: a struct for a record. Values for which Spark has no type are JSON text, as for a union of
        several types.

    Raises:
        kafkafmt.NotFoundError: there is no such subject or record type; the message names some that exist.
        kafkafmt.UnsupportedError: this Spark is older than 4.0.
        KafkafmtError: the schemas cannot be read.
        ValueError: `on_damage` is neither of the two; `with_error` is given with "raise".

        When the job runs, Spark's own `PythonException` contains the text of a KafkafmtError, depending on `on_damage`.
    """
    from kafkafmt.values.decode_arguments import AdvisedArguments
    from kafkafmt.values.typed import format_of_subject
    from pyspark_kafkafmt.typed_values import schemas_of, spark_type_of_values

    if check_on_damage(on_damage) == "raise" and with_error:
        raise ValueError('with_error goes with on_damage="skip": "raise" ends the job at the first error')
    version = require_spark()
    known = replace(cast("Schemas", schemas_of(schemas)), advised=AdvisedArguments(schema="subject=", written=None))
    found = format_of_subject(known, subject, part, record)
    decode = ValuesDecoder(found, on_damage, with_error)
    kind = spark_type_of_values(found.kind)
    if with_error:
        kind = StructType([StructField("value", kind), StructField("error", StringType())])
    if version < ARROW_FUNCTIONS_SINCE:
        import pyarrow as pa

        def decode_plain(data: bytearray | None) -> Any:  # noqa: ANN401 - of any type
            values = decode(pa.array([None if data is None else bytes(data)], pa.binary()))
            return values.to_pylist(maps_as_pydicts="lossy")[0]

        return functions.udf(decode_plain, kind, useArrow=False)(column)

    import pyarrow as pa

    def decode_arrow(stored: pa.Array) -> pa.Array:
        return decode(stored)

    # PySpark's own stubs leave it out.
    arrow_udf: Callable[..., UserDefinedFunctionLike] = cast("Any", functions).arrow_udf
    return arrow_udf(decode_arrow, kind)(column)
