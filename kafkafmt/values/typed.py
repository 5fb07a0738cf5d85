"""`decode`: the records of a scan with typed keys and values, in formats that are detected or given."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from kafkafmt.errors import DataError
from kafkafmt.limits import Limits
from kafkafmt.phrases import listed
from kafkafmt.scanning.decoded_scan import DecodedScan, SelectedRows
from kafkafmt.values.avro.avro_format import AVRO, Avro
from kafkafmt.values.chosen import (
    Choice,
    ChosenSchemas,
    OtherRecordError,
    Unframed,
    check_record,
    fewest_errors,
    schema_named,
)
from kafkafmt.values.debezium import ChangeEvents
from kafkafmt.values.decode_arguments import DecodeArguments, FormatName
from kafkafmt.values.decoding import PARTS, ValueDecoder, decoded_schema
from kafkafmt.values.formats import Primitive, ValueFormat
from kafkafmt.values.framing import LONG_BYTES, framing_of
from kafkafmt.values.json.connect import payload_type
from kafkafmt.values.json.json_format import JSON_SCHEMA, JsonSchema
from kafkafmt.values.json.plain import PlainJson
from kafkafmt.values.primitives import plain_format
from kafkafmt.values.protobuf.protobuf_format import PROTOBUF, Protobuf, most_frequent_message
from kafkafmt.values.registered import RegisteredFormat
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_log import INTERNAL
from kafkafmt.values.registry_topic import NO_SCHEMAS, schemas_beside

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan
    from kafkafmt.values.framing import Framing, Part
    from kafkafmt.values.stored_schema import StoredSchema

_SAMPLE: Final = 1000
"""Records of a topic that are examined to detect its format."""

_REGISTERED: Final = {"avro": AVRO, "protobuf": PROTOBUF}
"""Formats with a registry's schemas, with the registry's names of them."""
_NEED_SCHEMAS: Final = frozenset(("auto", "json", *_REGISTERED))
_NAMING: Final = ("confluent", "confluent-header", "apicurio-8", "apicurio-header", "glue")
"""Framings that other bytes rarely resemble."""

_TRIED: Final = 100
"""Values that are decoded to find out whether they are framed."""


def decode(scan: "Scan", arguments: DecodeArguments, columns: Sequence[str] | None = None) -> DecodedScan[ValueDecoder]:
    """Decode the keys and values of a scan's records, as described by `Scan.decode`."""
    arguments.check()
    known = known_schemas(scan, arguments)
    scan, internal = _without_internal(scan)
    formats = _formats_of(scan, known, arguments)
    topics = list(formats)
    kinds = _one_type(formats)
    label = ", ".join(topic or "the records" for topic in topics[:3]) + (", .." if len(topics) > 3 else "")
    events = None
    if arguments.unwrap is not None:
        events = change_events(scan, kinds[1], is_one_topic=len(topics) == 1)
        kinds = kinds[0], events.row_kind
    decoder = ValueDecoder(
        label,
        formats,
        decoded_schema(kinds, columns, () if events is None else events.fields),
        arguments.on_damage,
        known.doubt if not (known.unreadable or known.left_out) or _name_schemas(formats) else "",
        events=events,
        record=arguments.record,
        internal=internal,
        advised=arguments.advised,
    )
    leaves_out = arguments.record is not None or (events is not None and events.is_table)
    return (SelectedRows if leaves_out else DecodedScan)(scan.select(decoder.scanned), decoder)


def change_events(scan: "Scan", kind: pa.DataType, *, is_one_topic: bool) -> ChangeEvents:
    """The change events of Debezium in the values of a scan.

    Args:
        scan: the records, of which the first ones are read if their schemas are beside them.
        kind: Arrow type of the values.
        is_one_topic: whether the values are of one topic, and so have one type.

    Raises:
        ValueError: the values are not Debezium's.
    """
    if not is_one_topic or not pa.types.is_string(kind):
        return ChangeEvents(kind, scan.is_compacted, None)
    values = [row["value"] for row in _sample(scan, ["value"]) if row["value"] is not None]
    return ChangeEvents(kind, scan.is_compacted, payload_type(values))


