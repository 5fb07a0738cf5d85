"""What a survey finds, and index files for it to look at."""

import struct
from pathlib import Path
from typing import Any

from kafkafmt.findings import Finding
from kafkafmt.survey import Options, PartitionSurvey, survey


def surveyed(path: Path, **options: Any) -> tuple[list[Finding], list[PartitionSurvey]]:
    findings: list[Finding] = []
    partitions: list[PartitionSurvey] = []
    for found in survey(path, Options(**options)):
        findings += found.findings
        for partition in found.partitions():
            partitions.append(partition)
            findings += partition.findings
    return findings, partitions


def only(path: Path, **options: Any) -> Finding:
    (finding,) = surveyed(path, **options)[0]
    return finding


def index(log_dir: Path, kind: str, *entries: bytes, base_offset: int = 0) -> Path:
    path = log_dir / "orders-0" / f"{base_offset:020d}.{kind}"
    path.write_bytes(b"".join(entries))
    return path


def offset_entry(relative_offset: int, position: int) -> bytes:
    return struct.pack(">ii", relative_offset, position)


def time_entry(timestamp: int, relative_offset: int) -> bytes:
    return struct.pack(">qi", timestamp, relative_offset)


ASIDE = "orders-1.0123456789abcdef0123456789abcdef"
