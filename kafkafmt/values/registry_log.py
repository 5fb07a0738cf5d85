"""The replay of `_schemas`, the topic in which Confluent's Schema Registry and compatible ones store everything.

A record's key has its kind: a SCHEMA, a DELETE_SUBJECT, a CONFIG, a MODE, a CONTEXT, .. The state follows from the
records in offset order, not from the last value of each key: a DELETE_SUBJECT deletes all versions up to its own, but
no later ones (Confluent's `KafkaStoreMessageHandler`).
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.reference.header import INT32_RANGE
from kafkafmt.topics.decoding import RECORD, StateMemory
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.values.stored_schema import Reference, State, StoredSchema

SCHEMAS_TOPIC: Final = "_schemas"
"""Name of the topic, unless `kafkastore.topic` of the registry says otherwise."""

INTERNAL: Final = INTERNAL_TOPICS | {SCHEMAS_TOPIC}
"""Topics of Kafka and of the registry themselves."""

_NOT_STATE: Final = frozenset({"NOOP", "CONTEXT", "CLEAR_SUBJECT", "ASSOC"})
"""Kinds of records that change neither schemas nor configs nor modes."""

_MOST_ITEMS: Final = 1_000_000
"""Most objects, lists and commas of a record's JSON, even inside texts: objects take over twenty times their bytes."""


@dataclass(slots=True)
class _Text:
    """A text of a subject and version, with the records that have it."""

    schema_id: int
    type: str
    schema: str
    references: tuple[Reference, ...]
    metadata: Mapping[str, Any] | None
    rule_set: Mapping[str, Any] | None

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.schema_id, self.type, self.schema, self.references)


@dataclass(slots=True)
class _Version:
    """Everything that was registered under a subject and version, oldest first."""

    texts: list[_Text] = field(default_factory=list)
    state: State = "active"
    offsets: list[int] = field(default_factory=list)


