"""Follower: the records of growing logs, similar to the lines of `tail -f`."""

import os
import time
from collections.abc import Generator, Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, OnDamage, SourceError
from kafkafmt.files.damage import Damage, Note, warn
from kafkafmt.findings import finding_of
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.source import locate
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.logdir.checkpoints import Checkpoints
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.growth import TreeWatch
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.logdir.tiered_partition import TieredPartition
from kafkafmt.phrases import counted
from kafkafmt.scanning.batching import Part, Reader, record_batches
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.followed_log import FollowedLog
from kafkafmt.scanning.left_log import DeletedLogs, LeftLog, key_of
from kafkafmt.scanning.polling import Polling
from kafkafmt.scanning.task_selection import TaskSelector, order_of
from kafkafmt.scanning.tasks import Replica
from kafkafmt.scanning.unseen_logs import UnseenLogs

if TYPE_CHECKING:
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.scanning.selection import Selection

INTERVAL: Final = 0.1
"""Seconds between two polls, unless one takes long."""

# Looking at ten thousand partitions takes some tens of milliseconds, and reading a changed one takes a millisecond,
# however little was written. These parts keep the load on a processor small, while records still come soon.
_PART_FOR_LOOKING: Final = 0.05
_PART_FOR_READING: Final = 0.1
_LONGEST_FOR_LOOKING: Final = 2.0
_LONGEST_FOR_READING: Final = 0.5
# Consecutive failures before an error is reported: a file that vanishes during a read is usually found at the next
# look, under another name.
_FAILURES: Final = 5
# Searches per poll: the second finds changes made during the first, and comes before the new logs are read, because
# logs of the same name must be read in the order in which they were created.
_SEARCHES: Final = 2
# Limit of logs whose directory is gone but may appear again in another log directory.
_MOST_LEFT: Final = 1000


@dataclass(frozen=True)
class Following:
    """The sources to follow, and the options; see `kafkafmt.scan`.

    Attributes:
        sources: the sources in which to search for partitions.
        found: the partitions and files found by the search.
        selection: the wanted records.
        schema: wanted columns.
        replica: "best" or "all".
        on_damage: "raise" or "skip".
        verify_checksums: whether to check CRCs.
        limits: bounds of memory.
        engine: "columnar" or "reference".
        threads: number of threads that decode at once.
        last: number of the last records of each partition to begin with; None for all.
        warns: whether polls warn of findings.
    """

    sources: "Sources"
    found: list[Found]
    selection: "Selection"
    schema: "pa.Schema"
    replica: Replica
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    engine: Engine
    threads: int
    last: int | None = None
    warns: bool = False


