"""Message indexes: they identify a value's message in a schema (Confluent's `MessageIndexes`).

They are a count and indexes, as zigzag varints: the first index is among the messages of the file, each next one among
those nested in the previous message.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.values.protobuf.schema import ProtoMessage, ProtoSchema

_MOST_INDEXES: Final = 100
# With their count, this many indexes of one byte fit into the int64 by which values are grouped.
_MOST_IN_NUMBER: Final = 6
# 32 bits in groups of 7.
_VARINT_BYTES: Final = 5


def split_indexes(data: bytes) -> tuple[tuple[int, ...], int]:
    """Read message indexes; a count of 0 stands for the first message.

    Returns:
        The indexes, and the position of their end.

    Raises:
        CorruptError: the indexes are cut, or negative.
        LimitExceededError: there are too many indexes.
    """
    if data[:1] == b"\0":
        return (0,), 1
    count, at = _zigzag(data, 0)
    if count < 0:
        raise CorruptError("the number of message indexes is negative", found=count)
    if count > _MOST_INDEXES:
        raise LimitExceededError("there are too many message indexes", expected=f"at most {_MOST_INDEXES}", found=count)
    indexes = []
    for _ in range(count):
        index, at = _zigzag(data, at)
        if index < 0:
            raise CorruptError("a message index is negative", found=index)
        indexes.append(index)
    return tuple(indexes) or (0,), at


def index_bytes(source: UInt8s, begins: Int64s, ends: Int64s) -> Int64s:
    """The message indexes before many values as numbers, which are equal for equal indexes.

    Args:
        source: the bytes of all values.
        begins: start of the indexes of each value.
        ends: end of each value.

    Returns:
        The bytes as one number, the first byte lowest, as for `bytes_of`; -1 if there are more than six indexes,
        or they do not have the form that writers give them.
    """
    last = np.int64(len(source) - 1)
    counts = np.where(begins < ends, source[np.minimum(begins, last)], 1)
    keys = counts.astype(np.int64)
    is_plain = (counts & 1 == 0) & (counts <= 2 * _MOST_IN_NUMBER) & (begins + counts // 2 < ends)
    for place in range(1, int(counts[is_plain].max(initial=0)) // 2 + 1):
        here = is_plain & (counts >= 2 * place)
        byte = source[np.minimum(begins + place, last)]
        is_plain &= ~here | (byte < 0x80)
        keys[here] |= byte[here].astype(np.int64) << 8 * place
    keys[~is_plain] = -1
    return keys


def bytes_of(number: int) -> bytes:
    """The bytes of a number from `index_bytes`."""
    data = number.to_bytes(8, "little")
    return data[: 1 + data[0] // 2]


def message_of(schema: ProtoSchema, indexes: Sequence[int]) -> ProtoMessage:
    """The message that indexes identify.

    Confluent's Java serializer counts nested messages without the entries of maps, others count these entries. If both
    interpretations exist and differ, the value is ambiguous.

    Raises:
        CorruptError: there is no such message, or it could be one of two.
    """
    first, *nested = indexes
    found = {_nested(schema.messages, first, nested, counts_entries=each) for each in (False, True)}
    known = [each for each in found if each is not None]
    if len(known) > 1:
        names = " or ".join(sorted(each.name for each in known))
        raise CorruptError(f"the message indexes mean {names}: serializers count entries of maps or not", found=indexes)
    if not known:
        raise CorruptError("the schema has no message of these message indexes", found=list(indexes))
    return known[0]


def _nested(
    messages: list[ProtoMessage], first: int, nested: Sequence[int], *, counts_entries: bool
) -> ProtoMessage | None:
    if first >= len(messages):
        return None
    message = messages[first]
    for index in nested:
        inner = [each for each in message.nested if counts_entries or not each.is_map_entry]
        if index >= len(inner):
            return None
        message = inner[index]
    return None if message.is_map_entry else message


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, end = read_index(data, at)
    return (value >> 1) ^ -(value & 1), end


def read_index(data: bytes, at: int) -> tuple[int, int]:
    """Read an index as an unsigned varint, as AWS Glue writes it.

    Returns:
        The index, and the position of its end.

    Raises:
        CorruptError: the varint has more than five bytes.
        TruncatedError: the varint is cut.
    """
    value = 0
    for position, byte in enumerate(data[at : at + _VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * position
        if byte < 0x80:
            return value, at + position + 1
    if len(data) - at < _VARINT_BYTES:
        raise TruncatedError("the message indexes are cut", position=at)
    raise CorruptError("a message index has more than 32 bits", position=at)
