"""`decode`: the records of a scan with typed keys and values; the format of a topic is found, or given."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import pyarrow as pa

from kafkafmt.errors import DataError
from kafkafmt.limits import Limits
from kafkafmt.scanning.arguments import check_choice
from kafkafmt.scanning.decoded_scan import DecodedScan, SelectedRows
from kafkafmt.values.avro.avro_format import AVRO, Avro
from kafkafmt.values.debezium import ChangeEvents
from kafkafmt.values.decoding import PARTS, ValueDecoder, decoded_schema
from kafkafmt.values.formats import Primitive, ValueFormat
from kafkafmt.values.framing import framing_of
from kafkafmt.values.json.connect import payload_type
from kafkafmt.values.json.json_format import JSON_SCHEMA, JsonSchema
from kafkafmt.values.json.plain import PlainJson
from kafkafmt.values.primitives import plain_format
from kafkafmt.values.protobuf.protobuf_format import PROTOBUF, Protobuf, most_frequent_message
from kafkafmt.values.registry import Schemas, schemas
from kafkafmt.values.registry_log import SCHEMAS_TOPIC

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning import Scan
    from kafkafmt.values.framing import Framing, Part
    from kafkafmt.values.stored_schema import StoredSchema

FormatName = Literal[
    "auto", "bytes", "string", "json", "avro", "protobuf", "short", "int", "long", "float", "double", "boolean", "uuid"
]

_SAMPLE: Final = 1000
"""Records of a topic that are looked at to find its format."""

_REGISTERED: Final = {"avro": AVRO, "protobuf": PROTOBUF}
"""Formats with a registry's schemas, and its names of them."""

_NO_SCHEMAS: Final = Schemas((), {}, {})


def decode(
    scan: "Scan",
    *,
    value: FormatName = "auto",
    key: FormatName = "auto",
    schemas: Schemas | None = None,
    resolve: bool = True,
    columns: Sequence[str] | None = None,
    on_damage: "OnDamage" = "raise",
    unwrap: Literal["debezium"] | None = None,
) -> DecodedScan[ValueDecoder]:
    """Decode the keys and values of a scan's records, as described by `Scan.decode`."""
    if unwrap is not None:
        check_choice("unwrap", unwrap, ("debezium",))
    known = schemas if schemas is not None else _schemas_of(scan)
    formats = formats_of(scan, value=value, key=key, schemas=known, resolve=resolve)
    topics = list(formats)
    kinds = _one_type(formats)
    label = ", ".join(topic or "the records" for topic in topics[:3]) + (", .." if len(topics) > 3 else "")
    if unwrap is None:
        decoder = ValueDecoder(label, formats, decoded_schema(kinds, columns), on_damage, known.faults)
        return DecodedScan(scan.select(decoder.scanned), decoder)
    is_table = len(topics) == 1 and pa.types.is_string(kinds[1])
    payload = payload_type(_first_values(scan)) if is_table else None
    events = ChangeEvents(kinds[1], scan.is_compacted, payload)
    schema = decoded_schema((kinds[0], events.row_kind), columns, events.fields)
    decoder = ValueDecoder(label, formats, schema, on_damage, known.faults, events)
    return (SelectedRows if events.is_table else DecodedScan)(scan.select(decoder.scanned), decoder)


def _first_values(scan: "Scan") -> list[bytes]:
    found: list[bytes] = []
    with suppress(DataError), scan.select(["value"]).without_warnings().head(_SAMPLE) as reader:
        for batch in reader:
            found += [value for value in batch.column("value").to_pylist() if value is not None]
    return found


def formats_of(
    scan: "Scan", *, value: str, key: str, schemas: Schemas | None = None, resolve: bool = True
) -> dict[str | None, tuple[ValueFormat, ValueFormat]]:
    """The formats of keys and of values by topic; None is any topic.

    Args:
        scan: the records, of which the first ones are read.
        value: as for `decode`, as the other arguments.
        key: format of the keys.
        schemas: the schemas.
        resolve: whether values are resolved to one schema.

    Raises:
        ValueError: an unknown format.
        DataError: the latest schema of a subject is none.
    """
    for name, given in (("key", key), ("value", value)):
        check_choice(name, given, get_args(FormatName))
    names: Any = {"key": key, "value": value}
    known = schemas if schemas is not None else _schemas_of(scan)
    named = {each.topic for each in scan.partitions}
    topics = [*sorted(each for each in named if each is not None), *([None] if None in named or not named else [])]
    return {topic: _formats(scan, topic, names, known, resolve=resolve) for topic in topics}


def _schemas_of(scan: "Scan") -> Schemas:
    of_registry = [each for each in scan.source_partitions if each.topic == SCHEMAS_TOPIC]
    return schemas(of_registry) if of_registry else _NO_SCHEMAS


