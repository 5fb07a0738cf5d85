"""Rows of files for `kafkafmt write`: Parquet, Arrow, CSV and JSON lines, the last two as `cat` prints them."""

import base64
import csv as python_csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, Final, TypeAlias

import pyarrow as pa

from kafkafmt.errors import SourceError
from kafkafmt.writing.row_encoder import HEADERS

FORMS: Final = ("parquet", "arrow", "csv", "jsonl")

_TYPES: Final = {
    "value": pa.binary(),
    "key": pa.binary(),
    "headers": HEADERS,
    "timestamp": pa.int64(),
    "topic": pa.string(),
    "partition": pa.int32(),
    "offset": pa.int64(),
}
_CSV_BYTES: Final = 16 << 20
"""Bytes that are parsed at once, and therefore the longest row."""
_ROWS: Final = 16 * 1024
_MARKED: Final = re.compile(r'\{"base64":"((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)"\}')
"""A cell of CSV with bytes that are not UTF-8, as `cat` prints it."""
_SCHEMA: Final = pa.schema(list(_TYPES.items()))


Read: TypeAlias = tuple[pa.RecordBatch, float]
"""Rows of a file, and the share of it that has been read so far."""


class FileRows:
    """The rows of several files, one after the other; each pass reads them again.

    Args:
        paths: files that end in `.parquet`, `.arrow`, `.csv` or `.jsonl`. Text forms have the columns of records in
            `cat --output`, as it prints them; other columns are left out.

    Attributes:
        advance: called with numbers of bytes of the files as they are read.
        places: the paths.

    Raises:
        ValueError: a file has none of these extensions.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.advance: Callable[[int], None] = lambda _: None
        self.places = list(paths)
        self._readers = [(path, _READERS[_form(path)]) for path in paths]

    def size_in_bytes(self) -> int:
        """Total size of the files in bytes; a missing file counts as 0."""
        return sum(map(_size, (path for path, _ in self._readers)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows by the Arrow C stream interface; all files must then have the same columns."""
        batches = self.to_reader()
        first = next(batches, pa.RecordBatch.from_pylist([], _SCHEMA))
        reader = pa.RecordBatchReader.from_batches(first.schema, chain((first,), batches))
        return reader.__arrow_c_stream__(requested_schema)

    def to_reader(self) -> Iterator[pa.RecordBatch]:
        """Read the rows in batches; errors raise SourceError with the file, and the line of text."""
        for path, read in self._readers:
            try:
                yield from self._watched(read(path), _size(path))
            except OSError as error:
                raise SourceError(os.strerror(error.errno) if error.errno else str(error), file=path) from error
            except pa.ArrowInvalid as error:
                raise SourceError(f"cannot be read: {error}", file=path) from error
            except UnicodeDecodeError as error:
                raise SourceError(
                    f"is not UTF-8: {error.reason} 0x{error.object[error.start]:02x}", file=path
                ) from error

    def _watched(self, read: "Iterator[Read]", size: int) -> Iterator[pa.RecordBatch]:
        """The rows of a file, with progress reports; at the end the whole file counts as read."""
        before = 0
        for batch, share in read:
            yield batch
            reached = max(before, min(size, int(share * size)))
            self.advance(reached - before)
            before = reached
        self.advance(size - before)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _form(path: str) -> str:
    form = os.path.splitext(path)[1].lower().lstrip(".")
    if form not in FORMS:
        raise ValueError(f"{path} does not end in {', '.join('.' + each for each in FORMS)}")
    return form


def _parquet(path: str) -> "Iterator[Read]":
    import pyarrow.parquet as pq  # noqa: PLC0415 - it takes a while

    with pq.ParquetFile(path) as file:
        read = 0
        for batch in file.iter_batches(_ROWS):
            read += batch.num_rows
            yield batch, read / file.metadata.num_rows


def _arrow(path: str) -> "Iterator[Read]":
    with pa.memory_map(path) as file:
        try:
            reader = pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            for batch in pa.ipc.open_stream(file):
                yield batch, file.tell() / file.size()
            return
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number), (number + 1) / reader.num_record_batches


def _csv(path: str) -> "Iterator[Read]":
    from pyarrow import csv  # noqa: PLC0415 - it takes a while

    with open(path, encoding="utf-8-sig", newline="") as file:
        names = next(python_csv.reader(file), [])
    known = _known(names, path, "line 1")
    for name in known:
        if known.count(name) > 1:
            raise SourceError(f"line 1 has the column {name!r} {known.count(name)} times", file=path)
    options = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=known,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    line = 2
    parsing = csv.ParseOptions(newlines_in_values=True)
    reading = csv.ReadOptions(block_size=_CSV_BYTES)
    with csv.open_csv(path, convert_options=options, parse_options=parsing, read_options=reading) as reader:
        read, size = 0, _size(path)
        for batch in reader:
            columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
            read += batch.nbytes  # an approximation: the reader does not say how many bytes of the file it has read
            rows = range(line, line + batch.num_rows)
            yield _batch(columns, _CSV_CONVERTERS, path, "row", rows), read / max(size, 1)
            line += batch.num_rows


