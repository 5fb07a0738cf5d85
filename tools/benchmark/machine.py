"""What the measurements were made on and with."""

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = (
    "kafkafmt",
    "aiokafka",
    "kafka-python",
    "numba",
    "numpy",
    "pyarrow",
    "crc32c",
    "isal",
    "lz4",
    "cramjam",
    "zstandard",
)
_JARS = ("kafka-clients", "lz4-java", "snappy-java", "zstd-jni")


def machine() -> dict[str, str]:
    """Tell about the processor, memory and system, without the machine's name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    kernel = ".".join(platform.release().split(".")[:2])
    return {
        "CPU": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory / 2**30:.0f} GB",
        "system": f"{platform.system()} {kernel}, {platform.machine()}",
        "load when it began": f"{os.getloadavg()[0]:.2f}",
    }


def versions(java: str, jars: Path) -> dict[str, str]:
    """Tell the versions of what is measured and used.

    Args:
        java: the executable.
        jars: the directory of Kafka's jars.
    """
    found = {"Python": platform.python_version(), "Java": _java_version(java)}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    found.update(jar_versions(sorted(path.name for path in jars.glob("*.jar"))))
    return found


def jar_versions(names: Sequence[str]) -> dict[str, str]:
    """Read the versions of the jars that matter out of their names."""
    return {
        jar: name.removeprefix(f"{jar}-").removesuffix(".jar")
        for jar in _JARS
        for name in names
        if name.startswith(f"{jar}-") and name[len(jar) + 1].isdigit()
    }


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or platform.machine()


def _java_version(java: str) -> str:
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    return said.split('"')[1] if said.count('"') > 1 else "unknown"
