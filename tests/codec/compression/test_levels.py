"""Compression levels: exactly those that Kafka's configuration accepts work."""

import pytest

from kafkafmt.codec.compression import CODECS, Compression, check_level, compress, decompress
from kafkafmt.limits import Limits

# A compressible block, and one that no codec makes smaller.
CONTENT = b"kafka" * 20_000 + bytes(index * index % 251 ^ index >> 7 & 0xFF for index in range(70_000))


def _some_levels(codec: Compression) -> list[int | None]:
    levels = CODECS[codec].levels
    return [None] if levels is None else [None, *sorted({levels[0], 1, 5, levels[1]})]


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("codec", [codec for codec in Compression if codec])
def test_what_a_level_makes_is_read_back(codec: Compression, magic: int) -> None:
    for level in _some_levels(codec):
        check_level(codec, level)
        data = compress(codec, CONTENT, magic=magic, level=level)
        assert len(data) < len(CONTENT) * 1.001
        assert decompress(codec, data, magic=magic, limits=Limits()) == CONTENT


def test_higher_levels_make_less() -> None:
    lines = b"".join(b"order %d of customer %d\n" % (number, number * 7919 % 1009) for number in range(20_000))
    for codec, most in ((Compression.GZIP, 9), (Compression.LZ4, 17), (Compression.ZSTD, 19)):
        assert len(compress(codec, lines, magic=2, level=most)) < len(compress(codec, lines, magic=2, level=1))


def test_noise_is_stored_in_lz4_blocks_as_it_is() -> None:
    noise = bytes((value * 2654435761 >> 24 ^ value * 40503 >> 8) & 0xFF for value in range(1, 100_000))
    noise = compress(Compression.ZSTD, noise, magic=2, level=19)
    data = compress(Compression.LZ4, noise, magic=2)
    assert len(data) > len(noise)
    assert decompress(Compression.LZ4, data, magic=2, limits=Limits()) == noise


@pytest.mark.parametrize(
    ("codec", "level", "message"),
    [
        (Compression.NONE, 1, "none has no compression level"),
        (Compression.SNAPPY, 1, "snappy has no compression level"),
        (Compression.GZIP, 0, "the compression level of gzip is from 1 to 9, not 0"),
        (Compression.GZIP, 10, "from 1 to 9, not 10"),
        (Compression.LZ4, 18, "the compression level of lz4 is from 1 to 17, not 18"),
        (Compression.ZSTD, 23, "the compression level of zstd is from -131072 to 22, not 23"),
    ],
)
def test_other_levels_are_refused(codec: Compression, level: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_level(codec, level)


def test_gzip_takes_minus_one_for_its_own_default() -> None:
    check_level(Compression.GZIP, -1)
    assert (
        decompress(Compression.GZIP, compress(Compression.GZIP, CONTENT, magic=2, level=-1), magic=2, limits=Limits())
        == CONTENT
    )
