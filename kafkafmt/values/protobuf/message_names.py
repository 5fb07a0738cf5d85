"""How values name their message: Confluent's message indexes, Apicurio's Ref and header, AWS Glue's index.

Sources: Apicurio's `ProtobufSerializer`, `ProtobufKafkaSerializer` and `ProtobufSerdeHeaders`; AWS Glue's
`ProtobufWireFormatEncoder` and `MessageIndexFinder`; for message indexes see `message_indexes`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.values.protobuf.message_indexes import bytes_of, index_bytes, message_of, read_index, split_indexes
from kafkafmt.values.protobuf.schema import ProtoMessage, ProtoSchema

if TYPE_CHECKING:
    from kafkafmt.values.framing import Framing

_REF_TAG: Final = 0x0A
"""Tag of `Ref.name`: field 1, length-delimited."""

_REF_HEAD: Final = 3
"""Bytes of a Ref before its name: its size, the tag, and the size of the name, one byte each."""

_LEAST_TAG: Final = 8
"""A message never begins with a lower byte, as there is no field 0; message indexes of up to three numbers do."""

_MOST_REFS: Final = 16
"""Most distinct Refs of one column; values with other Refs are decoded one by one."""


def split_message(schema: ProtoSchema, framing: "Framing") -> tuple[ProtoMessage, int]:
    """The message of a value, and its start in the payload.

    Args:
        schema: the writer's schema.
        framing: the framing of the value.

    Raises:
        CorruptError: nothing names a message of the schema, or two ways of naming one fit and differ.
        TruncatedError, LimitExceededError: as for `split_indexes`.
    """
    payload = framing.payload
    if framing.indexes is not None:
        indexes, end = split_indexes(framing.indexes)
        if end < len(framing.indexes):
            raise CorruptError("the header has bytes after its message indexes")
        return message_of(schema, indexes), 0
    if framing.name == "glue":
        return _by_glue(schema, payload)
    ref = ref_of(payload)
    if framing.message is not None:
        # Depending on its settings, the serializer writes the name again, or message indexes, or neither.
        message = _by_name(schema, framing.message)
        if ref is not None and ref[0] == framing.message:
            return message, ref[1]
        return message, split_indexes(payload)[1] if payload and payload[0] < _LEAST_TAG else 0
    if ref is None:
        indexes, end = split_indexes(payload)
        return message_of(schema, indexes), end
    by_indexes = None
    try:
        indexes, end = split_indexes(payload)
        by_indexes = message_of(schema, indexes)
    except DataError:
        return _by_name(schema, ref[0]), ref[1]
    try:
        by_ref = _by_name(schema, ref[0])
    except DataError:
        return by_indexes, end
    raise CorruptError(f"the bytes before the message mean {by_indexes.name} as indexes and {by_ref.name} as a Ref")


def size_before(payload: bytes) -> int:
    """The number of bytes before the message in a payload without headers: those of a Ref, or of message indexes.

    Raises:
        DataError: there is neither a Ref nor message indexes.
    """
    ref = ref_of(payload)
    return split_indexes(payload)[1] if ref is None else ref[1]


def ref_of(payload: bytes) -> tuple[str, int] | None:
    """The name in Apicurio's Ref, which may precede a message, and the end of the Ref; None if there is no Ref."""
    if len(payload) <= _REF_HEAD or payload[1] != _REF_TAG or not _REF_HEAD <= payload[0] < 0x80:
        return None
    name = payload[_REF_HEAD : payload[0] + 1]
    if payload[2] != payload[0] - 2 or len(name) != payload[2] or not name.isascii():
        return None
    return name.decode("ascii"), payload[0] + 1


def beginnings(source: UInt8s, begins: Int64s, ends: Int64s) -> Iterator[tuple[bytes | None, Int64s]]:
    """Group values without headers by the message indexes or the Ref before the message.

    Args:
        source: the bytes of all values.
        begins: start of the indexes or the Ref of each value.
        ends: end of each value.

    Yields:
        the bytes before the message, or None if they are unusual, and the numbers of the values.
    """
    refs = _refs(source, begins, ends)
    keys = index_bytes(source, begins, ends)
    keys[refs] = -1
    for key in np.unique(keys[keys >= 0]).tolist():
        yield bytes_of(key), np.flatnonzero(keys == key)
    for _ in range(_MOST_REFS):
        if not len(refs):
            break
        first = begins[refs[0]]
        size = int(source[first]) + 1
        # All of `refs` have as many bytes as their Ref says: one of another size differs in the first byte.
        same = refs[source[begins[refs]] == source[first]]
        places = begins[same][:, None] + np.arange(size)
        same = same[(source[places] == source[first : first + size]).all(axis=1)]
        yield source[first : first + size].tobytes(), same
        refs = np.setdiff1d(refs, same, assume_unique=True)
        keys[same] = 0
    rest = np.flatnonzero(keys < 0)
    if len(rest):
        yield None, rest


def _refs(source: UInt8s, begins: Int64s, ends: Int64s) -> Int64s:
    """The numbers of values that begin like a Ref."""
    long = np.flatnonzero(ends - begins > _REF_HEAD)
    size, tag, name = (source[begins[long] + place].astype(np.int64) for place in range(_REF_HEAD))
    is_ref = (tag == _REF_TAG) & (name + 2 == size) & (size < 0x80) & (size < (ends - begins)[long])
    found: Int64s = long[is_ref & (size >= _REF_HEAD)]
    return found


def _by_glue(schema: ProtoSchema, payload: bytes) -> tuple[ProtoMessage, int]:
    """The message of Glue's index: its position among all names of the file, with nested messages and map entries."""
    index, start = read_index(payload, 0)
    if index >= len(schema.declared) or schema.declared[index].is_map_entry:
        raise CorruptError("the schema has no message of this index", found=index)
    return schema.declared[index], start


def _by_name(schema: ProtoSchema, name: str) -> ProtoMessage:
    """The message with a name without package: a top-level one, else a nested one."""
    found = schema.by_short_name.get(name, ())
    if not found:
        raise CorruptError("the schema has no message of this name", found=name)
    if len(found) > 1:
        raise CorruptError(f"the schema has several nested messages {name}: {found[0].name}, {found[1].name}, ..")
    return found[0]
