"""Finds the framings and schema ids of keys and values by topic, with counts, from their bytes alone."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

import pyarrow.compute as pc

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import DataError
from kafkafmt.libraries import np, pa
from kafkafmt.limits import Limits
from kafkafmt.values.framing import CONFLUENT_BYTES, LONG_BYTES, Framing, framing_of
from kafkafmt.values.primitives import plain_format
from kafkafmt.values.protobuf.message_names import beginnings, size_before
from kafkafmt.values.protobuf.protobuf_format import PROTOBUF, Protobuf
from kafkafmt.values.record_names import record_name
from kafkafmt.values.registry_log import INTERNAL
from kafkafmt.values.stored_schema import printable

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

_PARTS: Final[tuple["Part", ...]] = ("key", "value")
SCANNED: Final = ("topic", *_PARTS, "headers")
"""The columns of a scan that `framed_topics` needs."""

_SAMPLE: Final = 100
_MOST_IDS: Final = 10_000
_HEADERS: Final = r"^(__(key|value)_schema_id|apicurio\.(key|value)\.(contentId|globalId))$"


_RECORD_TYPE: Final = "struct<name: string, records: int64>"


def _as_structs(types: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"name": name, "records": records} for name, records in types]


@dataclass(frozen=True, slots=True)
class FramedTopic:
    """The keys or values of a topic with one framing.

    Attributes:
        topic: the topic.
        part: "key" or "value".
        framing: "confluent", "confluent-header", "glue", .., as `Framing.name`; "none"; or "broken" for a header that
            is cut.
        format: type of the schemas; without a framing what the first ones look like: "json", "string" or "bytes".
        records: number of keys or values.
        schema_ids: the ids, GUIDs or fingerprints (in hex) as text, in the order of their numbers of records.
        subjects: subjects of these schemas.
        record_types: full names of the types that these schemas describe, and numbers of records, the most frequent
            first; of Protobuf those of the messages that values name.
        unknown: number of keys or values whose schema is not on the disk.
    """

    topic: Annotated[str, "string"]
    part: Annotated[str, "string"]
    framing: Annotated[str, "string"]
    format: Annotated[str | None, "string"]
    records: Annotated[int, "int64"]
    schema_ids: Annotated[tuple[str, ...], "list<string>", list]
    subjects: Annotated[tuple[str, ...], "list<string>", list]
    record_types: Annotated[tuple[tuple[str, int], ...], f"list<{_RECORD_TYPE}>", _as_structs]
    unknown: Annotated[int, "int64"]


FRAMED_TOPICS: Final = TableColumns(*columns_of(FramedTopic))
"""The columns of a `FramedTopic`."""


@dataclass(slots=True)
class _Seen:
    """The keys or values of a topic so far; `protobuf` has the ids and GUIDs of Protobuf schemas."""

    protobuf: Collection[object]
    ids: "Counter[tuple[str, int | str | None]]" = field(default_factory=Counter)
    messages: "Counter[tuple[str, int | str | None, bytes]]" = field(default_factory=Counter)
    sample: list[bytes] = field(default_factory=list)

    def count(self, framing: str, identity: int | str | None, number: int = 1) -> None:
        """Count values; as random bytes look like very many ids, ids beyond the limit are counted without identity."""
        is_kept = len(self.ids) < _MOST_IDS or (framing, identity) in self.ids
        self.ids[framing, identity if is_kept else None] += number

    def count_message(self, framing: str, identity: int | str | None, data: bytes, number: int = 1) -> None:
        """Count Protobuf values by the message indexes or the Ref at their beginning; broken ones are left out."""
        with suppress(DataError):
            key = (framing, identity, data[: size_before(data)])
            if len(self.messages) < _MOST_IDS or key in self.messages:
                self.messages[key] += number


def framed_topics(scan: "Scan", schemas: "Schemas") -> Iterator[FramedTopic]:
    """Examine all keys and values of a scan.

    Args:
        scan: the records, with the columns `SCANNED`; afterwards its `damage` and `notes` are those of this pass.
        schemas: the schemas to which ids may refer.

    Raises:
        KafkafmtError: as for a pass of the scan.
    """
    protobuf = {name for each in schemas.all if each.type == PROTOBUF for name in (each.schema_id, each.guid)}
    seen: defaultdict[tuple[str, Part], _Seen] = defaultdict(lambda: _Seen(protobuf))
    ids = {each.schema_id for each in schemas.all if each.schema_id is not None}
    known = pa.array([b"\0" + each.to_bytes(4, "big", signed=True) for each in sorted(ids)], pa.binary())
    with scan.to_reader() as reader:
        for batch in reader:
            for topic in set(pc.unique(batch.column("topic")).to_pylist()) - INTERNAL:
                rows = batch.filter(pc.equal(batch.column("topic"), topic)) if topic is not None else batch
                for part in _PARTS:
                    _see(seen[topic or "", part], rows, part, known)
    for (topic, part), found in sorted(seen.items()):
        yield from _rows(topic, part, found, schemas)


def _see(seen: _Seen, rows: "pa.RecordBatch", part: "Part", known: "pa.Array") -> None:
    """Count the keys or values of some rows.

    Args:
        seen: the counts to update.
        rows: rows of one topic.
        part: "key" or "value".
        known: the ids of known schemas with the byte before them: eight bytes with another id are a long.
    """
    column, headers = rows.column(part), rows.column("headers")
    has_headers = (
        len(headers.flatten())
        and pc.any(pc.match_substring_regex(pc.struct_field(headers.flatten(), "key"), _HEADERS)).as_py()
    )
    if has_headers:
        for data, beside in zip(column.to_pylist(), headers.to_pylist(), strict=True):
            if data is not None:
                _see_one(seen, data, [(each["key"], each["value"]) for each in beside or ()], part)
        return
    values = column.drop_null()
    first_bytes = pc.binary_slice(values, 0, CONFLUENT_BYTES)
    is_confluent = pc.and_(
        pc.equal(pc.binary_length(first_bytes), CONFLUENT_BYTES), pc.equal(pc.binary_slice(values, 0, 1), b"\0")
    )
    may_be_id = pc.or_(pc.not_equal(pc.binary_length(values), LONG_BYTES), pc.is_in(first_bytes, known))
    is_confluent = pc.and_(is_confluent, may_be_id)
    # Ids repeat and most values are framed alike, so each distinct beginning is examined once.
    for each in pc.value_counts(first_bytes.filter(is_confluent)):
        prefix, count = each["values"].as_py(), each["counts"].as_py()
        if prefix == bytes(CONFLUENT_BYTES):
            for data in values.filter(pc.equal(first_bytes, prefix)).to_pylist():
                _see_one(seen, data, [], part)
        else:
            schema_id = int.from_bytes(prefix[1:], "big", signed=True)
            seen.count("confluent", schema_id, count)
            if schema_id in seen.protobuf:
                for data, number in _beginnings(values.filter(pc.equal(first_bytes, prefix))):
                    seen.count_message("confluent", schema_id, data, number)
    others = values.filter(pc.invert(is_confluent))
    may_be_framed = np.isin(
        np.frombuffer(b"".join(data[:1] or b"\xff" for data in others.to_pylist()), np.uint8), [1, 3, 0xC3]
    )
    for data in others.filter(pa.array(may_be_framed)).to_pylist():
        _see_one(seen, data, [], part)
    plain = others.filter(pa.array(~may_be_framed))
    if len(plain):
        seen.count("none", None, len(plain))
        seen.sample += plain.slice(0, _SAMPLE - len(seen.sample)).to_pylist()


def _beginnings(framed: "pa.Array") -> Iterator[tuple[bytes, int]]:
    """The bytes before the message of Protobuf values, with numbers of values; for unusual values the whole value."""
    offsets = np.frombuffer(framed.buffers()[1], np.int32)[framed.offset : framed.offset + len(framed) + 1]
    begins, ends = offsets[:-1].astype(np.int64) + CONFLUENT_BYTES, offsets[1:].astype(np.int64)
    for before, rows in beginnings(np.frombuffer(framed.buffers()[2], np.uint8), begins, ends):
        if before is not None:
            yield before, len(rows)
            continue
        for data in framed.take(rows).to_pylist():
            yield data[CONFLUENT_BYTES:], 1


def _see_one(seen: _Seen, data: bytes, headers: list[tuple[str, bytes | None]], part: "Part") -> None:
    try:
        framing = framing_of(data, headers, part)
    except DataError:
        seen.count("broken", None)
        return
    named = framing.guid if framing.fingerprint is None else f"{framing.fingerprint:016x}"
    identity = framing.schema_id if framing.schema_id is not None else named
    seen.count(framing.name, identity)
    if identity in seen.protobuf:
        seen.count_message(framing.name, identity, framing.payload if framing.indexes is None else framing.indexes)
    if framing.name == "none" and len(seen.sample) < _SAMPLE:
        seen.sample.append(data)


def _rows(topic: str, part: "Part", found: _Seen, schemas: "Schemas") -> Iterator[FramedTopic]:
    by_framing: defaultdict[str, list[tuple[int | str | None, int]]] = defaultdict(list)
    for (framing, identity), count in found.ids.most_common():
        by_framing[framing].append((identity, count))
    messages = Protobuf(schemas, f"{topic}-{part}", part, Limits(), None)
    for framing, ids in by_framing.items():
        known = {identity: _schema(schemas, framing, identity, f"{topic}-{part}") for identity, _ in ids}
        types = list(dict.fromkeys(each.type for each in known.values() if each is not None))
        is_framed = framing not in ("none", "broken")
        yield FramedTopic(
            topic,
            part,
            framing,
            (types[0] if len(types) == 1 else None) if is_framed else plain_format(found.sample),
            sum(count for _, count in ids),
            tuple(str(identity) for identity, _ in ids if identity is not None),
            tuple(dict.fromkeys(printable(each.subject) for each in known.values() if each is not None)),
            _record_types(framing, found, known, messages),
            sum(count for identity, count in ids if known[identity] is None) if is_framed else 0,
        )


def _record_types(
    framing: str, found: _Seen, known: "Mapping[int | str | None, StoredSchema | None]", messages: Protobuf
) -> tuple[tuple[str, int], ...]:
    types = Counter[str]()
    for (name, identity), count in found.ids.items():
        schema = known.get(identity) if name == framing else None
        if schema is not None and schema.type != PROTOBUF and (record := record_name(schema)) is not None:
            types[printable(record)] += count
    for (name, identity, indexes), count in found.messages.items():
        schema = known.get(identity) if name == framing else None
        if schema is not None and schema.type == PROTOBUF:
            with suppress(DataError):  # decoding reports what is wrong with these values
                types[messages.message_name(schema, Framing("confluent", indexes))] += count
    return tuple(types.most_common())


def _schema(schemas: "Schemas", framing: str, identity: int | str | None, subject: str) -> "StoredSchema | None":
    """The schema that an identity refers to; schemas of other registries are never in `_schemas`."""
    if framing == "avro-object":
        return schemas.by_fingerprint(int(identity or "", 16)) if isinstance(identity, str) else None
    if not framing.startswith("confluent"):
        return None
    return schemas.by_id(identity, subject) if isinstance(identity, int) else schemas.by_guid(identity or "")
