"""Random values of Avro and of JSON Schemas: what Avro's Java library and a validator read, and what kafkafmt reads.

Each Avro value is read as written, and as resolved to a schema that the writer's grew into. All values of a pair of
schemas are read once more by the kernel that reads many at once. `_is_intended` lists the intended differences.
fastavro reads the same values; fastavro_values.py names its differences from Java, and a run of 3,000 pairs reports a
name that no value needed. The values of JSON are those of json_schemas.py.
"""

import argparse
import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from itertools import groupby
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa

from class_path import TOOLS, class_path
from kafka_judge.java_programs import answers
from kafka_judge.values.fastavro_values import FastavroDifferences
from kafka_judge.values.json_schemas import judge_json_schemas
from kafka_judge.values.random_pairs import RandomPairs
from kafka_judge.verdict import Verdict
from kafkafmt.columnar.outcomes import REFUSED
from kafkafmt.errors import KafkafmtError
from kafkafmt.values.avro.arrow import converter
from kafkafmt.values.avro.bulk import BulkAvro
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.reading import function_of, read_value
from kafkafmt.values.avro.resolution import resolve
from kafkafmt.values.avro.schema import Node, parse

_HOME: Final = TOOLS / "kafka_judge" / "values"

PAIRS: Final = 500
SCHEMAS: Final = 500
VALUES: Final = 10

_PAIRS_FOR_ALL_NAMES: Final = 3000  # one pair in 400 has the rarest difference

_NO_NUMBER: Final = (
    "Non-numeric default value for float",
    "Non-numeric default value for double",
    'Not compatible default value for union: "-Infinity"',
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--pairs", type=int, default=PAIRS, help="number of pairs of schemas (%(default)s)")
    parser.add_argument("--schemas", type=int, default=SCHEMAS, help="number of JSON Schemas (%(default)s)")
    parser.add_argument("--values", type=int, default=VALUES, help="number of values of each (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Write and read values with ValueJudge.java, validate some with JsonSchemaJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    classes = class_path(_HOME, "avro", [_HOME])
    random = Random(options.seed)
    avro = _judge_avro(random, classes, options)
    of_json = judge_json_schemas(random, classes, options.schemas, options.values)
    return Verdict(f"{avro.compared}; {of_json.compared}", avro.findings + of_json.findings)


def _judge_avro(random: Random, classes: str, options: argparse.Namespace) -> Verdict:
    pairs = [RandomPairs(random).record() for _ in range(options.pairs)]
    lines = (
        "\t".join([str(number), str(random.randrange(2**31)), str(options.values), *map(json.dumps, pair)])
        for number, pair in enumerate(pairs)
    )
    said = [
        line.split("\t") for line in answers(classes, "ValueJudge", questions="".join(f"{line}\n" for line in lines))
    ]
    findings: list[str] = []
    fastavro = FastavroDifferences()
    compared = refused = 0
    for number, group in groupby(said, key=lambda row: int(row[0])):
        rows = [row[1:] for row in group]
        found = [*differences(*pairs[number], rows), *fastavro.of_pair(*pairs[number], rows)]
        findings += [f"{text}: {json.dumps(pairs[number])}" for text in found]
        compared += len(rows) if len(rows[0]) > 1 else 0
        refused += sum(row[-1].startswith("!") for row in rows)
    if options.pairs >= _PAIRS_FOR_ALL_NAMES:
        findings += fastavro.unneeded()
    known = "; ".join(f"{count}: {name}" for name, count in fastavro.known.items())
    of_java = f"{compared} values of {options.pairs} pairs of schemas, {refused} refused by both"
    return Verdict(f"{of_java}; {fastavro.compared} by fastavro, which differs from Java in {known}", findings)


def differences(written: Any, grown: Any, rows: list[list[str]]) -> Iterator[str]:  # noqa: ANN401 - JSON
    """The differences for a pair of schemas.

    Args:
        written: the writer's schema.
        grown: the reader's schema.
        rows: for each value its bytes and what Java reads, as in the output of ValueJudge.java.
    """
    try:
        writer, reader = (parse(json.dumps(each)) for each in (written, grown))
    except KafkafmtError as error:
        if len(rows[0]) > 1:
            yield f"Java takes the schemas: {error}"
        return
    if len(rows[0]) == 1:
        yield f"Java refuses the schemas: {rows[0][0]}"
        return
    for data, as_written, as_resolved in rows:
        for to, expected in ((writer, as_written), (reader, as_resolved)):
            made = _read(writer, to, b64decode(data))
            is_equal = made == (None if expected.startswith("!") else json.dumps(json.loads(expected), sort_keys=True))
            if not is_equal and not _is_intended(made, expected):
                yield f"{data}: {made}, expecting {expected}"
    yield from _in_bulk(writer, reader, [b64decode(row[0]) for row in rows])


def _read(writer: Node, reader: Node, data: bytes) -> str | None:
    try:
        value, left = read_value(function_of(resolve(writer, reader)), data)
    except KafkafmtError:
        return None
    return json.dumps(shown(reader, value), sort_keys=True) if not left else None


def _is_intended(made: str | None, expected: str) -> bool:
    """Whether a difference from Java is intended.

    kafkafmt refuses bytes that are not UTF-8 and become a string, which Java reads with U+FFFD. It accepts infinity as
    a default, which Java refuses.
    """
    if made is None:
        return "\ufffd" in expected
    return any(text in expected for text in _NO_NUMBER)


def shown(node: Node, value: Any) -> Any:  # noqa: ANN401 - JSON
    """A value without logical types, in the form of ValueJudge.java."""
    match node.type:
        case "record":
            return {each.name: shown(each.type, value[each.name]) for each in node.fields}
        case "array":
            return [shown(node.inner[0], each) for each in value]
        case "map":
            return {name: shown(node.inner[0], each) for name, each in value}
        case "union" if isinstance(value, Branch):
            (branch,) = [each for each in node.inner if each.branch_name == value.name]
            return {value.name: shown(branch, value.value)}
        case "union":
            return None if value is None or node.optional is None else shown(node.optional, value)
        case "bytes" | "fixed":
            return {"bytes": b64encode(value).decode()}
        case "float" | "double":
            return {"bits": struct.unpack(">q", struct.pack(">d", value))[0]}
    return value


def _in_bulk(writer: Node, reader: Node, stored: Iterable[bytes]) -> Iterator[str]:
    """Differences between values read by the kernel and by the reader of single values."""
    try:
        resolved, convert, bulk = resolve(writer, reader), converter(reader), BulkAvro(reader)
    except KafkafmtError:
        return
    program = bulk.program("", resolved)
    if program is None:
        return
    for data in stored:
        try:
            expected = pa.array([convert(read_value(function_of(resolved), data)[0])], bulk.kind)
        except KafkafmtError:
            expected = pa.nulls(1, bulk.kind)
        read = bulk.read(pa.array([data], pa.binary()), np.zeros(1, np.int32), np.full(1, program))
        # The reader of single values reads what the kernel refuses.
        if read[1][0] != REFUSED and not read[0].equals(expected):
            yield f"{b64encode(data).decode()}: {read[0]} by the kernel, expecting {expected}"
