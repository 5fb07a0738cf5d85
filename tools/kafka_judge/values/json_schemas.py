"""Random JSON Schemas and values: compares Jackson and a JSON Schema validator with what kafkafmt decodes.

A value that the validator accepts must be decoded, and a column must have the values that Jackson reads. A value of
another type than its column, or one that is not JSON, must be refused; see docs/values.md. kafkafmt checks no
conditions other than types, so that it decodes more values than are valid. `RULES` are the intended differences.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random
from typing import Any, Final, NamedTuple

import pyarrow as pa

from class_path import ToolError
from kafka_judge.java_programs import answers
from kafka_judge.values.random_json import DRAFTS, Meant, RandomSchemas, RandomValues, damaged
from kafka_judge.verdict import Verdict
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.schema import parse, type_of

RULES: Final = {
    "more than 64 bits": "an integer of JSON Schema has any size, and a column 64 bits",
    "beyond a double": "a number of JSON Schema has any size, and a column is a double",
    "not valid UTF-8": "Jackson takes surrogates and longer forms than needed in UTF-8",
    "lone surrogate": "Jackson takes half a character, which no text of Arrow can hold",
}
"""Error texts for values that others accept, with the reason; a rule that no value used is a finding."""

_CONDITIONS: Final = "a condition other than types, which is not checked"
_MANY: Final = 1 << 17
"""Number of values, even if all are null, from which kernels read them."""

_DAMAGED: Final = 0.2
_ENOUGH: Final = 4000
"""Number of values from which every rule must have been used."""


class Said(NamedTuple):
    """The answer of JsonSchemaJudge.java for a value.

    Attributes:
        invalid: why the value is not valid by its schema; "" if it is valid.
        other_type: why the value does not have the types of its columns; "" if it has them.
        value: JSON of the value as Jackson reads it; "" if it is not JSON.
    """

    invalid: str
    other_type: str
    value: str

    @classmethod
    def of(cls, line: str) -> "Said":
        """Parse a line of the answer."""
        return cls(line, line, "") if line.startswith("!") else cls(*line.split("\t"))


def judge_json_schemas(random: Random, classes: str, schemas: int, values: int) -> Verdict:
    """Read and validate values with JsonSchemaJudge.java, and compare.

    Args:
        random: source of all random choices.
        classes: class path of the program.
        schemas: number of schemas.
        values: number of values of each schema.

    Raises:
        ToolError: a tool is missing or fails.
    """
    asked: list[tuple[Meant, list[bytes]]] = []
    lines = []
    for _ in range(schemas):
        draft = random.choice(DRAFTS)
        meant = RandomSchemas(random, draft).schema()
        made = RandomValues(random)
        stored = [made.text(meant.taken).encode("utf-8", "surrogatepass") for _ in range(values)]
        stored = [damaged(random, each) if random.random() < _DAMAGED else each for each in stored]
        asked.append((meant, stored))
        lines += [f"{draft}\t{json.dumps(meant.schema)}", f"V202012\t{json.dumps(meant.taken)}"]
        lines += [f"\t{b64encode(each).decode()}" for each in stored]
    said = answers(classes, "JsonSchemaJudge", questions="".join(f"{line}\n" for line in lines))
    if len(said) != schemas * values:
        raise ToolError(f"JsonSchemaJudge gave {len(said)} answers")
    rows = [*map(Said.of, said)]
    met = Counter[str]()
    findings = []
    for number, (meant, stored) in enumerate(asked):
        of_schema = rows[number * values : (number + 1) * values]
        findings += [f"{text}: {json.dumps(meant.schema)}" for text in differences(meant, stored, of_schema, met)]
    if len(rows) >= _ENOUGH:
        findings += [f"no value needs the rule: {rule}" for rule in (*RULES.values(), _CONDITIONS) if not met[rule]]
    valid = sum(not row.invalid for row in rows)
    typed = sum(not row.other_type for row in rows)
    broken = sum(not row.value for row in rows)
    counts = f"{valid} valid, {typed} of the types of their columns, {broken} not JSON"
    return Verdict(f"{len(rows)} JSON values of {schemas} schemas, {counts}", findings)


def differences(meant: Meant, stored: Sequence[bytes], said: Sequence[Said], met: Counter[str]) -> Iterator[str]:
    """The differences in the values of a schema.

    Args:
        meant: the schema.
        stored: the encoded values.
        said: the answer for each value.
        met: counter of the rules that values used.
    """
    columns = JsonColumns(type_of(parse(json.dumps(meant.schema))))
    one_by_one = columns.read(pa.array(stored, pa.binary()))
    for row, (data, judged, made) in enumerate(zip(stored, said, one_by_one.values.to_pylist(), strict=True)):
        error = one_by_one.errors.get(row)
        if error is not None:
            rules = [rule for text, rule in RULES.items() if text in str(error)]
            met.update(rules)
            if not rules and not judged.invalid:
                yield f"{data!r} is valid, and refused: {error}"
            elif not rules and not judged.other_type and not _has_a_name_twice(data):
                yield f"{data!r} is of the types of its columns, and refused: {error}"
        elif not judged.value:
            yield f"{data!r} is decoded, but it is not JSON: {judged.invalid}"
        elif judged.other_type:
            yield f"{data!r} is decoded, but {judged.other_type}"
        else:
            met[_CONDITIONS] += bool(judged.invalid)
            value = json.loads(judged.value, parse_float=Decimal)
            if (ours := shown(meant.taken, made)) != (theirs := expected(meant.taken, value)):
                yield f"{data!r} is {ours}, and Jackson reads {theirs}"
    yield from _by_kernels(columns, stored)


def _has_a_name_twice(data: bytes) -> bool:
    """Whether an object has a name twice: the last value counts, but kafkafmt checks the type of each value."""
    names: list[bool] = []

    def take(pairs: list[tuple[str, Any]]) -> None:
        names.append(len({name for name, _ in pairs}) < len(pairs))

    json.loads(data, object_pairs_hook=take)
    return any(names)


def _by_kernels(columns: JsonColumns, stored: Sequence[bytes]) -> Iterator[str]:
    """Differences between values read by kernels and the same values read one by one."""
    one_by_one = columns.read(pa.array(stored, pa.binary()))
    by_kernels = columns.read_all(pa.concat_arrays([pa.array(stored, pa.binary()), pa.nulls(_MANY, pa.binary())]))
    if not by_kernels.values.slice(0, len(stored)).equals(one_by_one.values):
        yield f"kernels read {by_kernels.values.slice(0, len(stored))}, one by one it is {one_by_one.values}"
    if set(by_kernels.errors) != set(one_by_one.errors):
        yield f"kernels refuse {sorted(by_kernels.errors)}, one by one it is {sorted(one_by_one.errors)}"


def shown(taken: Any, made: Any) -> Any:  # noqa: ANN401 - JSON
    """The value of a column, in a form that can be compared.

    Args:
        taken: what the column accepts, as in `Meant`.
        made: the value.
    """
    if made is None:
        return None
    match taken.get("type", ["text"])[0]:
        case "text":
            return _of_text(made)
        case "object" if "properties" in taken:
            return {name: shown(each, made[name]) for name, each in taken["properties"].items()}
        case "object":
            return {name: shown(taken["additionalProperties"], each) for name, each in made}
        case "array":
            return [shown(taken["items"], each) for each in made]
    return _plain(made)


def expected(taken: Any, value: Any) -> Any:  # noqa: ANN401 - JSON
    """The column value that Jackson's reading implies, in the same form."""
    if value is None:
        return None
    match taken.get("type", ["text"])[0]:
        case "object" if "properties" in taken:
            return {name: expected(each, value.get(name)) for name, each in taken["properties"].items()}
        case "object":
            return {name: expected(taken["additionalProperties"], each) for name, each in value.items()}
        case "array":
            return [expected(taken["items"], each) for each in value]
        case "number":
            return _plain(float(value))
    return _plain(value)


def _of_text(made: Any) -> Any:  # noqa: ANN401 - JSON
    """The value of a column of JSON text; text that is not JSON becomes an object that Jackson never reads."""
    try:
        return _plain(json.loads(made, parse_float=Decimal))
    except (TypeError, ValueError):
        return {"not JSON": made}


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """JSON in which numbers are equal by value, and true is not 1."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(_plain, value)]
    return value if isinstance(value, (str, bool)) or value is None else ("number", Decimal(value))
