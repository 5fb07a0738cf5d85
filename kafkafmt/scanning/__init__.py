"""Scanning: selects the wanted records, skips batches that cannot hold any, and gives the rest as an Arrow stream.

Each name is loaded when it is first used, as `kafkafmt ls` needs only a selection of partitions and scans nothing.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.scanning.api import scan, scan_bytes
    from kafkafmt.scanning.batching import Reader
    from kafkafmt.scanning.offsets import Offsets
    from kafkafmt.scanning.planning import Plan
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.scanning.stream import Scan
    from kafkafmt.scanning.tasks import ScanTask

__all__ = ["Offsets", "Plan", "Reader", "Scan", "ScanTask", "Split", "SplitReader", "scan", "scan_bytes"]

_MODULES = {
    "Offsets": "offsets",
    "Plan": "planning",
    "Reader": "batching",
    "Scan": "stream",
    "ScanTask": "tasks",
    "Split": "splits",
    "SplitReader": "splits",
    "scan": "api",
    "scan_bytes": "api",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
