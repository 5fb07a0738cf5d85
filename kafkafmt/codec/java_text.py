"""Text as in Java and Kafka: UUIDs, and UTF-8 decoded like `new String(bytes, UTF_8)` of Java 17.

Java and Python agree on which sequences are well-formed, and differ in how many bytes of a malformed one become a
single U+FFFD: Java takes a surrogate's three bytes as one, Python as three. Header keys of golden records have such
text.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator

LARGE = 1024 * 1024
"""Size above which a key or value is written in pieces, in bytes."""

PIECE = 3 << 18
"""Size of the pieces of a large text, in bytes; a multiple of 3, as base64 requires."""

# Java makes one U+FFFD from a surrogate's bytes, whole or truncated.
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def decode_utf8(data: bytes) -> str:
    """Decode UTF-8; every malformed sequence becomes as many U+FFFD as in Java 17. Never fails."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        # Python's own handler needs no call per malformed sequence, and differs from Java only in surrogates.
        return _SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


def text_pieces(data: bytes | memoryview, decode: Callable[[bytes], str] = decode_utf8) -> Iterator[str]:
    """Decode UTF-8 in pieces, with the same result as decoding all at once.

    Args:
        data: the bytes.
        decode: decodes a piece; an error that it raises ends the iteration.
    """
    begin = 0
    while begin < len(data):
        end = boundary(data, begin + PIECE)
        yield decode(bytes(data[begin:end]))
        begin = end


def boundary(data: bytes | memoryview, end: int) -> int:
    """The last position at or shortly before `end` that is not inside a character, whole or malformed."""
    if end >= len(data):
        return len(data)
    # A character has at most three continuation bytes; if there are more, each of them is malformed.
    return next((at for at in range(end, end - 4, -1) if not 0x80 <= data[at] <= 0xBF), end)


def string_hash(text: str) -> int:
    """Java's `String.hashCode` as an unsigned 32-bit int."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    code = 0
    for unit in units:
        code = (31 * code + unit) & 0xFFFFFFFF
    return code


def format_uuid(data: bytes) -> str:
    """Print the 16 bytes of a UUID like `org.apache.kafka.common.Uuid`: as 22 characters of URL-safe base64."""
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")
