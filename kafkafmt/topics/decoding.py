"""Decoding: the kinds of records in internal topics, the decoding of a record, and the memory of decoded state.

Kinds come from the specs in formats/messages/: the type at the start of a key, or the API key in the frame of a value,
selects the messages. A kind is named like Kafka's schemas, without Key and Value: `OffsetCommit`, `GroupMetadata`,
`TransactionLog`, `ShareSnapshot`. Records of cluster metadata and tiered storage are whole messages: `TopicRecord`,
`RemoteLogSegmentMetadataRecord`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkafmt_specs.message_fields import MESSAGES

from kafkafmt.errors import KafkafmtError, LimitExceededError
from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    INTERNAL_TOPICS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)
from kafkafmt.phrases import sized
from kafkafmt.reference import control
from kafkafmt.reference.messages import coordinator_records, framed_records
from kafkafmt.reference.messages.schema import record_types

if TYPE_CHECKING:
    from kafkafmt.limits import Limits
    from kafkafmt.reference.messages import ApiMessage

_FRAME_VERSION = 1
_KEYS_KEPT = 16_384
_LONGEST_KEY_KEPT = 512

PER_STORED_BYTE: Final = 32
"""Bytes of state allowed per byte on disk, besides `max_state_bytes`; commits need about 12."""

# Estimated sizes of objects in CPython, in bytes; a record's includes its entry in a dictionary.
RECORD: Final = 600
TEXT: Final = 56


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record.

    Attributes:
        name: name, as described in the module.
        topic: internal topic of such records.
        type: number at the start of the key, or API key in the frame of the value.
        key: name of the key's message; None if records have no key.
        value: name of the value's message.
    """

    name: str
    topic: str
    type: int
    key: str | None
    value: str

    @property
    def in_key(self) -> bool:
        """Whether the key identifies the kind; otherwise the value does."""
        return self.key is not None

    @property
    def prefix(self) -> bytes:
        """First two bytes of the key of such records (an int16), or of the value (two varints of one byte)."""
        if self.in_key:
            return self.type.to_bytes(2, "big")
        return bytes([_FRAME_VERSION, self.type])


def _names() -> dict[str, str]:
    """Names of messages by the ids of their specs, without "kafka_"."""
    return {message["spec"].removeprefix("kafka_"): name for name, message in MESSAGES.items()}


def _keyed_kinds(topic: str, names: dict[str, str]) -> list[Kind]:
    kinds = []
    for number, name in record_types(topic).items():
        key, value = names[f"{name}_key"], names[f"{name}_value"]
        kinds.append(Kind(key.removesuffix("Key"), topic, number, key, value))
    return kinds


def _framed_kinds(topic: str, names: dict[str, str]) -> list[Kind]:
    return [Kind(names[name], topic, number, None, names[name]) for number, name in record_types(topic).items()]


def _all() -> tuple[Kind, ...]:
    names = _names()
    return (
        *_keyed_kinds(CONSUMER_OFFSETS, names),
        *_keyed_kinds(TRANSACTION_STATE, names),
        *_keyed_kinds(SHARE_GROUP_STATE, names),
        *_framed_kinds(REMOTE_LOG_METADATA, names),
        *_framed_kinds(CLUSTER_METADATA, names),
    )


KINDS: Final[tuple[Kind, ...]] = _all()
"""All kinds, by topic, then by type."""

_BY_NAME = {kind.name.casefold(): kind for kind in KINDS}
_BY_PREFIX = {(kind.topic, kind.prefix): kind for kind in KINDS}


def kind_of(name: str) -> Kind | str:
    """The kind with this name, case-insensitively; or the name itself if it is an internal topic's, for all its kinds.

    Raises:
        ValueError: there is no such kind; the message suggests similar names.
    """
    if name in INTERNAL_TOPICS:
        return name
    known = _BY_NAME.get(name.casefold())
    if known is not None:
        return known
    import difflib  # noqa: PLC0415 - few names are wrong

    names = {each.casefold(): each for each in (*(kind.name for kind in KINDS), *INTERNAL_TOPICS)}
    alike = [names[each] for each in difflib.get_close_matches(name.casefold(), names, n=3, cutoff=0.5)]
    hint = f"; did you mean {' or '.join(alike)}?" if alike else ""
    raise ValueError(f"there is no kind of record {name!r}{hint}")


def kind_by_prefix(topic: str, prefix: bytes) -> Kind | None:
    """The kind of a topic's records whose key or value starts with these two bytes; None if unknown."""
    return _BY_PREFIX.get((topic, prefix))


class DecodedRecord(NamedTuple):
    """A decoded record.

    Attributes:
        kind: name of the kind; for a control record its type; None if unknown, or newer than the specs.
        type: number of the type; None if it cannot be read.
        key: fields of the key; None for kinds without a key, or if it cannot be decoded.
        version: version of the value's layout; None without a value, or if it cannot be decoded.
        value: fields of the value; None for a tombstone, or if it cannot be decoded.
        error: what cannot be decoded, and why; None if everything is decoded.
    """

    kind: str | None = None
    type: int | None = None
    key: dict[str, Any] | None = None
    version: int | None = None
    value: dict[str, Any] | None = None
    error: str | None = None


