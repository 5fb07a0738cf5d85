"""Data in another format than their codec's: the error names the format."""

import bz2
import gzip
import lzma
import zlib

import lz4.frame
import pytest
import zstandard

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.errors import CorruptError
from kafkafmt.limits import Limits

TEXT = b"a text that is compressed" * 9
STREAMS = {
    "a gzip stream": gzip.compress(TEXT),
    "a zlib stream": zlib.compress(TEXT),
    "an lz4 frame": lz4.frame.compress(TEXT),
    "a legacy lz4 frame": b"\x02\x21\x4c\x18" + bytes(30),
    "a zstd frame": zstandard.compress(TEXT),
    "a skippable frame": b"\x5a\x2a\x4d\x18\x04\x00\x00\x00abcd",
    "snappy's framing format": b"\xff\x06\x00\x00sNaPpY\x01\x07\x00\x00",
    "an xz stream": lzma.compress(TEXT),
    "a bzip2 stream": bz2.compress(TEXT),
}
OWN = {
    Compression.GZIP: {"a gzip stream"},
    Compression.LZ4: {"an lz4 frame"},
    Compression.ZSTD: {"a zstd frame", "a skippable frame"},
}


@pytest.mark.parametrize("codec", [Compression.GZIP, Compression.LZ4, Compression.ZSTD, Compression.SNAPPY])
def test_the_error_names_the_format_of_the_data(codec: Compression) -> None:
    for name, stream in STREAMS.items():
        if name in OWN.get(codec, ()):
            continue
        with pytest.raises(CorruptError) as caught:
            decompress(codec, stream, magic=2, limits=Limits())
        assert name in caught.value.message, (codec, name, caught.value)
        assert str(caught.value.found).startswith(f"0x{stream[:2].hex()}")


def test_a_format_that_nobody_knows_shows_its_bytes_in_hex() -> None:
    with pytest.raises(CorruptError, match=r"not an lz4 frame \(expected 0x04224d18, found 0x01020304\)"):
        decompress(Compression.LZ4, b"\1\2\3\4" * 5, magic=2, limits=Limits())
