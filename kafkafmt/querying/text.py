"""Keys and values are bytes, and DuckDB's functions of text take none: those that queries need most take both here."""

from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.codec.java_text import decode_utf8

if TYPE_CHECKING:
    import duckdb

AS_TEXT = "as_text"
"""Name of the function that makes text of bytes; what is no UTF-8 becomes U+FFFD, as `--bytes utf8` has it."""

_SYSTEM = "system.main"

_OF_JSON = "json_extract_string"

# DuckDB's functions by their names here: like, not like, ilike, not ilike, glob, and so on. Without these `like` would
# not be defined on a value, and `->>` would be null, as it takes for JSON how DuckDB writes bytes.
_OF_TEXT = {
    "~~": "~~",
    "!~~": "!~~",
    "~~*": "~~*",
    "!~~*": "!~~*",
    "~~~": "~~~",
    "contains": "contains",
    "starts_with": "starts_with",
    "ends_with": "ends_with",
    "json_extract_string": _OF_JSON,
    "->>": _OF_JSON,
}


def add_functions(database: "duckdb.DuckDBPyConnection") -> None:
    """Add `as_text`, and let functions of text and a pattern or path read bytes as it does."""
    database.create_function(AS_TEXT, _as_text, ["BLOB"], "VARCHAR", type="arrow")  # type: ignore[call-overload]
    for name, function in _OF_TEXT.items():
        call = f'{_SYSTEM}."{function}"({AS_TEXT}(a), b)'
        of_bytes = f"(a BLOB, b VARCHAR) as {call}"
        if function == _OF_JSON:  # null where the bytes are no JSON: not all values of a topic need be
            of_bytes = f"(a BLOB, b VARCHAR) as try({call}), (a BLOB, b BIGINT) as try({call})"
        database.execute(f'create macro "{name}" {of_bytes}, (a, b) as {_SYSTEM}."{function}"(a, b)')


def _as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:  # some are no UTF-8
        texts = [None if value is None else decode_utf8(value) for value in values.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