def _jsonl(path: str) -> "Iterator[Read]":
    read, size = 0, _size(path)
    with open(path, "rb") as file:
        lines = enumerate(file, 1)
        while chunk := list(islice(lines, _ROWS)):
            rows = {number: _row(path, number, line) for number, line in chunk if line.strip()}
            names = {name for row in rows.values() for name in row}
            columns = {name: [row.get(name) for row in rows.values()] for name in _TYPES if name in names}
            read += sum(len(line) for _, line in chunk)
            yield _batch(columns, _CONVERTERS, path, "line", list(rows)), read / max(size, 1)


def _row(path: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise SourceError(f"line {number} is not JSON: {error}", file=path) from error
    if not isinstance(row, dict):
        raise SourceError(f"line {number} is not a JSON object", file=path)
    _known(row, path, f"line {number}")
    return row


def _known(names: Iterable[str], path: str, where: str) -> list[str]:
    """The names that are columns of records; without any the rows would be lost."""
    known = [name for name in names if name in _TYPES]
    if not known:
        raise SourceError(f"{where} has none of the columns {', '.join(_TYPES)}", file=path)
    return known


def _batch(
    columns: Mapping[str, Sequence[Any]],
    converters: "Mapping[str, Callable[[Any], object]]",
    path: str,
    noun: str,
    numbers: Sequence[int],
) -> pa.RecordBatch:
    arrays = {}
    for name, values in columns.items():
        convert = converters[name]
        converted = []
        for number, value in zip(numbers, values, strict=True):
            try:
                converted.append(None if value is None else convert(value))
            except (ValueError, TypeError, KeyError) as error:
                message = f"{noun} {number}: column {name!r}: {error}"
                raise SourceError(message, file=path) from error
        try:
            arrays[name] = pa.array(converted, _TYPES[name])
        except (pa.ArrowInvalid, OverflowError) as error:
            raise SourceError(f"{noun} {numbers[0]} and after: column {name!r}: {error}", file=path) from error
    return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))


def _bytes(value: object) -> bytes:
    """Bytes in the JSON form of `cat`: text, or {"base64": ".."}."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and set(value) == {"base64"}:
        return base64.b64decode(value["base64"], validate=True)
    raise ValueError(f'must be text, or {{"base64": ".."}}, not {value!r:.60}')


def _bytes_of_cell(value: str) -> bytes:
    """Bytes in the CSV form of `cat`: text, or the text of {"base64":".."}."""
    marked = _MARKED.fullmatch(value)
    return value.encode() if marked is None else base64.b64decode(marked[1], validate=True)


def _headers(value: object) -> list[dict[str, Any]]:
    """Headers in the form of `cat`: a list of objects with key and value."""
    headers: Any = json.loads(value) if isinstance(value, str) else value
    is_list = isinstance(headers, list)
    if not is_list or any(not isinstance(each, dict) or set(each) != {"key", "value"} for each in headers):
        raise ValueError(f'must be a list of {{"key": .., "value": ..}}, not {headers!r:.60}')
    return [
        {"key": _bytes(each["key"]), "value": None if each["value"] is None else _bytes(each["value"])}
        for each in headers
    ]


def _milliseconds(value: object) -> int:
    """A time in ms since the epoch, from a number of ms or from ISO 8601 text (UTC without a zone)."""
    if isinstance(value, str) and not value.lstrip("-").isdecimal():
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
    return _integer(value)


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"must be an integer, not {value!r:.60}")
    return int(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be text, not {value!r:.60}")
    return value


_CONVERTERS: Final[Mapping[str, Callable[[object], object]]] = {
    "value": _bytes,
    "key": _bytes,
    "headers": _headers,
    "timestamp": _milliseconds,
    "topic": _text,
    "partition": _integer,
    "offset": _integer,
}
_CSV_CONVERTERS: Final[Mapping[str, Callable[[Any], object]]] = {
    **_CONVERTERS,
    "value": _bytes_of_cell,
    "key": _bytes_of_cell,
}
_READERS: Final[Mapping[str, Callable[[str], "Iterator[Read]"]]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
    "jsonl": _jsonl,
}
