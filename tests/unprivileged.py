"""Runs code as nobody, to test file permissions even if the tests run as root (in a container, for example)."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Import modules while their files are readable: installed packages may be readable by root only.
_BECOME_NOBODY = """
import os
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""


@contextmanager
def readable_directory() -> Iterator[Path]:
    """An empty directory that every user may read; not below `tmp_path`, which only pytest's user may enter.

    Files made unreadable in it are removed as well.
    """
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    try:
        yield root
    finally:
        for path in (root, *root.rglob("*")):
            # A parent comes before its children, so it is readable when they are listed.
            path.chmod(0o700)
        shutil.rmtree(root)


def run_as_nobody(code: str, *arguments: str, before: str = "") -> "subprocess.CompletedProcess[str]":
    """Run Python code as a user who is subject to file permissions.

    Args:
        code: the code to run as that user.
        arguments: its `sys.argv[1:]`.
        before: code that runs first, as the user of the tests: import here, and use once, everything that `code` needs.

    Returns:
        The output and the exit status, which need not be 0.
    """
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{_BECOME_NOBODY}\n{code}", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
