"""Formats whose values name the registry's schema with which they were written."""

from abc import abstractmethod
from contextlib import suppress
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from kafkafmt.errors import CorruptError, DataError
from kafkafmt.values.decoded import NOTHING, Decoded, DecodedColumn, Gathered, Rows, rows_of_each, together
from kafkafmt.values.formats import Headers, ValueFormat
from kafkafmt.values.framing import CONFLUENT_BYTES, Framing, confluent_ids, framing_of, schema_headers
from kafkafmt.values.record_names import record_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

_Key = TypeVar("_Key")
_Made = TypeVar("_Made")

_OF_OTHERS: Final = ("apicurio-8", "apicurio-header", "glue")
"""Framings of registries that store nothing in `_schemas`."""


class SameSchema(NamedTuple):
    """Values of a column that name the same schema, before the value or in a header.

    Attributes:
        rows: numbers of the values.
        schema_id: id of the schema.
        schema: finds the schema, or raises a `DataError`.
        skipped: number of bytes before each value.
    """

    rows: Rows
    schema_id: int
    schema: "Callable[[], StoredSchema]"
    skipped: int


def remembered(made: "dict[_Key, _Made | DataError]", key: "_Key", make: "Callable[[], _Made]") -> "_Made":
    """Call a function once for each key, and keep its result or error, so that a large invalid schema is tried once.

    Args:
        made: earlier results and errors.
        key: the key.
        make: the function.

    Raises:
        DataError: the function's error.
    """
    if key not in made:
        try:
            made[key] = make()
        except DataError as error:
            made[key] = error
    found = made[key]
    if isinstance(found, DataError):
        raise copy(found)  # a copy, as the caller adds the place to it
    return found


