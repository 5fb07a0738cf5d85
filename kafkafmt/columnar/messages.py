"""Layout of messages of formats v0 and v1 for kernels, and columns with the origin of their records."""

from typing import NamedTuple

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.reference.layout import LOG_OVERHEAD, RECORD_OVERHEAD_V0

SMALLEST_MESSAGE = LOG_OVERHEAD + RECORD_OVERHEAD_V0
"""Size of a v0 message with null key and null value, including its offset and size."""

ATTRIBUTES_OFFSET = 17
"""Position of the attributes in a message (`formats/kafka_message.ksy`)."""

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
"""A wrapper: its start in an array of bytes, its end and its value's end, the start of its value, and fields."""

FRAME = np.dtype([("begin", np.int64), ("end", np.int64), ("offset", np.int64), ("is_wrapper", np.bool_)])
"""A message or wrapper: its start and end in an array of bytes, and its offset (a wrapper's last one)."""


class Provenance(NamedTuple):
    """Columns with the origin of a record; `kind` is always present, the others are empty unless requested.

    Attributes:
        base_offset: offset of a plain message; first offset in a wrapper.
        position: position in the file of the message or wrapper.
        kind: attributes of the message or wrapper; the magic from bit `MAGIC_SHIFT` on.
    """

    base_offset: Int64s
    position: Int64s
    kind: UInt8s
