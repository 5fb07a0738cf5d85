"""Peak memory of a process, for programs that tests run on their own (`from tests.peak_memory import peak`)."""

from pathlib import Path


def peak() -> int:
    """Bytes of memory of its own that this process held at most, since it was started.

    Pages of shared libraries are left out: how many of them a kernel maps at a fault differs by 70 MB between machines.
    getrusage would also count what the process that started it held, for its figure survives exec.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    most, files = (int(status.split(f"{name}:")[1].split()[0]) for name in ("VmHWM", "RssFile"))
    return (most - files) * 1024