def _without_internal(scan: "Scan") -> "tuple[Scan, tuple[str, ...]]":
    """A scan without internal topics, which have types of their own, and their names; all topics if it names any."""
    topics = {each.topic for each in scan.partitions if each.topic is not None}
    internal = topics & INTERNAL
    if scan.names_topics or internal == topics:
        return scan, ()
    return (scan.without_topics(INTERNAL), tuple(sorted(internal))) if internal else (scan, ())


def _sample(scan: "Scan", columns: list[str]) -> list[dict[str, Any]]:
    """The first records of a scan; damage ends them early, as the pass that reads all records reports it."""
    rows: list[dict[str, Any]] = []
    with suppress(DataError), scan.select(columns).without_warnings().head(_SAMPLE) as reader:
        for batch in reader:
            rows += batch.to_pylist()
    return rows


def chosen_formats(scan: "Scan", arguments: DecodeArguments) -> dict[str | None, tuple[ValueFormat, ValueFormat]]:
    """The formats of keys and of values by topic; None for any topic.

    Args:
        scan: the records, of which the first ones are read.
        arguments: arguments of decoding.

    Raises:
        TypeError, ValueError: an argument is invalid.
        NotFoundError: there is no such schema or record type.
        DataError: the latest schema of a subject is invalid.
    """
    arguments.check()
    return _formats_of(scan, known_schemas(scan, arguments), arguments)


def _formats_of(
    scan: "Scan", known: Schemas, arguments: DecodeArguments
) -> dict[str | None, tuple[ValueFormat, ValueFormat]]:
    choice = Choice.of(known, arguments.schema, arguments.record)
    names: Any = {"key": arguments.key, "value": arguments.value}
    named = {each.topic for each in scan.partitions}
    topics = [*sorted(each for each in named if each is not None), *([None] if None in named or not named else [])]
    return {topic: _formats(scan, topic, names, choice, resolve=arguments.resolve) for topic in topics}


def format_of_subject(known: Schemas, subject: str, part: "Part", record: str | None = None) -> ValueFormat:
    """The format of keys or values of one subject, resolved to its latest schema.

    Args:
        known: the schemas.
        subject: the name of the subject, perhaps with ":VERSION".
        part: "key" or "value".
        record: full name of a record type of the schema; values of other types raise `OtherRecordError`. None for the
            first message of a Protobuf schema.

    Raises:
        NotFoundError: there is no such schema, or no such record type in it.
        DataError: the schema is invalid.
    """
    reader = schema_named(known, subject)
    if record is not None:
        check_record(reader, record)
    schemas = replace(ChosenSchemas.of(known, reader, record), is_strict=known.has_ids)
    schema_id = schemas.assumed_id if reader.schema_id is None else reader.schema_id
    # A value that names the schema, as serializers write it; for Protobuf the first message.
    framed = b"\0" + schema_id.to_bytes(4, "big", signed=True) + b"\0"
    name = subject.rpartition(":")[0] if known.latest(subject) is None else subject
    rows = [{part: framed, "headers": None}]
    return _Choice(name, part, rows, schemas, Limits(), resolve=True).format("auto")


def known_schemas(scan: "Scan", arguments: DecodeArguments) -> Schemas:
    """The given schemas; else those beside the records, if formats or a choice need any.

    Raises:
        KafkafmtError: as for `schemas_beside`.
    """
    known = arguments.schemas
    if known is None:
        is_chosen = arguments.schema is not None or arguments.record is not None
        needs_any = is_chosen or not _NEED_SCHEMAS.isdisjoint((arguments.value, arguments.key))
        known = schemas_beside(scan.source_partitions) if needs_any else NO_SCHEMAS
    return known if known.advised == arguments.advised else replace(known, advised=arguments.advised)


def _name_schemas(formats: Mapping[str | None, tuple[ValueFormat, ValueFormat]]) -> bool:
    """Whether any keys or values name a registry's schemas."""
    return any(each.unread or isinstance(each, RegisteredFormat) for pair in formats.values() for each in pair)


