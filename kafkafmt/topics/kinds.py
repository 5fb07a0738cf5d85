"""Kinds: every kind of record that Kafka keeps in its internal topics, and the messages it is made of.

They come from the specs in formats/messages/: the type that a key begins with, or the API key in a frame around the
value, leads to the messages. A kind is named as Kafka's schemas are, without Key and Value: `OffsetCommit`,
`GroupMetadata`, `TransactionLog`, `ShareSnapshot`; records of the cluster's metadata and of tiered storage as whole
messages: `TopicRecord`, `RemoteLogSegmentMetadataRecord`.
"""

import difflib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from kafkafmt_specs.kafka_consumer_offsets_key import KafkaConsumerOffsetsKey
from kafkafmt_specs.kafka_metadata_record import KafkaMetadataRecord
from kafkafmt_specs.kafka_remote_log_metadata import KafkaRemoteLogMetadata
from kafkafmt_specs.kafka_share_group_state_key import KafkaShareGroupStateKey
from kafkafmt_specs.kafka_transaction_state_key import KafkaTransactionStateKey
from kafkafmt_specs.message_fields import MESSAGES

from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    INTERNAL_TOPICS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)

_FRAME_VERSION = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record.

    Attributes:
        name: as said above.
        topic: where such records are.
        type: number that a key begins with, or the API key of a value's frame.
        key: name of the key's message, None where records have no key.
        value: name of the value's message.
    """

    name: str
    topic: str
    type: int
    key: str | None
    value: str

    @property
    def in_key(self) -> bool:
        """Whether a record's key tells its kind, and not its value."""
        return self.key is not None

    @property
    def prefix(self) -> bytes:
        """First two bytes of the key of every such record, an int16; or of its value, two varints of one byte each."""
        if self.in_key:
            return self.type.to_bytes(2, "big")
        return bytes([_FRAME_VERSION, self.type])


def _names() -> dict[str, str]:
    """Names of messages by the id of their spec, without "kafka_"."""
    return {message["spec"].removeprefix("kafka_"): name for name, message in MESSAGES.items()}


def _keyed(topic: str, types: type[IntEnum], names: dict[str, str]) -> list[Kind]:
    kinds = []
    for each in types:
        key, value = names[f"{each.name}_key"], names[f"{each.name}_value"]
        kinds.append(Kind(key.removesuffix("Key"), topic, each.value, key, value))
    return kinds


def _framed(topic: str, types: type[IntEnum], names: dict[str, str]) -> list[Kind]:
    return [Kind(names[each.name], topic, each.value, None, names[each.name]) for each in types]


def _all() -> tuple[Kind, ...]:
    names = _names()
    return (
        *_keyed(CONSUMER_OFFSETS, KafkaConsumerOffsetsKey.RecordType, names),
        *_keyed(TRANSACTION_STATE, KafkaTransactionStateKey.RecordType, names),
        *_keyed(SHARE_GROUP_STATE, KafkaShareGroupStateKey.RecordType, names),
        *_framed(REMOTE_LOG_METADATA, KafkaRemoteLogMetadata.RecordType, names),
        *_framed(CLUSTER_METADATA, KafkaMetadataRecord.RecordType, names),
    )


KINDS: Final[tuple[Kind, ...]] = _all()
"""All kinds, by topic, then by type."""

_BY_NAME = {kind.name.casefold(): kind for kind in KINDS}
_BY_PREFIX = {(kind.topic, kind.prefix): kind for kind in KINDS}


def kind_of(name: str) -> Kind | str:
    """The kind of this name, whatever its case; or the internal topic, for all kinds in it.

    Raises:
        ValueError: there is no such kind; the text names some that are spelt alike.
    """
    if name in INTERNAL_TOPICS:
        return name
    known = _BY_NAME.get(name.casefold())
    if known is not None:
        return known
    names = {each.casefold(): each for each in (*(kind.name for kind in KINDS), *INTERNAL_TOPICS)}
    alike = [names[each] for each in difflib.get_close_matches(name.casefold(), names, n=3, cutoff=0.5)]
    hint = f"; did you mean {' or '.join(alike)}?" if alike else ""
    raise ValueError(f"there is no kind of record {name!r}{hint}")


def kind_by_prefix(topic: str, prefix: bytes) -> Kind | None:
    """The kind that the first two bytes of a key or value tell in a topic; None for no kind that is known."""
    return _BY_PREFIX.get((topic, prefix))
