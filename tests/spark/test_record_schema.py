"""The schema that options produce, and the error for a schema that does not fit."""

import pyspark
import pytest
from pyspark.sql.types import StructType

from pyspark_kafkafmt.options import SourceOptions, check_schema, default_schema

PLAIN = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]


def options(**given: str) -> SourceOptions:
    return SourceOptions.parse({"path": "x", **given})


def test_names_are_in_order() -> None:
    assert default_schema(options()).names == PLAIN
    assert default_schema(options(includeHeaders="true")).names == [*PLAIN, "headers"]
    everything = default_schema(options(includeHeaders="true", includeMetadata="true", mode="PERMISSIVE"))
    assert everything.names[:8] == [*PLAIN, "headers"]
    assert everything.names[8] == "partitionLeaderEpoch"
    assert everything.names[-3:] == ["file", "timestampMs", "_corrupt_record"]


def test_the_default_schemas_pass() -> None:
    for each in (options(), options(includeMetadata="true"), options(mode="PERMISSIVE")):
        check_schema(default_schema(each), each)


def test_no_column_at_all_is_for_sparks_that_count_rows_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.3.0")
    check_schema(StructType(), options())
    monkeypatch.setattr(pyspark, "__version__", "4.0.1")
    with pytest.raises(ValueError, match="cannot count rows without columns"):
        check_schema(StructType(), options())


def test_a_column_may_not_come_twice() -> None:
    with pytest.raises(ValueError, match="column offset is given twice"):
        check_schema(StructType().add("offset", "long").add("offset", "long"), options())


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (StructType().add("Offset", "long"), "there is no column Offset; it is written offset"),
        (StructType().add("_corrupt_record", "string"), "exists only in mode PERMISSIVE"),
        (StructType().add("offset", "long", nullable=False), "column offset, and all within it, must be nullable"),
    ],
    ids=["case", "no such mode", "not null"],
)
def test_what_does_not_fit_is_told(schema: StructType, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_schema(schema, options())


def test_the_column_of_damage_is_text() -> None:
    named = options(mode="PERMISSIVE", columnNameOfCorruptRecord="bad")
    check_schema(StructType().add("bad", "string").add("key", "binary"), named)
    with pytest.raises(ValueError, match="column bad is string, not int"):
        check_schema(StructType().add("bad", "integer"), named)
    with pytest.raises(ValueError, match=r"there is no column _corrupt_record; there are key, .*, bad"):
        check_schema(StructType().add("_corrupt_record", "string"), named)
