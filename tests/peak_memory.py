"""Peak memory of a process, for programs that tests run on their own (`from tests.peak_memory import peak`)."""

from pathlib import Path


def peak() -> int:
    """Bytes of memory that this process held at most, since it was started.

    getrusage would also count what the process that started it held, for its figure survives exec.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
