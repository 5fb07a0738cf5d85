"""Disk use by kind of file: logs, indexes, snapshots, metadata, and all files outside the logs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple, get_args

import pyarrow as pa

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.arrays import as_text
from kafkafmt.choices import check_choice
from kafkafmt.errors import Missing, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.kinds import kind_of, without_suffix
from kafkafmt.files.names import PartitionName, parse_partition_name
from kafkafmt.files.sizes import Sizes
from kafkafmt.findings import finding_of
from kafkafmt.io.base import each_directory
from kafkafmt.logdir.sources import Sources
from kafkafmt.scanning import arguments
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.logdir.sources import Searchable

LOG: Final = "log"
DIRECTORY: Final = "directory"

_KINDS: Final = {
    "log": LOG,
    "index": "index",
    "timeindex": "index",
    "txnindex": "index",
    "snapshot": "snapshot",
}
_BASE_OFFSET: Final = re.compile("[0-9]{20}")
_NOWHERE: Final = PartitionName(None, None, "live")

Group = tuple[str | None, int | None, str]


class KindUse(NamedTuple):
    """The files of one kind.

    Attributes:
        topic: topic by the name of their directory, or None.
        partition: number of the partition by the name of their directory, or None.
        kind: their kind, such as "log" or "index".
        files: number of files.
        size_in_bytes: bytes of their content, without the preallocated part of indexes.
        size_on_disk: bytes that the file system allocated for them, as `du` counts them; None on remote storage.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    kind: Annotated[str, "string"]
    files: Annotated[int, "int64"]
    size_in_bytes: Annotated[int, "int64"]
    size_on_disk: Annotated[int | None, "int64"]


_OF: Final = ("topic", "partition", "kind")


