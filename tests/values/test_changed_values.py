"""Changed values and schemas of Protobuf and JSON: bulk reading equals single reading, and no schema crashes."""

import os
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random

import pyarrow as pa
import pytest

from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.plain_values import plain_values
from kafkafmt.values.avro.avro_format import Avro
from kafkafmt.values.framing import Part
from kafkafmt.values.json.json_format import JsonSchema
from kafkafmt.values.protobuf.protobuf_format import Protobuf
from kafkafmt.values.registered import RegisteredFormat
from kafkafmt.values.registry import Schemas
from kafkafmt.values.stored_schema import Reference, StoredSchema
from tests.values.golden_values import raw, rows
from tests.values.random_avro import mutated

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "2000"))
SEED = int(os.environ.get("KAFKAFMT_SEED", "0"))
CASES = {"avro": "AVRO", "protobuf": "PROTOBUF", "json-schema": "JSON"}
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@cache
def stored(case: str) -> tuple[StoredSchema, ...]:
    return tuple(
        StoredSchema(
            subject=row["subject"],
            version=row["version"],
            schema_id=row["schemaId"],
            type=row["type"],
            schema=row["schema"],
            references=tuple(Reference(each["name"], each["subject"], each["version"]) for each in row["references"]),
            state="active",
            is_superseded=False,
            metadata=None,
            rule_set=None,
            offsets=(),
        )
        for row in rows(case, "schemas")
    )


def format_of(case: str, known: Schemas, subject: str, message: str | None) -> RegisteredFormat:
    common: tuple[Schemas, str, Part, Limits] = (known, subject, "value", Limits())
    reader = known.latest(subject)
    if case == "avro":
        avro = Avro(*common, reader)
        avro.prefer_kernels()
        return avro
    return Protobuf(*common, reader, message) if case == "protobuf" else JsonSchema(*common, reader)


def compared(form: RegisteredFormat, values: list[bytes]) -> int:
    """Require that a column equals the single values; return the number of errors."""
    column = form.decode_all(pa.array(values, pa.binary()), pa.array([[]] * len(values), HEADERS))
    column.values.validate()
    one_by_one: list[object] = []
    errors: dict[int, str] = {}
    for row, data in enumerate(values):
        try:
            one_by_one.append(form.decode(data).value)
        except DataError as error:
            one_by_one.append(None)
            errors[row] = str(error)
    assert {row: str(error) for row, error in column.errors.items()} == errors
    # Compared as text: NaN does not equal itself, and 0.0 equals -0.0.
    assert repr(plain_values(column.values)) == repr(plain_values(pa.array(one_by_one, form.kind)))
    return len(errors)


def check_schema(random: Random, case: str) -> bool:
    """Change the text of a schema and read a value by it; return whether the schema is accepted."""
    schemas = stored(case)
    at = random.randrange(len(schemas))
    text = mutated(random, schemas[at].schema.encode()).decode("utf-8", "replace")
    changed = (*schemas[:at], replace(schemas[at], schema=text), *schemas[at + 1 :])
    try:
        form = format_of(case, Schemas(changed, {}, {}), schemas[at].subject, None)
    except KafkafmtError:
        return False
    payload = b'{"n":[0]}' if case == "json-schema" else bytes(40)
    compared(form, [b"\0" + (schemas[at].schema_id or 0).to_bytes(4, "big", signed=True) + payload])
    return True


@pytest.mark.dosed
@pytest.mark.parametrize("case", CASES)
def test_changed_values(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.values.json.columns._WORTH_IT", 0)
    random = Random(SEED)
    known = Schemas(stored(case), {}, {})
    groups: dict[tuple[str, str | None], list[bytes]] = {}
    for row in rows(case, "values"):
        if row["part"] == "value" and row.get("framing") == "confluent" and "written" in row:
            groups.setdefault((row["subject"], row.get("message")), []).append(raw(row))
    made = []
    for (subject, message), values in groups.items():
        with suppress(DataError):  # the latest schema may lack the message
            made.append((format_of(case, known, subject, message), values))
    assert len(made) > 5
    count = errors = 0
    while count < MUTATIONS:
        form, values = random.choice(made)
        changed = [data[:5] + mutated(random, data[5:]) for data in random.choices(values, k=20)]
        errors += compared(form, changed)
        count += len(changed)
    assert 0.1 < errors / count < 0.99  # most changes of JSON are errors


@pytest.mark.dosed
@pytest.mark.parametrize("case", CASES)
def test_changed_schemas(case: str) -> None:
    random = Random(SEED)
    good = sum(check_schema(random, case) for _ in range(MUTATIONS))
    assert 0 < good < MUTATIONS
