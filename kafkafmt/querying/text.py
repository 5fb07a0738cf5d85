"""Text in keys and values, which are bytes: functions that read bytes as text, and the bytes that they search for.

DuckDB passes comparisons of columns with constants to a scan, but not functions. Therefore each function that searches
bytes for text also compares them: `value like '%4711%'` is `.. and value <> 'MARK4711'`, with random bytes as the mark.
The comparison is true for all values, and DuckDB passes it to the scan wherever it may leave out rows for which the
function is not true. There `sought` finds the bytes that a record must contain. DuckDB decides on the remaining rows,
so this filter may be weaker than the pattern, never stronger. If conditions are joined by `or`, a record must contain
the bytes of one of them.
"""

import re
import secrets
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.searching.pattern import longest_of_ascii

if TYPE_CHECKING:
    import duckdb

AS_TEXT: Final = "as_text"
"""Name of the function that converts bytes to text; bytes that are not UTF-8 become U+FFFD, as by `--bytes utf8`."""

HOLDS: Final = "holds_text"
"""Name of the function on bytes by which a scan finds those for which another function may be true."""

TEXT_OF: Final = "text_of"
"""Name of the function that converts bytes to text, and returns anything else unchanged."""

JSON_OF: Final = "json_of"
"""Name of the function that converts bytes to JSON (null if they are not JSON), and returns other values unchanged."""

HOLDS_ONE: Final = "holds_one_of"
"""Name of the function on bytes by which a scan finds records for which one of several functions may be true."""

NEEDLE_IN: Final = "needle_in"
"""Name of the function that makes the bytes that a column must contain; null if the column has no bytes."""

_NEEDLE: Final = "needle_of_text"
_ONE_OF: Final = "one_needle_of"
_SYSTEM: Final = "system.main"
_OF_JSON: Final = "json_extract_string"

# DuckDB's functions by their names here: like, not like, ilike, not ilike, glob, and so on. Without these `like` would
# not be defined on a value, and `->>` would be null, as it would parse DuckDB's escapes of bytes as JSON.
_SEARCHES: Final = ("~~", "~~*", "~~~", "contains", "starts_with", "ends_with")
_ESCAPING: Final = ("like_escape", "ilike_escape")
_OTHERS: Final = ("!~~", "!~~*")
_OTHERS_ESCAPING: Final = ("not_like_escape", "not_ilike_escape")

SEARCHES: Final = frozenset({*_SEARCHES, *_ESCAPING})
"""Functions of bytes and a pattern that are true only for bytes that pass `HOLDS`."""

EQUAL: Final = "="
"""Name of equality among the functions that `HOLDS` takes."""

_IGNORING_CASE: Final = frozenset({"~~*", "ilike_escape"})
_SURE: Final = frozenset({"contains", "starts_with", "ends_with", EQUAL})

# Random, so that no constant of a query can look like a marked pattern.
_MARK: Final = secrets.token_bytes(16)
_PIECE: Final = struct.Struct(">I")  # length in bytes of the pattern that follows
_REPLACED: Final = "\ufffd"
# Letters of ASCII that are also the lower case of others: U+0130 and the Kelvin sign. `longest_of_ascii` leaves k out.
_ALSO_OTHERS: Final = re.compile("[iI]")


def add_functions(database: "duckdb.DuckDBPyConnection") -> None:
    """Add `as_text`, and let functions of text and a pattern or path read bytes as `as_text` does."""
    add_as_text(database)
    database.create_function(_NEEDLE, _marked, ["VARCHAR"] * 3, "BLOB", type="arrow")  # type: ignore[call-overload]
    database.execute(
        f"create macro {HOLDS} (a BLOB, f VARCHAR, b VARCHAR, c VARCHAR) as a <> {_NEEDLE}(f, b, c), "
        "(a, f, b, c) as true"
    )
    database.create_function(_ONE_OF, _joined, ["BLOB[]"], "BLOB", type="arrow")  # type: ignore[call-overload]
    database.execute(
        f"create macro {NEEDLE_IN} (a BLOB, f VARCHAR, b VARCHAR, c VARCHAR) as {_NEEDLE}(f, b, c), "
        "(a, f, b, c) as null::BLOB"
    )
    # A null in this column says nothing about the others.
    database.execute(f"create macro {HOLDS_ONE} (a BLOB, n BLOB[]) as (a is null or a <> {_ONE_OF}(n)), (a, n) as true")
    database.execute(f"create macro {TEXT_OF} (a BLOB) as {AS_TEXT}(a), (a) as a")
    database.execute(f"create macro {JSON_OF} (a BLOB) as try_cast({AS_TEXT}(a) as json), (a) as a")
    for name in (*_SEARCHES, *_OTHERS):
        holds = f" and {HOLDS}(a, '{name}', b, '')" if name in SEARCHES else ""
        _add(database, name, "b", f'{_SYSTEM}."{name}"({AS_TEXT}(a), b){holds}')
    for name in (*_ESCAPING, *_OTHERS_ESCAPING):
        holds = f" and {HOLDS}(a, '{name}', b, c)" if name in SEARCHES else ""
        _add(database, name, "b, c", f'{_SYSTEM}."{name}"({AS_TEXT}(a), b, c){holds}')
    for name in (_OF_JSON, "->>"):
        # Null where bytes are not JSON, as not all values of a topic need to be. Values that fail are read row by row.
        call = f'try({_SYSTEM}."{_OF_JSON}"(try_cast({AS_TEXT}(a) as json), b))'
        database.execute(
            f'create macro "{name}" (a BLOB, b VARCHAR) as {call}, (a BLOB, b BIGINT) as {call}, '
            f'(a, b) as {_SYSTEM}."{_OF_JSON}"(a, b)'
        )


