"""The benchmark of values: decoding bytes of records into Arrow columns, compared with other libraries.

`python -m benchmark.values` is the worker of a program: each line of its input is the directory of a topic; each line
of its output is the number of decoded values. A measured program needs a line in `PROGRAMS` and an entry
in `_READERS`.
"""

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

from benchmark import readers, value_topics
from benchmark.readings import Figure, Reading, compare
from benchmark.scans import Say, of_rounds
from benchmark.value_topics import FORMATS, PAYLOADS, TOPIC, VALUES
from benchmark.worker import Cost, MeasuringError, Worker


@dataclass(frozen=True)
class ValueProgram:
    """A program that decodes values.

    Attributes:
        key: its name in values.json.
        label: its name in tables.
        formats: the formats that it reads.
    """

    key: str
    label: str
    formats: tuple[str, ...]


TYPED = ("avro", "protobuf", "json")
"""Formats that kafkafmt decodes to columns of fields."""

_RIVALS = {"protobuf": "ptars", "json": "duckdb"}
"""Libraries with which a column is compared."""

SCAN, COLUMN = "scan", "column"
PROGRAMS = (
    ValueProgram(SCAN, "kafkafmt, scan.decode", TYPED),
    ValueProgram(COLUMN, "kafkafmt, a column", TYPED),
    ValueProgram("pyruhvro", "pyruhvro", ("avro",)),
    ValueProgram("polars-avro", "polars-avro, wrapped", ("avro",)),
    ValueProgram("fastavro", "fastavro, each value", ("avro",)),
    ValueProgram("ptars", "ptars", ("protobuf",)),
    ValueProgram("upb", "protobuf (upb), each value", ("protobuf",)),
    ValueProgram("duckdb", "duckdb from_json", ("json",)),
    ValueProgram("pyarrow", "pyarrow.json", ("json",)),
    ValueProgram("polars", "polars read_ndjson", ("json",)),
)
PACKAGES = ("pyruhvro", "polars-avro", "polars", "fastavro", "ptars", "protobuf", "duckdb")


