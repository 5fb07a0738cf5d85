"""The user's choice among schemas: a reader's schema, also for values that name no schema, and one record type."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import DataError, NotFoundError, SourceError
from kafkafmt.values.decoded import Decoded, DecodedColumn
from kafkafmt.values.formats import Headers, Remark, ValueFormat
from kafkafmt.values.record_names import record_names
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_files import read_folder
from kafkafmt.values.schema_names import SUFFIXES
from kafkafmt.values.stored_schema import StoredSchema

if TYPE_CHECKING:
    from kafkafmt.errors import KafkafmtError
    from kafkafmt.values.framing import Framing, Part

_NAMED: Final = 5
_MOST_COMPARED: Final = 10_000


class OtherRecordError(DataError):
    """Raised for a value of another record type than the chosen one, which is not damage."""


@dataclass(frozen=True, repr=False)
class ChosenSchemas(Schemas):
    """Schemas with a chosen one, or with a chosen record type.

    Attributes:
        chosen: the reader's schema; values that name a schema of another registry, or none, are decoded by it. None if
            only a record type is chosen.
        record: full name of the record type to decode; None for all.
        is_unframed: whether all values have the form that a serializer without a registry writes.
        is_strict: whether values that name no schema are refused.
    """

    chosen: StoredSchema | None = None
    record: str | None = None
    is_unframed: bool = False
    is_strict: bool = False

    @classmethod
    def of(cls, known: Schemas, chosen: StoredSchema | None, record: str | None) -> "ChosenSchemas":
        """The known schemas with a choice."""
        of_known: dict[str, Any] = {each.name: getattr(known, each.name) for each in fields(Schemas)}
        return cls(**of_known, chosen=chosen, record=record)

    def assumed(self, framing: "Framing") -> StoredSchema | None:
        """The chosen schema, for values that do not name a known one."""
        # Framed values of Protobuf have message indexes, and others do not: `Unframed` reads those.
        is_refused = self.is_strict or (self.chosen is not None and self.chosen.type == "PROTOBUF")
        return None if is_refused and framing.name == "none" else self.chosen

    @property
    def assumed_id(self) -> int:
        """An id that no known schema has, for values decoded by the assumed schema."""
        return next(number for number in count(1) if number not in self._by_id)

    def by_id(self, schema_id: int, subject: str) -> StoredSchema | None:
        """As `Schemas.by_id`; for an unknown id the chosen schema, if no schemas with ids are known.

        Raises:
            OtherRecordError: the schema has another record type than the chosen one.
        """
        found = super().by_id(schema_id, subject)
        if found is None and (not self.has_ids or (self.is_unframed and schema_id == self.assumed_id)):
            found = self.chosen
        return self._of_record(found)

    def by_guid(self, guid: str) -> StoredSchema | None:
        """As `Schemas.by_guid`; raises `OtherRecordError` as `by_id` does."""
        return self._of_record(super().by_guid(guid))

    def by_fingerprint(self, fingerprint: int) -> StoredSchema | None:
        """As `Schemas.by_fingerprint`; raises `OtherRecordError` as `by_id` does."""
        return self._of_record(super().by_fingerprint(fingerprint))

    def named_by(self, framing: "Framing", subject: str) -> StoredSchema | None:
        """As `Schemas.named_by`; for values without framing the chosen schema."""
        return self.chosen if self.is_unframed else super().named_by(framing, subject)

    def latest(self, subject: str) -> StoredSchema | None:
        """The chosen schema; else the latest one with the record type, of the subject most likely to be the topic's."""
        if self.chosen is not None or self.record is None:
            return self.chosen if self.chosen is not None else super().latest(subject)
        likely = (subject, f"{subject.rpartition('-')[0]}-{self.record}", self.record)
        others = (each.subject for each in self.all if self.record in record_names(each))
        for name in dict.fromkeys((*likely, *others)):
            found = super().latest(name)
            if found is not None and self.record in record_names(found):
                return found
        return None

    def _of_record(self, found: StoredSchema | None) -> StoredSchema | None:
        if found is not None and self.record is not None and self.record not in record_names(found):
            raise OtherRecordError(f"a value of another type: {', '.join(record_names(found)) or found.subject}")
        return found


