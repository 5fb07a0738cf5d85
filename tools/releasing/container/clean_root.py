"""Runs the image's installation and commands in a clean Debian root: the part of a test that needs no builder.

Requires root: debootstrap makes the root, chroot enters it. Mounts and setpriv replace what a container runtime does
(read-only mounts, an unprivileged user).
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_MIRROR = "http://deb.debian.org/debian"
_SUITE = "bookworm"
_FROM_HERE = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt")
_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--inh-caps=-all")
_PROGRAM = "/opt/kafkafmt/kafkafmt"
_COMMANDS = ((["--version"], "kafkafmt "), (["verify", "/data"], "Node 1 starts."), (["ls", "/data"], "orders"))
_STARTED_WITHIN, _ENDED_WITHIN = 60.0, 5.0


def try_image(wheel: Path, scratch: Path) -> Iterator[str]:
    """The faults of the image's steps.

    Args:
        wheel: the wheel.
        scratch: directory for the root; needs 1.5 GB.
    """
    if os.geteuid() or shutil.which("debootstrap") is None:
        yield "the image was not tried: that takes root, and debootstrap (apt-get install debootstrap)"
        return
    root = scratch / "root"
    subprocess.run(
        ["debootstrap", "--variant=minbase", "--include=python3,python3-venv,ca-certificates", _SUITE, root, _MIRROR],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for name in _FROM_HERE:
        _copy(name, root)
    (root / "wheels").mkdir()
    shutil.copy(wheel, root / "wheels")
    shutil.copy(Path(__file__).with_name("install"), root / "install")
    with _mounted(root, ROOT / "docs" / "examples" / "shop" / "log-dir"):
        subprocess.run(["chroot", root, "sh", "/install"], check=True, env=_variables("PIP_", "SSL_", "REQUESTS_"))
        yield from _tried(root)


def _tried(root: Path) -> Iterator[str]:
    """The faults of commands in the root, run by an unprivileged user."""
    for arguments, expected in _COMMANDS:
        found = _run(root, *arguments)
        if found.returncode or expected not in found.stdout or found.stderr:
            yield f"in the image, kafkafmt {' '.join(arguments)} prints {found.stdout[:200]!r} {found.stderr[:500]!r}"
    found = _run(root, "warm-up")
    if "; 0 were compiled now" not in found.stdout:
        yield f"in the image, kernels are compiled again: {found.stdout.strip()}"
    yield from _served(root)


def _served(root: Path) -> Iterator[str]:
    """The faults of `kafkafmt serve`: the health check of compose.yaml, and the end by SIGTERM."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = _entered(root, "serve", "/data", "--listen", f"127.0.0.1:{port}")
    with subprocess.Popen(command, env=_variables()) as process:
        until = time.monotonic() + _STARTED_WITHIN
        answers = False
        while not answers and time.monotonic() < until and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                answers = True
            time.sleep(0.2)
        process.terminate()
        try:
            status = process.wait(_ENDED_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            status = None
    if not answers or status != 0:
        yield f"in the image, serve {'answers' if answers else 'does not answer'}, and ends with {status}"


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(_entered(root, *arguments), check=False, capture_output=True, text=True, env=_variables())


def _entered(root: Path, *arguments: str) -> list[str]:
    """The command of the image, in the root, by an unprivileged user."""
    return ["chroot", str(root), *_NOBODY, _PROGRAM, *arguments]


def _variables(*prefixes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if prefixes and name.startswith(prefixes)}
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", **kept}


def _copy(name: str, root: Path) -> None:
    source, target = Path("/", name), root / name
    if source.exists():
        target.unlink(missing_ok=True)  # may be a link to the source file
        shutil.copy(source, target)


@contextmanager
def _mounted(root: Path, data: Path) -> Iterator[None]:
    """Mount what a container runtime mounts: /proc, and the disks read-only."""
    (root / "data").mkdir()
    mounts = (["-t", "proc", "proc", str(root / "proc")], ["--bind", "-o", "ro", str(data), str(root / "data")])
    made: list[str] = []
    try:
        for options in mounts:
            subprocess.run(["mount", *options], check=True)
            made.append(options[-1])
        yield
    finally:
        for place in reversed(made):
            subprocess.run(["umount", "--lazy", place], check=False)
