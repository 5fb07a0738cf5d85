"""Program run in a separate process: gives many inputs to one target of `targets.py`, for `tools/fuzz`.

The number of the current input is kept in a mapped file, so that it is known after a SIGSEGV. Failing inputs are
printed with their numbers, and the run continues.
"""

import faulthandler
import mmap
import random
import struct
import sys
import time
import traceback
from pathlib import Path

from tests.hostile.doses import no_hang
from tests.hostile.targets import TARGETS

_MOST_FAILURES = 20
_EVERY = 30.0  # seconds between two lines


def main(name: str, count: str, seed: str, place: str) -> int:
    """Give inputs to a target; return the exit status: 1 if any failed.

    Args:
        name: name of the target.
        count: number of inputs.
        seed: number of the first input.
        place: a file of two 64-bit numbers: the number of the current input, and the inputs so far.
    """
    faulthandler.enable()
    target, number, done, failed = TARGETS[name], int(seed), 0, 0
    # One-time work of imported modules does not count for any input.
    for warm in range(20):
        target(random.Random(warm))
    began = said = time.monotonic()
    with Path(place).open("r+b") as file, mmap.mmap(file.fileno(), 16) as kept:
        while done < int(count) and failed < _MOST_FAILURES:
            struct.pack_into("=qq", kept, 0, number, done)
            try:
                with no_hang():
                    done += target(random.Random(number))
            except Exception:  # noqa: BLE001 - it is printed, and counts as a failure
                failed, done = failed + 1, done + 1
                print(traceback.format_exc(limit=-8), f"KAFKAFMT_SEED={number}", sep="", flush=True)  # noqa: T201
            number += 1
            if time.monotonic() - said > _EVERY:
                said = time.monotonic()
                print(f"{done:,} inputs in {said - began:.0f} s, {failed} failed", flush=True)  # noqa: T201
        struct.pack_into("=qq", kept, 0, number, done)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