def read_all(
    variables: Mapping[str, str], cache: Path, records: int, rounds: int, restarts: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Decode the values of a topic in each format; returns readings as `scans.read_all` does."""
    found: dict[str, dict[str, Reading]] = {}
    for kind in FORMATS:
        directory = cache / f"{kind}-{records}"
        if not (directory / "made").exists():
            say(f"making {records:,} values: {kind}")
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            value_topics.make(directory, kind, records)
            (directory / "made").touch()
        size = sum(each.nbytes for each in value_topics.read(directory, VALUES))
        programs = [each for each in PROGRAMS if kind in each.formats]
        of_format = found[kind] = {each.key: Reading(records, size) for each in programs}
        for restart in range(restarts):
            say(f"{kind} ({restart + 1} of {restarts})")
            with ExitStack() as stack:
                workers = {each.key: stack.enter_context(_worker(each.key, variables)) for each in programs}
                jobs = {key: partial(_cost, worker, directory, records) for key, worker in workers.items()}
                compare(jobs, of_format, rounds, warming=1)
    return found


def value_goals(readings: Mapping[str, Mapping[str, Reading]]) -> list[Figure]:
    """Goals for values."""
    figures = []
    for kind, found in readings.items():
        for key, goal in ((COLUMN, 2.0 if kind == "avro" else None), (SCAN, 1.5 if kind == "avro" else None)):
            if (reading := found.get(key)) is None:
                continue
            speeds = [reading.records / cpu / 1e6 for cpu in reading.cpu if not reading.error]
            label = next(each.label for each in PROGRAMS if each.key == key)
            if speeds:
                figures.append(of_rounds(f"{kind}, {label}: million values in a second of CPU", speeds, goal=goal))
        rival = found.get(_RIVALS.get(kind, ""))
        if rival is not None and COLUMN in found and not (rival.error or found[COLUMN].error):
            ratios = [ours / theirs for ours, theirs in zip(found[COLUMN].cpu, rival.cpu, strict=False)]
            text = f"{kind}, kafkafmt, a column: times the CPU of {_RIVALS[kind]}"
            figures.append(of_rounds(text, ratios, goal=1.3, at_most=True))
    return figures


def seconds_of_a_million(reading: Reading) -> float:
    """CPU seconds for a million values, from the median round."""
    return median(reading.cpu) / reading.records * 1e6


def main(arguments: list[str]) -> None:
    """Answer each line of standard input until it ends."""
    read = _READERS[arguments[0]]
    for line in sys.stdin:
        print(readers.answer(lambda path: read(Path(path)), line.rstrip("\n")))
        sys.stdout.flush()


def _worker(key: str, variables: Mapping[str, str]) -> Worker:
    # Polars and DuckDB start as many threads as there are cores, but CPU time of one thread is compared.
    one = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return Worker([sys.executable, "-m", "benchmark.values", key], {**variables, **one})


def _cost(worker: Worker, directory: Path, records: int) -> Cost:
    cost, answer = worker.measure(str(directory))
    if int(answer) != records:
        raise MeasuringError(f"{answer} values, expecting {records}")
    return cost


def _payloads(directory: Path) -> Iterator[pa.Array]:
    """The values without their framing, which other libraries do not remove."""
    return value_topics.read(directory, PAYLOADS)


@cache
def _form(directory: Path) -> Any:  # noqa: ANN401 - a `ValueFormat`
    """The format of the values, detected once and cached."""
    return _decoded_scan(directory).decoder.formats[TOPIC][1]


def _decoded_scan(directory: Path) -> Any:  # noqa: ANN401 - a `DecodedScan`
    import kafkafmt

    scan = kafkafmt.scan(directory / "log-dir", topics=TOPIC, threads=1, engine="columnar").decode()
    if not pa.types.is_struct(scan.schema.field("value").type):
        raise ValueError("its values have no columns of fields")
    return scan


def _scan(directory: Path) -> int:
    return sum(batch.num_rows for batch in _decoded_scan(directory).to_reader())


def _column(directory: Path) -> int:
    form = _form(directory)
    headers = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    found = 0
    for values in value_topics.read(directory, VALUES):
        decoded = form.decode_column(values, pa.nulls(len(values), headers))
        if decoded.errors or decoded.values.null_count:
            raise ValueError("some values are not decoded")
        found += len(decoded.values)
    return found


def _pyruhvro(directory: Path) -> int:
    import pyruhvro

    schema = json.dumps(value_topics.AVRO)
    found = 0
    for values in _payloads(directory):
        found += pyruhvro.deserialize_array(values.to_pylist(), schema).num_rows
    return found


def _polars_avro(directory: Path) -> int:
    import polars_avro

    return sum(len(polars_avro.read_avro(_container(values))) for values in _payloads(directory))


def _container(values: pa.Array) -> BytesIO:
    """The values as an Avro file with one block."""

    def counted(data: bytes) -> bytes:
        return _varint(len(data)) + data

    schema = json.dumps(value_topics.AVRO).encode()
    offsets = values.buffers()[1]
    begin, end = (int.from_bytes(offsets[4 * at : 4 * at + 4].to_pybytes(), "little") for at in (0, len(values)))
    data = values.buffers()[2][begin:end]
    mark = bytes(16)
    head = [b"Obj\1", _varint(1), counted(b"avro.schema"), counted(schema), b"\0", mark]
    return BytesIO(b"".join([*head, _varint(len(values)), _varint(len(data)), data, mark]))


def _varint(number: int) -> bytes:
    left = 2 * number
    made = bytearray()
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*made, left])


def _fastavro(directory: Path) -> int:
    import fastavro

    schema = fastavro.parse_schema(value_topics.AVRO)
    found = 0
    for values in _payloads(directory):
        rows = [fastavro.schemaless_reader(BytesIO(data), schema, None) for data in values.to_pylist()]
        found += pa.Table.from_pylist(rows).num_rows
    return found


def _ptars(directory: Path) -> int:
    import ptars

    order = value_topics.order_class().DESCRIPTOR
    handler = ptars.HandlerPool([order.file], config=ptars.PtarsConfig(enum_repr="string")).get_for_message(order)
    found = 0
    for values in _payloads(directory):
        found += handler.array_to_record_batch(values).num_rows
    return found


def _upb(directory: Path) -> int:
    order = value_topics.order_class()
    names = [field.name for field in order.DESCRIPTOR.fields]
    optional = {field.name for field in order.DESCRIPTOR.fields if field.has_presence}
    found = 0
    for values in _payloads(directory):
        messages = [order.FromString(data) for data in values.to_pylist()]
        columns = {
            name: [getattr(each, name) if name not in optional or each.HasField(name) else None for each in messages]
            for name in names
        }
        found += pa.table(columns).num_rows
    return found


def _duckdb(directory: Path) -> int:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    kinds = {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "string": "VARCHAR"}
    types = {name: field["type"] for name, field in value_topics.JSON["properties"].items()}
    fields = json.dumps({name: kinds[kind if isinstance(kind, str) else kind[1]] for name, kind in types.items()})
    query = f"select from_json(value::varchar, '{fields}') as value from column_of_text"
    found = 0
    for values in _payloads(directory):
        connection.register("column_of_text", pa.table({"value": values.cast(pa.string())}))
        found += connection.sql(query).to_arrow_table().num_rows
    return found


def _pyarrow(directory: Path) -> int:
    from pyarrow.json import ReadOptions, read_json

    options = ReadOptions(use_threads=False, block_size=1 << 24)
    return sum(read_json(BytesIO(_lines(values)), options).num_rows for values in _payloads(directory))


def _polars(directory: Path) -> int:
    import polars as pl

    return sum(len(pl.read_ndjson(_lines(values))) for values in _payloads(directory))


def _lines(values: pa.Array) -> bytes:
    return b"\n".join(values.to_pylist())


_READERS: Mapping[str, Callable[[Path], int]] = {
    SCAN: _scan,
    COLUMN: _column,
    "pyruhvro": _pyruhvro,
    "polars-avro": _polars_avro,
    "fastavro": _fastavro,
    "ptars": _ptars,
    "upb": _upb,
    "duckdb": _duckdb,
    "pyarrow": _pyarrow,
    "polars": _polars,
}


if __name__ == "__main__":
    main(sys.argv[1:])
