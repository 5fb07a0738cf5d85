"""The limit of file descriptors: connections may take half of them, files that stay open a quarter."""

import resource
import sys
from contextlib import suppress
from typing import Final

_ENOUGH: Final = (65_536, 10_240)
"""Limits to try, in order: macOS accepts at most the second."""


def descriptor_limit() -> int:
    """The number of descriptors that this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def raise_descriptor_limit() -> None:
    """Raise the soft limit of this process to the hard limit, at most to 65,536."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for enough in _ENOUGH:
        wanted = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            return
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return
