"""kafkafmt: everything Apache Kafka keeps on disk, without a cluster.

    >>> import kafkafmt
    >>> kafkafmt.scan("/var/lib/kafka/data").to_table()

`scan` reads records as an Arrow stream; `open` lists a source once for all answers, and shows its log directories,
partitions and segments; `write` makes a log directory from rows, `repair` a sound copy of a damaged one, `extract` a
small one; `replay` sends records to a live cluster. Each module of `kafkafmt.files` reads one kind of file;
`kafkafmt.topics` answers as a live cluster would; `kafkafmt.values` reads a registry's schemas; `kafkafmt.writing`
makes batches and segments. Each name is loaded when it is first used, so that `kafkafmt --help` does not wait for
Arrow.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt import duckdb, files, operations, polars, topics, values, writing
    from kafkafmt.disks import Disks, open  # noqa: A004
    from kafkafmt.errors import (
        ChecksumError,
        CorruptError,
        DataError,
        KafkafmtError,
        KafkafmtWarning,
        LimitExceededError,
        NotFoundError,
        SourceError,
        TruncatedError,
        UnsupportedError,
    )
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.loading.answer import Loaded
    from kafkafmt.loading.load import load
    from kafkafmt.logdir import LogDir, Partition, Segment, open_log_dirs
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record
    from kafkafmt.repairing.answer import Repaired
    from kafkafmt.repairing.extract import extract
    from kafkafmt.repairing.repair import repair
    from kafkafmt.replaying.answer import Replayed
    from kafkafmt.replaying.replay import replay
    from kafkafmt.scanning import Offsets, Plan, Reader, Scan, Split, scan
    from kafkafmt.serving.serve import Server, serve
    from kafkafmt.writing.log_dir import Written
    from kafkafmt.writing.write import write

__all__ = [
    "BatchHeader",
    "ChecksumError",
    "CorruptError",
    "Damage",
    "DataError",
    "Disks",
    "KafkafmtError",
    "KafkafmtWarning",
    "LimitExceededError",
    "Limits",
    "Loaded",
    "LogDir",
    "NotFoundError",
    "Offsets",
    "Partition",
    "Plan",
    "Reader",
    "Record",
    "Repaired",
    "Replayed",
    "Scan",
    "Segment",
    "Server",
    "SourceError",
    "Split",
    "TruncatedError",
    "UnsupportedError",
    "Written",
    "duckdb",
    "extract",
    "files",
    "load",
    "open",
    "open_log_dirs",
    "operations",
    "polars",
    "repair",
    "replay",
    "scan",
    "serve",
    "topics",
    "values",
    "write",
    "writing",
]
__version__ = "0.2.0"

_MODULES = {
    **dict.fromkeys(
        (
            "ChecksumError",
            "CorruptError",
            "DataError",
            "KafkafmtError",
            "KafkafmtWarning",
            "LimitExceededError",
            "NotFoundError",
            "SourceError",
            "TruncatedError",
            "UnsupportedError",
        ),
        "kafkafmt.errors",
    ),
    "Damage": "kafkafmt.files.damage",
    "Limits": "kafkafmt.limits",
    "Loaded": "kafkafmt.loading.answer",
    "load": "kafkafmt.loading.load",
    **dict.fromkeys(("LogDir", "Partition", "Segment", "open_log_dirs"), "kafkafmt.logdir"),
    **dict.fromkeys(("Disks", "open"), "kafkafmt.disks"),
    "BatchHeader": "kafkafmt.reference.header",
    "Record": "kafkafmt.reference.record",
    **dict.fromkeys(("Offsets", "Plan", "Reader", "Scan", "Split", "scan"), "kafkafmt.scanning"),
    **dict.fromkeys(("Server", "serve"), "kafkafmt.serving.serve"),
    "Written": "kafkafmt.writing.log_dir",
    "write": "kafkafmt.writing.write",
    "Repaired": "kafkafmt.repairing.answer",
    "extract": "kafkafmt.repairing.extract",
    "repair": "kafkafmt.repairing.repair",
    "Replayed": "kafkafmt.replaying.answer",
    "replay": "kafkafmt.replaying.replay",
}


def __getattr__(name: str) -> object:
    if name in {"duckdb", "files", "operations", "polars", "topics", "values", "writing"}:
        return importlib.import_module(f"kafkafmt.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
