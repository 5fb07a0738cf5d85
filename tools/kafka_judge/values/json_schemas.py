"""Random JSON Schemas and values: which of them a validator of JSON Schema takes, and which kafkafmt decodes.

What a validator takes decodes, and what is of another type than its column does not; see docs/values.md. Conditions
other than types are not checked by kafkafmt, so that it decodes more than is valid.
"""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import pyarrow as pa

from class_path import ToolError
from kafka_judge.java_programs import answers
from kafka_judge.values.random_json import DRAFTS, Meant, RandomSchemas, RandomValues
from kafka_judge.verdict import Verdict
from kafkafmt.errors import KafkafmtError
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.schema import parse, type_of

_BEYOND: Final = ("more than 64 bits", "beyond a double")
_MANY: Final = 1 << 17
"""Values, were they all null, from which on kernels read them."""


def judge_json_schemas(random: Random, classes: str, schemas: int, values: int) -> Verdict:
    """Let JsonSchemaJudge.java validate values, and compare.

    Args:
        random: the source of chance.
        classes: the class path of the program.
        schemas: how many.
        values: how many of each.

    Raises:
        ToolError: a tool is missing or fails.
    """
    asked: list[tuple[Meant, list[str]]] = []
    lines = []
    for _ in range(schemas):
        draft = random.choice(DRAFTS)
        meant = RandomSchemas(random, draft).schema()
        texts = [RandomValues(random).text(meant.taken) for _ in range(values)]
        asked.append((meant, texts))
        lines += [f"{draft}\t{json.dumps(meant.schema)}", f"V202012\t{json.dumps(meant.taken)}"]
        lines += [f"\t{text}" for text in texts]
    said = answers(classes, "JsonSchemaJudge", questions="".join(f"{line}\n" for line in lines))
    if len(said) != schemas * values:
        raise ToolError(f"JsonSchemaJudge gave {len(said)} answers")
    rows = [tuple(line.split("\t")) for line in said]
    findings = []
    for number, (meant, texts) in enumerate(asked):
        of_schema = rows[number * values : (number + 1) * values]
        findings += [f"{text}: {json.dumps(meant.schema)}" for text in differences(meant.schema, texts, of_schema)]
    valid, taken = (sum(not row[column] for row in rows) for column in (0, 1))
    return Verdict(
        f"{len(rows)} JSON values of {schemas} schemas, {valid} valid, {taken} of the types of their columns", findings
    )


def differences(schema: object, texts: Sequence[str], said: Sequence[Sequence[str]]) -> Iterator[str]:
    """What is not the same for the values of a schema.

    Args:
        schema: the schema.
        texts: the values.
        said: of each: why it is not valid, and why it is not of the type of its column; "" if it is.
    """
    columns = JsonColumns(type_of(parse(json.dumps(schema))))
    stored = pa.array([text.encode() for text in texts], pa.binary())
    for text, (invalid, of_another_type) in zip(texts, said, strict=True):
        error = None
        try:
            columns.one(text.encode())
        except KafkafmtError as refused:
            error = str(refused)
        if error is not None and not invalid and not any(each in error for each in _BEYOND):
            yield f"{text} is valid, and refused: {error}"
        if error is None and of_another_type:
            yield f"{text} is decoded, but {of_another_type}"
        if error is not None and not of_another_type:
            yield f"{text} is of the types of its columns, and refused: {error}"
    one_by_one = columns.read(stored)
    by_kernels = columns.read_all(pa.concat_arrays([stored, pa.nulls(_MANY, pa.binary())]))
    if not by_kernels.values.slice(0, len(stored)).equals(one_by_one.values):
        yield f"kernels read {by_kernels.values.slice(0, len(stored))}, one by one it is {one_by_one.values}"
    if set(by_kernels.errors) != set(one_by_one.errors):
        yield f"kernels refuse {sorted(by_kernels.errors)}, one by one it is {sorted(one_by_one.errors)}"
