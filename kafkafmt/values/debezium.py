"""Debezium's change events: unwraps their envelopes to the rows of the tables.

Source: https://debezium.io/documentation/reference/stable/connectors/postgresql.html (Data change events), and Kafka
Connect's JsonConverter, which wraps JSON in {"schema": .., "payload": ..} unless configured otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.cached import cached_property
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.values.formats import Remark
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.types import ANY, JsonType, all_of, arrow_type

_FIELDS: Final[Mapping[str, JsonType]] = {
    "before": ANY,
    "after": ANY,
    "source": ANY,
    "op": JsonType("string"),
    "ts_ms": JsonType("integer"),
}
_NOT_SHOWN: Final = dict.fromkeys(("transaction", "ts_us", "ts_ns", "message"), ANY)
_ENVELOPE: Final = JsonType("object", _FIELDS)
_KEY: Final = JsonType("object", {"schema": ANY, "payload": ANY})

OP, TIME, SOURCE = "op", "ts_ms", "source"
ADDED: Final = (OP, TIME, SOURCE)
"""Columns beside the rows: the operation (c created, u updated, d deleted, r read by a snapshot, t truncated, m a
message), its time, and its place in the database."""

_DELETED: Final = "d"


class Unwrapped(NamedTuple):
    """Change events without their envelopes.

    Attributes:
        rows: the field `after`, or `before` of a deletion.
        beside: the columns `ADDED`.
        errors: the reason why a value is not a change event, by its row.
        remarks: remarks on the other values.
    """

    rows: pa.Array
    beside: Mapping[str, pa.Array]
    errors: dict[int, DataError]
    remarks: Sequence[Remark] = ()


@dataclass(frozen=True)
class ChangeEvents:
    """Unwraps the values of a topic.

    Attributes:
        kind: Arrow type of the decoded values: a struct, or JSON text.
        is_table: whether deletions and tombstones are left out.
        payload: type of the envelopes in JSON text, according to Connect's schemas; None without schemas.

    Raises:
        ValueError: the values are not Debezium's.
    """

    kind: pa.DataType
    is_table: bool = False
    payload: JsonType | None = None

    def __post_init__(self) -> None:
        """Check the type."""
        if pa.types.is_string(self.kind):
            return
        fields = {each.name: each.type for each in self.kind} if pa.types.is_struct(self.kind) else {}
        missing = [name for name in (OP, "before", "after") if name not in fields]
        if missing:
            raise ValueError(f"the values are not change events of Debezium: they are {_short(self.kind)}")
        if fields["before"] != fields["after"]:
            raise ValueError("before and after of the change events have different types")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the arguments, as functions of types cannot be pickled."""
        return type(self), (self.kind, self.is_table, self.payload)

    @property
    def fields(self) -> list[pa.Field]:
        """The columns `ADDED` as Arrow fields."""
        types = {name: pa.string() for name in ADDED} | {TIME: pa.int64()}
        return [pa.field(name, self._types.get(name, types[name])) for name in ADDED]

    @property
    def row_kind(self) -> pa.DataType:
        """Arrow type of the rows."""
        return self._types["after"]

    def unwrap(self, values: pa.Array) -> Unwrapped:
        """Unwrap decoded values.

        Args:
            values: values of the type `kind`; null for tombstones, and for values that could not be decoded.
        """
        errors: dict[int, DataError] = {}
        remarks: Sequence[Remark] = ()
        if pa.types.is_string(self.kind):
            read = self._texts.read_all(values)
            errors = {**read.errors}
            # Without Connect's schemas, the types of the other fields of the envelope are unknown.
            remarks = read.remarks if self.payload is not None else ()
            parts = {name: _of_either(read.values, name) for name in _FIELDS}
        else:
            parts = {
                name: pc.struct_field(values, name) if name in self._types else pa.nulls(len(values), kind)
                for name, kind in {"before": self.row_kind, "after": self.row_kind, **self._kinds}.items()
            }
        operations = parts[OP]
        for row in np.flatnonzero(pc.and_(values.is_valid(), operations.is_null())).tolist():
            errors.setdefault(row, CorruptError("not a change event of Debezium: it has no op"))
        deleted = pc.fill_null(pc.equal(operations, _DELETED), fill_value=False).to_numpy(zero_copy_only=False)
        numbers = np.arange(len(values)) + deleted * len(values)
        rows = (
            pa.concat_arrays([parts["after"], parts["before"]]).take(pa.array(numbers))
            if deleted.any()
            else parts["after"]
        )
        return Unwrapped(rows, {name: parts[name] for name in ADDED}, dict(sorted(errors.items())), remarks)

    def is_row(self, stored: pa.Array, unwrapped: Unwrapped) -> pa.Array:
        """Whether each value is a row of the table: neither a deletion nor a tombstone.

        Args:
            stored: the values as stored.
            unwrapped: the change events of these values.
        """
        deleted = pc.fill_null(pc.equal(unwrapped.beside[OP], _DELETED), fill_value=False)
        return pc.and_(stored.is_valid(), pc.invert(deleted))

    @cached_property
    def _types(self) -> dict[str, pa.DataType]:
        if pa.types.is_string(self.kind):
            return {name: arrow_type(each) for name, each in self._envelope.fields.items()}
        return {each.name: each.type for each in self.kind}

    @cached_property
    def _envelope(self) -> JsonType:
        """The type of envelopes in JSON text; `before` and `after` have the same type."""
        if self.payload is None or self.payload.kind != "object":
            return _ENVELOPE
        found = {**_FIELDS, **_NOT_SHOWN, **self.payload.fields}
        row = all_of([found["before"], found["after"]])
        return JsonType("object", {**found, "before": row, "after": row, OP: _FIELDS[OP], TIME: _FIELDS[TIME]})

    @property
    def _kinds(self) -> dict[str, pa.DataType]:
        return {each.name: each.type for each in self.fields}

    @cached_property
    def _texts(self) -> JsonColumns:
        envelope = self._envelope
        return JsonColumns(JsonType("object", {**envelope.fields, "schema": ANY, "payload": envelope}))


@cache
def _of_keys() -> JsonColumns:
    return JsonColumns(_KEY)


def unwrapped_keys(keys: pa.Array) -> pa.Array:
    """Keys of JSON text without Connect's envelope; other keys unchanged."""
    read = _of_keys().read_all(keys)
    schema, payload = (pc.struct_field(read.values, name) for name in ("schema", "payload"))
    return pc.if_else(pc.and_(schema.is_valid(), payload.is_valid()), payload, keys)


def _of_either(values: pa.Array, name: str) -> pa.Array:
    """A field of the payload, or of the stored value without Connect's envelope."""
    return pc.coalesce(pc.struct_field(values, ["payload", name]), pc.struct_field(values, name))


def _short(kind: pa.DataType) -> str:
    text = str(kind)
    return text if len(text) <= 80 else f"{text[:77]}..."
