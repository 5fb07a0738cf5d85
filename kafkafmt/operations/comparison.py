"""`compare`: two or more copies of partitions, their differences, and what each copy would lose if another led."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Note
from kafkafmt.limits import Limits
from kafkafmt.logdir import replicas
from kafkafmt.logdir.sources import Sources, search
from kafkafmt.operations.compared_copies import ComparedCopies
from kafkafmt.operations.copies import ComparedCopy, Reported
from kafkafmt.operations.pairs import PartitionCopies
from kafkafmt.scanning import arguments
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import check_choices

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.io.source import Source
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable

RANGE_SIZE: Final = 100_000
"""Number of offsets in a row of the table "ranges"."""


def compare(
    *copies: "Searchable",
    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    hashes: bool = True,
    range_size: int = RANGE_SIZE,
    on_damage: "OnDamage" = "skip",
    limits: Limits | None = None,
    missing: "Missing" = "raise",
    filesystem: "FileSystem | None" = None,
    decryption_keys: "Mapping[str, Source] | None" = None,
) -> ComparedCopies:
    """Compare copies of partitions: replicas on several brokers, two snapshots, a backup and its restored copy.

        >>> comparison = kafkafmt.operations.compare("/copies/broker-1", "/copies/broker-2")
        >>> comparison.to_table().to_pandas()
        >>> comparison.to_table("records").to_pandas()

    Every two copies of a partition are compared. Records are compared (offset, timestamp, key, value, headers, whether
    it is a control record) at offsets that both logs cover, and not batches: different batches, codecs or formats, and
    records that compaction has removed from one copy, are remarks. Batches with the same header and CRC are not
    decoded.

    Args:
        copies: sources as for `kafkafmt.scan`: a partition directory, a log directory, several of a node, or all of
            them opened by `kafkafmt.open`. Two or more; one is enough for the table "ranges". Two partition directories
            that are named themselves are compared regardless of their names.
        topics: as for `kafkafmt.scan`.
        partitions: as for `kafkafmt.scan`.
        hashes: whether `contentHashes` of the table "partitions" are wanted: they need all records to be decoded.
        range_size: number of offsets in each row of the table "ranges".
        on_damage: "skip" damage: records that it may have cost are not a difference, and the column `damaged` counts
            those that only the other copy has there; or "raise" at the first damage.
        limits: bounds on memory.
        missing: "raise" an error if a named topic or partition is in no copy, or "note" it.
        filesystem: any pyarrow file system; the copies are then its paths.
        decryption_keys: as for `kafkafmt.open`.

    Raises:
        NotFoundError: a topic or partition is in no copy.
        SourceError: a copy is missing, unreadable, or a file instead of a directory.
        TypeError, ValueError: an invalid argument.
    """
    if not copies:
        raise TypeError("compare takes two or more copies, or one for hashes of ranges")
    if not isinstance(range_size, int) or isinstance(range_size, bool) or range_size < 1:
        raise ValueError(f"range_size must be an int from 1 on, not {range_size!r}")
    check_choices(on_damage=on_damage, missing=missing)
    selection = Selection(topics=arguments.topics(topics), partitions=arguments.partitions(partitions))
    searched = [search(copy, filesystem, decryption_keys if not isinstance(copy, Sources) else None) for copy in copies]
    reported, skipped = Reported(searched[0].report), []
    by_name: list[dict[tuple[str | None, int | None], ComparedCopy]] = []
    for source in searched:
        for error in source.unlisted(selection.takes_named):
            source.report(error)
        found, others = _best(source, selection, reported, on_damage)
        skipped += others
        compared = (ComparedCopy(one.anchored(), on_damage, limits or Limits(), reported) for one in found)
        names = ((one.partition.topic, one.partition.partition) for one in found)
        by_name.append(dict(zip(names, compared, strict=True)))
    there = [name for source in searched for name in source.names]
    for absent in searched[0].require_found(selection.absent(there), missing):
        reported.note(absent)
    for source in searched:
        source.was_read = True
        for note in source.notes:
            reported.note(note)
    if all(map(_is_one_partition, searched)) and all(by_name):
        # Directories that the user named themselves are compared under the name of the first.
        name = next(iter(by_name[0]))
        by_name = [{name: copy} for one in by_name for copy in one.values()]
    all_names = sorted({name for one in by_name for name in one}, key=lambda name: (name[0] or "", name[1] or 0))
    return ComparedCopies(
        [", ".join(map(str, source)) for source in searched],
        [PartitionCopies(*name, tuple(one.get(name) for one in by_name)) for name in all_names],
        reported,
        skipped,
        hashes=hashes,
        range_size=range_size,
    )


def _best(
    source: Sources, selection: Selection, reported: Reported, on_damage: "OnDamage"
) -> "tuple[list[Found], list[Partition]]":
    """The best replica of each partition in a source, and the replicas that are skipped."""
    for one in source.found:
        if one.file is not None:
            raise SourceError("compare takes directories: name the partition directory", file=one.path)
    is_named = _is_one_partition(source)
    taken = [
        one
        for one in source.found
        if (one.partition.topic is not None or is_named)
        and one.partition.state == "live"
        and selection.takes(one.partition)
    ]

    def broken(error: Exception) -> None:
        # The replica that is chosen raises the error again, or reports it.
        if isinstance(error, SourceError):
            source.report(error)
        elif on_damage == "raise":
            raise error

    return replicas.best(taken, broken, lambda divergence: reported.note(Note.of(divergence.finding)))


def _is_one_partition(source: Sources) -> bool:
    """Whether a source is a single partition directory that was named itself."""
    places = list(source)
    return len(places) == 1 and [one.location.identity for one in source.found] == [places[0].identity]
