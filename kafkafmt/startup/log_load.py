"""The load of one log: what Kafka's `LogLoader` does to a partition directory at a start, without writing.

Renames and deletions are simulated on a list of the directory's files; the log files are read in place.
Checked against Kafka 4.3.1.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.files.names import LEADER_EPOCHS, PARTITION_METADATA, parse_segment_file_name, segment_file_name
from kafkafmt.io.base import DirectoryEntry
from kafkafmt.reference.header import INT32_MAX, INT64_MAX, INT64_MIN, to_int64
from kafkafmt.startup import side_files
from kafkafmt.startup.log_segments import LogSegments
from kafkafmt.startup.lost import count_lost
from kafkafmt.startup.outcome import BrokerError, DirectoryOfflineError, InvalidOffsetError, LoadedLog, UnreadableError
from kafkafmt.startup.overflow import SegmentOverflowError, SplitPart, split
from kafkafmt.startup.recovered import (
    LARGER_INDEXES,
    OFFSET_ENTRY_BYTES,
    TIME_ENTRY_BYTES,
    EpochCache,
    ReplayedProducers,
)
from kafkafmt.startup.segment import LoadedSegment
from kafkafmt.survey import advice

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.io.base import Location
    from kafkafmt.startup.recovered import Recovered

T = TypeVar("T")

_INDEXES = (".index", ".timeindex", ".txnindex")
_SNAPSHOT = ".snapshot"


def load_log(
    listing: Sequence[DirectoryEntry],
    *,
    recovery_point: int,
    log_start_offset: int,
    clean_shutdown: bool,
    is_deleted: bool = False,
    end_on_disk: int | None = None,
    index_interval_bytes: int = INDEX_INTERVAL_BYTES,
    index_bytes: int = INDEX_MAX_BYTES,
    is_tiered: bool = False,
) -> LoadedLog:
    """Load the log of a partition directory as a starting broker does.

    Args:
        listing: entries of the directory.
        recovery_point: offset up to which the log is known to be flushed; 0 without a checkpoint.
        log_start_offset: the log's entry in log-start-offset-checkpoint; 0 without one.
        clean_shutdown: whether the log directory has the mark of a clean shutdown.
        is_deleted: whether it is a `-delete` directory, which Kafka never recovers.
        end_on_disk: offset after the last sound batch, if it is known: records above a lower log end are counted.
        index_interval_bytes: the topic's `index.interval.bytes`.
        index_bytes: the topic's `segment.index.bytes`.
        is_tiered: whether the topic has remote storage, so that its log may start before its first segment.

    Raises:
        BrokerError: the broker does not start with it, or the log directory goes offline.
        SourceError: a file cannot be read.
    """
    load = _Load(listing, log_start_offset, index_interval_bytes, index_bytes, clean=clean_shutdown)
    try:
        return load.run(recovery_point, end_on_disk, is_deleted=is_deleted, is_tiered=is_tiered)
    finally:
        load.close()


class _Load:
    def __init__(
        self, listing: Sequence[DirectoryEntry], log_start: int, interval: int, index_bytes: int, *, clean: bool
    ) -> None:
        self._files = {entry.name: entry for entry in listing if entry.is_file}
        self._directories = {entry.name: entry for entry in listing if entry.is_directory}
        self._log_start = log_start
        self._interval = interval
        self._index_bytes = index_bytes
        self._opened: list[LoadedSegment] = []
        self._clean = clean
        self._segments = LogSegments()
        self._snapshots: dict[int, Location] = {}
        self._states: dict[int, ReplayedProducers] = {}
        self._epochs = EpochCache()
        self._has_swaps = False
        # Stands for every file that the broker creates; no later step reads their content.
        self._made = DirectoryEntry("", listing[0].location, is_directory=False, size=0) if listing else None
        self._parts: dict[str, SplitPart] = {}
        self._entries = listing
        self.log = LoadedLog()

    def run(self, recovery_point: int, end_on_disk: int | None, *, is_deleted: bool, is_tiered: bool) -> LoadedLog:
        """Run the steps of `UnifiedLog.create`."""
        self._require_files(LEADER_EPOCHS)
        self._epochs = side_files.read_epochs(self._files.get(LEADER_EPOCHS))
        self._snapshots = {
            _offset(entry): entry.location for name, entry in self._files.items() if name.endswith(_SNAPSHOT)
        }
        on_disk = self._sizes()
        self._finish_swaps()
        self._split_and_retry(self._load_segments)
        end = 0 if is_deleted else self._split_and_retry(lambda: self._recover(recovery_point))
        log = self.log
        first = self._segments.first_base
        log.log_start_offset = self._log_start if first is None or is_tiered else max(self._log_start, first)
        log.log_end_offset = end
        log.added_epochs = [(epoch, begin) for epoch, begin in self._epochs.added if begin < end]
        if not is_deleted:
            log.has_open_transaction = self._rebuild_producers(end, log.log_start_offset, self._clean)
            if self._clean:
                self._require_files(segment_file_name(end, "snapshot"))
        segments = [*self._segments]
        log.lost_bytes = None if self._has_swaps else on_disk - sum(each.size for each in segments)
        count_lost(log, self._entries, segments, falls=end_on_disk is not None and end < end_on_disk)
        bases = {f"{segment.base_offset:020d}" for segment in segments}
        log.rebuilt = sorted({name for name in log.rebuilt if name.rpartition(".")[0] in bases})
        self._require_files(PARTITION_METADATA)
        side_files.check_topic_id(self._files.get(PARTITION_METADATA))
        return log

    def close(self) -> None:
        """Close all files."""
        for segment in self._opened:
            segment.close()

    def _sizes(self) -> int:
        return sum(entry.size or 0 for name, entry in self._files.items() if name.endswith(".log"))

    # -- before the segments ----------------------------------------------------------------------------------------

    def _require_files(self, *names: str) -> None:
        """Raise Kafka's error if a directory has the name of a file that Kafka opens."""
        for name in names:
            entry = self._directories.get(name)
            if entry is not None:
                raise DirectoryOfflineError(
                    f"java.io.FileNotFoundException: {entry.path} (Is a directory)", entry.path, advice=advice.DIRECTORY
                )

    def _finish_swaps(self) -> None:
        """`removeTempFilesAndCollectSwapFiles`, and its three passes over swap files."""
        for entry in self._entries:
            if not entry.location.is_readable():
                raise UnreadableError(
                    f"java.io.IOException: Could not read file {entry.path}",
                    entry.path,
                    advice="give Kafka's user the right to read it",
                )
        files = self._files
        for name in [name for name in files if name.endswith(".deleted") and not name.endswith(".checkpoint.deleted")]:
            del files[name]
        cleaned = [name for name in files if name.endswith(".cleaned")]
        smallest = min((_offset(files[name]) for name in cleaned), default=INT64_MAX)
        swaps = [name for name in files if name.endswith(".swap")]
        for name in [name for name in swaps if _offset(files[name]) >= smallest] + cleaned:
            del files[name]
        swaps = [name for name in swaps if name in files]
        first, end = INT64_MAX, -1
        for name in swaps:
            if name.endswith(".log.swap"):
                segment = self._open(name)
                first, end = min(first, segment.base_offset), max(end, segment.next_offset())
                # Kafka creates an offset index as a side effect of reading the last offset of a swap file.
                self._add_file(segment_file_name(segment.base_offset, "index", ".swap"))
        swaps = [name for name in files if name.endswith(".swap")]
        self._has_swaps = any(name.endswith(".log.swap") for name in swaps)
        replaced = []
        for name in list(files):
            parsed = parse_segment_file_name(name)
            if not name.endswith(".swap") and parsed is not None and first <= parsed.base_offset < end:
                del files[name]
                replaced.append(name)
        for name in swaps:
            entry = files.pop(name)
            files[name.removesuffix(".swap")] = entry
        self.log.deleted_segments += [name for name in replaced if name.endswith(".log") and name not in files]

    # -- segments ---------------------------------------------------------------------------------------------------

    def _open(self, name: str) -> LoadedSegment:
        entry = self._files[name]
        suffix = ".swap" if name.endswith(".swap") else ""
        base_offset = _offset(entry, name)
        if not suffix:  # Kafka opens the file of this name, whatever the listed file is called, or creates it
            name = segment_file_name(base_offset, "log")
            self._add_file(name)
            entry = self._files[name]
        if (entry.size or 0) > INT32_MAX and name not in self._parts:
            raise BrokerError(
                f"KafkaException: The size of segment {entry.path} ({entry.size}) is larger than the maximum allowed "
                f"segment size of {INT32_MAX}",
                entry.path,
                advice="kafkafmt repair makes a copy without what follows its last batch",
            )
        index = self._files.get(segment_file_name(base_offset, "index", suffix))
        index = None if index is self._made else index
        segment = LoadedSegment(base_offset, entry, index, self._parts.get(name))
        self._opened.append(segment)
        return segment

    def _split_and_retry(self, step: "Callable[[], T]") -> "T":
        """`retryOnOffsetOverflow`."""
        while True:
            try:
                return step()
            except SegmentOverflowError as overflow:
                self._split(overflow.segment)

    def _split(self, segment: LoadedSegment) -> None:
        """Replace an overflowed segment with its parts."""
        parts = split(segment, self._interval)
        segment.close()
        files, base = self._files, segment.base_offset
        entry = files[segment_file_name(base, "log")]
        made = segment.name, [part.base_offset for part in parts]
        if made not in self.log.splits:  # a file of another name stays until the log is recovered
            self.log.splits.append(made)
        if self._segments.remove(base):
            for kind in ("log", "index", "timeindex", "txnindex"):
                files.pop(segment_file_name(base, kind), None)
        for part in parts:
            name = segment_file_name(part.base_offset, "log")
            files[name] = DirectoryEntry(name, entry.location, is_directory=False, size=part.size)
            self._parts[name] = part
            for kind in ("index", "timeindex"):
                files.pop(segment_file_name(part.base_offset, kind), None)
                self._add_file(segment_file_name(part.base_offset, kind))
                self.log.rebuilt.append(segment_file_name(part.base_offset, kind))
            self._segments.add(self._open(name))

    def _load_segments(self) -> None:
        """`loadSegmentFiles`: recovers segments without an offset index, or with a wrong transaction index."""
        files = self._files
        self._segments.clear()
        for name in sorted(files):
            if name.endswith(_INDEXES):
                if segment_file_name(_offset(files[name], name), "log") not in files:
                    del files[name]
            elif name.endswith(".log"):
                segment = self._open(name)
                base = segment.base_offset
                self._require_files(segment_file_name(base, "txnindex"))
                index = segment_file_name(base, "index")
                is_missing = index not in files and index not in self._directories
                if is_missing or side_files.is_wrong_index(self._files.get(segment_file_name(base, "txnindex")), base):
                    found = self._recover_segment(segment)
                    if found.truncated:
                        self._cut(segment, found.reason)
                    segment.close()  # a process has a limit of open files, and all segments of a log may lack an index
                elif segment_file_name(base, "timeindex") not in files:
                    self._add_file(segment_file_name(base, "timeindex"))
                self._segments.add(segment)

    def _recover_segment(self, segment: LoadedSegment) -> "Recovered":
        base = segment.base_offset
        names = [segment_file_name(base, kind) for kind in ("index", "timeindex")]
        self._require_files(*names)
        self._rebuild_producers(base, self._log_start, after_clean_shutdown=False)
        state = self._states.pop(base)
        self._add_file(names[0])
        found = segment.recover(state, self._epochs, self._interval, self._index_bytes)
        self._states[state.offset] = state
        self.log.walked.append(base)
        transaction_index = segment_file_name(base, "txnindex")
        if found.completes_aborted or transaction_index in self._files:
            names.append(transaction_index)
        for name in names:
            self._add_file(name)
        self.log.rebuilt += names
        return found

    def _recover(self, recovery_point: int) -> int:
        """`recoverLog`; returns the log end offset."""
        log = self.log
        if not self._clean:
            rest = self._segments.values(recovery_point)
            for number, segment in enumerate(rest):
                try:
                    found = self._recover_segment(segment)
                    truncated, reason = found.truncated, found.reason
                except InvalidOffsetError as error:
                    truncated, reason = segment.truncate_to(segment.base_offset), error.message
                    log.walked.append(segment.base_offset)
                    log.rebuilt += [segment_file_name(segment.base_offset, kind) for kind in ("index", "timeindex")]
                segment.close()
                if truncated > 0:
                    self._cut(segment, reason)
                    log.cuts_only_a_tail = number + 1 == len(rest) and (
                        not reason or segment.is_zero_from(segment.size)
                    )
                    self._delete(segment.base_offset + 1)
                    break
        last = self._segments.last
        if last is not None:
            # Kafka opens the active segment's indexes at every start, the others only for a consumer or retention.
            self._require_files(*(segment_file_name(last.base_offset, kind) for kind in ("index", "timeindex")))
            end = last.next_offset()
            if end >= self._log_start:
                log.last_indexed = last.last_indexed
                if last.base_offset not in log.walked:
                    self._resize_indexes(last.base_offset)
                return end
            log.reason = log.reason or f"the log end offset {end} is below the log start offset {self._log_start}"
            self._delete(INT64_MIN)
            self._snapshots.clear()
            self._states.clear()
        return self._log_start

    def _resize_indexes(self, base_offset: int) -> None:
        """`LogSegment.resizeIndexes` of the active segment, to the size in the topic's config."""
        for kind, entry_bytes in (("index", OFFSET_ENTRY_BYTES), ("timeindex", TIME_ENTRY_BYTES)):
            entry = self._files.get(segment_file_name(base_offset, kind))
            size, most = ((entry.size or 0) if entry else 0), self._index_bytes
            used, limit = (each // entry_bytes * entry_bytes for each in (size, most))
            if entry is not None and used > limit:
                raise BrokerError(
                    f"java.lang.IllegalArgumentException: newPosition > limit: ({used} > {limit}) [{entry.path}]",
                    entry.path,
                    advice=LARGER_INDEXES,
                )

    def _cut(self, segment: LoadedSegment, reason: str) -> None:
        self.log.truncate_from = segment.next_offset()
        self.log.reason = reason or "the last batch is incomplete"

    def _delete(self, offset: int) -> None:
        """Delete the segments with base offsets at or above an offset."""
        deleted = self._segments.cut(offset)
        self.log.deleted_segments += [segment_file_name(segment.base_offset, "log") for segment in deleted]

    def _add_file(self, name: str) -> None:
        if self._made is not None:
            self._files.setdefault(name, self._made)

    # -- producers --------------------------------------------------------------------------------------------------

    def _rebuild_producers(self, end: int, log_start: int, after_clean_shutdown: bool) -> bool:
        """`UnifiedLog.rebuildProducerState`; returns whether a transaction is open at the offset.

        Raises:
            BrokerError: Kafka refuses a batch on the way.
        """
        if not self._snapshots and not self._states and after_clean_shutdown:
            return False
        state = self._states.get(end)
        if state is None:
            earlier = [offset for offset in self._states if offset <= end]
            state = self._states.pop(max(earlier)) if earlier else ReplayedProducers(log_start)
            if not earlier:
                state.load(self._snapshots, log_start, end)
            self._replay(state, end)
            state.offset = end
            self._states[end] = state
        return bool(state)

    def _replay(self, state: ReplayedProducers, end: int) -> None:
        """Replay the log up to an offset, each segment as one append."""
        for segment in self._segments.values(state.offset, end) if end > state.offset else ():
            begin = segment.translate_offset(max(segment.base_offset, state.offset))
            if begin is not None:
                following = self._segments.base_after(segment.base_offset)
                holds_end = following is None or following > end
                stop = segment.translate_offset(end) if holds_end else None
                state.replay(segment, segment.batches(begin, stop))
            segment.close()


def _offset(entry: DirectoryEntry, name: str | None = None) -> int:
    """Offset in the name of a file: `LogFileUtils.offsetFromFileName`.

    Raises:
        BrokerError: the name does not begin with a number.
    """
    text = (name or entry.name).partition(".")[0]
    if not text.isascii() or not text.lstrip("+-").isdigit() or not INT64_MIN <= int(text) <= INT64_MAX:
        raise BrokerError(
            f'java.lang.NumberFormatException: For input string: "{text}"',
            entry.path,
            advice="move the file out of the directory",
        )
    return to_int64(int(text))