class RegistryLog:
    """The state of a registry after the records seen so far.

    Args:
        report: called with the error of each record that no registry writes.

    Attributes:
        configs: configs by subject, or by context (":.east:"); the global one by None.
        modes: modes in the same way: "READWRITE", "READONLY", "IMPORT", ..
        contexts: names of the contexts, except for the default one.
    """

    def __init__(self, report: Callable[[KafkafmtError], object]) -> None:
        self._report = report
        self._subjects: dict[str, dict[int, _Version]] = {}
        self.configs: dict[str | None, Mapping[str, Any]] = {}
        self.modes: dict[str | None, str] = {}
        self.contexts: set[str] = set()

    def see_all(self, records: Iterable[InternalRecord], memory: StateMemory) -> None:
        """See the records of the log, in offset order.

        Args:
            records: the records; control records and those without a key are ignored.
            memory: bounds the memory of the texts.

        Raises:
            LimitExceededError: the texts take too much memory.
        """
        for record in records:
            if record.control_type is None and record.key is not None:
                try:
                    self.see(record.offset, record.key, record.value)
                except CorruptError as error:
                    self._report(error.at(record.file, record.position))
                memory.add(2 * record.memory, record.file, record.position)

    def memory(self) -> int:
        """Estimated memory of everything that is kept, in bytes."""
        versions = [each for of_subject in self._subjects.values() for each in of_subject.values()]
        texts = sum(2 * (RECORD + len(text.schema)) for each in versions for text in each.texts)
        return texts + sum(32 * len(each.offsets) for each in versions) + RECORD * (len(self.configs) + len(self.modes))

    def see(self, offset: int, key: bytes, value: bytes | None) -> None:
        """See one record.

        Args:
            offset: offset of the record.
            key: JSON with a `keytype`.
            value: JSON, or None.

        Raises:
            CorruptError: no registry writes such a record.
        """
        names = _object(key, "key", offset)
        kind = names.get("keytype")
        content = None if value is None else _object(value, "value", offset)
        subject = names.get("subject")
        if kind == "SCHEMA":
            self._schema(offset, _text(names, "subject", offset), _number(names, "version", offset), content)
        elif kind == "DELETE_SUBJECT":
            if content is not None:
                self._delete(_text(content, "subject", offset), _number(content, "version", offset))
        elif kind in ("CONFIG", "MODE"):
            self._setting(kind, subject if isinstance(subject, str) else None, content)
        elif kind == "CONTEXT" and content is not None:
            self.contexts.add(_text(content, "context", offset))
        elif not isinstance(kind, str) or kind not in _NOT_STATE:
            raise CorruptError(f"offset {offset}: unknown keytype {json.dumps(kind)[:80]}")

    def schemas(self) -> list[StoredSchema]:
        """All texts whose records were seen, in the order of subjects' first records and of versions."""
        return [
            StoredSchema(
                subject,
                version,
                text.schema_id,
                text.type,
                known.state,
                text is not known.texts[-1],
                text.references,
                text.metadata,
                text.rule_set,
                tuple(known.offsets),
                text.schema,
            )
            for subject, versions in self._subjects.items()
            for version, known in sorted(versions.items())
            for text in known.texts
        ]

    def _schema(self, offset: int, subject: str, version: int, content: Mapping[str, Any] | None) -> None:
        if content is None:
            # A null value for a version whose text was compacted away leaves nothing to show.
            if (known := self._subjects.get(subject, {}).get(version)) is not None:
                known.state = "hard-deleted"
                known.offsets.append(offset)
            return
        text = _text_of(content, offset)
        known = self._subjects.setdefault(subject, {}).setdefault(version, _Version())
        known.state = "soft-deleted" if content.get("deleted") is True else "active"
        known.offsets.append(offset)
        if not known.texts or known.texts[-1].identity != text.identity:
            known.texts.append(text)
        else:
            known.texts[-1] = text  # metadata and rules may have changed

    def _delete(self, subject: str, last: int) -> None:
        for version, known in self._subjects.get(subject, {}).items():
            if version <= last and known.state == "active":
                known.state = "soft-deleted"

    def _setting(self, kind: str, subject: str | None, content: Mapping[str, Any] | None) -> None:
        if kind == "CONFIG":
            self.configs.pop(subject, None)
            if content is not None:
                self.configs[subject] = {name: value for name, value in content.items() if name != "subject"}
            return
        self.modes.pop(subject, None)
        if content is not None and isinstance(mode := content.get("mode"), str):
            self.modes[subject] = mode


def _object(data: bytes, part: str, offset: int) -> Mapping[str, Any]:
    if sum(map(data.count, (b"{", b"[", b","))) > _MOST_ITEMS:
        raise CorruptError(f"offset {offset}: the {part} has too many items", expected=f"at most {_MOST_ITEMS:,}")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"offset {offset}: the {part} is not JSON") from error
    if not isinstance(value, dict):
        raise CorruptError(f"offset {offset}: the {part} is not a JSON object")
    return value


def _text(content: Mapping[str, Any], name: str, offset: int) -> str:
    value = content.get(name)
    if not isinstance(value, str):
        raise CorruptError(f"offset {offset}: {name!r} is missing or not a string", found=json.dumps(value)[:80])
    return value


def _number(content: Mapping[str, Any], name: str, offset: int) -> int:
    value = content.get(name)
    if type(value) is not int or value not in INT32_RANGE:
        raise CorruptError(f"offset {offset}: {name!r} is not an int32", found=json.dumps(value)[:80])
    return value


def _text_of(content: Mapping[str, Any], offset: int) -> _Text:
    references = content.get("references") or []
    if not isinstance(references, list) or not all(isinstance(each, dict) for each in references):
        raise CorruptError(f"offset {offset}: 'references' is not a list of objects")
    optional = {name: content.get(name) for name in ("metadata", "ruleSet")}
    return _Text(
        _number(content, "id", offset),
        str(content.get("schemaType") or "AVRO"),
        _text(content, "schema", offset),
        tuple(
            Reference(_text(each, "name", offset), _text(each, "subject", offset), _number(each, "version", offset))
            for each in references
        ),
        *(value if isinstance(value, dict) else None for value in optional.values()),
    )
