"""Layout shared by all three message formats: where an entry ends, and which bytes its CRC covers.

An entry is a message or wrapper (formats v0 and v1) or a record batch (v2). The specs in `formats/` are the source of
these numbers; they are repeated here, under the names of Kafka's `Records`, `LegacyRecord` and `DefaultRecordBatch`,
because a damaged entry must be judged before it can be parsed. A test compares them with the specs.
"""

import struct
from typing import NamedTuple

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.errors import ChecksumError

LOG_OVERHEAD = 12
"""Size of the part before the body that `size` does not count: the offset (8) and the size itself (4), in bytes."""

MAGIC_OFFSET = 16
"""Position of the magic in every entry."""

HEADER_SIZE_UP_TO_MAGIC = 17
"""Bytes that determine an entry's end and format: offset, size, CRC or partition leader epoch, magic."""

RECORD_OVERHEAD_V0 = 14
"""Smallest `size` of any entry: a v0 message with null key and null value."""

LARGEST_INNER_SIZE = 2**31 - 1 - 8
"""Largest `size` of a message in a wrapper: the most that Java allocates, as in DataLogInputStream since Kafka 4.4.
"""

RECORD_BATCH_OVERHEAD = 61
"""Size of a v2 batch without records in bytes, including its offset and size."""

CURRENT_MAGIC = 2
"""The newest format. Kafka's broker reads a larger magic with the same framing and CRC, though none exists yet."""

COMPRESSION = 0x07
"""The bits of attributes for the codec, in all formats."""

LOG_APPEND_TIME = 0x08
"""The bit of attributes for timestamps set by the broker, in formats v1 and v2."""

TRANSACTIONAL = 0x10
"""The bit of a batch's attributes for records in a transaction."""

CONTROL = 0x20
"""The bit of a batch's attributes for records that are markers, of transactions or of a quorum."""

DELETE_HORIZON = 0x40
"""The bit of a batch's attributes for a base timestamp that is the delete horizon of its tombstones (KIP-534)."""

_FRAME = struct.Struct(">qi4xb")
_SIZE = struct.Struct(">8xi")
_CRC = struct.Struct(">I")
_CRC_OFFSET_LEGACY = 12
_CRC_INPUT_LEGACY = 16
_ATTRIBUTES_OFFSET_LEGACY = 17
_CRC_OFFSET_V2 = 17
_CRC_INPUT_V2 = 21


class Frame(NamedTuple):
    """The first 17 bytes of an entry.

    Attributes:
        offset: base offset (v2), offset of the message (v0, v1), or offset of the last inner message (wrapper).
        size: number of bytes after the first 12, as declared; any int32.
        magic: format, a signed byte; below 2 it is read as v0 or v1, as in Kafka.
    """

    offset: int
    size: int
    magic: int

    @property
    def size_in_bytes(self) -> int:
        """Whole size of the entry, in bytes."""
        return LOG_OVERHEAD + self.size


def read_frame(data: bytes | bytearray | memoryview, position: int = 0) -> Frame:
    """Read the frame at `position`; the caller has ensured that there are 17 bytes."""
    return Frame(*_FRAME.unpack_from(data, position))


def read_size(data: bytes | bytearray | memoryview, position: int = 0) -> int:
    """Read only the `size` of the frame at `position`; the caller has ensured that there are 12 bytes."""
    size: int = _SIZE.unpack_from(data, position)[0]
    return size


def smallest_size(magic: int) -> int:
    """Smallest valid `size` of an entry of this magic, in bytes."""
    return RECORD_BATCH_OVERHEAD - LOG_OVERHEAD if magic >= CURRENT_MAGIC else RECORD_OVERHEAD_V0


def crc_span(magic: int) -> tuple[int, int]:
    """Positions in an entry of this magic of its CRC, and of the first byte that it covers (up to the entry's end).

    v0 and v1: CRC-32 from the magic byte on, so neither offset nor size are covered. v2 and above: CRC-32C from the
    attributes on, so neither base offset, size, partition leader epoch nor magic are covered (KIP-98).
    """
    return (_CRC_OFFSET_V2, _CRC_INPUT_V2) if magic >= CURRENT_MAGIC else (_CRC_OFFSET_LEGACY, _CRC_INPUT_LEGACY)


def is_compressed_message(message: bytes | memoryview) -> bool:
    """Whether a v0 or v1 entry is a wrapper, as its attributes have a codec; its first 18 bytes suffice."""
    return message[_ATTRIBUTES_OFFSET_LEGACY] & COMPRESSION != 0


def stored_crc(entry: bytes | memoryview, magic: int) -> int:
    """The CRC stored in an entry."""
    crc: int = _CRC.unpack_from(entry, crc_span(magic)[0])[0]
    return crc


def verify_checksum(entry: bytes | memoryview, magic: int) -> None:
    """Compare the stored CRC of an entry with the CRC of its bytes.

    Raises:
        ChecksumError: they differ; without file and position, which the caller knows.
    """
    covered = memoryview(entry)[crc_span(magic)[1] :]
    computed = crc32c(covered) if magic >= CURRENT_MAGIC else crc32(covered)
    require_equal_crcs(stored_crc(entry, magic), computed)


def require_equal_crcs(stored: int, computed: int) -> None:
    """Compare the CRC stored in an entry with the one computed over its bytes.

    Raises:
        ChecksumError: they differ; without file and position, which the caller knows.
    """
    if stored != computed:
        raise ChecksumError("CRC mismatch", expected=f"0x{computed:08x}", found=f"0x{stored:08x}")
