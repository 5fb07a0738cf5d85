"""The one door for cluster metadata: `metadata(source, ...)`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.files.damage import Damage, reason_of
from kafkafmt.limits import Limits
from kafkafmt.logdir.replicas import UNREADABLE
from kafkafmt.logdir.sources import Sources
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning.selection import milliseconds
from kafkafmt.topics.cluster_metadata import committed, copies
from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata, Provenance, contents
from kafkafmt.topics.cluster_metadata.registrations import Voter
from kafkafmt.topics.cluster_metadata.restoring import AsOf, NotOnDiskError, Restored, restore

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyarrow.fs import FileSystem

    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.selection import Time
    from kafkafmt.topics.cluster_metadata.copies import Copy

_MOST_PATHS = 5


def metadata(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    at_offset: int | Mapping[int, int] | None = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "raise",
    show_secrets: bool = False,
    limits: Limits | None = None,
) -> ClusterMetadata:
    """Read the metadata of a cluster: topics, brokers, configs, ACLs and everything else in its controllers' log.

    The newest complete snapshot at or before the requested moment is read, then the log after it. Of several nodes'
    copies the one with the highest leader epoch, then the highest end offset is read; another one if it no longer
    reaches back to that moment. Records that cannot be applied are in `ClusterMetadata.passed_over`.

        >>> cluster = kafkafmt.topics.metadata(["/backup/controller-1", "/backup/controller-2"], at_offset=5000)
        >>> cluster.topics["orders"].id

    Args:
        source: a directory at or above `__cluster_metadata-0`, a snapshot (`.checkpoint`), or a list of those; paths or
            URIs as for `kafkafmt.scan`.
        filesystem: as for `kafkafmt.scan`.
        at_offset: the state as of this offset (exclusive); a mapping has it for partition 0. None for the end of the
            log.
        at_time: the state before the first record with a later timestamp than this (ms since the epoch, or a datetime,
            UTC if it has no zone), as `Partition.find_timestamp` finds it.
        on_damage: "raise" an error at the first damage of the log, or "skip" and list it in `ClusterMetadata.damage`. A
            damaged snapshot is listed there in both modes, and an earlier one is read.
        show_secrets: include secrets.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a path cannot be read, there is no metadata log, the disks belong to several clusters, or the
            requested moment is before everything on them.
        KafkafmtError: at damage.
        TypeError, ValueError: an argument that makes no sense.
    """
    if on_damage not in ("raise", "skip"):
        raise ValueError(f"on_damage must be 'raise' or 'skip', not {on_damage!r}")
    as_of = _as_of(at_offset, at_time)
    searched = source if isinstance(source, Sources) else Sources(source, filesystem)
    found = copies.find_copies(searched)
    if not found:
        for error in searched.unreadable:
            if str(error.file).rstrip("/").endswith(f"/{copies.DIRECTORY}"):
                raise error
        raise SourceError(
            f"no cluster metadata there: no directory {copies.DIRECTORY} and no bootstrap.checkpoint at or below it. "
            "With controllers of their own, name their disks; a cluster with ZooKeeper kept its metadata there",
            file=_listed([str(each) for each in searched]),
        )
    return _metadata(found, as_of, on_damage, limits or Limits(), searched, show_secrets=show_secrets)


def metadata_of(
    source: "Searchable", filesystem: "FileSystem | None" = None, limits: Limits | None = None
) -> ClusterMetadata | None:
    """Tell what the cluster of these disks was, if they hold its metadata; damage is passed over.

    Args:
        source: as for `metadata`.
        filesystem: as for `metadata`.
        limits: as for `metadata`.

    Returns:
        The newest metadata; None where there is no metadata log.

    Raises:
        SourceError: a path cannot be read, or the disks are of several clusters.
        KafkafmtError: the metadata cannot be read.
    """
    searched = source if isinstance(source, Sources) else Sources(source, filesystem)
    found = [copy for copy in copies.find_copies(searched) if copy.is_log]
    return _metadata(found, AsOf(), "skip", limits or Limits(), searched, show_secrets=False) if found else None


def metadata_at_hand(
    found: "Iterable[Copy]", *, max_bytes: int, unreadable: "Callable[[KafkafmtError], None]"
) -> dict[str | None, ClusterMetadata]:
    """Tell what the clusters of these copies were, as far as that can be read and is soon read.

    Args:
        found: copies of metadata logs, of one cluster or several.
        max_bytes: of log and snapshots, above which a cluster's metadata are not read.
        unreadable: called with what is wrong with metadata that cannot be read.

    Returns:
        Metadata by cluster id; None stands for those of an unknown cluster.
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
            read[cluster_id] = _metadata(of_cluster, AsOf(), "skip", Limits(), show_secrets=False)
        except KafkafmtError as error:
            unreadable(error)
    return read