def _one_type(formats: Mapping[str | None, tuple[ValueFormat, ValueFormat]]) -> tuple[pa.DataType, pa.DataType]:
    """The common type of all keys, and of all values.

    Raises:
        ValueError: the types differ.
    """
    kinds: list[pa.DataType] = []
    topics = [str(topic) for topic in formats]
    for number, part in enumerate(PARTS):
        of_topics = {topic: pair[number].kind for topic, pair in formats.items()}
        first, *others = of_topics
        for other in others:
            if of_topics[other] != of_topics[first]:
                raise ValueError(
                    f"the {part}s of {first} and {other} have different types: decode one topic of {listed(topics)}"
                )
        kinds.append(of_topics[first])
    return kinds[0], kinds[1]


def _formats(
    scan: "Scan", topic: str | None, names: Mapping[str, FormatName], choice: Choice, *, resolve: bool
) -> tuple[ValueFormat, ValueFormat]:
    """The formats of a topic's keys and values."""
    rows = []
    if not _NEED_SCHEMAS.isdisjoint(names.values()):
        numbers = {each.partition for each in scan.partitions if each.topic == topic and each.partition is not None}
        sampled = scan if topic is None else scan.narrowed({topic: numbers})
        rows = _sample(sampled, [*PARTS, "headers"])
    found = [
        _format(f"{topic}-{part}", part, rows, names[part], choice, scan.limits, resolve=resolve) for part in PARTS
    ]
    return found[0], found[1]


def _format(
    subject: str,
    part: "Part",
    rows: list[dict[str, Any]],
    name: FormatName,
    choice: Choice,
    limits: Limits,
    *,
    resolve: bool,
) -> ValueFormat:
    """The format of a topic's keys or values."""
    formats: list[ValueFormat] = []
    stored = [row for row in rows if row[part] is not None]
    for known in choice.readings(subject, part):
        try:
            form = _Choice(subject, part, stored, known, limits, resolve=resolve).format(name)
        except DataError as error:
            if isinstance(known, ChosenSchemas) and known.chosen is not None:
                raise error.at(f"the schema {known.chosen.subject} version {known.chosen.version}") from error
            raise
        if not isinstance(known, ChosenSchemas) or not known.is_unframed:
            formats.append(form)
        elif isinstance(form, RegisteredFormat) and not any(_names_schema(row, part) for row in stored[:_TRIED]):
            formats.append(Unframed(form, known))
    return fewest_errors(formats, stored[:_TRIED], part)


def _names_schema(row: dict[str, Any], part: "Part") -> bool:
    """Whether a header of a record names the schema of its key or value."""
    try:
        return _framing({**row, part: b""}, part).name != "none"
    except DataError:
        return True


def _framing(row: dict[str, Any], part: "Part") -> "Framing":
    """The framing of a record's key or value; raises the errors of `framing_of`."""
    headers = [(each["key"], each["value"]) for each in row["headers"] or ()]
    return framing_of(row[part], headers, part)


