"""`kafkafmt.repair`: sound copies of log directories, which a broker loads without recovering or cutting anything."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from kafkafmt.choices import check_choice
from kafkafmt.errors import DataError, Missing, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.files.names import parse_partition_name
from kafkafmt.findings import reason_of
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import META_PROPERTIES, LogDir, folder_names, link_targets, log_dirs_of_a_node
from kafkafmt.logdir.sources import KEYS_TOO_LATE, Searchable, Sources
from kafkafmt.phrases import counted, listed
from kafkafmt.repairing.answer import Repaired, RepairedPartition
from kafkafmt.repairing.copies import merge
from kafkafmt.repairing.gaps import SUPERSEDED
from kafkafmt.repairing.identities import dirs_as_they_say, owned_dirs
from kafkafmt.repairing.log_dir_copy import Only, lost_ends, read_checkpoints, write_beside, write_partition
from kafkafmt.repairing.plan import RepairPlan, copies_of_partitions, of_link
from kafkafmt.repairing.rebuilt_log import SideFiles
from kafkafmt.repairing.sound import Dropped
from kafkafmt.startup.reachable_metadata import ReachableMetadata
from kafkafmt.topics.answers import absent_names, name_filter
from kafkafmt.writing.target import PRIVATE_DIRECTORY, check_target, left_of, local_path, new_directory, share

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.io.source import Source
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.repairing.held_copies import HeldCopy, Target
    from kafkafmt.repairing.identities import OwnedDir
    from kafkafmt.repairing.plan import Key
    from kafkafmt.topics.answers import Names

_MOST_NAMED = 10


def repair(
    source: Searchable,
    out: str | os.PathLike[str] | None,
    *,
    decryption_keys: "Mapping[str, Source] | None" = None,
    donors: Searchable | None = None,
    topics: "Names" = None,
    dry_run: bool = False,
    mend_offsets: bool = False,
    only: Only | None = None,
    index_interval_bytes: int = INDEX_INTERVAL_BYTES,
    index_max_bytes: int = INDEX_MAX_BYTES,
    metadata: Searchable | None = None,
    filesystem: "FileSystem | None" = None,
    limits: Limits | None = None,
    missing: Missing = "raise",
    advance: Callable[[int], None] = lambda _: None,
) -> Repaired:
    """Write sound copies of log directories: a broker loads them without recovering or cutting anything.

    Sound batches are copied byte for byte, into segments with the same base offsets; damaged ranges are left
    out, and the offsets keep their gaps. All other files of segments are rebuilt. Each node keeps its own partitions,
    including its metadata log, in the copies of its own log directories. Their damaged or missing parts are filled from
    copies of other nodes and from donors, if the topic id, leader epochs and surrounding batches agree. Copies
    that belong to no node become one. The source does not change.

    Args:
        source: log directories of one or more nodes, as for `kafkafmt.scan`.
        out: path of the output: the copy of one log directory, or a folder with one for each of several. None with
            `dry_run`.
        decryption_keys: as for `kafkafmt.open`, for `donors`, too; used for sources that are not open yet.
        donors: copies that only fill gaps and are not written themselves: snapshots, replicas, tiers.
        topics: names of topics, or a pattern; None for all.
        dry_run: report what would be kept, and write nothing.
        mend_offsets: give a batch with a right CRC and a wrong offset the one that its neighbours leave, instead of
            leaving it out.
        only: write only the rebuilt "indexes", "snapshots" or "checkpoints", under their paths in the source.
        index_interval_bytes: bytes of log between index entries.
        index_max_bytes: most bytes of an index.
        metadata: location of the metadata log, if it is not in the source: it decides on topic ids and on the
            directories of nodes. A repair from remote storage alone takes topic ids from this cluster, if it has them.
        filesystem: as for `kafkafmt.scan`; for `donors` and `metadata`, too.
        limits: bounds of a decode.
        missing: "raise" an error if a named topic is nowhere, or "note" it.
        advance: called with numbers of bytes as they are read, and as they are copied.

    Raises:
        NotFoundError: a named topic is nowhere.
        SourceError: a source cannot be read, or the target exists, is inside a source or cannot be written.
        ValueError: an invalid argument, or a file of `decryption_keys` is missing or not a private key.
    """
    check_choice("only", only, (None, *get_args(Only)))
    check_choice("missing", missing, get_args(Missing))
    if not dry_run and out is None:
        raise ValueError("without out, dry_run must be True: nothing can be written")
    if decryption_keys is not None:
        DecryptionKeys.of(decryption_keys).check()
        if isinstance(source, Sources) and (donors is None or isinstance(donors, Sources)):
            raise TypeError(KEYS_TOO_LATE)
    keys = decryption_keys
    sources = source if isinstance(source, Sources) else Sources(source, filesystem, decryption_keys=keys).required()
    lent = (
        donors if donors is None or isinstance(donors, Sources) else Sources(donors, filesystem, decryption_keys=keys)
    )
    log_dirs = [LogDir(each.location, directory=each) for each, _ in log_dirs_of_a_node(sources, tiers=True)]
    if not any(each.partitions for each in log_dirs) and (lent is None or not log_dirs):
        raise _nothing(sources)
    there: list[str] = []
    if topics is not None:
        there = [name for name, _ in (*sources.names, *(lent.names if lent else ())) if name]
    absent = sources.require_found(absent_names("topic", topics, there), missing)
    notes: list[str] = []
    joined = _joined(sources, log_dirs)
    log_dirs = _without_link_targets(_without_joined_tiers(log_dirs, joined), notes)
    lent_partitions = [] if lent is None else [one.partition for one in lent.found if one.file is None]
    at_hand = [*(partition for each in log_dirs for partition in each.partitions), *lent_partitions]
    metadata_logs = [each.location for each in at_hand if each.topic == CLUSTER_METADATA]
    known = ReachableMetadata(metadata_logs, metadata, filesystem)
    dirs = owned_dirs(log_dirs, known, {(each.topic, each.partition) for each in at_hand}, notes)
    groups = copies_of_partitions(dirs, lent_partitions, name_filter(topics, "topics"), notes, joined, known)
    lent_dirs = [] if lent is None else dirs_as_they_say(lent.log_dirs)
    plan = RepairPlan(dirs, lent_dirs, known, notes, restores=only is None)
    made = SideFiles(
        index_interval_bytes,
        index_max_bytes,
        logs=only is None,
        indexes=only in (None, "indexes"),
        snapshots=only in (None, "snapshots"),
        epochs=only in (None, "checkpoints"),
    )
    run = _Run(plan, made, notes, mends=mend_offsets, limits=limits or Limits(), advance=advance)
    read = [*sources, *(() if lent is None else lent)]
    with ExitStack() as stack:
        if not dry_run and out is not None:
            notes += left_of(out)
            run.directories = _folders(stack.enter_context(new_directory(out, read)), dirs)
        elif out is not None:
            check_target(local_path(out), read)
        run.repair(groups)
        run.complete(dirs, only)
        lost = [*run.lost_logs(name_filter(topics, "topics"))] if only is None else []
    said = (*absent, *sources.notes, *(() if lent is None else lent.notes))
    ours = dict.fromkeys((*notes, *run.sums(), *known.notes, *lost))
    noted = [each if isinstance(each, Note) else Note(each, is_finding=False) for each in ours]
    return Repaired(run.done, (*said, *noted), run.advice())


def _nothing(sources: Sources) -> SourceError:
    named = next(iter(sources))
    is_partition = named.is_file() or parse_partition_name(named.name).topic is not None
    if is_partition:
        return SourceError("is not a log directory: name the one that holds it", file=str(named))
    return SourceError("no log directory with a partition here or below", file=str(named))


def _without_link_targets(log_dirs: Sequence[LogDir], notes: list[str]) -> list[LogDir]:
    """Leave out directories of no node whose partitions a log directory links to: a broker reads them there."""
    links, kept = link_targets(log_dirs), []
    for each in log_dirs:
        has_own = any(links.get(one.location.identity, one) is one for one in each.partitions)
        if has_own or not each.partitions or each.location.child(META_PROPERTIES).is_file():
            kept.append(each)
        else:
            notes += [of_link(one, links[one.location.identity]) for one in each.partitions]
    return kept


def _joined(sources: Sources, log_dirs: Sequence[LogDir]) -> "Mapping[str, Partition] | None":
    """Partitions that join remote storage and disks in one log, by location identity; None without a tier."""
    if not any(each.location.is_tier for each in log_dirs):
        return None
    return {one.partition.location.identity: one.partition for one in sources.found if one.file is None}


def _without_joined_tiers(log_dirs: list[LogDir], joined: "Mapping[str, Partition] | None") -> list[LogDir]:
    """Leave out a tier whose partitions are all on the disks, too: it has no folder of its own."""
    if joined is None:
        return log_dirs
    return [
        each
        for each in log_dirs
        if not each.location.is_tier or any(one.location.identity in joined for one in each.partitions)
    ]


def _folders(work: Path, dirs: "Sequence[OwnedDir]") -> dict[str, Path]:
    """Make a folder for the copy of each log directory; returns them by the log directory's path."""
    names = folder_names([each.log_dir for each in dirs]) if len(dirs) > 1 else ["."]
    folders = {each.path: work / name for each, name in zip(dirs, names, strict=True) if each.copy_of is None}
    for folder in folders.values():
        folder.mkdir(PRIVATE_DIRECTORY, exist_ok=True)
    return folders


