"""Chooses the segments of a tier that form the log of a partition: each offset once, by leader epochs (KIP-405).

A leader uploads its own log. After a change of the leader uploads overlap, after an unclean election they hold
different records at the same offsets, and a complete upload may exist that Kafka never counted. Leader epochs decide: a
batch is in the log if its epoch is in the lineage, at an offset that belongs to that epoch
(`RemoteLogLeaderEpochState`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kafkafmt.errors import CorruptError, DataError, KafkafmtError, TruncatedError
from kafkafmt.files import leader_epoch_checkpoint, rsm_manifest
from kafkafmt.files.damage import Note
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.files.names import LEADER_EPOCHS
from kafkafmt.io.base import Location
from kafkafmt.logdir import lookup
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.tier_names import MANIFEST
from kafkafmt.logdir.tier_segment import Upload


@dataclass(frozen=True, slots=True)
class TierLog:
    """The log of a partition in a tier.

    Attributes:
        segments: the segments to read, in order of base offsets; each ends at the start of the next one, or before it.
        incomplete: uploads that lack objects, because they failed or have not ended.
        overlapped: uploads that are not read, because others have their offsets, or the lineage has other records
            there.
        lineage: the leader epochs of the log; empty if unknown.
        newest: the segment that provides the lineage; None if that comes from a log directory, or is unknown.
        log_start_offset: start of the lineage, if there are segments of earlier epochs; else None.
        notes: notes for the user.
    """

    segments: Sequence[Upload]
    incomplete: Sequence[Upload]
    overlapped: Sequence[Upload]
    lineage: Sequence[EpochEntry]
    newest: Upload | None = None
    log_start_offset: int | None = None
    notes: Sequence[Note] = ()

    def anchored(self, directory: Location) -> "TierLog":
        """The same log with whole paths, shown in another directory."""
        newest = None if self.newest is None else self.newest.anchored(directory, None)
        epochs = None if newest is None else newest.file(LEADER_EPOCHS)
        return replace(
            self,
            segments=[each.anchored(directory, epochs) for each in self.segments],
            incomplete=[each.anchored(directory, None) for each in self.incomplete],
            overlapped=[each.anchored(directory, None) for each in self.overlapped],
            newest=newest,
        )


def choose(uploads: Sequence[Upload], name: str) -> TierLog:
    """Choose among a tier's uploads of one partition, without the help of a log directory.

    Args:
        uploads: the uploads, as listed.
        name: name of the partition, for notes.

    Raises:
        SourceError: an object cannot be read.
    """
    whole, incomplete = _complete(uploads)
    described = describe(whole)
    notes = []
    newest = None
    try:
        newest, lineage = _newest_lineage(described)
    except DataError as error:
        lineage = ()
        text = f"{name}: the leader epochs are unknown, so segments are chosen by offsets: {error}"
        notes.append(Note(text, path=error.file))
    chosen, overlapped = chain(described, lineage)
    if not lineage:
        start = None
    else:
        earlier = any(each.leader_epochs and each.leader_epochs[0][0] < lineage[0].epoch for each in chosen)
        start = lineage[0].start_offset if earlier else None
    notes += gaps(chosen, name, start)
    if newest is not None:
        chosen = [upload.with_epochs(newest.file(LEADER_EPOCHS)) for upload in chosen]
    return TierLog(chosen, incomplete, overlapped, lineage, newest, start, notes)


def describe(uploads: Sequence[Upload]) -> list[Upload]:
    """Read the facts of each upload from its manifest, or without one, from leader epochs and the last batch.

    Raises:
        SourceError: an object cannot be read.
    """
    if not uploads:
        return []
    at_once = next(iter(uploads[0].objects.values())).location.read_at_once
    if at_once == 1 or len(uploads) == 1:
        return list(map(_described, uploads))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - local disks do without

    with ThreadPoolExecutor(at_once, thread_name_prefix="tier") as pool:
        return list(pool.map(_described, uploads))


def chain(
    uploads: Iterable[Upload], lineage: Sequence[EpochEntry], end: int | None = None
) -> tuple[list[Upload], list[Upload]]:
    """Make one log from overlapping uploads: each offset from one of them, and none outside the lineage.

    Args:
        uploads: described uploads. Unreadable ones are used where there is no other.
        lineage: leader epochs of the log; empty to use offsets alone.
        end: offset before which the log must end, or None.

    Returns:
        The uploads to read, and the others.
    """
    readable: list[tuple[Upload, float]] = []
    broken: list[tuple[Upload, float]] = []
    left: list[Upload] = []
    for upload in uploads:
        until = min(_valid_until(upload, lineage), math.inf if end is None else end)
        if until <= upload.base_offset:
            left.append(upload)
        elif upload.error is not None:
            broken.append((upload, until))
        else:
            readable.append((upload, until))
    readable.sort(key=lambda each: (each[0].base_offset, -each[1], each[0].id))
    taken: list[tuple[Upload, float]] = []
    for upload, until in readable:
        if taken and until <= taken[-1][1]:
            if _reaches(taken[-1][0], upload.base_offset if math.isinf(until) else int(until) - 1):
                left.append(upload)
                continue
            # It does not end where its metadata says, so it is kept whole: a cut would hide the fault at its end.
            taken[-1] = replace(taken[-1][0], end_offset=None), upload.base_offset
        if taken and taken[-1][0].base_offset == upload.base_offset:
            left.append(taken.pop()[0])
        elif taken and taken[-1][1] > upload.base_offset:
            taken[-1] = taken[-1][0], upload.base_offset
        taken.append((upload, until))
    for upload, until in sorted(broken, key=lambda each: (each[0].base_offset, -each[1])):
        position = next((n for n, (other, _) in enumerate(taken) if other.base_offset > upload.base_offset), len(taken))
        before = taken[position - 1][1] if position else -1
        if before > upload.base_offset:
            left.append(upload)
            continue
        after = taken[position][0].base_offset if position < len(taken) else math.inf
        taken.insert(position, (upload, min(until, after)))
    left.sort(key=lambda upload: (upload.base_offset, upload.id))
    return [_cut(upload, until) for upload, until in taken], left


def _reaches(upload: Upload, offset: int) -> bool:
    """Whether an upload has the batch at its stated last offset, since that offset in its metadata may be wrong."""
    try:
        place = lookup.find_offset([Segment(upload.file("log"), size=upload.whole_size)], offset)
    except KafkafmtError:
        return True  # the reader of the upload will report the error
    return place is not None and place.base_offset <= offset


def gaps(uploads: Sequence[Upload], name: str, start: int | None = None) -> list[Note]:
    """Make notes of the offsets that no segment has.

    Args:
        uploads: the uploads to read, in order.
        name: name of the partition.
        start: log start offset, below which offsets are not missed.
    """
    notes = []
    for before, after in pairwise(uploads):
        if before.end_offset is None or before.error is not None:
            continue
        first = before.end_offset + 1
        if first < after.base_offset and (start is None or after.base_offset > start):
            text = f"{name}: no segment of the tier has offsets {first} to {after.base_offset - 1}"
            notes.append(Note(text, path=str(after.directory)))
    return notes


def _complete(uploads: Sequence[Upload]) -> tuple[list[Upload], list[Upload]]:
    whole: list[Upload] = []
    incomplete: list[Upload] = []
    for upload in uploads:
        (whole if upload.is_complete else incomplete).append(upload)
    return whole, incomplete


def _described(upload: Upload) -> Upload:
    try:
        if MANIFEST in upload.layout.whole:
            return _by_manifest(upload)
        epochs = leader_epoch_checkpoint.parse(upload.read_index(LEADER_EPOCHS), file=str(upload.file(LEADER_EPOCHS)))
        following = Segment(upload.file("log"), size=upload.whole_size).next_offset()
        if following is not None and following <= upload.base_offset:
            # Kafka does not upload segments without records.
            raise TruncatedError(
                "the object ends before its first batch does", file=str(upload.file("log")), position=0
            )
    except DataError as error:
        return replace(upload, error=error.with_traceback(None), size=max(upload.whole_size, 1))
    end = None if following is None else following - 1
    inside = [(each.epoch, max(each.start_offset, upload.base_offset)) for each in epochs.entries]
    first = next((n for n in range(len(inside) - 1, -1, -1) if inside[n][1] <= upload.base_offset), 0)
    known = tuple(each for each in inside[first:] if end is None or each[1] <= end)
    return replace(upload, end_offset=end, leader_epochs=known or None)


def _by_manifest(upload: Upload) -> Upload:
    manifest = rsm_manifest.read(upload.objects[MANIFEST].location)
    told = manifest.segment
    if told is None:
        return replace(upload, manifest=manifest)
    if told.start_offset != upload.base_offset:
        raise CorruptError(
            "the manifest belongs to another segment",
            file=manifest.file,
            expected=f"base offset {upload.base_offset}",
            found=told.start_offset,
        )
    return replace(
        upload,
        manifest=manifest,
        end_offset=told.end_offset,
        leader_epochs=told.leader_epochs or None,
        max_timestamp=told.max_timestamp,
    )


def _newest_lineage(uploads: Sequence[Upload]) -> tuple[Upload | None, Sequence[EpochEntry]]:
    """The leader epochs of the segment with the highest last epoch, then the highest start, then the most epochs.

    Segments with the same last epoch come from one leader. Only the one that was uploaded last, and the one that ends
    last, can know more than the others.
    """
    known = [upload for upload in uploads if upload.leader_epochs and upload.error is None]
    if not known:
        return None, ()
    last = max(upload.leader_epochs[-1][0] for upload in known if upload.leader_epochs)
    of_last = [upload for upload in known if upload.leader_epochs and upload.leader_epochs[-1][0] == last]
    candidates = {
        id(upload): upload
        for upload in (max(of_last, key=_ends), max(of_last, key=lambda upload: (upload.uploaded, _ends(upload))))
    }
    read = []
    for upload in candidates.values():
        data = upload.read_index(LEADER_EPOCHS)
        read.append((upload, leader_epoch_checkpoint.parse(data, file=str(upload.file(LEADER_EPOCHS))).entries))
    upload, entries = max(
        read, key=lambda each: (each[1][-1].epoch, each[1][-1].start_offset, len(each[1])) if each[1] else (-1, -1, 0)
    )
    return upload, entries


def _ends(upload: Upload) -> int:
    return upload.base_offset if upload.end_offset is None else upload.end_offset


def _valid_until(upload: Upload, lineage: Sequence[EpochEntry]) -> float:
    """Offset from which on an upload has no records of the log: two logs that diverge never meet again."""
    end = math.inf if upload.end_offset is None else upload.end_offset + 1
    if not lineage or not upload.leader_epochs:
        return end
    ends = [entry.start_offset for entry in lineage[1:]]
    spans = {entry.epoch: (entry.start_offset, to) for entry, to in zip(lineage, [*ends, math.inf], strict=True)}
    lowest = lineage[0].epoch
    until: float = upload.base_offset
    following = [first for _, first in upload.leader_epochs[1:]]
    for (epoch, first), to in zip(upload.leader_epochs, [*following, end], strict=True):
        if epoch < lowest:
            until = to  # below the log start, so the log start cuts it
            continue
        begin, stop = spans.get(epoch, (math.inf, -1))
        if first < begin and epoch != lowest:
            break
        until = min(to, stop)
        if to > stop:
            break
    return until


def _cut(upload: Upload, until: float) -> Upload:
    """Cut the upload before an offset; it stays whole if the size up to there cannot be found."""
    if upload.error is not None or upload.end_offset is None or until > upload.end_offset:
        return upload
    cut = int(until)
    size = upload.whole_size
    segment = Segment(upload.file("log"), size=size)
    try:
        place = lookup.find_offset([segment], cut)
    except KafkafmtError:
        place = None  # the reader of the upload will report the error
    return replace(upload, cut=cut, size=size if place is None else place.position, end_offset=cut - 1)