class _Choice:
    """Chooses the format of the keys or values of a topic.

    Args:
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        rows: the first records, with a key or value.
        known: the schemas.
        limits: bounds of decoded data.
        resolve: whether values are resolved to one schema.
    """

    def __init__(
        self,
        subject: str,
        part: "Part",
        rows: list[dict[str, Any]],
        known: Schemas,
        limits: Limits,
        *,
        resolve: bool,
    ) -> None:
        self._subject, self._limits = subject, limits
        self._part, self._known, self._resolve = part, known, resolve
        self._rows = [row for row in rows if not self._is_other(row)]

    def format(self, name: FormatName) -> ValueFormat:
        """The format with a name."""
        if name not in _NEED_SCHEMAS:
            return Primitive(name)
        written = Counter(schema for schema, _ in self._written())
        wanted = _REGISTERED.get(name)
        types = Counter[str]()
        for schema, count in written.items():
            types[schema.type] += count
        unknown, found = self._unknown(), None
        if types and 2 * (types.total() + unknown["confluent"]) >= len(self._rows):
            found = types.most_common(1)[0][0]
        elif self._known.has_ids and 2 * unknown["confluent"] > len(self._rows):
            # Values that name lost schemas: each should be an error, not be decoded as text because its bytes happen to
            # fit.
            latest = self._known.latest(self._subject)
            found = AVRO if latest is None else latest.type
        best = wanted or found
        chosen = self._known.latest(self._subject) if isinstance(self._known, ChosenSchemas) else None
        if wanted is None and chosen is not None:
            best = chosen.type
        if best == AVRO and name != "json":
            return Avro(self._known, self._subject, self._part, self._limits, self._reader(AVRO, written))
        if best == PROTOBUF and name != "json":
            return self._protobuf(self._reader(PROTOBUF, written))
        if best == JSON_SCHEMA:
            reader = self._reader(JSON_SCHEMA, written)
            subjects = {each.subject for each in written}
            is_one = reader is not None and (reader.subject == self._subject or len(subjects) == 1)
            typed = JsonSchema(self._known, self._subject, self._part, self._limits, reader if is_one else None)
            if reader is not None and not is_one:
                typed.as_text = ("",)  # records of several subjects
            return typed
        text = plain_format([row[self._part] for row in self._rows])
        if text == "json":
            return PlainJson()
        plain: ValueFormat = PlainJson() if name == "json" else Primitive(text)
        framing, count = next(iter(unknown.most_common(1)), ("", 0))
        if 2 * count <= len(self._rows):
            return plain
        if name != "json":
            plain = Primitive("bytes")
        advised = self._known.advised
        of = f"that are not known: name their source by {advised.schemas}"
        if self._known.unreadable:
            of = "that cannot be read"
        if framing != "confluent":
            of = f"of another registry ({framing})" + (f": name one by {advised.schema}" if advised.schema else "")
        plain.unread = (
            f"the {self._part}s are {'not JSON' if name == 'json' else 'bytes'}, because they name schemas {of}"
        )
        return plain

    def _protobuf(self, reader: "StoredSchema | None") -> Protobuf:
        """The Protobuf format of the chosen message, or of the most frequent message of the records."""
        common = (self._known, self._subject, self._part, self._limits)
        if reader is None:
            return Protobuf(*common, None)
        every = Protobuf(*common, None)
        record = self._known.record if isinstance(self._known, ChosenSchemas) else None
        if record is None or record not in every.messages_of(reader):
            record = most_frequent_message(every, self._written(), reader)
        return Protobuf(*common, reader, record)

    def _written(self) -> "Iterable[tuple[StoredSchema, Framing]]":
        """The schemas that records name, if they are known."""
        return ((schema, framing) for schema, framing, _ in self._framed() if schema is not None)

    def _unknown(self) -> Counter[str]:
        """Numbers of records that name an unknown schema, by the framing; none in Kafka's own topics."""
        names = Counter[str]()
        if self._subject.rpartition("-")[0] in INTERNAL:
            return names
        for schema, framing, size in self._framed():
            if schema is None and framing.name in _NAMING and not (framing.name == "confluent" and size == LONG_BYTES):
                names[framing.name.partition("-")[0]] += 1
        return names

    def _framed(self) -> "Iterator[tuple[StoredSchema | None, Framing, int]]":
        """The framing of each record, the schema that it names if that is known, and the size."""
        for row in self._rows:
            with suppress(DataError):
                framing = _framing(row, self._part)
                yield self._known.named_by(framing, self._subject), framing, len(row[self._part])

    def _is_other(self, row: dict[str, Any]) -> bool:
        """Whether a record has another type than the chosen one."""
        try:
            self._known.named_by(_framing(row, self._part), self._subject)
        except DataError as error:
            return isinstance(error, OtherRecordError)
        return False

    def _reader(self, kind: str, written: "Counter[StoredSchema]") -> "StoredSchema | None":
        """The schema to which values are resolved: the latest of the topic's subject, or of the most frequent one."""
        if not self._resolve:
            return None
        subjects = Counter[str]()
        for schema, count in written.items():
            subjects[schema.subject] += count
        for subject in (self._subject, *(subject for subject, _ in subjects.most_common())):
            latest = self._known.latest(subject)
            if latest is not None and latest.type == kind:
                return latest
        # All versions are deleted, so the newest one that records were written with is used.
        return max((each for each in written if each.type == kind), key=lambda each: each.version, default=None)
