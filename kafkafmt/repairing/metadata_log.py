"""The metadata log in a repair: the snapshots that it begins with, and its node's quorum-state."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.errors import DataError
from kafkafmt.files import quorum_state, segment
from kafkafmt.files.damage import Note
from kafkafmt.files.kinds import KINDS
from kafkafmt.io.source import read_bytes
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.repairing.salvage import if_sound

if TYPE_CHECKING:
    from kafkafmt.files.quorum_state import QuorumState
    from kafkafmt.io.base import Location
    from kafkafmt.repairing.held_copies import Target
    from kafkafmt.repairing.merged_partition import MergedPartition
    from kafkafmt.topics.cluster_metadata.copies import RaftSnapshot


def cut_to_snapshots(merged: "MergedPartition", notes: list[str]) -> None:
    """Find the sound snapshots; a log that ends before the newest one restarts after it, as in Kafka.

    If another copy continues the log after a gap, it begins after that gap, with the snapshot of the other copy.

    Args:
        merged: the metadata log, which is changed.
        notes: list that collects the snapshots that are not copied.
    """
    merged.snapshots = snapshots = _sound_snapshots(merged.partition.location, notes, is_own=merged.is_own)
    if snapshots and snapshots[0].end_offset > merged.log_end_offset:
        merged.rows = merged.rows[:0]
        merged.bases = [snapshots[0].end_offset]
    elif not snapshots and merged.bases[0] > 0:
        path = merged.partition.path
        notes.append(Note(f"{path}: no snapshot is sound, and the log does not begin with 0", path=path))
    else:
        _begin_after_gap(merged, notes)


def _begin_after_gap(merged: "MergedPartition", notes: list[str]) -> None:
    """Begin a log that another copy continues after a gap there, if a snapshot has the state at the gap's end."""
    rows = merged.rows
    gaps = np.flatnonzero(rows["first_offset"][1:] > rows["last_offset"][:-1] + 1)
    if not len(gaps) or not rows["copy"][gaps[-1] + 1 :].all():
        return
    after = rows[gaps[-1] + 1 :]
    begin, end = int(after["first_offset"][0]), merged.log_end_offset
    places = [merged.copies[int(copy)].partition.location for copy in np.unique(after["copy"])]
    found = {each.location.name: each for place in places for each in _sound_snapshots(place, notes, is_own=False)}
    usable = [each for each in (*found.values(), *merged.snapshots) if begin <= each.end_offset <= end]
    if usable:
        merged.rows, merged.bases = after, [begin, *(base for base in merged.bases if base > begin)]
        merged.snapshots = sorted(usable, key=lambda each: (each.end_offset, each.epoch), reverse=True)
    else:
        last = int(rows["last_offset"][gaps[-1]])
        merged.rows = rows[: gaps[-1] + 1]
        merged.bases = [base for base in merged.bases if base <= last] or merged.bases[:1]
        notes.append(
            f"{merged.partition.path}: records of others from offset {begin} on cannot be used without a snapshot"
        )


def quorum_state_of(target: "Target", merged: "MergedPartition", notes: list[str]) -> bytes | None:
    """Find a node's quorum-state: its own, or one that cannot break an election.

    A voter that has forgotten an epoch may vote in it again, and exits if another node still follows it as the leader
    of that epoch (`KafkaRaftClient.maybeTransition`). With an epoch above all known ones, in which it has not
    voted, it does neither. An observer needs no quorum-state: its controllers refuse one with a later epoch than
    theirs.

    Args:
        target: all copies of the metadata log.
        merged: the merged metadata log.
        notes: list that collects why it is not the node's own.

    Returns:
        The content of the file; None for no file.
    """
    node_id, epochs = target.place.node_id, [each.epoch for each in merged.snapshots]
    own: QuorumState | None = None
    others: list[QuorumState] = []
    for held in (*target.own, *target.others):
        epochs.append(held.standing[0])
        state = if_sound(partial(getattr, held.partition, "quorum_state"))
        if state is not None:
            epochs.append(state.leader_epoch)
            if merged.is_own and held.partition is merged.partition:
                own = state
            else:
                others.append(state)
    led = max((each.leader_epoch for each in others if each.leader_id == node_id), default=-1)
    knows = own is not None and (own.leader_epoch > led or (own.leader_epoch == led and own.leader_id == node_id))
    place = merged.partition.location.child(quorum_state.FILE_NAME) if merged.is_own else None
    if not target.voters or knows:
        if own is None and place is not None and place.is_file():
            text = f"{place} is not copied: it is damaged, and node {node_id} is not a voter"
            notes.append(Note(text, path=str(place)))
        return None if own is None or place is None else read_bytes(place, max_bytes=KINDS["quorum_state"].max_bytes)
    epoch = min(max(epochs), INT32_MAX - 1) + 1
    text = (
        f"quorum-state of node {node_id} is rebuilt, with leader epoch {epoch}: one above the highest that is known, "
        "so that it votes in no epoch twice"
    )
    is_damaged = own is None and place is not None and place.is_file()
    notes.append(Note(text, is_finding=is_damaged, path=None if place is None else str(place)))
    newest = max(filter(None, (own, *others)), key=lambda each: each.leader_epoch, default=None)
    version = int(any(target.voters.values())) if newest is None else newest.data_version
    return quorum_state.encode(epoch, data_version=version, voters=target.voters)


def _sound_snapshots(location: "Location", notes: list[str], *, is_own: bool) -> "list[RaftSnapshot]":
    """Snapshots of the metadata log that can be read to their end, newest first.

    Args:
        location: the directory.
        notes: list that collects the other snapshots.
        is_own: whether damaged snapshots are findings, because they are the node's own.
    """
    from kafkafmt.topics.cluster_metadata.copies import snapshots_in  # noqa: PLC0415 - it takes a while

    sound = []
    for each in snapshots_in(location.list()):
        place = each.location
        if each.is_partial:
            notes.append(f"{place} is not copied: the broker did not finish it")
            continue
        try:
            with place.open() as file:
                for batch in segment.batches(file, verify_checksums=True):
                    if batch.error is not None:
                        raise batch.error
        except DataError as error:
            notes.append(Note(f"{place} is not copied: {error}", is_finding=is_own, path=str(place)))
        else:
            sound.append(each)
    return sound
