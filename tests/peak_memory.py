"""Peak memory of a process, for programs that tests run separately (`from tests.peak_memory import peak`)."""

from pathlib import Path


def peak() -> int:
    """Peak private memory of this process since its start, in bytes.

    Pages of shared libraries are excluded: the number that a kernel maps at a fault differs by 70 MB between machines.
    getrusage would include the parent's memory, as its figure survives exec.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    most, files = (int(status.split(f"{name}:")[1].split()[0]) for name in ("VmHWM", "RssFile"))
    return (most - files) * 1024
