"""How many inputs a test tries, where they begin, and how long one may take.

KAFKAFMT_MUTATIONS says how many, KAFKAFMT_SEED where they begin. A failure names its number:
`KAFKAFMT_SEED=<number> KAFKAFMT_MUTATIONS=1` runs it alone. KAFKAFMT_CHECK_ACCESS=1 lets kernels check every access.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "300"))
SEED = int(os.environ.get("KAFKAFMT_SEED", "20260101"))
# Seconds of CPU. What checks every access is compiled on the way, for more than 20 s where no cache has it.
HANGS_AFTER = 300 if os.environ.get("KAFKAFMT_CHECK_ACCESS") else 20


@contextmanager
def no_hang() -> Iterator[None]:
    """Let what takes too long end in an AssertionError."""

    def ring(*_: object) -> None:
        raise AssertionError(f"still at work after {HANGS_AFTER} s")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
