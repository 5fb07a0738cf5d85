"""Scanning: which records are wanted, which of their batches need not be read, and the Arrow stream of the rest."""

from kafkafmt.scanning.stream import Scan, scan, scan_bytes

__all__ = ["Scan", "scan", "scan_bytes"]
