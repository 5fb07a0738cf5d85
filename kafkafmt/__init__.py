"""kafkafmt: offline reader of everything Apache Kafka keeps on disk.

    >>> import kafkafmt
    >>> kafkafmt.scan("/var/lib/kafka/data").to_table()

`scan` reads records as an Arrow stream; `open_log_dirs` and `LogDir` show the tree of directories and files below;
`kafkafmt.files` has one module for each kind of file.
"""

from kafkafmt import files
from kafkafmt.errors import (
    ChecksumError,
    CorruptError,
    KafkafmtError,
    LimitExceededError,
    SourceError,
    TruncatedError,
    UnsupportedError,
)
from kafkafmt.files.damage import Damage
from kafkafmt.limits import Limits
from kafkafmt.logdir import LogDir, Partition, Segment, open_log_dirs
from kafkafmt.scan import Scan, scan

__all__ = [
    "ChecksumError",
    "CorruptError",
    "Damage",
    "KafkafmtError",
    "LimitExceededError",
    "Limits",
    "LogDir",
    "Partition",
    "Scan",
    "Segment",
    "SourceError",
    "TruncatedError",
    "UnsupportedError",
    "files",
    "open_log_dirs",
    "scan",
]
__version__ = "0.1.0"
