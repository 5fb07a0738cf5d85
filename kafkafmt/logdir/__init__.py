"""The tree of a broker's disk, LogDir > Partition > Segment: which files belong together, and which are the log."""

from kafkafmt.logdir.log_dir import LogDir, open_log_dirs
from kafkafmt.logdir.lookup import EntryPlace, RecordTime
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

__all__ = ["EntryPlace", "LogDir", "Partition", "RecordTime", "Segment", "open_log_dirs"]
