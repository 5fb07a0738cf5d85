"""Reading: the answer of `kafkafmt.topics.metadata`, from the best copy of the log, and how far it is committed.

Raft keeps the high watermark only in memory, so the last records of a copy may be uncommitted, to be truncated when its
node rejoins. If the disks of a majority of the voters are read, the records that they share are committed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.files.damage import Damage
from kafkafmt.findings import reason_of
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.sources import Sources
from kafkafmt.phrases import counted, counted_have, listed
from kafkafmt.reference.entry import without_traceback
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.topics.answers import AsOf, check_choices
from kafkafmt.topics.cluster_metadata import copies
from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata, MetadataProvenance
from kafkafmt.topics.cluster_metadata.image import contents
from kafkafmt.topics.cluster_metadata.nodes import Voter
from kafkafmt.topics.cluster_metadata.restoring import NotOnDiskError, Restored, restore
from kafkafmt.topics.history import LazyHistory
from kafkafmt.topics.log_notes import named, standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset
    from kafkafmt.topics.cluster_metadata.copies import Copy
    from kafkafmt.topics.cluster_metadata.history import MetadataHistory

_MOST_PATHS = 5


def metadata(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "skip",
    show_secrets: bool = False,
    limits: Limits | None = None,
) -> ClusterMetadata:
    """Read the metadata of a cluster: topics, brokers, configs, ACLs and everything else in its controllers' log.

    The newest complete snapshot at or before the requested moment is read, then the log after it. If several nodes have
    a copy, the one with the highest leader epoch, then the highest end offset, is read; or another one if it no longer
    reaches back to that moment. Records that cannot be applied are ignored: see `ClusterMetadata.ignored_records`.

        >>> cluster = kafkafmt.topics.metadata(["/backup/controller-1", "/backup/controller-2"], at_offset=5000)
        >>> cluster.topics["orders"].id

    Args:
        source: a directory at or above `__cluster_metadata-0`, a snapshot (`.checkpoint`), or a list of these; paths or
            URIs as for `kafkafmt.scan`.
        filesystem: as for `kafkafmt.scan`.
        at_offset: return the state as of this offset (exclusive); a mapping has it for partition 0. None for the log
            end.
        at_time: return the state before the first record with a later timestamp than this (ms since the epoch, or a
            datetime, UTC if it has no zone), as `Partition.find_timestamp` finds it.
        on_damage: "raise" an error at the first damage of the log, or "skip" and list it in `ClusterMetadata.damage`. A
            damaged snapshot is listed there in both modes, and an earlier one is read.
        show_secrets: whether to include secrets.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a path cannot be read, there is no metadata log, the disks belong to several clusters, or the
            requested moment is before everything on them.
        KafkafmtError: at damage.
        TypeError, ValueError: an invalid argument.
    """
    check_choices(on_damage=on_damage)
    as_of = _as_of(at_offset, at_time)
    searched = copies.opened(source, filesystem).required()
    found = copies.find_copies(searched)
    if not found:
        for error in searched.unreadable:
            if str(error.file).rstrip("/").endswith(f"/{copies.DIRECTORY}"):
                raise error
        raise SourceError(
            f"no cluster metadata there: no directory {copies.DIRECTORY} and no bootstrap.checkpoint at or below it. "
            "If the controllers run on other machines, name their disks; a ZooKeeper cluster has none on disk",
            file=listed([str(each) for each in searched], _MOST_PATHS),
        )
    return metadata_of_copies(found, as_of, on_damage, limits or Limits(), searched, show_secrets=show_secrets)


def metadata_of(
    source: "Searchable", filesystem: "FileSystem | None" = None, limits: Limits | None = None
) -> ClusterMetadata | None:
    """Read the metadata of the cluster that these disks belong to, if they have any; damage is skipped.

    Args:
        source: as for `metadata`.
        filesystem: as for `metadata`.
        limits: as for `metadata`.

    Returns:
        The newest metadata; None without a metadata log.

    Raises:
        SourceError: a path cannot be read, or the disks belong to several clusters.
        KafkafmtError: the metadata cannot be read.
    """
    searched = copies.opened(source, filesystem)
    found = [copy for copy in copies.find_copies(searched) if copy.is_log]
    return (
        metadata_of_copies(found, AsOf(), "skip", limits or Limits(), searched, show_secrets=False) if found else None
    )


def small_metadata(
    found: "Iterable[Copy]", *, max_bytes: int, unreadable: "Callable[[KafkafmtError], None]"
) -> dict[str | None, ClusterMetadata]:
    """Read the metadata of each cluster whose metadata is small.

    Args:
        found: copies of metadata logs, of one or several clusters.
        max_bytes: size of log and snapshots above which a cluster's metadata is not read.
        unreadable: called with the error of metadata that is not read.

    Returns:
        Metadata by cluster id; None is the id of an unknown cluster.
    """
    by_cluster: dict[str | None, list[Copy]] = {}
    for copy in found:
        by_cluster.setdefault(copy.cluster_id, []).append(copy)
    read = {}
    for cluster_id, of_cluster in by_cluster.items():
        if max(copy.size for copy in of_cluster) > max_bytes:
            unreadable(
                LimitExceededError("the cluster's metadata are large, and were not read", file=of_cluster[0].path)
            )
            continue
        try:
            read[cluster_id] = metadata_of_copies(of_cluster, AsOf(), "skip", Limits(), show_secrets=False)
        except KafkafmtError as error:
            unreadable(error)
    return read


def metadata_of_copies(
    found: "list[Copy]",
    as_of: AsOf,
    on_damage: "OnDamage",
    limits: Limits,
    searched: Sources | None = None,
    *,
    show_secrets: bool,
) -> ClusterMetadata:
    """Read the metadata of one cluster from the best of its copies.

    Args:
        found: the copies.
        as_of: the requested moment.
        on_damage: as for `metadata`.
        limits: bounds of memory.
        searched: receives errors of unreadable files, and may raise them; None to raise the first one.
        show_secrets: as for `metadata`.

    Raises:
        SourceError, KafkafmtError: as for `metadata`.
    """
    broken: list[Damage] = []

    unreadable = partial(_unreadable, searched)
    for copy in found:
        copy.broken = partial(_broken, searched, on_damage, broken)
    _require_one_cluster(found)
    ranked = copies.ranked(found)
    best, restored = _first_that_has_it(ranked, as_of, on_damage, limits, unreadable)
    if searched is not None:
        searched.was_read = True
    replay = restored.replay
    voters, leader = _quorum(best, restored)
    safe = _committed_offset(best, found, voters)
    chosen = _replicas(best, ranked)
    notes = [*chosen, *restored.notes, *(searched.notes if searched is not None else ())]
    tail = _uncommitted(safe, replay.end_offset, voters)
    if tail is not None and best.has_log and replay.end_offset:
        notes.append(tail)
    if replay.open_transaction is not None:
        begun = replay.open_transaction
        name = "" if begun.name is None else f" ({begun.name})"
        notes.append(
            f"a transaction of the controller from offset {begun.offset}{name} is open: "
            f"its {counted_have(begun.records, 'record')} no effect yet"
        )
    notes += replay.unknown.notes(CLUSTER_METADATA)
    held = contents(replay.image, show_secrets=show_secrets)
    held["voters"] = voters
    return ClusterMetadata(
        cluster_id=best.cluster_id,
        provenance=MetadataProvenance(
            path=best.path,
            snapshot=restored.snapshot,
            end_offset=replay.end_offset,
            epoch=replay.epoch,
            timestamp=replay.timestamp,
            records=replay.records,
            committed_offset=safe,
        ),
        leader_id=leader,
        open_transaction=replay.open_transaction,
        notes=tuple(notes),
        damage=(*broken, *restored.damage),
        ignored_records=tuple(replay.ignored_records),
        ignored_count=replay.ignored_count,
        skipped_replicas=tuple(copy.partition for copy in ranked if copy is not best),
        _history=LazyHistory(partial(_history, best, as_of, on_damage, limits, chosen)),
        **held,  # type: ignore[arg-type]
    )


def _history(
    best: "Copy", as_of: AsOf, on_damage: "OnDamage", limits: Limits, notes: Sequence[str]
) -> "MetadataHistory":
    from kafkafmt.topics.cluster_metadata.history import MetadataHistory  # noqa: PLC0415 - few ask for it

    return MetadataHistory(best, as_of, on_damage, limits, notes)


def _as_of(at_offset: "AtOffset | None", at_time: "Time | None") -> AsOf:
    as_of = AsOf.of(at_offset, at_time)
    others = sorted(set(as_of.by_partition or ()) - {0})
    if others:
        raise ValueError(f"the metadata log has only partition 0, not {others[0]}")
    return AsOf(as_of.offset_of(0), as_of.time)


def _first_that_has_it(
    ranked: "Sequence[Copy]",
    as_of: AsOf,
    on_damage: "OnDamage",
    limits: Limits,
    unreadable: "Callable[[SourceError], None]",
) -> "tuple[Copy, Restored]":
    """The best copy that reaches back to the moment, and the state."""
    first: SourceError | None = None
    for copy in ranked:
        try:
            return copy, restore(copy, as_of, on_damage, limits)
        except NotOnDiskError as error:
            first = first or error
        except SourceError as error:
            unreadable(error)
            first = first or error
    raise first or NotOnDiskError("there is no metadata log")


def _quorum(copy: "Copy", restored: Restored) -> tuple[tuple[Voter, ...], int | None]:
    """Voters and leader, from the log, else from the node's quorum-state if that has the same epoch."""
    replay = restored.replay
    voters = replay.image.voters
    state = None
    if copy.only is None:
        try:
            state = copy.partition.quorum_state
        except KafkafmtError as error:
            copy.broken(error)
    if not voters and state is not None and state.current_voters:
        voters = tuple(Voter(number, None, (), None, None) for number in sorted(state.current_voters))
    if restored.leader_id is None and state is not None and state.leader_epoch == replay.epoch and state.leader_id >= 0:
        return voters, state.leader_id
    return voters, restored.leader_id


