"""`decode_value`: typed values of any binary column, as that of Spark's own kafka source."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pyspark.sql import functions

from pyspark_kafkafmt.udfs import ARROW_FUNCTIONS_SINCE, check_on_damage, require_spark

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql._typing import ColumnOrName, UserDefinedFunctionLike

    from kafkafmt.errors import OnDamage
    from kafkafmt.values import Schemas
    from kafkafmt.values.formats import ValueFormat


@dataclass(frozen=True)
class ValuesDecoder:
    """Decodes a column; pickled from the driver to the workers.

    Attributes:
        format: of the values.
        on_damage: "raise" or "skip".
    """

    format: "ValueFormat"
    on_damage: "OnDamage"

    def __call__(self, stored: "pa.Array") -> "pa.Array":
        """The values as Spark takes them.

        Raises:
            DataError: one cannot be decoded, unless that is skipped.
        """
        import pyarrow as pa

        from pyspark_kafkafmt.typed_values import as_spark
        from pyspark_kafkafmt.worker import plainly

        headers = pa.nulls(len(stored), pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])))
        decoded = self.format.decode_column(stored.cast(pa.binary()), headers)
        if decoded.errors and self.on_damage == "raise":
            raise plainly(next(iter(decoded.errors.values())))
        return as_spark(decoded.values)


def decode_value(
    column: "ColumnOrName",
    *,
    schemas: "Schemas | str",
    subject: str,
    part: Literal["key", "value"] = "value",
    on_damage: "OnDamage" = "raise",
) -> "Column":
    """Decode a binary column of keys or values that begin with the id of a schema.

        records = spark.read.format("kafka").options(..).load()
        records.select(decode_value("value", schemas="http://registry:8081", subject="orders-value").alias("order"))

    The column may come from the data source "kafkafmt", from Spark's own kafka source, also in a stream, or from a
    file. The type is that of the latest schema of the subject; values are resolved to it. Schemas are read once, on the
    driver: a schema that is registered later is unknown to the query.

    Args:
        column: the column, or its name.
        schemas: the schemas, or a source of them: a log directory, a folder, or the URL of a registry, as for
            `kafkafmt.values.schemas`.
        subject: the subject whose latest schema the values are resolved to.
        part: whether the column has keys or values.
        on_damage: "raise" ends the job at a value that cannot be decoded; "skip" makes null of it.

    Returns:
        The decoded values: a struct for a record. What Spark has no type for is text in JSON, as a union of
        several types.

    Raises:
        kafkafmt.NotFoundError: there is no such subject; the message has some that there are.
        kafkafmt.UnsupportedError: this Spark is older than 4.0.
        KafkafmtError: the schemas cannot be read.
        ValueError: an `on_damage` that is neither.

        When the job runs, a KafkafmtError comes out of Spark's own `PythonException`, as `on_damage` says.
    """
    from kafkafmt.values.typed import format_of_subject
    from pyspark_kafkafmt.typed_values import schemas_of, spark_type_of_values

    check_on_damage(on_damage)
    version = require_spark()
    found = format_of_subject(cast("Schemas", schemas_of(schemas)), subject, part)
    decode = ValuesDecoder(found, on_damage)
    kind = spark_type_of_values(found.kind)
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