@dataclass(repr=False)
class DiskUse(TableAnswer):
    """Disk use by kind of file; made by `disk_use`.

    Kinds: "log", "index" (offset, time and transaction indexes), "snapshot" (of producers), "metadata" (checkpoints,
    properties, snapshots of the metadata log); "deleted", "cleaned", "swap" (files with such a suffix); "delete",
    "future", "stray" (all files of directories that are set aside); "other" (files that are not Kafka's), "directory".

    Attributes:
        columns: columns of the rows: "kind", perhaps after "topic" and "partition".
        notes: notes on directories that cannot be read.
    """

    columns: tuple[str, ...] = ("kind",)
    notes: Sequence[Note] = ()
    _sums: "Mapping[Group, tuple[int, Sizes]]" = field(default_factory=dict)
    _top: int | None = None

    damage: ClassVar[tuple[()]] = ()
    """Empty: only the ends of indexes are read."""

    findings: ClassVar[tuple[()]] = ()
    """Empty: a directory that cannot be read is a note."""

    skipped_replicas: ClassVar[tuple[()]] = ()
    """Empty: every copy is counted."""

    _TABLES: ClassVar = {"space": TableColumns(*columns_of(KindUse))}

    @property
    def schema(self) -> pa.Schema:
        """Columns of the rows."""
        left_out = set(_OF).difference(self.columns)
        return pa.schema([each for each in self.schemas()["space"] if each.name not in left_out])

    @property
    def by_kind(self) -> dict[str, Sizes]:
        """Sizes of each kind, largest first."""
        found: dict[str, Sizes] = {}
        for (_, _, kind), (_, sizes) in self._sums.items():
            found[kind] = found.get(kind, Sizes()) + sizes
        return dict(sorted(found.items(), key=lambda item: (-item[1].content, item[0])))

    @property
    def totals(self) -> tuple[int, Sizes]:
        """Number of files, without directories, and the sum of sizes; the size on disk includes directories."""
        files = sum(count for (_, _, kind), (count, _) in self._sums.items() if kind != DIRECTORY)
        return files, sum((sizes for _, sizes in self._sums.values()), Sizes())

    def to_batches(self, name: str | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in batches, largest first.

        Raises:
            ValueError: the table does not exist.
        """
        for batch in super().to_batches(name):
            yield batch.select(self.schema.names)

    def to_table(self, name: str | None = None) -> pa.Table:
        """The rows as a table, largest first.

        Raises:
            ValueError: the table does not exist.
        """
        return pa.Table.from_batches(self.to_batches(name), schema=self.schema)

    def _objects(self, name: str) -> Iterable[KindUse]:  # noqa: ARG002 - there is one table
        sums: dict[tuple[Any, Any, Any], tuple[int, Sizes]] = {}
        for group, (count, sizes) in self._sums.items():
            topic, partition, kind = (
                value if column in self.columns else None for column, value in zip(_OF, group, strict=True)
            )
            of = topic, partition, kind
            before = sums.get(of, (0, Sizes()))
            sums[of] = before[0] + count, before[1] + sizes
        ordered = sorted(sums.items(), key=lambda item: (-item[1][1].content, *map(str, item[0])))
        return [KindUse(*of, count, sizes.content, sizes.on_disk) for of, (count, sizes) in ordered[: self._top]]


def columns_by_kind(by: str | Iterable[str]) -> tuple[str, ...] | None:
    """The columns of rows by kind of file; None if the rows are by records.

    Raises:
        ValueError: "kind" is combined with a dimension of records.
    """
    words = [word.strip() for word in (by.split(",") if isinstance(by, str) else by) if isinstance(word, str)]
    if "kind" not in words:
        return None
    others = [word for word in words if word not in _OF]
    if others:
        raise ValueError(f"kind can be combined with topic and partition, not with {', '.join(others)}")
    wanted = {*words, *(("topic",) if "partition" in words else ())}
    return tuple(name for name in _OF if name in wanted)


def disk_use(
    source: "Searchable",
    by: str | Iterable[str] = "kind",
    *,
    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None" = None,
    partitions: "int | Iterable[int] | None" = None,
    top: int | None = None,
    missing: Missing = "raise",
) -> DiskUse:
    """Add up the sizes of all files and directories by kind, including those outside the logs.

        >>> kafkafmt.open("/var/lib/kafka/data").disk_use(["topic", "kind"]).to_table()

    Only the ends of indexes are read, to find their preallocated part.

    Args:
        source: as for `kafkafmt.scan`.
        by: "kind", alone or with "topic" and "partition".
        topics: as for `kafkafmt.scan`.
        partitions: as for `kafkafmt.scan`.
        top: number of rows, largest first; None for all.
        missing: "raise" an error if a named topic or partition does not exist, or "note" it.

    Raises:
        NotFoundError: a topic or partition does not exist.
        SourceError: a source cannot be read.
        TypeError, ValueError: an invalid argument.
    """
    columns = columns_by_kind(by)
    if columns is None:
        raise ValueError(f"by must be kind, alone or with topic and partition, not {by!r}")
    check_choice("missing", missing, get_args(Missing))
    sources = source if isinstance(source, Sources) else Sources(source)
    wanted = Selection(topics=arguments.topics(topics), partitions=arguments.partitions(partitions))
    is_of_all = wanted.topics is None and wanted.partitions is None
    absent = () if is_of_all else sources.require_found(wanted.absent(sources.names), missing)
    sums: dict[Group, tuple[int, Sizes]] = {}
    notes: list[Note] = []

    def add(directory: PartitionName, kind: str, sizes: Sizes) -> None:
        if is_of_all or wanted.takes_named(directory.topic, directory.partition):
            group = as_text(directory.topic), directory.partition, kind
            count, before = sums.get(group, (0, Sizes()))
            sums[group] = count + 1, before + sizes

    for place in (each for each in sources if not each.is_directory()):
        named = parse_partition_name(place.parent.name)
        for entry in place.parent.list():
            if entry.name == place.name:
                add(named, _kind(entry, named), Sizes.of([entry]))
    for directory, listing in each_directory(*(each for each in sources if each.is_directory())):
        if isinstance(listing, SourceError):
            notes.append(Note.of(finding_of(listing)))
            continue
        named = parse_partition_name(directory.name)
        named = named if named.topic is not None else _NOWHERE
        add(named, DIRECTORY, Sizes(0, directory.allocated()))
        for entry in listing:
            if entry.is_file:
                add(named, _kind(entry, named), Sizes.of([entry]))
    return DiskUse(columns, (*absent, *notes), sums, top)


def _kind(entry: "DirectoryEntry", directory: PartitionName) -> str:
    if directory.state != "live":
        return directory.state
    name, suffix = without_suffix(entry.name)
    kind = kind_of(name)
    if kind is None or (kind.is_of_segment and not _BASE_OFFSET.search(name)):
        return "other" if kind is None or kind.id != "checkpoint" else "metadata"
    return suffix[1:] if suffix in (".deleted", ".cleaned", ".swap") else _KINDS.get(kind.id, "metadata")
