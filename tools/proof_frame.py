"""Common to all proofs: runs one with its options and a working directory, and turns failures into exit statuses."""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import proofs
from class_path import ToolError
from kafka_broker.broker import BrokerError
from kafkafmt import KafkafmtError

DIFFERS = 1
FAILED = 2
INTERRUPTED = 130


class ProofError(Exception):
    """A program that a proof needs does not run; the text says why."""


def say_after(begun: float, text: str) -> None:
    """Say on stderr what happened, and how many seconds after `begun`, a time of `time.monotonic`."""
    print(f"{time.monotonic() - begun:5.0f} s  {text}", file=sys.stderr, flush=True)


def run(arguments: list[str], prove: Callable[[argparse.Namespace, Path], int]) -> int:
    """Run a proof.

    Args:
        arguments: of the command line, the proof's name first.
        prove: called with the options and a directory that exists and is empty, which --keep names or which is removed
            at the end; prints what differs, and returns 0, or `DIFFERS`.

    Returns:
        The exit status: also 2 if something does not run, 130 if it is interrupted.
    """
    options = proofs.parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that context managers clean up
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    name = options.name
    try:
        with tempfile.TemporaryDirectory(prefix=f"kafkafmt-{name}-", ignore_cleanup_errors=True) as scratch:
            home = getattr(options, "keep", None) or Path(scratch)
            home.mkdir(parents=True, exist_ok=True)
            return prove(options, home)
    except (BrokerError, ToolError, ProofError, KafkafmtError) as error:
        print(f"tools/proof {name}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
