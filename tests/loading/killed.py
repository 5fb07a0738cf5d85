"""A program that loads in child processes, each of which is killed at a call that is chosen: its line of stdin.

    python -m tests.loading.killed SOURCE TO

A child has imported all that a load needs, and so begins at once; it kills itself at the call of this number, as the
system would: nothing is unwound. For -1 it lives, and its number of calls is printed; for others "killed", or "ended"
where it has had fewer calls.
"""

import importlib
import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

COMMIT_BYTES = 30_000
ROWS = 40
"""Rows of a record batch, so that little data has several commits."""

NEEDED = (
    *("deltalake.fs", "pyarrow.parquet", "pyiceberg.catalog.sql", "pyiceberg.io.pyarrow", "kafkafmt.loading.load"),
    *("kafkafmt.loading.delta", "kafkafmt.loading.directory", "kafkafmt.loading.iceberg"),
)


def main() -> None:
    """Read numbers, and load."""
    for name in NEEDED:
        importlib.import_module(name)
    batching: Any = importlib.import_module("kafkafmt.scanning.batching")
    batching._ROWS, batching._FEW_ROWS = ROWS, 1
    source, to = sys.argv[1:]
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            load(source, to, int(line), writing)
        os.close(writing)
        with os.fdopen(reading) as answers:
            answer = answers.read()
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        sys.stdout.write(f"{'killed' if killed else answer or f'failed with {status}'}\n")
        sys.stdout.flush()


def load(source: str, to: str, moment: int, writing: int) -> NoReturn:
    import kafkafmt

    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            if calls == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1

    sys.setprofile(count)
    kafkafmt.load(source, to, commit_bytes=COMMIT_BYTES)
    sys.setprofile(None)
    os.write(writing, (str(calls) if moment < 0 else "ended").encode())
    os._exit(0)


if __name__ == "__main__":
    main()