def add_as_text(database: "duckdb.DuckDBPyConnection") -> None:
    """Add `as_text` alone."""
    database.create_function(AS_TEXT, _as_text, ["BLOB"], "VARCHAR", type="arrow")  # type: ignore[call-overload]


def _add(database: "duckdb.DuckDBPyConnection", name: str, more: str, of_bytes: str) -> None:
    typed = ", ".join(f"{each} VARCHAR" for each in more.split(", "))
    database.execute(
        f'create macro "{name}" (a BLOB, {typed}) as {of_bytes}, (a, {more}) as {_SYSTEM}."{name}"(a, {more})'
    )


def _as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:  # some are not UTF-8
        texts = [None if value is None else decode_utf8(value) for value in values.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])


def sought(literals: Iterable[bytes]) -> Needles | None:
    """Needles one of which a record must contain, from constants compared with its key and value, or None."""
    found = [_unjoined(each.removeprefix(_MARK)) for each in literals if each.startswith(_MARK)]
    longest = max(found, key=lambda pieces: min(map(len, pieces)), default=[b""])
    if min(map(len, longest)) < 2:
        return None  # one of them has no bytes
    return Needles(tuple({each[1:] for each in longest}), ignore_case=any(each[:1] == b"i" for each in longest))


def _marked(functions: pa.ChunkedArray, patterns: pa.ChunkedArray, escapes: pa.ChunkedArray) -> pa.ChunkedArray:
    """Marked needles of functions and their patterns: bytes without which the functions are not true."""
    calls = zip(functions.to_pylist(), patterns.to_pylist(), escapes.to_pylist(), strict=True)
    found = [None if None in call else _MARK + _PIECE.pack(len(made := needle(*call))) + made for call in calls]
    return pa.chunked_array([pa.array(found, pa.binary())])


def _joined(lists: pa.ChunkedArray) -> pa.ChunkedArray:
    """One needle from several of which one must be contained; null among them allows any bytes."""
    found = [
        _MARK + b"".join(_PIECE.pack(0) if each is None else each.removeprefix(_MARK) for each in patterns)
        for patterns in lists.to_pylist()
    ]
    return pa.chunked_array([pa.array(found, pa.binary())])


def _unjoined(data: bytes) -> list[bytes]:
    """The needles that `_joined` has joined, at least one."""
    pieces = []
    while data:
        (length,) = _PIECE.unpack_from(data)
        pieces.append(data[_PIECE.size : _PIECE.size + length])
        data = data[_PIECE.size + length :]
    return pieces or [b""]


def needle(function: str, pattern: str, escape: str = "") -> bytes:
    """Bytes in all values whose text makes a function true, after "i" if their case is ignored, else after "=".

    Args:
        function: one of `SEARCHES`, or `EQUAL`.
        pattern: pattern of the function.
        escape: escape character of the pattern, or "".
    """
    if function in _SURE:
        literals = [pattern]
    elif function == "~~~":
        # The rest of the pattern is not used: where a character class or an escape ends is not worked out here.
        literals = re.split("[*?]", re.split(r"[\[\\]", pattern, maxsplit=1)[0])
    else:
        literals = _of_like(pattern, escape)
    # U+FFFD matches bytes that are not UTF-8, too.
    literals = [piece for literal in literals for piece in literal.split(_REPLACED)]
    if function not in _IGNORING_CASE:
        return b"=" + max((literal.encode() for literal in literals), key=len, default=b"")
    pieces = [longest_of_ascii(piece) for literal in literals for piece in _ALSO_OTHERS.split(literal)]
    return b"i" + max(pieces, key=len, default="").encode()


def _of_like(pattern: str, escape: str) -> list[str]:
    """Strings that occur in all texts that match a pattern of `like`."""
    literals = [""]
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            literals[-1] += next(characters, "")
        elif character in "%_":
            literals.append("")
        else:
            literals[-1] += character
    return literals
