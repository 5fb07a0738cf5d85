"""The frame of all proofs: runs one with its options in a working directory; failures become exit statuses."""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import proofs
from class_path import ToolError
from kafkafmt import KafkafmtError

DIFFERS = 1
FAILED = 2
INTERRUPTED = 130


class ProofError(ToolError):
    """A program that a proof needs does not run; the text says why."""


def say_after(begun: float, text: str) -> None:
    """Print on stderr what happened, and the seconds since `begun`, a time of `time.monotonic`."""
    print(f"{time.monotonic() - begun:5.0f} s  {text}", file=sys.stderr, flush=True)


def run(arguments: list[str], prove: Callable[[argparse.Namespace, Path], int]) -> int:
    """Run a proof.

    Args:
        arguments: command-line arguments; the first is the proof's name.
        prove: called with the options and an existing empty directory, the one of --keep or a temporary one; prints the
            differences, and returns 0 or `DIFFERS`.

    Returns:
        exit status: that of `prove`, 2 if a program does not run, or 130 if interrupted.
    """
    options = proofs.parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that context managers clean up
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it by default
    name = options.name
    try:
        with tempfile.TemporaryDirectory(prefix=f"kafkafmt-{name}-", ignore_cleanup_errors=True) as scratch:
            home = getattr(options, "keep", None) or Path(scratch)
            home.mkdir(parents=True, exist_ok=True)
            return prove(options, home)
    except (ToolError, KafkafmtError) as error:
        print(f"tools/proof {name}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