def _require_one_cluster(found: "Iterable[Copy]") -> None:
    ids: dict[str, str] = {}
    for copy in found:
        if copy.cluster_id is not None:
            ids.setdefault(copy.cluster_id, copy.path)
    if len(ids) > 1:
        raise SourceError(f"these disks belong to {len(ids)} clusters; name those of one cluster: {named(ids)}")


def _replicas(best: "Copy", ranked: "Sequence[Copy]") -> list[str]:
    """Notes on which of several copies was read."""
    others = [copy for copy in ranked if copy is not best]
    if not others:
        return []
    count = counted(len(others), "other copy", "other copies")
    against = listed([f"{copy.path} ({standing(copy.standing)})" for copy in others], _MOST_PATHS)
    return [f"read from {best.path} ({standing(best.standing)}); {count} not read: {against}"]


def _unreadable(searched: "Sources | None", error: SourceError) -> None:
    if searched is None:
        raise error
    searched.report(error)


def _broken(searched: "Sources | None", on_damage: "OnDamage", damage: list[Damage], error: KafkafmtError) -> None:
    if isinstance(error, SourceError):
        _unreadable(searched, error)
    elif on_damage == "raise":
        raise error
    elif all(error.file != known.file for known in damage):
        damage.append(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))


def _committed_offset(best: "Copy", found: "Iterable[Copy]", voters: Sequence[Voter]) -> int | None:
    """Offset below which a majority of the voters' disks have the best copy's log; None if too few disks are read.

    Args:
        best: the copy that is read.
        found: all copies.
        voters: voters of the quorum.

    Raises:
        SourceError: the last segment of a log cannot be read.
    """
    ids = {voter.id: voter.directory_id for voter in voters}
    ends: dict[int, int] = {}
    epochs = _epochs(best)
    for copy in found:
        node = copy.node_id
        if node is not None and node in ids and _is_of(copy, ids[node]):
            ends[node] = max(_agreed_end(copy, best, epochs), ends.get(node, -1))
    majority = len(ids) // 2 + 1
    if not ids or len(ends) < majority:
        return None
    return sorted(ends.values(), reverse=True)[majority - 1]


