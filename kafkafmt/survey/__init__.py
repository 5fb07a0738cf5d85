"""Survey: facts about log directories, partitions and segments on these disks, and their faults.

    >>> from kafkafmt import survey
    >>> for log_dir in survey.survey("/var/lib/kafka/data"):
    ...     for partition in log_dir.partitions():
    ...         print(partition.facts.topic, partition.facts.records, partition.findings)

Only headers are read, unless CRCs are requested. Broken or unreadable files become findings, and the survey continues.
"""

from kafkafmt.survey.facts import (
    IndexFacts,
    LeftOut,
    LogDirFacts,
    PartitionFacts,
    SegmentFacts,
    Share,
)
from kafkafmt.survey.log_dirs import LogDirSurvey, Options, survey
from kafkafmt.survey.partitions import PartitionSurvey
from kafkafmt.survey.rows import Inspection
from kafkafmt.survey.side_files import diverged

__all__ = [
    "IndexFacts",
    "Inspection",
    "LeftOut",
    "LogDirFacts",
    "LogDirSurvey",
    "Options",
    "PartitionFacts",
    "PartitionSurvey",
    "SegmentFacts",
    "Share",
    "diverged",
    "survey",
]
