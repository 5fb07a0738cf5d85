"""The data source's schema: what its options make it, and what a caller's own may be."""

from typing import TYPE_CHECKING

from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_kafkafmt.columns import record_columns
from pyspark_kafkafmt.functions import require_spark

if TYPE_CHECKING:
    from pyspark_kafkafmt.options import SourceOptions

_HEADERS = "headers"
_COUNTS_WITHOUT_COLUMNS_SINCE = (4, 3)
_ALWAYS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")


def default_schema(options: "SourceOptions") -> StructType:
    """The columns of Spark's `kafka` source, and those that options append. All are nullable."""
    names = [*_ALWAYS, *([_HEADERS] if options.include_headers else [])]
    if options.include_metadata:
        names += [name for name in record_columns() if name not in (*_ALWAYS, _HEADERS)]
    schema = StructType([StructField(name, record_columns()[name]) for name in names])
    corrupt = corrupt_column(options)
    return schema if corrupt is None else schema.add(corrupt, StringType())


def corrupt_column(options: "SourceOptions") -> str | None:
    """Name of the column that describes damage; None if no mode asks for one."""
    return options.column_name_of_corrupt_record if options.mode == "PERMISSIVE" else None


def check_schema(schema: StructType, options: "SourceOptions") -> None:
    """Refuse what a caller's `.schema(...)` may not hold: any columns, in any order, but no other names or types.

    Raises:
        ValueError: what is wrong with it.
    """
    if not schema.fields and require_spark() < _COUNTS_WITHOUT_COLUMNS_SINCE:
        raise ValueError('schema: this Spark counts no rows without columns; for a count, read "offset bigint"')
    corrupt = corrupt_column(options)
    known: dict[str, DataType] = {**record_columns(), **({} if corrupt is None else {corrupt: StringType()})}
    seen: set[str] = set()
    for field in schema.fields:
        if field.name not in known:
            raise ValueError(f"schema: there is no column {field.name}; {_hint(field.name, options, known)}")
        if field.name in seen:
            raise ValueError(f"schema: column {field.name} is given twice")
        seen.add(field.name)
        expected = known[field.name]
        if field.dataType.simpleString() != expected.simpleString():
            raise ValueError(
                f"schema: column {field.name} is {expected.simpleString()}, not {field.dataType.simpleString()}"
            )
        if not field.nullable or field.dataType != expected:
            raise ValueError(f"schema: column {field.name}, and all within it, must be nullable")


def _hint(name: str, options: "SourceOptions", known: dict[str, DataType]) -> str:
    for other in known:
        if other.lower() == name.lower():
            return f"it is written {other}"
    if name == options.column_name_of_corrupt_record:
        return "the column of corrupt records is there with mode PERMISSIVE only"
    return f"there are {', '.join(known)}"
