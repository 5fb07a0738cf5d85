"""Ways to break a file, all driven by one seeded `random.Random`."""

import random
import struct
from collections.abc import Callable, Iterator

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import LOG_OVERHEAD, crc_span, read_frame, smallest_size
from tests.codec.compression.compressors import compress
from tests.hostile.corpus import Sample, samples

_FIELDS_V2 = (0, 4, 8, 12, 16, 17, 21, 22, 23, 27, 35, 43, 51, 53, 57, 61, 62, 63, 64, 65, 66, 67)
_FIELDS_LEGACY = (0, 4, 8, 12, 16, 17, 18, 22, 26, 30)
_BYTES = (0, 1, 2, 3, 4, 5, 7, 8, 14, 31, 49, 61, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF)
_FORMATS = ("b", "h", "i", "q")
_BOUNDED = Limits(max_decompressed_bytes=16 * 1024 * 1024)


def entries(data: bytes | bytearray) -> Iterator[tuple[int, int, int]]:
    """Position, end and magic of each entry found by following sizes."""
    position = 0
    while len(data) - position >= 17:
        frame = read_frame(data, position)
        end = position + frame.size_in_bytes
        if frame.size < smallest_size(frame.magic) or end > len(data):
            return
        yield position, end, frame.magic
        position = end


def restore_crcs(sample: Sample, data: bytearray) -> None:
    """Recompute every CRC, so that broken content looks as if it had been written so."""
    if sample.is_log:
        for begin, end, magic in entries(data):
            crc_at, covered_from = crc_span(magic)
            crc = crc32c if magic >= 2 else crc32
            struct.pack_into(">I", data, begin + crc_at, crc(data[begin + covered_from : end]))
    elif sample.kind == ".snapshot" and len(data) >= 6:
        struct.pack_into(">I", data, 2, crc32c(data[6:]))


def _flip_bits(rnd: random.Random, data: bytearray) -> None:
    for _ in range(rnd.choice((1, 1, 2, 8))):
        data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)


def _set_byte(rnd: random.Random, data: bytearray) -> None:
    data[rnd.randrange(len(data))] = rnd.choice(_BYTES)


def _set_number(rnd: random.Random, data: bytearray) -> None:
    code = rnd.choice(_FORMATS)
    width = struct.calcsize(code)
    if len(data) >= width:
        at = rnd.randrange(len(data) - width + 1)
        struct.pack_into(">" + code, data, at, _boundary(rnd, 8 * width, len(data)))


def _set_field(rnd: random.Random, data: bytearray) -> None:
    found = list(entries(data))
    if not found:
        _set_number(rnd, data)
        return
    begin, end, magic = rnd.choice(found)
    at = begin + rnd.choice(_FIELDS_V2 if magic >= 2 else _FIELDS_LEGACY)
    code = rnd.choice(_FORMATS)
    width = struct.calcsize(code)
    if at + width <= len(data):
        struct.pack_into(">" + code, data, at, _boundary(rnd, 8 * width, end - begin))