class Follower(Polling):
    """Record batches of growing logs: the present ones, then new ones. Made by `Scan.follow`.

        >>> follower = kafkafmt.scan("/var/lib/kafka/data", topics="orders").follow(last=0)
        >>> while True:
        ...     for batch in follower.poll():
        ...         print(batch.to_pylist())
        ...     follower.wait()

    Iterating does the same without end. Each record is given once, in whole batches, and those of a partition in the
    order of offsets. The next poll continues one that was not read to its end, or that ended with an error, and may
    then repeat the records of its last window.

    Args:
        following: the sources to follow, and the options.

    Attributes:
        schema: Arrow schema of the batches.
        damage: damage of polls, as in `Scan.damage`; grows until the caller clears it.
        notes: missed, truncated, deleted or recreated logs, and other notes of polls; grows until the caller clears it.
            At the end of a poll there are warnings of findings and of skipped damage, as after a pass of a `Scan`.

    Raises:
        SourceError: a source is not a directory or file of this machine.
    """

    def __init__(self, following: Following) -> None:
        self.schema = following.schema
        self.damage: list[Damage] = []
        self.notes: list[Note] = []
        self._unwarned: list[Damage | Note] = []
        self._how = following
        self._sources = following.sources
        self._found = following.found
        self._logs: dict[str, FollowedLog] = {}
        self._due: dict[str, FollowedLog] = {}
        self._left: dict[Hashable, LeftLog] = {}
        self._unseen_logs = UnseenLogs(following.selection)
        self._unseen: dict[str, FollowedLog] = {}
        self._checkpoints: dict[str, Checkpoints] = {}
        self._said: set[tuple[str | None, str]] = set()
        self._last = following.last
        self._looked_for = self._read_for = 0.0
        self._decoders: Decoders | None = None
        if following.engine == "columnar":
            expression = following.selection.residual
            reads = self.schema if expression is None else expression.reads(self.schema)
            self._decoders = Decoders(reads, following.verify_checksums, following.limits, following.threads)
        self._search()  # the scan may have been made some time ago

    def poll(self) -> Reader:
        """Return the records written since the last poll, or at the first poll the present ones; perhaps none.

        Raises:
            DataError: from the reader, at damage (`on_damage="raise"`). An incomplete batch at the end of a log, or one
                with a wrong CRC there, may still be being written, and is not damage.
            SourceError: from the reader, if a file that determines the wanted offsets cannot be read.
        """
        return Reader(self.schema, self._polled(), self.damage)

    def wait(self) -> None:
        """Wait until the next poll is due: 0.1 s, or up to 2 s if there are thousands of partitions."""
        for_looking = min(self._looked_for / _PART_FOR_LOOKING, _LONGEST_FOR_LOOKING)
        for_reading = min(self._read_for / _PART_FOR_READING, _LONGEST_FOR_READING)
        time.sleep(max(INTERVAL, for_looking, for_reading))

    def close(self) -> None:
        """Leave the decoders to other scans."""
        if self._decoders is not None:
            self._decoders.__exit__(None, None, None)

    def __repr__(self) -> str:
        logs = counted(len(self._logs), "partition or file", "partitions or files")
        return f"<Follower of {logs}: {', '.join(self.schema.names)}>"

    def _polled(self) -> "Generator[pa.RecordBatch, None, None]":
        """The batches of a poll, which warns of its findings at the end."""
        yield from self._batches()
        said, self._unwarned = self._unwarned, []
        warn(said)

    def _take(self, note: Note) -> None:
        self.notes.append(note)
        if self._how.warns:
            self._unwarned.append(note)

    def _batches(self) -> "Generator[pa.RecordBatch, None, None]":
        reading = Pass(
            self._how.selection,
            "skip",
            self._how.verify_checksums,
            self._how.limits,
            self._meet,
            self._take,
            self._how.engine,
            self._how.threads,
        )
        if self._last is not None:
            last, self._last = self._last, None
            yield from record_batches(self._tails(reading, last), self.schema)
        begin = time.thread_time()  # on a busy machine an inexpensive look may take long
        searches = 0
        while searches < _SEARCHES and (self._needs_search or self._tree.has_changed()):
            self._search()
            searches += 1
        searched = time.thread_time()
        self._due |= {identity: log for identity, log in self._logs.items() if log.has_changed(reading)}
        looked_at = time.thread_time()
        self._looked_for, self._read_for = looked_at - searched, searched - begin
        if not (self._due or self._unseen):
            return
        parts = self._parts(reading, may_search=searches < _SEARCHES)
        expression = self._how.selection.residual
        if expression is not None:
            parts = expression.keep(parts, self.schema)
        Decoders.forget_met()  # kernels are worth loading for a bulk read, not for a trickle
        yield from record_batches(parts, self.schema)
        self._read_for += time.thread_time() - looked_at

    def _parts(self, reading: Pass, *, may_search: bool) -> Iterator[Part]:
        """The new records of changed logs, in the order of a scan, preceded by the rest of deleted logs."""
        were_made_again = yield from self._read(reading)
        if were_made_again:
            if may_search:
                self._search()
            # They are read even if no search was due, as they may be deleted before the next poll.
            were_made_again = (yield from self._read(reading)) or not may_search
        self._needs_search |= were_made_again

    def _read(self, reading: Pass) -> Generator[Part, None, bool]:
        """Read the logs that are due; return whether some were recreated: others of their names may be deleted."""
        were_made_again = False
        due = [(identity, log) for identity, log in self._logs.items() if identity in self._due]
        waiting: set[Hashable] = set()
        # Sorting keeps the order of logs with the same name.
        for identity, log in sorted([*self._unseen.items(), *due], key=lambda item: order_of(item[1].found)[:-1]):
            if log.key in waiting:
                continue
            is_unseen, failed = identity in self._unseen, ""
            if is_unseen:
                log.has_changed(reading)
            try:
                yield from log.read(reading, self._decoders)
            except SourceError as error:
                failed = str(error)
                self._fail(log, error, is_kept=not is_unseen)
            if log.log.was_replaced:
                were_made_again = True
            elif not is_unseen:
                del self._due[identity]
            elif failed and log.failures < _FAILURES:
                waiting.add(log.key)  # records written later must not come first
            else:
                self._end(identity, failed)
        return were_made_again

    def _tails(self, reading: Pass, count: int) -> Iterator[Part]:
        for log in self._logs.values():
            log.has_changed(reading)
            try:
                yield from log.tail(reading, count, self.schema)
            except SourceError as error:
                self._fail(log, error)

    def _fail(self, log: FollowedLog, error: SourceError, *, is_kept: bool = True) -> None:
        """Try again at the next poll; report it if it fails again."""
        log.fail()
        self._needs_search = True
        if is_kept and log.failures == _FAILURES:
            self._take(Note(f"{error}; trying again", is_finding=False, path=error.file))

    def _meet(self, damage: Damage) -> None:
        """Take damage; a fault of a checkpoint occurs at each poll, so it is reported once.

        Raises:
            DataError: damage is not to be skipped.
        """
        if damage.is_open_end:
            return
        if self._how.on_damage == "raise":
            raise damage.error
        if damage.length or self._is_new(damage.error):
            self.damage.append(damage)
            if self._how.warns:
                self._unwarned.append(damage)

    def _is_new(self, error: KafkafmtError) -> bool:
        key = (error.file, error.message)
        is_new = key not in self._said
        self._said.add(key)
        return is_new

    def _search(self) -> None:
        """Search the sources again, and follow new logs."""
        require_local(self._sources, self._found)
        # Before the search, so that the next one finds changes after this look.
        partitions = {one.location.absolute for one in self._found if one.file is None}
        self._tree = TreeWatch((place.absolute for place in self._sources if place.is_directory()), partitions)
        self._needs_search = False
        sources = self._sources.searched_again()
        log_dirs: list[LogDir] = []
        try:
            self._found, log_dirs = sources.found, sources.log_dirs
        except SourceError:
            self._found = []  # as when nothing is mounted there temporarily
        for error in sources.unreadable:
            # Not a place that has vanished, nor one without a log.
            is_there = error.file is not None and os.path.lexists(error.file)
            if is_there and isinstance(error.__cause__, OSError) and self._is_new(error):
                self._take(Note(str(error), is_finding=False, path=error.file))
        selector = TaskSelector(self._how.selection, self._how.replica, self._broken, self._take)
        for copies in self._unseen_logs.find(log_dirs, self._found, self._logs.values()):
            for one in selector.replicas(copies)[0] or copies[:1]:
                self._unseen[one.location.identity] = FollowedLog(self._detached(one))
        self._choose(self._found)
        for identity, log in list(self._unseen.items()):
            why = self._unseen_logs.why_unread(log.found.partition)
            if why or not log.found.location.is_directory():
                self._end(identity, why)

    def _end(self, identity: str, why_unread: str = "") -> None:
        """Drop a log that was set aside, and note how far it was read."""
        left = self._unseen.pop(identity).leave(self._how.selection)
        note = left.unseen_note(DeletedLogs(), why_unread)
        self.notes += [] if note is None else [note]

    def _choose(self, found: list[Found]) -> None:
        """Follow the best replica of each new partition, or all replicas; forget those that are gone."""
        there = {one.location.identity for one in found}
        unseen = {identity for identity, log in self._logs.items() if self._is_read_aside(log)}
        gone: dict[Hashable, LeftLog] = {}
        for identity in [identity for identity in self._logs if identity not in there or identity in unseen]:
            log = self._logs.pop(identity)
            self._due.pop(identity, None)
            left = log.before if identity in unseen else log.leave(self._how.selection)
            if left is not None:
                gone[log.key] = left
        self._left |= gone
        taken = {log.key for log in self._logs.values()} if self._how.replica == "best" else set()
        new = [one for one in found if one.location.identity not in self._logs and key_of(one) not in taken]
        selector = TaskSelector(self._how.selection, self._how.replica, self._broken, self._take)
        for one in selector.replicas(new)[0]:
            left = self._left.pop(key_of(one), None)
            self._logs[one.location.identity] = FollowedLog(self._detached(one), left)
        self._logs = dict(sorted(self._logs.items(), key=lambda item: order_of(item[1].found)))
        deleted = DeletedLogs()
        self.notes += [left.note(deleted) for key, left in gone.items() if key in self._left]
        while len(self._left) > _MOST_LEFT:
            del self._left[next(iter(self._left))]

    def _is_read_aside(self, log: FollowedLog) -> bool:
        """Whether a log that was not read at all is read from its `-delete` or `-stray` directory."""
        if log.log.is_begun or not self._unseen:
            return False
        inode = log.log.inode  # None if it was gone when it was to be followed
        others = self._unseen.values()
        return any(log.key == other.key if inode is None else inode == other.log.inode for other in others)

    def _detached(self, found: Found) -> Found:
        """The same partition without its listing, as a search's listing of the whole tree is too large to keep."""
        partition, file = found.partition, found.file
        above = str(partition.location.parent)
        checkpoints = self._checkpoints.setdefault(above, Checkpoints(locate(above)))
        place = locate(str(partition.location))
        return Found(
            Partition(place, prefix=partition.prefix, checkpoints=checkpoints),
            None if file is None else Segment(locate(str(file.location)), file=file.file),
        )

    def _broken(self, error: KafkafmtError) -> None:
        """Continue without a checkpoint that cannot help to choose between replicas, and note it."""
        if self._is_new(error):
            self._take(Note.of(finding_of(error)))


def require_local(sources: "Sources", found: list[Found]) -> None:
    """Refuse remote file systems, where repeated listing would cost too much.

    Raises:
        SourceError: a source is remote.
    """
    remote = [place for place in sources if not isinstance(place, LocalLocation)]
    remote += [
        one.location
        for one in found
        if isinstance(one.location, TierPartition) or isinstance(one.partition, TieredPartition)
    ]
    if remote:
        raise SourceError("only local log directories can be followed, not remote storage", file=str(remote[0]))
