"""Scanning: which records are wanted, which of their batches need not be read, and the Arrow stream of the rest."""

from kafkafmt.scanning.api import scan, scan_bytes
from kafkafmt.scanning.batching import Reader
from kafkafmt.scanning.offsets import Offsets
from kafkafmt.scanning.planning import Plan
from kafkafmt.scanning.splits import Split, SplitReader
from kafkafmt.scanning.stream import Scan
from kafkafmt.scanning.tasks import ScanTask

__all__ = ["Offsets", "Plan", "Reader", "Scan", "ScanTask", "Split", "SplitReader", "scan", "scan_bytes"]
