"""verify on Spark: a task checks a group of partitions, the driver joins them and starts the node."""

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql.types import BinaryType, StructField, StructType

from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyarrow.fs import FileSystem
    from pyspark.sql import SparkSession

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.startup.outcome import LogDirStart
    from kafkafmt.startup.verification import Verification
    from kafkafmt.startup.verify import VerifyLevel

MAX_GROUP_BYTES: Final = 1 << 30
"""About how many bytes of partition directories one task reads; a larger partition is a task of its own."""


def verify_log_dirs(
    spark: "SparkSession",
    paths: "Searchable",
    *,
    level: "VerifyLevel" = "checksums",
    cluster_id: str | None = None,
    node_id: int | None = None,
    metadata: "Searchable | None" = None,
    filesystem: "FileSystem | None" = None,
    limits: "Limits | None" = None,
    max_group_bytes: int = MAX_GROUP_BYTES,
) -> "Verification":
    """Check log directories, and predict what a broker would do with them: `Disks.verify`, on Spark.

        verify_log_dirs(spark, ["/data/d0", "/data/d1"]).findings

    Each task checks a group of partitions. The driver joins what they found: it compares replicas, and reads what a
    start reads (after a kill the segments from the recovery points on).

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: as for `kafkafmt.open`; executors open the files by the same paths as the driver.
        level: as for `Disks.verify`, like the arguments that follow.
        cluster_id: likewise.
        node_id: likewise.
        metadata: likewise.
        filesystem: likewise.
        limits: likewise.
        max_group_bytes: about how much one task reads, in bytes as stored.

    Returns:
        the answer of `Disks.verify`: `.findings`, `.verdict`, `.partitions` are Arrow tables, which
        `spark.createDataFrame` takes.

    Raises:
        SourceError: a path cannot be read, or nothing of Kafka's is there.
        KafkafmtError: the metadata that were named cannot be read.
        UnsupportedError: this Spark is older than 4.0.
    """
    require_spark()
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.startup.outcome import Configured
    from kafkafmt.startup.verify import conclude, find_log_dirs, survey_some, verify
    from pyspark_kafkafmt.frames import map_splits

    log_dirs = find_log_dirs(Sources(paths, filesystem))
    if not log_dirs:  # partition directories or files alone: nothing to divide
        return verify(
            paths,
            level=level,
            cluster_id=cluster_id,
            node_id=node_id,
            metadata=metadata,
            filesystem=filesystem,
            limits=limits,
        )
    check = CheckGroup(paths, level, filesystem, limits)
    schema = StructType([StructField("found", BinaryType())])
    groups = _groups(log_dirs, max_group_bytes)
    _, found = survey_some(paths, (), level, filesystem, limits)
    surveyed = []
    for row in map_splits(spark, groups, check, schema).collect() if groups else ():
        part, findings = pickle.loads(row.found)  # noqa: S301 - what a task pickled
        surveyed += part
        found += findings
    return conclude(log_dirs, found, surveyed, Configured(node_id, cluster_id), metadata, filesystem)


@dataclass(frozen=True)
class CheckGroup:
    """Checks a group of partitions, on a worker.

    Attributes:
        paths: log directories.
        level: how much is read.
        filesystem: that of the paths, or None.
        limits: bounds of a decode.
    """

    paths: "Searchable"
    level: "VerifyLevel"
    filesystem: "FileSystem | None"
    limits: "Limits | None"

    def __call__(self, group: frozenset[str]) -> "Iterator[pa.RecordBatch]":
        """Give one row: what was surveyed without its segments, and the findings, pickled."""
        from dataclasses import replace

        import pyarrow as pa

        from kafkafmt.logdir.partition import Partition
        from kafkafmt.startup.verify import survey_some

        surveyed, found = survey_some(self.paths, group, self.level, self.filesystem, self.limits)
        # A partition that was read keeps what it read; the driver needs its place alone.
        small = [
            replace(each, segments=(), directory=each.directory and Partition(each.directory.location))
            for each in surveyed
        ]
        value = pickle.dumps((small, found), pickle.HIGHEST_PROTOCOL)
        yield pa.RecordBatch.from_pydict({"found": pa.array([value], pa.binary())})


def _groups(log_dirs: "list[LogDirStart]", max_bytes: int) -> list[frozenset[str]]:
    """Neighbouring partition directories, until they are large enough for a task."""
    groups: list[frozenset[str]] = []
    waiting: set[str] = set()
    total = 0
    for log_dir in log_dirs:
        for directory in log_dir.directory.listed:
            size = sum(entry.size or 0 for entry in directory.listing if entry.is_file)
            if waiting and total + size > max_bytes:
                groups.append(frozenset(waiting))
                waiting, total = set(), 0
            waiting.add(directory.location.identity)
            total += size
    return [*groups, frozenset(waiting)] if waiting else groups