def _boundary(rnd: random.Random, bits: int, near: int) -> int:
    top = 1 << bits - 1
    value = rnd.choice((0, 1, -1, -2, 2, 13, 14, 49, 61, top - 1, -top, top // 2, near, near - 12, near + 1, near - 1))
    return (value + top) % (2 * top) - top


def _delete(rnd: random.Random, data: bytearray) -> None:
    begin, end = _range(rnd, data)
    del data[begin:end]


def _insert(rnd: random.Random, data: bytearray) -> None:
    at = rnd.randrange(len(data) + 1)
    data[at:at] = rnd.randbytes(rnd.choice((1, 2, 4, 17, 61, 200)))


def _duplicate(rnd: random.Random, data: bytearray) -> None:
    begin, end = _range(rnd, data)
    at = rnd.randrange(len(data) + 1)
    data[at:at] = data[begin:end]


def _truncate(rnd: random.Random, data: bytearray) -> None:
    del data[rnd.randrange(len(data)) :]


def _zero(rnd: random.Random, data: bytearray) -> None:
    begin, end = _range(rnd, data)
    data[begin:end] = bytes(end - begin)


def _append_zeros(rnd: random.Random, data: bytearray) -> None:
    data += bytes(rnd.choice((1, 11, 16, 17, 61, 4096)))


def _splice(rnd: random.Random, data: bytearray) -> None:
    other = rnd.choice(samples()).data
    data[rnd.randrange(len(data)) :] = other[rnd.randrange(len(other) + 1) :]


def _inside(rnd: random.Random, data: bytearray) -> None:
    """Break the decompressed content of one batch or wrapper, and recompress it."""
    packed = [
        (begin, end, magic, codec, body)
        for begin, end, magic in entries(data)
        for codec, body in [_codec_and_body(data, begin, magic)]
        if 0 < codec <= 4 and magic in (0, 1, 2) and body < end
    ]
    if not packed:
        _set_field(rnd, data)
        return
    begin, end, magic, codec, body = rnd.choice(packed)
    try:
        content = decompress(Compression(codec), bytes(data[body:end]), magic=magic, limits=_BOUNDED)
    except KafkafmtError:
        return
    inner = bytearray(content[: 256 * 1024])
    if inner:
        rnd.choice(_OPERATORS)(rnd, inner)
    payload = compress(Compression(codec), bytes(inner))
    if magic < 2:
        payload = payload + b""
        struct.pack_into(">i", data, body - 4, len(payload))
    data[body:end] = payload
    struct.pack_into(">i", data, begin + 8, body - begin - LOG_OVERHEAD + len(payload))


def _codec_and_body(data: bytearray, begin: int, magic: int) -> tuple[int, int]:
    if magic >= 2:
        return data[begin + 22] & 7, begin + 61
    key = begin + (18 if magic == 0 else 26)
    (key_size,) = struct.unpack_from(">i", data, key) if key + 4 <= len(data) else (-1,)
    return data[begin + 17] & 7, min(len(data), key + 8 + max(0, key_size))


def _range(rnd: random.Random, data: bytearray) -> tuple[int, int]:
    begin = rnd.randrange(len(data))
    return begin, min(len(data), begin + rnd.choice((1, 2, 4, 8, 17, 61, 300)))


Operator = Callable[[random.Random, bytearray], None]

_OPERATORS: tuple[Operator, ...] = (
    _flip_bits,
    _set_byte,
    _set_number,
    _set_field,
    _set_field,
    _delete,
    _insert,
    _duplicate,
    _truncate,
    _zero,
    _append_zeros,
    _splice,
)

_OF_ANY_FILE: tuple[Operator, ...] = (
    _flip_bits,
    _flip_bits,
    _set_byte,
    _set_number,
    _delete,
    _insert,
    _duplicate,
    _truncate,
    _zero,
    _append_zeros,
)


def scramble(rnd: random.Random, content: bytes) -> bytes:
    """Break bytes once or a few times, without using content of other files."""
    data = bytearray(content)
    for _ in range(rnd.choice((1, 1, 1, 2, 4))):
        if data:
            rnd.choice(_OF_ANY_FILE)(rnd, data)
    return bytes(data)


def mutate(rnd: random.Random, sample: Sample, *, right_crc: bool) -> bytes:
    """Break a sample once or a few times; `right_crc` also recomputes the CRCs of the result."""
    data = bytearray(sample.data)
    operators = (*_OPERATORS, _inside, _inside, _inside) if sample.is_log else _OPERATORS
    for _ in range(rnd.choice((1, 1, 1, 2, 4))):
        if data:
            rnd.choice(operators)(rnd, data)
        else:
            data += rnd.randbytes(rnd.choice((0, 1, 8, 34)))
    if right_crc:
        restore_crcs(sample, data)
    return bytes(data)