def _one_type(formats: Mapping[str | None, tuple[ValueFormat, ValueFormat]]) -> tuple[pa.DataType, pa.DataType]:
    """The type of all keys, and of all values.

    Raises:
        ValueError: there are several.
    """
    kinds: list[pa.DataType] = []
    for number, part in enumerate(PARTS):
        of_topics = {topic: pair[number].kind for topic, pair in formats.items()}
        first, *others = of_topics
        for other in others:
            if of_topics[other] != of_topics[first]:
                raise ValueError(f"the {part}s of {first} and {other} have different types: decode one topic")
        kinds.append(of_topics[first])
    return kinds[0], kinds[1]


def _formats(
    scan: "Scan", topic: str | None, names: Mapping[str, FormatName], known: Schemas, *, resolve: bool
) -> tuple[ValueFormat, ValueFormat]:
    """The formats of a topic's keys and values."""
    rows: list[dict[str, Any]] = []
    if {"auto", "json", *_REGISTERED}.intersection(names.values()):
        numbers = {each.partition for each in scan.partitions if each.topic == topic and each.partition is not None}
        sampled = scan if topic is None else scan.narrowed({topic: numbers})
        # Damage is for the pass that reads all: what comes before it is a sample too.
        with (
            suppress(DataError),
            sampled.select([*PARTS, "headers"]).without_warnings().head(_SAMPLE) as reader,
        ):
            for batch in reader:
                rows += batch.to_pylist()
    found = [_Choice(topic, part, rows, known, resolve=resolve).format(names[part]) for part in PARTS]
    return found[0], found[1]


class _Choice:
    """Chooses the format of the keys or values of a topic.

    Args:
        topic: the topic.
        part: "key" or "value".
        rows: the first records.
        known: the schemas.
        resolve: whether values are resolved to one schema.
    """

    def __init__(
        self, topic: str | None, part: "Part", rows: list[dict[str, Any]], known: Schemas, *, resolve: bool
    ) -> None:
        self._subject = f"{topic}-{part}"
        self._part, self._known, self._resolve = part, known, resolve
        self._rows = [row for row in rows if row[part] is not None]

    def format(self, name: FormatName) -> ValueFormat:
        """The format of a name."""
        if name not in ("auto", "json", *_REGISTERED):
            return Primitive(name)
        written = Counter(schema for schema, _ in self._written())
        wanted = _REGISTERED.get(name)
        types = Counter[str]()
        for schema, count in written.items():
            types[schema.type] += count
        best = wanted or (types.most_common(1)[0][0] if types and 2 * types.total() >= len(self._rows) else None)
        if best == AVRO and name != "json":
            return Avro(self._known, self._subject, self._part, Limits(), self._reader(AVRO, written))
        if best == PROTOBUF and name != "json":
            return self._protobuf(self._reader(PROTOBUF, written))
        if best == JSON_SCHEMA:
            reader = self._reader(JSON_SCHEMA, written)
            subjects = {each.subject for each in written}
            is_one = reader is not None and (reader.subject == self._subject or len(subjects) == 1)
            return JsonSchema(self._known, self._subject, self._part, Limits(), reader if is_one else None)
        found = "json" if name == "json" else plain_format([row[self._part] for row in self._rows])
        return PlainJson() if found == "json" else Primitive(found)

    def _protobuf(self, reader: "StoredSchema | None") -> Protobuf:
        """Protobuf, of the most frequent message of the records."""
        common = (self._known, self._subject, self._part, Limits())
        message = None if reader is None else most_frequent_message(Protobuf(*common, None), self._written(), reader)
        return Protobuf(*common, reader, message)

    def _written(self) -> "Iterable[tuple[StoredSchema, Framing]]":
        """The schema of each record that names one."""
        for row in self._rows:
            headers = [(each["key"], each["value"]) for each in row["headers"] or ()]
            try:
                framing = framing_of(row[self._part], headers, self._part)
            except DataError:
                continue
            if framing.name.startswith("confluent"):
                schema = (
                    self._known.by_guid(framing.guid)
                    if framing.schema_id is None and framing.guid is not None
                    else self._known.by_id(framing.schema_id or 0, self._subject)
                )
                if schema is not None:
                    yield schema, framing

    def _reader(self, kind: str, written: "Counter[StoredSchema]") -> "StoredSchema | None":
        """The schema to resolve to: the latest of the topic's subject, or of the most frequent one."""
        if not self._resolve:
            return None
        subjects = Counter[str]()
        for schema, count in written.items():
            subjects[schema.subject] += count
        for subject in (self._subject, *(subject for subject, _ in subjects.most_common())):
            latest = self._known.latest(subject)
            if latest is not None and latest.type == kind:
                return latest
        # All versions are deleted: the newest one that was written with.
        return max((each for each in written if each.type == kind), key=lambda each: each.version, default=None)
