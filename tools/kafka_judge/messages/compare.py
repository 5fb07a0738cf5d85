"""Compares messages as kafkafmt reads them with Kafka's own JSON of the messages."""

import base64
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from kafkafmt import internal_topics
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA, REMOTE_LOG_METADATA
from kafkafmt.reference.messages import ApiMessage, Field, coordinator_records, framed_records, message
from kafkafmt.reference.messages.decoding import decode_versioned, read_message
from kafkafmt.reference.messages.readers import MessageStream

MUTATED = "mutated"
"""Form of a message that was changed after it was written, not stored in a record."""

RULES = {
    "size of a tagged field": "Kafka reads a field of a tag that it knows without checking its size, and continues "
    "after it, wherever that is: kafkafmt refuses a field that does not fit its size",
    "default of a tagged field": "Kafka's JSON leaves out a tagged field of its default value: we say that it is there",
}
"""Intended differences between readings of messages that were changed after they were written."""

TOPICS = {
    "group-coordinator": internal_topics.CONSUMER_OFFSETS,
    "transaction-coordinator": internal_topics.TRANSACTION_STATE,
    "share-coordinator": internal_topics.SHARE_GROUP_STATE,
}
"""Topics by the Kafka module that writes them."""


@dataclass(frozen=True)
class Written:
    """A message that Kafka's classes wrote.

    Attributes:
        name: name of its class.
        version: version of its schema.
        form: storage in a record: "typed" for a key after the number of its type, "versioned" after its version,
            "framed" after a frame with both, "plain" for the message alone.
        module: Kafka module of the class.
        data: bytes of the message in this form.
        kafkas_json: output of Kafka's JSON converter.
    """

    name: str
    version: int
    form: str
    module: str
    data: bytes
    kafkas_json: Any

    @classmethod
    def of(cls, name: str, version: int, form: str, module: str, data: str, kafkas_json: str) -> Self:
        """Make a message from the fields of a line."""
        return cls(name, version, form, module, base64.b64decode(data), json.loads(kafkas_json))

    def as_json(self) -> list[Any]:
        """All attributes as JSON values."""
        data = base64.b64encode(self.data).decode()
        return [self.name, self.version, self.form, self.module, data, json.dumps(self.kafkas_json)]


def read(written: Written) -> ApiMessage:
    """Decode a message according to its form."""
    topic = TOPICS.get(written.module, "")
    if written.form == "typed":
        key = coordinator_records.decode_key(topic, written.data)
        return ApiMessage(f"{key.kind}Key", 0, key.data)
    if topic:
        (number,) = (
            number for number, kind in coordinator_records.KINDS[topic].items() if f"{kind}Value" == written.name
        )
        value = coordinator_records.decode_value(topic, number, written.data)
        if value is None:
            raise TypeError
        return value
    if written.form == "framed":
        topic = CLUSTER_METADATA if written.module == "metadata" else REMOTE_LOG_METADATA
        return framed_records.decode(topic, written.data).message
    if written.name == "ConsumerProtocolSubscription":
        return coordinator_records.decode_subscription(written.data)
    if written.name == "ConsumerProtocolAssignment":
        return coordinator_records.decode_assignment(written.data)
    return decode_versioned(written.name, written.data)


def _of_mutation(written: Written) -> Iterator[str]:
    """Compare both readings of a message that may be broken; yields the rule's name for an intended difference."""
    kind = message(written.name)
    front = struct.pack(">h", written.version) if kind.begins_with_version else b""
    if kind.fields[:1] and kind.fields[0].name == "version":  # the message has its own version field
        if not written.data.startswith(front):
            return  # kafkafmt reads the mutated version field as another version
        front = b""
    kafkas = written.kafkas_json
    tags = _tagged(kind.fields)
    try:
        read = read_message(kind, written.version, MessageStream(front + written.data))
    except CorruptError as error:
        if kafkas is not None:
            yield "size of a tagged field" if tags else f"{_place(written)}: we refuse it: {error}\n  Kafka {kafkas}"
        return
    ours = json.loads(read.to_json())
    if kafkas is None:
        yield f"{_place(written)}: Kafka refuses it\n  we    {ours}"
    elif json.dumps(ours) != json.dumps(kafkas):
        is_default = json.dumps(without(ours, tags)) == json.dumps(without(kafkas, tags))
        yield "default of a tagged field" if is_default else f"{_place(written)}:\n  Kafka {kafkas}\n  we    {ours}"


def _place(written: Written) -> str:
    return f"{written.name} {written.version} {written.data.hex()}"


def _tagged(fields: tuple[Field, ...]) -> set[str]:
    """Names of the tagged fields of a message and of all its structures."""
    names = {field.name for field in fields if field.tag is not None}
    return names.union(*(_tagged(field.fields) for field in fields))


def without(value: Any, names: set[str]) -> Any:  # noqa: ANN401 (JSON)
    """Remove the fields with these names, at every depth of the JSON."""
    if isinstance(value, dict):
        return {name: without(inner, names) for name, inner in value.items() if name not in names}
    return [without(inner, names) for inner in value] if isinstance(value, list) else value


def differences(written: Written) -> Iterator[str]:
    """Yield the difference between kafkafmt's reading and Kafka's, if any; the order of the fields counts."""
    if written.form == MUTATED:
        yield from _of_mutation(written)
        return
    try:
        found = read(written)
    except KafkafmtError as error:
        yield f"{written.name} {written.version}: {error}"
        return
    ours = json.dumps(json.loads(found.to_json()))
    kafkas = json.dumps(written.kafkas_json)
    if (found.name, found.version) != (written.name, written.version):
        yield f"{written.name} {written.version}: read as {found.name} {found.version}"
    if ours != kafkas:
        yield f"{written.name} {written.version}:\n  Kafka {kafkas[:600]}\n  we    {ours[:600]}"