def _metadata(
    found: "list[Copy]",
    as_of: AsOf,
    on_damage: "OnDamage",
    limits: Limits,
    searched: Sources | None = None,
    *,
    show_secrets: bool,
) -> ClusterMetadata:
    broken: list[Damage] = []

    def unreadable(error: SourceError) -> None:
        if searched is None:
            raise error
        searched.report(error)

    def take(error: KafkafmtError) -> None:
        if isinstance(error, SourceError):
            unreadable(error)
        else:
            _broken(error, on_damage, broken)

    for copy in found:
        copy.broken = take
    _require_one_cluster(found)
    ranked = copies.ranked(found)
    best, restored = _first_that_has_it(ranked, as_of, on_damage, limits, unreadable)
    if searched is not None:
        searched.was_read = True
    replay = restored.replay
    voters, leader = _quorum(best, restored)
    safe = committed.committed_offset(best, found, voters)
    notes = [*_replicas(best, ranked), *restored.notes, *(searched.notes if searched is not None else ())]
    tail = committed.note(safe, replay.end_offset, voters)
    if tail is not None and best.has_log and replay.end_offset:
        notes.append(tail)
    if replay.open_transaction is not None:
        begun = replay.open_transaction
        name = "" if begun.name is None else f" ({begun.name})"
        notes.append(
            f"a transaction of the controller from offset {begun.offset}{name} has not ended: "
            f"its {begun.records} records are not in force"
        )
    held = contents(replay.image, show_secrets=show_secrets)
    held["voters"] = voters
    return ClusterMetadata(
        cluster_id=best.cluster_id,
        provenance=Provenance(
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
        passed_over=tuple(replay.passed_over),
        passed_over_count=replay.passed_over_count,
        skipped_replicas=tuple(copy.partition for copy in ranked if copy is not best),
        **held,  # type: ignore[arg-type]
    )


def _as_of(at_offset: int | Mapping[int, int] | None, at_time: "Time | None") -> AsOf:
    if at_offset is not None and at_time is not None:
        raise ValueError("at_offset and at_time exclude each other")
    if isinstance(at_offset, Mapping):
        others = sorted(set(at_offset) - {0})
        if others:
            raise ValueError(f"the metadata log has no partition but 0, and no {others[0]}")
        at_offset = at_offset.get(0)
    if at_offset is not None and (not isinstance(at_offset, int) or isinstance(at_offset, bool)):
        raise TypeError(f"at_offset must be an int, not {at_offset!r}")
    return AsOf(at_offset, milliseconds(at_time, "at_time"))


def _first_that_has_it(
    ranked: "Sequence[Copy]",
    as_of: AsOf,
    on_damage: "OnDamage",
    limits: Limits,
    unreadable: "Callable[[SourceError], None]",
) -> "tuple[Copy, Restored]":
    """The best copy that reaches back to the moment."""
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
    """The voters and the leader: by the log, else by the node's quorum-state if that is of the same epoch."""
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
        known = "; ".join(f"{cluster_id}: {path}" for cluster_id, path in sorted(ids.items()))
        raise SourceError(f"these disks are of {len(ids)} clusters, name those of one: {known}")


def _replicas(best: "Copy", ranked: "Sequence[Copy]") -> list[str]:
    """Which copy was read, where there are several."""
    others = [copy for copy in ranked if copy is not best]
    if not others:
        return []
    count = "1 other copy" if len(others) == 1 else f"{len(others)} other copies"
    against = _listed([f"{copy.path} ({_standing(copy)})" for copy in others])
    return [f"read from {best.path} ({_standing(best)}); {count} left: {against}"]


def _standing(copy: "Copy") -> str:
    epoch, end = copy.standing
    if copy.standing == UNREADABLE:
        return "cannot be read"
    return "no log" if end < 0 else f"leader epoch {epoch}, end {end}"


def _broken(error: KafkafmtError, on_damage: "OnDamage", damage: list[Damage]) -> None:
    if on_damage == "raise":
        raise error
    if all(error.file != known.file for known in damage):
        damage.append(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_PATHS
    return ", ".join(names[:_MOST_PATHS]) + (f" and {more} more" if more > 0 else "")
