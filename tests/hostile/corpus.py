"""Golden files as seeds, by kind; a few small logs for each mix of message formats and codecs."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import (
    clean_shutdown,
    leader_epoch_checkpoint,
    meta_properties,
    offset_checkpoint,
    offset_index,
    partition_metadata,
    producer_snapshot,
    quorum_state,
    segment,
    time_index,
    transaction_index,
)
from kafkafmt.io.base import MemoryFile
from tests.golden_cases import GOLDEN

LARGEST = 24 * 1024
PER_LOG = 6
PER_SMALL = 24


@dataclass(frozen=True)
class Sample:
    """A golden file: `kind` is that of the file, and for a log also its formats and codecs."""

    kind: str
    path: Path
    data: bytes

    @property
    def is_log(self) -> bool:
        return self.kind.startswith("log ")


def _index(parse: Callable[..., offset_index.OffsetIndex | time_index.TimeIndex]) -> Callable[[bytes], list[pa.Table]]:
    def read(data: bytes) -> list[pa.Table]:
        parsed = [parse(data), parse(data, base_offset=0), parse(data, base_offset=2**63 - 1)]
        for each in parsed:
            _ = (list(each), each.sanity_error, each.zero_padded_from, each[-1:], repr(each))
        return [each.to_table() for each in parsed]

    return read


def _transaction_index(data: bytes) -> list[pa.Table]:
    parsed = transaction_index.parse(data, base_offset=5)
    _ = (list(parsed), parsed.sanity_error, parsed.zero_padded_from)
    return [parsed.to_table()]


# The full reader of each kind of small file.
SMALL: dict[str, Callable[[bytes], list[pa.Table]]] = {
    ".index": _index(offset_index.parse),
    ".timeindex": _index(time_index.parse),
    ".txnindex": _transaction_index,
    ".snapshot": lambda data: [producer_snapshot.parse(data).to_table()],
    "leader-epoch-checkpoint": lambda data: [leader_epoch_checkpoint.parse(data).to_table()],
    "-offset-checkpoint": lambda data: [offset_checkpoint.parse(data).to_table()],
    "meta.properties": lambda data: [meta_properties.parse(data).to_table()],
    "partition.metadata": lambda data: [partition_metadata.parse(data).to_table()],
    "quorum-state": lambda data: [quorum_state.parse(data).to_table()],
    ".kafka_cleanshutdown": lambda data: [clean_shutdown.parse(data).to_table()],
}


def _log_kind(path: Path, data: bytes) -> str:
    found = set()
    try:
        for header in segment.batches(MemoryFile(path.name, data)):
            found.add(f"v{header.magic}-{header.compression}")
    except KafkafmtError:
        found.add("broken")
    return f"log {path.suffix[1:]} {' '.join(sorted(found))}"


@cache
def samples() -> list[Sample]:
    """The smallest distinct files of each kind, in a reproducible order."""
    by_kind: dict[str, dict[bytes | str, Sample]] = defaultdict(dict)
    paths = [path for path in GOLDEN.glob("*/*/log-dir/**/*") if path.is_file() and path.stat().st_size <= LARGEST]
    for path in sorted(paths, key=lambda each: (each.stat().st_size, each.as_posix())):
        data = path.read_bytes()
        kind = next((kind for kind in SMALL if path.name.endswith(kind)), None)
        if kind is None and data and path.suffix in (".log", ".checkpoint"):
            kind = _log_kind(path, data)
        if kind is not None and len(by_kind[kind]) < (PER_LOG if kind.startswith("log ") else PER_SMALL):
            # Many small files are nearly equal, so only one of each size is used.
            same = data if kind.startswith("log ") else str(len(data))
            by_kind[kind].setdefault(same, Sample(kind, path, data))
    return [sample for kind in sorted(by_kind) for sample in by_kind[kind].values()]


# A smaller file of the kind holds fewer than two entries.
_TWO_ENTRIES = {
    ".index": 16,
    ".timeindex": 24,
    ".txnindex": 68,
    ".snapshot": 102,
    "epoch-checkpoint": 12,
    "offset-checkpoint": 30,
}


def smallest() -> list[Sample]:
    """The smallest file of each kind with more than one entry; one log per format and codec."""
    chosen: dict[str, Sample] = {}
    for sample in samples():
        if sample.is_log and (len(sample.kind.split()) > 3 or "broken" in sample.kind):
            continue
        least = next((size for end, size in _TWO_ENTRIES.items() if sample.kind.endswith(end)), 1)
        if len(sample.data) >= least:
            chosen.setdefault(sample.kind, sample)
    return list(chosen.values())
