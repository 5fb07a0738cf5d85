"""Messages of formats v0 and v1 as kernels find them, and the columns of each record."""

from typing import NamedTuple

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.reference.layout import LOG_OVERHEAD, RECORD_OVERHEAD_V0

SMALLEST_MESSAGE = LOG_OVERHEAD + RECORD_OVERHEAD_V0
"""Bytes of a v0 message with null key and null value, its offset and size included."""

ATTRIBUTES_OFFSET = 17
"""Where a message has its attributes (`formats/kafka_message.ksy`)."""

MAGIC_SHIFT = 4

WRAPPER = np.dtype(
    [
        ("start", np.int64),
        ("end", np.int64),
        ("value_start", np.int64),
        ("offset", np.int64),
        ("timestamp", np.int64),
        ("magic", np.int64),
        ("attributes", np.int64),
    ]
)
"""A wrapper: where it begins in an array of bytes, where it and its value end, where its value begins, and fields."""

FRAME = np.dtype([("begin", np.int64), ("end", np.int64), ("offset", np.int64), ("is_wrapper", np.bool_)])
"""A message or wrapper: where it begins and ends in an array of bytes, and its offset (of a wrapper its last one)."""


class Provenance(NamedTuple):
    """Columns with the origin of a record; `kind` is always there, the others are empty if not asked for.

    Attributes:
        base_offset: of a plain message its offset, of a wrapper the first one in it.
        position: where in the file the message or wrapper begins.
        kind: attributes of the message or wrapper, and from bit `MAGIC_SHIFT` on the magic.
    """

    base_offset: Int64s
    position: Int64s
    kind: UInt8s
