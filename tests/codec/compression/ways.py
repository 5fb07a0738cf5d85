"""The two implementations of decompression, as one function each: both must give the same answers."""

from typing import Protocol

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits

BEFORE = b"what an earlier batch left"


class Decompress(Protocol):
    def __call__(self, codec: Compression, data: bytes | memoryview, *, magic: int, limits: Limits) -> bytes: ...


def through_scratch(codec: Compression, data: bytes | memoryview, *, magic: int, limits: Limits) -> bytes:
    scratch = Scratch(limits)
    scratch.add(Compression.NONE, BEFORE, magic)
    size = 0
    try:
        size = scratch.add(codec, data, magic)
    finally:
        end = len(BEFORE) + size
        assert scratch.used == end
        assert scratch.buffer[: len(BEFORE)] == BEFORE
        assert len(scratch.buffer) >= end + SLACK
    return bytes(memoryview(scratch.buffer)[len(BEFORE) : end])


def answer(decompress: Decompress, codec: Compression, data: bytes | memoryview, magic: int, limits: Limits) -> object:
    """The content, or the full text of the error."""
    try:
        return decompress(codec, data, magic=magic, limits=limits)
    except KafkafmtError as error:
        return type(error), str(error), error.expected, error.found


WAYS: dict[str, Decompress] = {"decompress": decompress, "scratch": through_scratch}
