"""`compaction`: the range of each log that Kafka's cleaner would clean, and the reason if it does not."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.errors import SourceError
from kafkafmt.findings import Finding
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import LogDir, folder_names, log_dirs_of_a_node
from kafkafmt.operations.log_question import LogAnswer, LogQuestion
from kafkafmt.writing.target import PRIVATE_DIRECTORY, left_of, new_directory, share

if TYPE_CHECKING:
    import os
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.sources import Searchable, Sources
    from kafkafmt.operations.compactor import Compactor, PartitionCompaction
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.sizing import SpaceUse

TOP_KEYS: Final = 20
_TIERS: Final = "remote storage is not compacted: Kafka does not allow compact for topics with remote.storage.enable"


class Compaction(LogAnswer):
    """The cleaner's next action on each log. Made by `compaction`.

    The table "keys" has the largest keys of logs with `compact` in their policy: their stored bytes, including those in
    the active segment, and their number of records. It is read from the best copies when it is first needed.

    Attributes:
        partitions: a `PartitionCompaction` for each partition directory.
        findings: logs at which Kafka's cleaner fails, and faults of producer snapshots and meta.properties.
    """

    def __init__(
        self,
        partitions: "Sequence[PartitionCompaction]",
        keys: "Callable[[Sequence[PartitionCompaction]], SpaceUse]",
        at: int,
        damage: "Sequence[Damage]",
        notes: Sequence[str],
        findings: Sequence[Finding],
    ) -> None:
        super().__init__(at, damage, notes, findings)
        self.partitions = partitions
        self._measure = keys

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table, by name."""
        from kafkafmt.operations.compactor import TABLES  # noqa: PLC0415 - it loads kernels

        return {name: table.schema for name, table in TABLES.items()}

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table.

        Raises:
            KafkafmtError: "keys" cannot be read.
        """
        from kafkafmt.operations.compactor import TABLES  # noqa: PLC0415 - it loads kernels

        return map(TABLES[name].row, self.partitions) if name == "partitions" else self._key_rows()

    @property
    def removable(self) -> tuple[int, int]:
        """Records and bytes that a pass over each log removes, summed over the logs for which they are known."""
        known = [each.stats for each in self.partitions if each.stats is not None]
        records = sum(each.records_read - each.records_written for each in known)
        return records, sum(each.bytes_read - each.bytes_written for each in known)

    def _key_rows(self) -> Iterator[Sequence[Any]]:
        compacted = [each for each in self.partitions if each.is_compacted]
        if compacted:
            found = self._measure(compacted).to_table().select(self.schemas()["keys"].names)
            yield from zip(*(column.to_pylist() for column in found.columns), strict=True)


def compaction(
    source: "Searchable",
    *,
    out: "str | os.PathLike[str] | None" = None,
    at: "Time | None" = None,
    metadata: "Searchable | None" = None,
    config: Mapping[str, object] | None = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    filesystem: "FileSystem | None" = None,
    on_damage: "OnDamage | None" = None,
    limits: "Limits | None" = None,
    missing: "Missing" = "raise",
    top_keys: int = TOP_KEYS,
    progress: Callable[[int], None] = lambda _: None,
) -> Compaction:
    """Predict Kafka's log cleaner for each log: what it would remove, and what prevents it.

    The prediction follows a broker of Kafka 4.x that starts on these disks (`LogCleanerManager`, `Cleaner`). In logs
    with `compact` in their policy and dirty bytes, every record up to the first uncleanable offset is read.

        >>> kafkafmt.open("/var/lib/kafka/data").compaction(topics="users").to_table()

    Args:
        source: log directories, as for `kafkafmt.scan`; each copy of a partition has its own row.
        out: path for a copy of the log directory after one pass of the cleaner over each log, whether or not the
            cleaner would pick it; for several log directories a folder with one for each. None to write nothing.
        at: time of the pass, in ms or as a datetime; None for now.
        metadata: location of the cluster's metadata log, which has the configs, if it is not in `source`.
        config: values of configs that override, as for `kafkafmt.operations.configs.configs_of`.
        topics: names, or a compiled pattern for the whole name; None for all.
        partitions: partition numbers; None for all.
        filesystem: any pyarrow file system; `source` and `metadata` are then its paths.
        on_damage: "raise" an error at the first damage, or "skip" and list it, without the sums of a damaged log's
            pass; None to skip, or to raise if `out` is written.
        limits: bounds of memory.
        missing: "raise" an error if a named topic or partition does not exist, or "note" it.
        top_keys: most rows of the table "keys".
        progress: called with the number of bytes that were read.

    Raises:
        NotFoundError: a topic or partition does not exist.
        SourceError: a source is missing, unreadable or without Kafka's files, `metadata` has no metadata log, or `out`
            exists, is inside a source, or cannot be written.
        KafkafmtError: there is damage.
        TypeError, ValueError: an invalid argument.
    """
    from kafkafmt.operations.compactor import Compactor  # noqa: PLC0415 - it loads kernels

    if on_damage is None:
        on_damage = "skip" if out is None else "raise"
    question = LogQuestion.ask(
        source,
        at=at,
        metadata=metadata,
        config=config,
        topics=topics,
        partitions=partitions,
        filesystem=filesystem,
        on_damage=on_damage,
        limits=limits,
        missing=missing,
    )
    configs, searched = question.configs, question.searched
    compactor = Compactor(configs, question.at, on_damage, limits or Limits(), progress)
    logs = [each for each in question.logs() if each.file is None and each.partition.segments]
    written: list[Note] = []
    if out is None:
        rows = question.judged(logs, lambda found: compactor.judge(found, None))
    else:
        rows, written = _write(question, out, logs, compactor)
    return Compaction(
        rows,
        partial(_keys, searched, top_keys, on_damage, limits),
        question.at,
        [*configs.damage, *compactor.damage],
        [*question.notes(_TIERS), *written],
        [*configs.findings, *compactor.findings],
    )


def _keys(
    searched: "Sources",
    top: int,
    on_damage: "OnDamage",
    limits: Limits | None,
    compacted: "Sequence[PartitionCompaction]",
) -> "SpaceUse":
    """The largest keys of logs."""
    from kafkafmt.scanning import scan  # noqa: PLC0415 - few ask
    from kafkafmt.sizing.space import measure  # noqa: PLC0415 - few ask

    numbers: dict[str, list[int]] = {}
    for each in compacted:
        if each.partition.topic is not None and each.partition.partition is not None:
            numbers.setdefault(each.partition.topic, []).append(each.partition.partition)
    scanned = scan(searched, topics=numbers, control_records=True, on_damage=on_damage, limits=limits)
    (answer,) = measure(scanned, [["topic", "partition", "key"]], top=top, limits=limits)
    return answer


def _write(
    question: LogQuestion, out: "str | os.PathLike[str]", logs: "Sequence[Found]", compactor: "Compactor"
) -> "tuple[list[PartitionCompaction], list[Note]]":
    """Judge logs, write them as one pass of the cleaner leaves them, and copy other partitions; returns notes, too."""
    from kafkafmt.operations.compactor import copy_partition, write_beside  # noqa: PLC0415 - few ask

    searched = question.searched
    log_dirs = [LogDir(each.location, directory=each) for each, _ in log_dirs_of_a_node(searched)]
    if not log_dirs:
        tiers = any(True for _ in log_dirs_of_a_node(searched, tiers=True))
        why = _TIERS if tiers else "is in no log directory that was named: its checkpoints are needed"
        raise SourceError(why, file=str(next(iter(searched))))
    found = {each.partition.location.identity: each for each in logs}
    rows = []
    notes = left_of(out)
    with new_directory(out, searched) as work:
        names = folder_names(log_dirs) if len(log_dirs) > 1 else ["."]
        for log_dir, name in zip(log_dirs, names, strict=True):
            directory = work / name
            directory.mkdir(PRIVATE_DIRECTORY, exist_ok=True)
            written, cleaned_up_to = [], {}
            for partition in log_dir.partitions:
                if not question.wanted.takes(partition):
                    continue
                written.append(partition)
                target = directory / partition.name
                judged = found.pop(partition.location.identity, None)
                row = None if judged is None else compactor.judge(judged, target)
                if row is not None:
                    rows.append(row)
                    if row.cleaned_up_to is not None:
                        cleaned_up_to[row.partition.topic or "", row.partition.partition or 0] = row.cleaned_up_to
                if not target.exists():
                    copy_partition(partition, target)
                notes += share(target, [partition.location])
            write_beside(log_dir, directory, written, cleaned_up_to)
            notes += share(directory, [log_dir.location])
    searched.was_read = True
    return rows, list(dict.fromkeys(notes))
