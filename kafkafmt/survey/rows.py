"""The rows of `kafkafmt ls --rows`, also as Arrow tables: log directories, partitions, segments, findings, ..."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from kafkafmt.answer_columns import AnswerColumn, TableColumns, columns_of
from kafkafmt.choices import check_choice
from kafkafmt.errors import KafkafmtError
from kafkafmt.findings import NOTE, Finding
from kafkafmt.libraries import pa
from kafkafmt.notebook import html
from kafkafmt.public import short
from kafkafmt.survey.belonging import clusters_in
from kafkafmt.survey.facts import (
    CheckpointStatus,
    IndexFacts,
    LeftOut,
    LogDirFacts,
    Mixed,
    PartitionFacts,
    SegmentFacts,
)
from kafkafmt.survey.log_dirs import Options, survey
from kafkafmt.survey.segment_walk import Depth
from kafkafmt.survey.side_files import diverged

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.survey.log_dirs import LogDirSurvey
    from kafkafmt.survey.partitions import PartitionSurvey

Level = Literal["log-dirs", "partitions", "segments", "findings", "left-out"]

_FINDING = (
    *("level", "kind", "topic", "partition", "path", "position", "length"),
    *("first_offset", "last_offset", "records", "message", "advice"),
)


def _checkpoint(name: str) -> Callable[[LogDirFacts], CheckpointStatus | None]:
    def status(facts: LogDirFacts) -> CheckpointStatus | None:
        return facts.checkpoints.get(f"{name}-checkpoint")

    status.__doc__ = f"State of {name}-checkpoint: ok, empty, missing, broken, unreadable. None for remote storage."
    return status


def _index(number: int, name: str) -> Iterator[AnswerColumn]:
    """The columns of an index of a segment."""
    for column in columns_of(IndexFacts, only=("status", "entries", "zero_padded_from")):
        suffix = "" if column.name == "status" else column.name[0].upper() + column.name[1:]
        yield column._replace(name=name + suffix, value=partial(_of_index, number, str(column.value)))


def _of_index(number: int, field: str, facts: SegmentFacts) -> object:
    return getattr(facts.indexes[number], field)


TABLES: Mapping[str, TableColumns] = {
    "log-dirs": TableColumns(
        *columns_of(LogDirFacts, to="broker_epoch"),
        ("recoveryPointCheckpoint", "string", _checkpoint("recovery-point-offset")),
        ("replicationCheckpoint", "string", _checkpoint("replication-offset")),
        ("logStartOffsetCheckpoint", "string", _checkpoint("log-start-offset")),
        ("cleanerOffsetCheckpoint", "string", _checkpoint("cleaner-offset")),
        *columns_of(LogDirFacts, after="broker_epoch"),
    ),
    "partitions": TableColumns(
        *columns_of(PartitionFacts, to="shares"), *columns_of(Mixed), *columns_of(PartitionFacts, after="shares")
    ),
    "segments": TableColumns(
        *columns_of(SegmentFacts, to="shares"),
        *columns_of(Mixed),
        *columns_of(SegmentFacts, after="shares", to="indexes"),
        *_index(0, "index"),
        *_index(1, "timeIndex"),
        *islice(_index(2, "transactionIndex"), 2),
        *columns_of(SegmentFacts, after="indexes"),
    ),
    "findings": TableColumns(*columns_of(Finding, only=_FINDING)),
    "left-out": TableColumns(*columns_of(LeftOut)),
}
"""Columns of the rows at each level. Times are ms, sizes bytes; null means unknown or not requested.

