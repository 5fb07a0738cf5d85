"""Random JSON Schemas and values: what Jackson and a validator of JSON Schema say of them, and what kafkafmt decodes.

What a validator takes decodes, what is of another type than its column does not, nor what is not JSON, and a column
has the values that Jackson reads; see docs/values.md. Conditions other than types are not checked by kafkafmt, so that
it decodes more than is valid. `RULES` are the intended differences.
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
    "no text in UTF-8": "Jackson takes surrogates and longer forms than needed in UTF-8",
    "lone surrogate": "Jackson takes half a character, which no text of Arrow can hold",
}
"""Parts of errors for values that others accept, with the reason; a rule that nothing needs is a finding."""

_CONDITIONS: Final = "a condition other than types, which is not checked"
_MANY: Final = 1 << 17
"""Values, were they all null, from which on kernels read them."""

_DAMAGED: Final = 0.2
_ENOUGH: Final = 4000
"""Values among which each rule is needed."""


class Said(NamedTuple):
    """The answer of JsonSchemaJudge.java about a value.

    Attributes:
        invalid: why it is not valid by its schema; "" if it is.
        other_type: why it is not of the types of its columns; "" if it is.
        value: as Jackson reads it, in JSON; "" if it is not JSON.
    """

    invalid: str
    other_type: str
    value: str

    @classmethod
    def of(cls, line: str) -> "Said":
        """Take the parts of a line."""
        return cls(line, line, "") if line.startswith("!") else cls(*line.split("\t"))


def judge_json_schemas(random: Random, classes: str, schemas: int, values: int) -> Verdict:
    """Let JsonSchemaJudge.java read and validate values, and compare.

    Args:
        random: the source of chance.
        classes: the class path of the program.
        schemas: how many.
        values: how many of each.

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
    """The differences of the values of a schema.

    Args:
        meant: the schema.
        stored: the values.
        said: of each.
        met: counts the rules that are needed.
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
    """Whether an object has a name twice: the last value counts, but kafkafmt asks of each whether it has the type."""
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
        taken: what the column takes, as of `Meant`.
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
    """The value of a column of what Jackson reads, in the same form."""
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
    """The value of a column of JSON text; what is not JSON as it is, which is equal to nothing that Jackson reads."""
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