def _uncommitted(committed: int | None, end_offset: int, voters: Sequence[Voter]) -> str | None:
    """The note on uncommitted records; None if all records are committed."""
    if committed is None:
        count = f"of its {len(voters)} voters" if voters else "of its voters"
        return (
            f"the last records may not be committed: the high watermark of the metadata log is not kept on disk, and "
            f"a majority {count} is not among these disks"
        )
    if committed < end_offset:
        return (
            f"records from offset {committed} up to {end_offset - 1} may not be committed: "
            "they are not on a majority of the voters' disks"
        )
    return None


def _is_of(copy: "Copy", directory_id: str | None) -> bool:
    """Whether a copy is in a voter's directory; that of a replaced disk is not (KIP-853)."""
    known = copy.properties.directory_id if copy.properties else None
    return directory_id is None or known in (None, directory_id)


def _agreed_end(copy: "Copy", best: "Copy", epochs: "Sequence[EpochEntry]") -> int:
    """End of the records that a copy shares with the best one; those of an epoch end at the start of the next one."""
    epoch, end = copy.standing
    later = [entry.start_offset for entry in epochs if entry.epoch > epoch]
    return min(end, best.standing[1], INT64_MAX, *later)


def _epochs(copy: "Copy") -> "Sequence[EpochEntry]":
    try:
        return copy.partition.leader_epochs
    except KafkafmtError as error:
        copy.broken(error)
        return ()