def _lost(answer: RepairedPartition) -> int:
    """Number of dropped ranges whose records no other copy has, and no newer leader epoch replaces."""
    return max(0, sum(each.reason != SUPERSEDED for each in answer.dropped) - answer.filled)


class _Run:
    """Writes the partitions one after another; an error in one does not stop the others."""

    def __init__(
        self,
        plan: RepairPlan,
        made: SideFiles,
        notes: list[str],
        *,
        mends: bool,
        limits: Limits,
        advance: Callable[[int], None],
    ) -> None:
        self.directories: dict[str, Path] = {}
        self.done: list[RepairedPartition] = []
        self._plan = plan
        self._made = made
        self._notes = notes
        self._mends = mends
        self._limits = limits
        self._advance = advance
        self._twice = self._filled = self._added = self._added_markers = 0
        self._gaps: list[str] = []

    def repair(self, groups: "Mapping[Key, Sequence[HeldCopy]]") -> None:
        """Read the copies of each partition, and write the merged one.

        Raises:
            SourceError: a file cannot be read or written.
        """
        for key, copies in groups.items():
            read = list(self._read(copies))
            if not read:
                continue
            for target in self._plan.targets(key, read):
                self._twice += len(target.own) > 1
                self._make(target)

    def complete(self, dirs: "Sequence[OwnedDir]", only: Only | None) -> None:
        """Write the files beside the partitions of each log directory, and note logs that end below a checkpoint.

        Raises:
            SourceError: a file cannot be read or written.
        """
        made = {(one.topic, one.partition) for one in self.done if not one.error}
        lacking = {each.path.rpartition("/")[0] for each in self._plan.absent()}
        for each in dirs:
            kept = read_checkpoints(each.log_dir.location, self._notes) if only in (None, "checkpoints") else {}
            done = [one for one in self.done if one.log_dir == each.path and not one.error]
            ends = lost_ends(kept, done) if only is None else []
            self._notes += ends
            directory = self.directories.get(each.path)
            if directory is not None:
                live = {(one.topic, one.partition) for one in each.log_dir.partitions if one.state == "live"}
                is_whole = not ends and each.path.rstrip("/") not in lacking and live <= made
                is_whole &= not any(_lost(one) for one in done)
                self._notes += write_beside(each, done, kept, directory, only, is_whole=is_whole)
                self._notes += share(directory, [each.log_dir.location])

    def _read(self, copies: "Sequence[HeldCopy]") -> "Iterator[HeldCopy]":
        for each in copies:
            try:
                each.read(self._notes, mends=self._mends, limits=self._limits, advance=self._advance)
            except DataError as error:
                self._fail(each.partition, each.owned, error)
            else:
                yield each

    def _make(self, target: "Target") -> None:
        merged = merge(target, self._notes)
        directory = self.directories.get(target.place.path)
        path = None if directory is None else directory / merged.name
        try:
            if path is not None:
                write_partition(merged, path, self._made, self._advance, self._notes)
        except DataError as error:
            if path is not None:
                shutil.rmtree(path, ignore_errors=True)
            self._fail(merged.partition, target.place, error)
            return
        answer = merged.answer()
        self.done.append(answer)
        self._filled += merged.added > 0
        self._added += merged.added - merged.added_markers
        self._added_markers += merged.added_markers
        if _lost(answer) and (target.elsewhere is None or target.elsewhere):
            self._gaps.append(f"{merged.partition.path}")

    def _fail(self, partition: "Partition", owned: "OwnedDir | None", error: DataError) -> None:
        """List a partition that is missing from the output because of an error."""
        self._notes.append(f"{partition.path} is not copied: {error}")
        if owned is None:
            return
        file, position = error.file or partition.path, error.position or 0
        dropped = Dropped(file, position, 0, reason_of(error), None, None, None)
        self.done.append(
            RepairedPartition(
                partition.topic,
                partition.partition,
                (),
                0,
                0,
                0,
                (dropped,),
                0,
                0,
                0,
                has_gaps=False,
                node_id=owned.node_id,
                log_dir=owned.path,
                error=str(error),
            )
        )

    def sums(self) -> Iterator[str]:
        """Notes on all partitions together."""
        if self._twice:
            these = "1 partition is" if self._twice == 1 else f"{self._twice} partitions are"
            yield f"{these} found more than once: written once, in the folder of the best copy"
        if self._filled:
            count = "1 partition" if self._filled == 1 else f"{self._filled} partitions"
            records = counted(self._added, "record")
            if self._added_markers:
                records += f" and {counted(self._added_markers, 'control record')}"
            does = "is" if self._added + self._added_markers == 1 else "are"
            yield f"{records} of {count} {does} filled in from other copies (which: --columns topic,partition,sources)"
        yield from self._plan.sums()

    def lost_logs(self, takes: Callable[[str], bool]) -> Iterator[Note]:
        """Findings on partitions that their nodes had, and have lost.

        Args:
            takes: whether a topic is wanted.
        """
        made = {(each.log_dir.rstrip("/"), each.topic, each.partition) for each in self.done}
        for each in self._plan.absent():
            if not takes(each.topic):
                continue
            known = f"{each.topic}-{each.partition}, which its checkpoints know up to offset {each.reached}"
            if (each.path.rpartition("/")[0], each.topic, each.partition) in made:
                text = f"{each.path}: the directory has lost {known}: made from other copies"
            else:
                leads = "" if len(each.replicas) == 1 else ", and cuts the other replicas to it if this node leads"
                text = f"{each.path}: no copy has {known}: Kafka makes a new, empty log{leads}"
            yield Note(text, path=each.path, topic=each.topic, partition=each.partition)

    def advice(self) -> str:
        """The remedy for the remaining gaps, or ""."""
        if not self._gaps:
            return ""
        return (
            f"Kafka does not fill these gaps: {listed(self._gaps, _MOST_NAMED)}. Name the disks of another "
            "replica with --from; or, while another broker leads the partition, delete its directory in the copy and "
            "let the broker fetch it again"
        )
