"""Reading takes time proportional to the file size, for any bytes and each engine.

CPU times, measured again if they are too long. Sizes are small, 32 MiB with KAFKAFMT_LARGE=1.
"""

import gc
import os
import random
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files.damage import Damage
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from tests.effort import cpu_seconds, is_ever
from tests.engines import load_kernels
from tests.hostile.hostile_bytes import MIB, batch, record
from tests.reference import builder as built
from tests.reference.builder import message, wrapper

pytestmark = pytest.mark.volume

LARGE = os.environ.get("KAFKAFMT_LARGE") == "1"
GOOD = batch(record(b"\0\0\0\1\1\0"))


def header(size: int, magic: int = 2) -> bytes:
    return struct.pack(">qiib", 0, size, 0, magic)


def repeated(piece: bytes, size: int) -> bytes:
    return piece * (size // len(piece))


def before_good(bad: bytes, size: int) -> bytes:
    """Batches of rising offsets, each after the same bad bytes: a search continues at later offsets only."""
    count = size // len(bad + GOOD)
    return b"".join(bad + struct.pack(">q", offset) + GOOD[8:] for offset in range(count))


def overlapping(size: int) -> bytes:
    """An entry's header at every 18th byte, declaring anything up to the file's end."""
    rnd = random.Random(18)
    return b"".join(header(rnd.randrange(14, max(15, size - 18 * each))) + b"\0" for each in range(size // 18))


# Bytes of a size.
PATTERNS: dict[str, Callable[[int], bytes]] = {
    "random": lambda size: random.Random(1).randbytes(size),
    "zeros and one byte": lambda size: bytes(size - 1) + b"\1",
    "headers of 60,000 bytes": lambda size: repeated(header(60_000) + b"\0", size),
    "headers of half the file": lambda size: repeated(header(size // 2) + b"\0", size),
    "headers of any size": overlapping,
    "small bad and good": lambda size: before_good(header(61) + b"\xff" * 56, size),
    "large bad and good": lambda size: before_good(header(size // 2), size),
    "beyond the end and good": lambda size: before_good(header(2**30), size),
    "zero hole and good": lambda size: before_good(bytes(17) + b"\1", size),
    "headers of v1 and good": lambda size: before_good(header(size // 3, 1) * 3, size),
}


def seconds(data: bytes, *, verify: bool) -> float:
    damage: list[Damage] = []
    delivered = 0

    def visit(entry: Entry) -> int:
        if verify:
            entry.verify_checksum()
        return len(list(entry.records()))

    start = time.process_time()
    for count in SegmentReader(MemoryFile("a.log", data), on_damage="skip", report=damage.append).walk(visit):
        delivered += count
    took = time.process_time() - start
    assert delivered >= data.count(GOOD[8:]) - 1
    assert damage
    return took


@pytest.mark.parametrize("verify", [True, False], ids=["verified", "not verified"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_is_in_proportion_to_size(pattern: str, verify: bool) -> None:
    make = PATTERNS[pattern]
    files = [make(size) for size in ((MIB, 32 * MIB) if LARGE else (MIB // 8, MIB // 2))]

    def is_linear() -> bool:
        rates = [seconds(data, verify=verify) / (len(data) / MIB) for data in files]
        print(f"{pattern}: {', '.join(f'{rate:.3f}' for rate in rates)} s/MiB")  # noqa: T201 (shown with -rP)
        # Four times the bytes take four times the time; a quadratic walk takes sixteen times.
        return rates[-1] < 3.2 * max(rates[0], 0.05)

    assert is_ever(is_linear)


# Entries the columnar engine leaves cost it more than those it takes; that must not grow with the bytes ahead.
SOUND = message(1)
LEFT_OVER = batch(record(b"\0\0\0\1\1\0") + b"\0")
RESERVED = built.batch(attributes=0x80)
MIXED = wrapper(1, message(0) + message(0, magic=0))
REFUSED = {
    "bytes left over": LEFT_OVER,
    "bytes left over and good": LEFT_OVER + GOOD,
    "wrong CRC and good": GOOD[:-1] + b"\1" + GOOD,
    "reserved attribute and good": RESERVED + GOOD,
    "reserved attribute": RESERVED,
    "no zstd and good": built.batch(attributes=4, payload=b"junk") + built.batch(attributes=4),
    "trailing bytes and messages": message(1, trailing=b"x") + SOUND,
    "wrappers of both formats and good": MIXED + wrapper(1, message(0)),
    "offsets that go back": built.batch(base_offset=9) + GOOD,
    "formats by turns": SOUND + GOOD,
}
ASKED: dict[str, Callable[[kafkafmt.Scan], object]] = {
    "rows": lambda scan: scan.to_table().num_rows,
    "count": lambda scan: scan.count(),
    "headers": lambda scan: sum(1 for _ in scan.batches(verify_checksums=True)),
}


@pytest.fixture(autouse=True, scope="module")
def without_garbage() -> Iterator[None]:
    """Collecting garbage among the objects of earlier tests and numba takes longer than a small scan."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("bounded", [False, True], ids=["all", "bounded"])
@pytest.mark.parametrize("pattern", REFUSED)
def test_a_scan_by_columns_takes_time_in_proportion_to_size(
    pattern: str, bounded: bool, asked: str, tmp_path: Path
) -> None:
    load_kernels()
    scans = []
    for size in (8 * MIB, 32 * MIB) if LARGE else (MIB // 32, MIB // 8):
        path = tmp_path / str(size) / "00000000000000000000.log"
        path.parent.mkdir()
        path.write_bytes(repeated(REFUSED[pattern], size))
        scans.append((kafkafmt.scan(path, on_damage="skip", start_timestamp=0 if bounded else None), size))

    def is_linear() -> bool:
        rates = [cpu_seconds(lambda scan=scan: ASKED[asked](scan)) / (size / MIB) for scan, size in scans]  # type: ignore[misc]
        print(f"{pattern}: {', '.join(f'{rate:.3f}' for rate in rates)} s/MiB")  # noqa: T201 (shown with -rP)
        return rates[-1] < 2.5 * max(rates[0], 0.5)

    assert is_ever(is_linear)