`sizeInBytes` is the content, without the tails of indexes that a running broker preallocates; `sizeOnDisk` the bytes
that the file system allocated, as `du` counts them.
"""


def of_log_dir(level: Level, found: "LogDirSurvey") -> Iterable[object]:
    """The row objects of a level for a log directory itself; `of_partition` returns those of its partitions."""
    if level == "log-dirs":
        return (found.facts,) if found.is_log_dir else ()
    return _remarks(level, found)


def of_partition(level: Level, found: "PartitionSurvey") -> Iterable[object]:
    """The row objects of a level for a partition."""
    if level == "partitions":
        return (found.facts,)
    return found.segments if level == "segments" else _remarks(level, found)


def _remarks(level: Level, found: "LogDirSurvey | PartitionSurvey") -> Iterable[object]:
    return found.findings if level == "findings" else found.left_out if level == "left-out" else ()


_CALLS: "Mapping[str, Level]" = {
    "log_dirs": "log-dirs",
    "partitions": "partitions",
    "segments": "segments",
    "findings": "findings",
    "left_out": "left-out",
}


class Inspection:
    """The content of opened disks, and its faults, as Arrow tables. Made by `kafkafmt.open(...).inspect`.

    Each call reads headers again, from the files as they were listed. Broken or unreadable files do not end a call:
    they are rows of `findings()`. Times are ms, sizes bytes; null means unknown. Methods take `depth`, how much of each
    segment is read: "quick" (the first and the last header), "headers" (all headers), "checksums" (all bytes, with
    CRCs); and `everything`, which also reads files outside the logs: `.deleted` files, directories set aside, ...
    """

    def __init__(self, sources: "Sources") -> None:
        self._sources = sources

    def __repr__(self) -> str:
        return short(f"<Inspection of {self._sources!r}>")

    def _repr_html_(self) -> str:
        rows = [{"call": f"{call}()", "columns": ", ".join(TABLES[of].schema.names)} for call, of in _CALLS.items()]
        return html(repr(self)[1:-1], pa.Table.from_pylist(rows))

    def log_dirs(self) -> "pa.Table":
        """A row for each log directory: ids, checkpoints, clean shutdown, number of partitions, size.

        Raises:
            SourceError: a source has none of Kafka's files.
        """
        return self._table("log-dirs", Options())

    def partitions(self, *, depth: Depth = "headers", everything: bool = False) -> "pa.Table":
        """A row for each partition directory: its offsets, sizes, counts, times, codecs, leader epochs.

        Raises:
            SourceError: as in `log_dirs`.
            ValueError: an unknown depth.
        """
        return self._table("partitions", Options(depth=depth, everything=everything))

    def segments(self, *, depth: Depth = "headers", everything: bool = False) -> "pa.Table":
        """A row for each log file: its offsets, sizes, counts, times, codecs, and the state of its indexes.

        Raises:
            SourceError, ValueError: as in `partitions`.
        """
        return self._table("segments", Options(depth=depth, everything=everything))

    def findings(self, *, depth: Depth = "headers", everything: bool = False) -> "pa.Table":
        """A row for each finding and note: the fault, its place, the offsets concerned, and the advice.

        If the disks have cluster metadata of at most 4 MiB, directories that belong to no topic are noted.

        Raises:
            SourceError, ValueError: as in `partitions`.
        """
        return self._table("findings", Options(depth=depth, everything=everything))

    def left_out(self, *, everything: bool = False) -> "pa.Table":
        """A row for each file, directory or link outside the logs, with the reason.

        Args:
            everything: also read directories that were set aside.

        Raises:
            SourceError: as in `log_dirs`.
        """
        return self._table("left-out", Options(everything=everything))

    def _table(self, level: Level, options: Options) -> "pa.Table":
        check_choice("depth", options.depth, get_args(Depth))
        return TABLES[level].to_table(self._objects(level, options))

    def _objects(self, level: Level, options: Options) -> Iterator[object]:
        unread: list[Finding] = []

        def not_compared(error: KafkafmtError) -> None:
            message = f"partitions were not compared with the cluster metadata: {error.message}"
            unread.append(Finding(NOTE, "metadata", error.file or "", message))

        if level in ("partitions", "findings"):
            options = replace(options, clusters=clusters_in(self._sources, not_compared))
        yield from unread if level == "findings" else ()
        live: list[Partition] = []
        for found in survey(self._sources, options):
            yield from of_log_dir(level, found)
            for partition in () if level == "log-dirs" else found.partitions():
                yield from of_partition(level, partition)
                if partition.directory is not None and partition.facts.state == "live":
                    live.append(partition.directory)
        yield from diverged(live) if level == "findings" else ()
