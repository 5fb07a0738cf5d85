"""Scanning: which records are wanted, which of their batches need not be read, and the Arrow stream of the rest."""

from kafkafmt.scanning.api import scan, scan_bytes
from kafkafmt.scanning.batching import Reader
from kafkafmt.scanning.planning import Plan
from kafkafmt.scanning.splits import Split, SplitPiece, SplitReader
from kafkafmt.scanning.stream import Scan

__all__ = ["Plan", "Reader", "Scan", "Split", "SplitPiece", "SplitReader", "scan", "scan_bytes"]