class RegisteredFormat(ValueFormat):
    """A format whose values name the registry's schema with which they were written.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of decoded data.
    """

    TYPE: str
    reads_headers = True

    def __init__(self, schemas: "Schemas", subject: str, part: "Part", limits: "Limits") -> None:
        self._arguments = (schemas, subject, part, limits)
        self._schemas, self._subject, self._part, self._limits = schemas, subject, part, limits
        self._found: dict[int | str, StoredSchema] = {}

    @abstractmethod
    def _value(self, schema: "StoredSchema", framing: Framing) -> Decoded:
        """Decode the payload of a framing; the caller adds the schema's id.

        Args:
            schema: the writer's schema.
            framing: the framing.

        Raises:
            DataError: as for `decode`.
        """

    @property
    def record_types(self) -> set[str]:
        """Names of the record types of the values so far."""
        return {name for each in self._found.values() for name in record_names(each)[:1]}

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a value, as described by `ValueFormat`."""
        decoded, error = self._attempt(data, headers)
        if error is not None:
            raise error
        return decoded

    def _attempt(self, data: bytes, headers: Headers) -> tuple[Decoded, DataError | None]:
        schema_id = None
        try:
            framing = framing_of(data, headers, self._part, self._limits)
            schema_id = framing.schema_id if framing.name not in _OF_OTHERS else None
            schema = self._schema_of(framing)
            schema_id = schema.schema_id
            return self._value(schema, framing)._replace(schema_id=schema_id), None
        except DataError as error:
            return Decoded(None, schema_id), error

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode many values, those of each schema together; see `ValueFormat`."""
        ids = confluent_ids(stored, headers, self._part)
        parts: list[tuple[Rows, DecodedColumn]] = []
        for schema_id, rows in rows_of_each(ids):
            some = len(rows) < len(stored)
            values = stored.take(rows) if some else stored
            if schema_id:
                parts.append((rows, self._of_id(schema_id, values)))
            else:
                parts.append((rows, super().decode_all(values, headers.take(rows) if some else headers)))
        return together(parts) if parts else super().decode_all(stored, headers)

    def schemas_of(self, stored: pa.Array, headers: pa.Array) -> "Iterator[SameSchema]":
        """Values of the usual framings, grouped by schema; other values are left out.

        Args:
            stored: the values, of type binary.
            headers: the headers of the records.
        """
        for schema_id, rows in rows_of_each(confluent_ids(stored, headers, self._part)):
            if schema_id:
                yield SameSchema(rows, schema_id, partial(self._schema, schema_id), CONFLUENT_BYTES)
        named = schema_headers(stored, headers, self._part)
        for header, rows in rows_of_each(named) if named is not None else ():
            if header is None:
                continue
            # Each value has the error, and the reader of single values reports it.
            with suppress(DataError):
                schema = self._schema_of(framing_of(b"", [(f"__{self._part}_schema_id", header)], self._part))
                if schema.schema_id is not None:
                    yield SameSchema(rows, schema.schema_id, partial(self._schema, schema.schema_id), 0)

    def _of_id(self, schema_id: int, stored: pa.Array) -> DecodedColumn:
        """Decode values preceded by the same id."""
        ids = pa.array(np.full(len(stored), schema_id, np.int32))
        try:
            return self._decode_framed(self._schema(schema_id), stored)._replace(schema_ids=ids)
        except DataError as error:
            return DecodedColumn(pa.nulls(len(stored), self.kind), ids, dict.fromkeys(range(len(stored)), error))

    def _decode_framed(self, schema: "StoredSchema", stored: pa.Array) -> DecodedColumn:
        """Decode many values of one schema; formats that are faster in bulk override this.

        Args:
            schema: the writer's schema.
            stored: the values, of type binary, without nulls, each preceded by `CONFLUENT_BYTES`.

        Returns:
            The column; its ids are meaningless.

        Raises:
            DataError: no value can be decoded: the schema is invalid, or cannot be resolved.
            TooManyTogetherError: the values take too much memory.
        """
        gathered = Gathered(self.kind)
        for data in stored.to_pylist():
            try:
                gathered.add(self._value(schema, Framing("confluent", data[CONFLUENT_BYTES:])))
            except DataError as error:
                gathered.add(NOTHING, error)
        return gathered.column()

    def _schema_of(self, framing: Framing) -> "StoredSchema":
        """The schema that a framing names."""
        if framing.fingerprint is not None:
            return self._of_fingerprint(framing.fingerprint)
        wanted = framing.schema_id if framing.schema_id is not None else framing.guid
        if wanted is not None and framing.name not in _OF_OTHERS:
            return self._schema(wanted)
        if (assumed := self._schemas.assumed(framing)) is not None:
            return self._checked(assumed)
        if wanted is None:
            raise CorruptError("the bytes are not framed: no schema id before them, and no header")
        advised = self._schemas.advised.schema
        raise DataError(
            "the schema is of another registry, and not in _schemas" + (f": name it by {advised}" if advised else ""),
            found=f"{framing.name} {wanted}",
        )

    def _of_fingerprint(self, fingerprint: int) -> "StoredSchema":
        """The schema of a value in Avro's single-object encoding."""
        schema = self._schemas.by_fingerprint(fingerprint)
        if schema is None:
            raise DataError("no known schema has this fingerprint", found=f"{fingerprint:016x}")
        return self._checked(schema)

    def _checked(self, schema: "StoredSchema") -> "StoredSchema":
        if schema.type != self.TYPE:
            raise DataError(
                "the schema is of another type", expected=self.TYPE, found=f"{schema.type}, id {schema.schema_id}"
            )
        return schema

    def _schema(self, wanted: int | str) -> "StoredSchema":
        """The schema with an id or a GUID."""
        schema = self._found.get(wanted)
        if schema is None:
            schema = (
                self._schemas.by_id(wanted, self._subject) if isinstance(wanted, int) else self._schemas.by_guid(wanted)
            )
            if schema is None:
                raise DataError("no known schema has this id", found=wanted)
            self._found[wanted] = self._checked(schema)
        return schema
