"""What a user without rights sees: code that runs as nobody, also where the tests run as root (in a container, say)."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Modules must be imported while their files may be read: what is installed may be root's alone.
_BECOME_NOBODY = """
import os
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""


@contextmanager
def readable_directory() -> Iterator[Path]:
    """An empty directory that every user may read; not below `tmp_path`, which is pytest's own user's alone.

    What was made unreadable in it is removed all the same.
    """
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    try:
        yield root
    finally:
        for path in (root, *root.rglob("*")):
            # A parent comes before what is in it, so it is open when that is looked for.
            path.chmod(0o700)
        shutil.rmtree(root)


def run_as_nobody(code: str, *arguments: str, before: str = "") -> "subprocess.CompletedProcess[str]":
    """Run Python code as a user to whom files without permissions are closed.

    Args:
        code: what runs as that user.
        arguments: its `sys.argv[1:]`.
        before: what runs first, as who runs the tests: import here, and use once, all that `code` needs.

    Returns:
        What it wrote and its exit status, which need not be 0.
    """
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{_BECOME_NOBODY}\n{code}", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