def decode_record(topic: str, key: bytes | None, value: bytes | None) -> DecodedRecord:
    """Decode a record other than a control record.

    Args:
        topic: the internal topic.
        key: bytes of the key.
        value: bytes of the value.
    """
    if topic in (CLUSTER_METADATA, REMOTE_LOG_METADATA):
        return _framed(topic, value)
    if key is None:
        return DecodedRecord(error="the key is null")
    decoded = decode_key(topic, key)
    if decoded.type is None or decoded.kind is None:
        return decoded
    try:
        message = coordinator_records.decode_value(topic, decoded.type, value)
    except KafkafmtError as error:
        return decoded._replace(error=_joined(decoded.error, f"value: {error}"))
    return _with(decoded, message)


def decode_key(topic: str, key: bytes) -> DecodedRecord:
    """Decode only the key of a coordinator's record; `error` says if it cannot be decoded.

    Args:
        topic: the internal topic.
        key: bytes of the key.
    """
    return (_known_key if len(key) <= _LONGEST_KEY_KEPT else _key)(topic, key)


def control_record(control_type: str, key: bytes | None, value: bytes | None) -> DecodedRecord:
    """Decode a control record.

    Args:
        control_type: name of the type, as in `InternalRecord.control_type`.
        key: bytes of the key.
        value: bytes of the value.
    """
    number = control.type_id_of(key)
    try:
        if control_type in control.TRANSACTION_MARKERS:
            data: dict[str, Any] | None = {"coordinatorEpoch": control.coordinator_epoch_of(value)}
        else:
            data = control.value_of(control_type, value)
    except KafkafmtError as error:
        return DecodedRecord(control_type, number, error=f"value: {error}")
    if data is None:
        return DecodedRecord(control_type, number, error="an unknown type of control record")
    return DecodedRecord(control_type, number, value=data)


def _framed(topic: str, value: bytes | None) -> DecodedRecord:
    if value is None:
        return DecodedRecord(error="the value is null")
    kind = kind_by_prefix(topic, value[:2])
    decoded = DecodedRecord() if kind is None else DecodedRecord(kind.name, kind.type)
    try:
        message = framed_records.decode(topic, value).message
    except KafkafmtError as error:
        return decoded._replace(error=f"value: {error}")
    return _with(decoded, message)


def _key(topic: str, key: bytes) -> DecodedRecord:
    kind = kind_by_prefix(topic, key[:2])
    decoded = DecodedRecord(None if kind is None else kind.name, coordinator_records.type_of(key))
    try:
        return decoded._replace(key=coordinator_records.decode_key(topic, key).data)
    except KafkafmtError as error:
        return decoded._replace(error=f"key: {error}")


_known_key = lru_cache(_KEYS_KEPT)(_key)


def _with(decoded: DecodedRecord, message: "ApiMessage | None") -> DecodedRecord:
    return decoded if message is None else decoded._replace(version=message.version, value=message.data)


def _joined(first: str | None, second: str) -> str:
    return second if first is None else f"{first}; {second}"


class StateTooLargeError(LimitExceededError):
    """The state takes more memory than allowed. No single record is at fault, so this error is never skipped."""


class StateMemory:
    """Bounds the estimated memory of state, at `max_state_bytes` plus `PER_STORED_BYTE` for each byte on disk.

    State needs its own bound, as decoded records have no fixed ratio to their bytes on disk: repeated keys compress to
    almost nothing, and an empty array of two bytes becomes an object of fifty.

    Args:
        topic: name in the error.
        limits: bounds, of which `max_state_bytes` is used.
        stored_bytes: size of the files to read.
        recount: estimates the size of everything held now, in bytes, as `add` never subtracts replaced records. Called
            when the sum reaches the bound, before the error.

    Attributes:
        most: maximal size of the state in bytes.
    """

    def __init__(self, topic: str, limits: "Limits", stored_bytes: int, recount: Callable[[], int]) -> None:
        self.most = limits.max_state_bytes + PER_STORED_BYTE * stored_bytes
        self._topic = topic
        self._limit = limits.max_state_bytes
        self._stored = stored_bytes
        self._recount = recount
        self._added = 0

    def add(self, size: int, file: str | None, position: int | None) -> None:
        """Add the size of records that are kept.

        Args:
            size: estimate in bytes.
            file: file of the last record, as errors name it.
            position: position of its batch in bytes.

        Raises:
            StateTooLargeError: the state exceeds `most`.
        """
        self._added += size
        if self._added <= self.most:
            return
        self._added = self._recount()
        if self._added > self.most:
            needed = self._added - PER_STORED_BYTE * self._stored
            # The need of the rest is unknown, so the error suggests twice the limit; then a few runs are enough.
            raise StateTooLargeError(
                f"the state of {self._topic} takes too much memory: "
                f"kafkafmt.Limits(max_state_bytes={2 * needed}) allows twice what it needs so far",
                file=file,
                position=position,
                expected=f"at most {self._limit} bytes, and {PER_STORED_BYTE} for each of {self._stored} bytes on disk",
                found=sized(self._added),
            )
