"""Inspection: what `kafkafmt ls --rows` shows of a source, as Arrow tables."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.errors import KafkafmtError
from kafkafmt.survey.belonging import clusters_in
from kafkafmt.survey.facts import NOTE, Finding
from kafkafmt.survey.leader_epochs import diverged
from kafkafmt.survey.log_dirs import Options, survey
from kafkafmt.survey.rows import SCHEMAS, Level, Row, rows_of_findings, rows_of_log_dir, rows_of_partition

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.survey.segments import Depth


class Inspection:
    """What is on opened disks, and what is wrong with it, as Arrow tables. Made by `kafkafmt.open(...).inspect`.

    Each call reads headers anew, from the files as they were listed. Nothing that is broken or unreadable ends it: it
    is a row of `findings()`. Times are ms, sizes bytes; null is what is not known. Each takes `depth`, how much of a
    segment is read: "quick" (the first and the last header), "headers" (all), "checksums" (everything, with CRCs); and
    `everything`, which reads what is left out of the logs, too: `.deleted` files, directories set aside, ...
    """

    def __init__(self, sources: "Sources") -> None:
        self._sources = sources

    def log_dirs(self) -> pa.Table:
        """A row for each log directory: ids, checkpoints, clean shutdown, number of partitions, size.

        Raises:
            SourceError: nothing of Kafka's is in a source.
        """
        return self._table("log-dirs", Options())

    def partitions(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each partition directory: its offsets, sizes, counts, times, codecs, leader epochs.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("partitions", Options(depth=depth, everything=everything))

    def segments(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each log file: its offsets, sizes, counts, times, codecs, and the state of its indexes.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("segments", Options(depth=depth, everything=everything))

    def findings(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each finding and note: what is wrong, where, which offsets are concerned, and what to do.

        Where cluster metadata of at most 4 MiB are among the disks, directories that belong to no topic are noted.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("findings", Options(depth=depth, everything=everything))

    def left_out(self, *, everything: bool = False) -> pa.Table:
        """A row for each file, directory or link that is no part of the logs, and why.

        Args:
            everything: read directories that were set aside too.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("left-out", Options(everything=everything))

    def _table(self, level: Level, options: Options) -> pa.Table:
        return pa.Table.from_pylist(list(self._rows(level, options)), schema=SCHEMAS[level])

    def _rows(self, level: Level, options: Options) -> Iterator[Row]:
        unread: list[Finding] = []

        def not_compared(error: KafkafmtError) -> None:
            message = f"partitions were not compared with the cluster metadata: {error.message}"
            unread.append(Finding(NOTE, "metadata", error.file or "", message))

        if level in ("partitions", "findings"):
            options = replace(options, clusters=clusters_in(self._sources, not_compared))
        yield from rows_of_findings(level, unread)
        live: list[Partition] = []
        for found in survey(self._sources, options):
            yield from rows_of_log_dir(level, found)
            for partition in () if level == "log-dirs" else found.partitions():
                yield from rows_of_partition(level, partition)
                if partition.directory is not None and partition.facts.state == "live":
                    live.append(partition.directory)
        yield from rows_of_findings(level, diverged(live))