class Unframed(ValueFormat):
    """Values in the form that a serializer without a registry writes.

    Args:
        inner: the format of the same values preceded by an id, and without message indexes.
        schemas: the schemas that the inner format knows.
    """

    def __init__(self, inner: ValueFormat, schemas: ChosenSchemas) -> None:
        self._arguments = (inner, schemas)
        self._inner = inner
        self.name, self.kind, self.as_text = inner.name, inner.kind, inner.as_text
        self.most_rows, self.most_bytes = inner.most_rows, inner.most_bytes
        chosen = schemas.chosen
        self._id = None if chosen is None else chosen.schema_id
        self._before = b"\0" + schemas.assumed_id.to_bytes(4, "big", signed=True)

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:  # noqa: ARG002 - headers say nothing here
        """Decode a value, as described by `ValueFormat`."""
        return self._inner.decode(self._before + data)._replace(schema_id=self._id)

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode many values; see `ValueFormat`."""
        framed = pc.binary_join_element_wise(pa.scalar(self._before), stored.cast(pa.binary()), pa.scalar(b""))
        decoded = self._inner.decode_all(framed, pa.nulls(len(headers), headers.type))
        ids = pc.if_else(stored.is_valid(), pa.scalar(self._id, pa.int32()), pa.scalar(None, pa.int32()))
        return decoded._replace(schema_ids=ids)

    def take_remarks(self) -> Iterable[Remark]:
        """The remarks of the inner format; see `ValueFormat`."""
        return self._inner.take_remarks()


@dataclass(frozen=True)
class Choice:
    """The schemas of keys and values, and the user's choice among them.

    Attributes:
        known: the schemas.
        schema: the reader's schema of the values, or None.
        record: the record type of the values, or None.
    """

    known: Schemas
    schema: StoredSchema | None = None
    record: str | None = None

    @classmethod
    def of(cls, known: Schemas, schema: "StoredSchema | str | None", record: str | None) -> "Choice":
        """The choice of a user.

        Args:
            known: the schemas.
            schema: as for `schema_named`; None for none.
            record: full name of a record type; None for all.

        Raises:
            NotFoundError: there is no such schema or record type; the message names some that exist.
            SourceError: the file of the schema cannot be read.
        """
        chosen = None if schema is None else schema_named(known, schema)
        if record is None or (chosen is not None and record in record_names(chosen)):
            return cls(known, chosen, record)
        if chosen is not None and chosen.type == "PROTOBUF":  # values of Avro may be resolved to another type
            check_record(chosen, record)
        every = dict.fromkeys(name for each in known.all for name in record_names(each))
        if record not in every:
            raise _not_known(known, f"no schema of the record type {record}; there are: {_listed(every, record)}")
        return cls(known, chosen, record)

    def readings(self, subject: str, part: "Part") -> Iterator[Schemas]:
        """The schemas, for each way in which keys or values may be meant.

        Args:
            subject: subject of the keys or values.
            part: "key" or "value".
        """
        schema, record = (self.schema, self.record) if part == "value" else (None, None)
        if schema is None and self.known.all and not self.known.has_ids:
            schema = self._without_ids(subject, part)
        if schema is None and record is None:
            yield self.known
            return
        chosen = ChosenSchemas.of(self.known, schema, record)
        yield chosen
        if schema is not None:
            yield replace(chosen, is_unframed=True)

    def _without_ids(self, subject: str, part: "Part") -> StoredSchema | None:
        """The only schema that files without ids can mean: that of the subject, or the only one."""
        found = self.known.latest(subject)
        names = {each.subject for each in self.known.all}
        return self.known.latest(*names) if found is None and part == "value" and len(names) == 1 else found


def schema_named(known: Schemas, named: "StoredSchema | str") -> StoredSchema:
    """The schema of a subject, of a subject and a version, or of a file.

    Args:
        known: the schemas.
        named: "SUBJECT", "SUBJECT:VERSION", or the path of a file that ends in .avsc, .proto or .json.

    Raises:
        NotFoundError: there is no such schema; the message names some that exist.
        SourceError: the file cannot be read.
    """
    if isinstance(named, StoredSchema):
        return named
    found = known.latest(named)
    subject, colon, version = named.rpartition(":")
    if found is None and colon and version.isascii() and version.isdigit() and len(version) < 10:
        found = known.version(subject, int(version))
        versions = sorted({each.version for each in known.all if each.subject == subject})
        if found is None and versions:
            listed = ", ".join(map(str, versions[-_NAMED:]))
            raise _not_known(known, f"{subject} has no version {version}; there are: {listed}")
    if found is None and os.path.splitext(named)[1].lower() in SUFFIXES:
        found = _of_file(named)
    if found is None:
        others = _listed(dict.fromkeys(each.subject for each in known.all), named)
        raise _not_known(
            known, f"no schema {named}: neither a subject, with :VERSION or not, nor a file; there are: {others}"
        )
    return found


def check_record(schema: StoredSchema, record: str) -> None:
    """Check that values of a schema may have a record type.

    Args:
        schema: the schema.
        record: full name of the record type.

    Raises:
        NotFoundError: they cannot; the message names some types that they have.
    """
    names = record_names(schema)
    if record not in names:
        raise NotFoundError(
            f"{schema.subject} version {schema.version} has no record type {record}; it has: {_listed(names, record)}"
        )


def _not_known(known: Schemas, text: str) -> NotFoundError:
    """The error, with the reason why schemas may be missing."""
    return NotFoundError(f"{text}; {known.doubt}" if known.doubt else text)


def _listed(names: Iterable[str], wanted: str) -> str:
    """Some names, beginning with those that are most like the wanted one."""
    every = [*islice(names, _MOST_COMPARED)]
    same = [name for name in every if name.rpartition(".")[2] == wanted][:_NAMED]
    close = list(dict.fromkeys([*same, *get_close_matches(wanted, every, _NAMED)]))
    first = [*close, *(name for name in every if name not in close)][: _NAMED + 1]
    return ", ".join(first[:_NAMED]) + (", .." if len(first) > _NAMED else "") or "none"


def _of_file(path: str) -> StoredSchema:
    def fail(error: "KafkafmtError") -> None:
        raise error

    if not os.path.isfile(path):
        raise SourceError("no such schema file", file=path)
    (schema,) = read_folder(path, fail).all
    return schema


def fewest_errors(formats: "list[ValueFormat]", rows: list[dict[str, Any]], part: "Part") -> ValueFormat:
    """The format that decodes most of some keys or values; the first of equal ones.

    Args:
        formats: the formats, at least one.
        rows: records, with their headers.
        part: "key" or "value".
    """
    if len(formats) == 1:
        return formats[0]

    def errors(form: ValueFormat) -> int:
        failed = 0
        for row in rows:
            try:
                failed += form.decode(row[part], [(e["key"], e["value"]) for e in row["headers"] or ()]).bytes_left > 0
            except OtherRecordError:
                pass
            except DataError:
                failed += 1
        return failed

    return min(formats, key=errors)
