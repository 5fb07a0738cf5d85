"""Every prefix and every single-bit flip of one small file of each kind and codec.

All of them with KAFKAFMT_EVERY_BIT=1 (before a release), otherwise a fixed sample, by default one in 17.
"""

import os
from collections.abc import Sequence

import pytest

from tests.engines import ENGINES
from tests.hostile import law
from tests.hostile.corpus import SMALL, Sample, smallest
from tests.hostile.mutations import restore_crcs

pytestmark = [pytest.mark.volume, pytest.mark.dosed]

STEP = int(os.environ.get("KAFKAFMT_EVERY_BIT", "17"))

CODECS = ("none", "gzip", "snappy", "lz4")
EXPECTED_LOGS = {f"log log v{magic}-{codec}" for magic in (0, 1, 2) for codec in CODECS} | {
    "log log v2-zstd",
    "log checkpoint v2-none",
}


def check(sample: Sample, data: bytes, *, verify: bool = True, engines: Sequence[str] = ENGINES) -> None:
    if sample.is_log:
        law.check_walk(data, verify=verify, engines=engines)
    else:
        law.check_small(sample.kind, data)


# The treatment of a flipped file's CRC; most small files have none.
FLIPS = [
    pytest.param(sample, crc, id=f"{sample.kind} {crc}")
    for sample in smallest()
    for crc in ("as it is", "put right", "not looked at")
    if crc == "as it is" or sample.is_log or (sample.kind, crc) == (".snapshot", "put right")
]


def test_each_kind_of_file_and_each_codec_of_each_format_is_there() -> None:
    kinds = {sample.kind for sample in smallest()}
    assert kinds == EXPECTED_LOGS | SMALL.keys()


@pytest.mark.parametrize("sample", smallest(), ids=lambda sample: sample.kind)
def test_every_prefix(sample: Sample) -> None:
    for end in [*range(0, len(sample.data), max(1, STEP // 8)), len(sample.data)]:
        check(sample, sample.data[:end])


@pytest.mark.parametrize(("sample", "crc"), FLIPS)
def test_every_bit_flipped(sample: Sample, crc: str) -> None:
    for bit in range(0, 8 * len(sample.data), STEP):
        data = bytearray(sample.data)
        data[bit // 8] ^= 1 << bit % 8
        if crc == "put right":
            restore_crcs(sample, data)
        # What the kernels walk over is the same whether CRCs are right or not looked at; a wrong one stops them.
        engines = ENGINES if crc == "put right" or bit // STEP % 8 == 0 else ("reference",)
        check(sample, bytes(data), verify=crc != "not looked at", engines=engines)
