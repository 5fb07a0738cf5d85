"""ReplayRun: sends the records of lanes in transactions, each with the lanes' positions and the groups' offsets.

A session begins at the positions that the target has committed, as does the next session after a fault. Therefore a run
that was killed, the same run on another machine, and one that has lost a connection continue in the same way. If the
answer to a commit was lost, the positions alone show whether the transaction was committed.
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.replaying.cluster import PATIENCE, Position, TargetCluster
from kafkafmt.replaying.errors import FencedError, RefusedError, RetriableError, TakenOverError, TargetError
from kafkafmt.replaying.group_offsets import GroupOffsets
from kafkafmt.replaying.lanes import Int64s, Lane, LaneRecords, Progress, WantedRecords
from kafkafmt.replaying.pace import Pace
from kafkafmt.replaying.producer import Place, TransactionalProducer
from kafkafmt.replaying.replayed_offsets import ReplayedOffsets
from kafkafmt.replaying.step_ahead import StepAhead

if TYPE_CHECKING:
    from kafkafmt.disks import Disks

TRANSACTION_BYTES: Final = 64 * 2**20
"""Bytes of batches after which a transaction is committed."""

TRANSACTION_SECONDS: Final = 5.0
"""Seconds after which a transaction is committed, so that records of a slow replay can soon be read."""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
_PART_OF_TIMEOUT: Final = 3
_OWNER_DIGITS: Final = 12

Sent = tuple[Lane, Int64s, int]
"""A lane, the offsets of a batch's records in the source, and its base offset in the target."""


@dataclass(slots=True)
class _Transaction:
    """The content of the open transaction.

    Attributes:
        begun: time of the beginning, in seconds of a monotonic clock.
        size: size of the batches in bytes.
        sent: the batches to which the broker has assigned offsets.
        progress: positions after the transaction.
    """

    begun: float = field(default_factory=time.monotonic)
    size: int = 0
    sent: list[Sent] = field(default_factory=list)
    progress: dict[Lane, Progress] = field(default_factory=dict)


class ReplayRun:
    """A run with its own transactional id and group.

    Args:
        name: name of the run.
        disks: the source.
        cluster: the target.
        lanes: the lanes, in the order in which they are sent.
        choice: the wanted records.
        size_limits: largest batch of each target topic, in bytes.
        groups: gives the offsets of groups to translate, for the positions with which this process begins; None to
            leave groups alone. Called when no earlier start of the run can continue.
        pace: when records are sent.
        timeout_ms: timeout of transactions.
        tell: called with the number of records of each commit.

    Attributes:
        offset_map: offsets of the records that this process has sent.
        progress: the last committed positions of the lanes.
        begun: positions with which this process began.
    """

    def __init__(
        self,
        name: str,
        disks: "Disks",
        cluster: TargetCluster,
        lanes: Sequence[Lane],
        choice: WantedRecords,
        *,
        size_limits: Mapping[str, int],
        groups: Callable[[Mapping[Lane, Progress]], GroupOffsets | None],
        pace: Pace,
        timeout_ms: int,
        tell: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._group = group_of(name)
        self._disks, self._cluster, self._lanes, self._choice = disks, cluster, lanes, choice
        self._limits, self._groups_of, self._pace, self._tell = size_limits, groups, pace, tell
        self._groups: GroupOffsets | None = None
        self._producer = TransactionalProducer(cluster, f"{self._group}-0", timeout_ms)
        self._transaction = _Transaction()
        # A coordinator aborts transactions that are older than the timeout.
        self._seconds = min(TRANSACTION_SECONDS, timeout_ms / 1000 / _PART_OF_TIMEOUT)
        self.offset_map = ReplayedOffsets()
        self.progress: dict[Lane, Progress] = {}
        self.begun: dict[Lane, Progress] = {}
        self._moved = time.monotonic()
        self._in_session_since: float | None = None
        # Names of the starts that may own the committed positions: this one, and those found when it took over.
        self._owner = uuid.uuid4().hex[:_OWNER_DIGITS]
        self._owners: set[str] = set()

    def run(self, starts: Mapping[Lane, Progress]) -> None:
        """Send all records.

        Args:
            starts: where lanes without a committed position begin.

        Raises:
            RefusedError: the committed positions belong to another source.
            TakenOverError: another start of this run has taken over.
            TargetError: the target refuses a request, or cannot be reached.
            KafkafmtError: the source is damaged or cannot be read.
        """
        try:
            self._run(starts)
        except BaseException:
            # Otherwise consumers with read_committed would wait until the transaction times out.
            with suppress(TargetError):
                self._producer.abort()
            raise

    def _run(self, starts: Mapping[Lane, Progress]) -> None:
        pause, faulty_since = _FIRST_PAUSE, 0.0
        while True:
            before = self._moved
            self._in_session_since = None
            try:
                self._start_session(starts)
                self._send_all()
                # A commit is answered before its markers are written. A new session waits for them: then the last
                # records can be read, and are on the disks of a broker that is stopped now. A start that has taken over
                # waits for them itself.
                if not self._is_taken_over():
                    self._producer.start_session()
            except (FencedError, RetriableError) as error:
                # Fenced by another start, which then has committed positions, or by the coordinator, which aborts a
                # transaction that takes too long, such as when this process was stopped for a while.
                if isinstance(error, FencedError) and not self._owners:
                    raise _taken_over(error.message) from error
                now = time.monotonic()
                was_sound = self._in_session_since is not None and now - self._in_session_since > PATIENCE
                if not faulty_since or self._moved > before or was_sound:
                    faulty_since = now
                elif now - faulty_since > PATIENCE:
                    raise
                self._cluster.tell(error)
            else:
                return
            self._cluster.close()
            pause = _FIRST_PAUSE if self._moved > before else min(2 * pause, _LONGEST_PAUSE)
            time.sleep(pause)

    def _start_session(self, starts: Mapping[Lane, Progress]) -> None:
        # A new session fences a later start. Passing the current epoch to InitProducerId (KIP-360) would not help: a
        # coordinator that has aborted a slow transaction refuses that epoch, too, as it forgets the epoch before.
        if self._is_taken_over():
            raise _taken_over(f"group {self._group}")
        self._producer.start_session()
        stored = self._cluster.patiently(lambda: self._cluster.committed(self._group, stable=True))
        # That has waited for what a later start has committed meanwhile; if this one has fenced it, it resumes.
        if self._owners and _owners_of(stored) - self._owners:
            raise _taken_over(f"group {self._group}")
        self._owners = self._owners or {self._owner, *_owners_of(stored)}
        known = positions_of(self._lanes, stored)
        last, self._transaction = self._transaction, _Transaction()
        if last.progress and all(known.get(lane) == each for lane, each in last.progress.items()):
            self._take(last)  # the answer to its commit was lost, but it was committed
        if self.begun:
            self._require(known)
        found = {lane: known.get(lane, starts[lane]) for lane in self._lanes}
        self.progress = {lane: self._taken(lane, each) for lane, each in found.items()}
        if taken := {lane: each for lane, each in self.progress.items() if known.get(lane) != each}:
            # From now on the target knows which run fills it, even if everything that follows is aborted, and an
            # earlier start that has lost its connection knows that it must stop.
            self._producer.commit_offsets(self._group, {lane.target: each.position for lane, each in taken.items()})
            self._producer.commit()
        if not self.begun:
            self._groups = self._groups_of(self.progress)
            self.begun = dict(self.progress)
        self._in_session_since = time.monotonic()

    def _taken(self, lane: Lane, progress: Progress) -> Progress:
        """A position as this start commits it."""
        until = progress.aborted_until if lane.aborted is None else lane.source.log_end_offset or 0
        return replace(progress, owner=self._owner, aborted_until=until)

    def _is_taken_over(self) -> bool:
        """Whether a later start has committed positions; False before this start has seen any."""
        if not self._owners:
            return False
        # Not the stable offsets: fetching those would wait for the end of this start's own transaction.
        stored = self._cluster.patiently(lambda: self._cluster.committed(self._group, stable=False))
        return bool(_owners_of(stored) - self._owners)

    def _require(self, known: Mapping[Lane, Progress]) -> None:
        """Check that the target still has the positions that this start has committed.

        Raises:
            TargetError: positions are missing; beginning again would send records twice.
        """
        for lane, reached in self.progress.items():
            if lane not in known or known[lane].records < reached.records:
                raise TargetError(
                    f"group {self._group}: the positions of this run are gone, such as that of {lane}: the group was "
                    "deleted, or its offsets have expired. Records that were committed stay"
                )

    def _send_all(self) -> None:
        starts = {lane: self.progress[lane].offset for lane in self._lanes}
        with StepAhead(self._pace.pieces(self._disks, self._choice, starts)) as steps:
            for step in steps:
                if step is not None and step[1] is not None:
                    self._send(step[0], step[1])
                elif step is not None:
                    self._complete(step[0])
                if self._is_due():
                    self._commit()
        self._commit()

    def _send(self, lane: Lane, piece: LaneRecords) -> None:
        """Send the records of a piece, and record the lane's position after them."""
        producer, place = self._producer, lane.target
        offsets, begin = piece.rows.offsets, 0
        session = producer.producer_id, producer.epoch
        limit = self._limits[place[0]]
        for batch, count in piece.batches(session, producer.sequence(place), limit):
            if self._is_due():
                self._commit()
            time.sleep(max(0.0, producer.throttled_until - time.monotonic()))
            producer.add_partitions([place])
            some = offsets[begin : begin + count]
            transaction = self._transaction
            producer.send(place, batch, count, _noting(transaction.sent, lane, some))
            transaction.size += len(batch)
            begin += count
            before = transaction.progress.get(lane, self.progress[lane])
            transaction.progress[lane] = replace(
                before, offset=int(some[-1]) + 1, records=before.records + count, is_complete=False
            )

    def _complete(self, lane: Lane) -> None:
        """Record that a lane has no more records."""
        before = self._transaction.progress.get(lane, self.progress[lane])
        if not before.is_complete or (self._groups is not None and not self._groups.is_committed(lane, before)):
            self._transaction.progress[lane] = replace(before, is_complete=True)

    def _is_due(self) -> bool:
        transaction = self._transaction
        now = max(time.monotonic(), self._producer.throttled_until)  # it would stay open as long as nothing is sent
        return (transaction.size >= TRANSACTION_BYTES or now - transaction.begun > self._seconds) and bool(
            transaction.progress
        )

    def _commit(self) -> None:
        """Commit the transaction with positions and groups; does nothing if it is empty."""
        transaction, producer = self._transaction, self._producer
        if not transaction.progress:
            transaction.begun = time.monotonic()
            return
        producer.flush()
        for lane, offsets, base in transaction.sent:
            reached = transaction.progress[lane]
            transaction.progress[lane] = replace(reached, target=base + len(offsets))
        if self._groups is not None:
            by_group = self._groups.passed(self.progress, transaction.progress, transaction.sent)
            for group, positions in by_group.items():
                producer.commit_offsets(group, positions)
        transaction.progress = {lane: self._with_groups(lane, each) for lane, each in transaction.progress.items()}
        positions = {lane.target: each.position for lane, each in transaction.progress.items()}
        producer.commit_offsets(self._group, positions)
        producer.commit()
        self._transaction = _Transaction()
        self._take(transaction)

    def _with_groups(self, lane: Lane, progress: Progress) -> Progress:
        """A position that includes the group offsets committed with it."""
        if self._groups is None:
            is_further = progress.records > self.progress[lane].records
            return replace(progress, groups="") if is_further else progress
        return replace(progress, has_groups=True, groups=self._groups.digest(lane))

    def _take(self, transaction: _Transaction) -> None:
        """Record a committed transaction."""
        for lane, offsets, base in transaction.sent:
            self.offset_map.add(lane, offsets, np.arange(base, base + len(offsets)))
        self.progress |= transaction.progress
        self._moved = time.monotonic()
        self._tell(sum(len(offsets) for _, offsets, _ in transaction.sent))


def group_of(name: str) -> str:
    """The group that stores the positions of a run."""
    return f"kafkafmt-replay-{name}"


def positions_of(lanes: Sequence[Lane], stored: "Mapping[Place, Position]") -> dict[Lane, Progress]:
    """The committed positions of lanes; lanes without one are left out.

    Raises:
        RefusedError: a position does not belong to the lane's source.
    """
    found, wrong = {}, []
    for lane in lanes:
        position = stored.get(lane.target)
        if position is None:
            continue
        progress = Progress.of(position)
        topic, number = lane.target
        if progress is None:
            wrong.append(f"{topic}-{number} of the target has an offset in the run's group that is not of a replay")
        elif (progress.topic, progress.partition, progress.source) != (lane.topic, lane.partition, lane.topic_id):
            wrong.append(
                f"{topic}-{number} of the target is filled from another source by this run: "
                f"{progress.topic}-{progress.partition}{progress.source and f' with topic id {progress.source}'}"
            )
        else:
            found[lane] = progress
    if wrong:
        raise RefusedError([f"{each}; another --run has its own positions" for each in wrong])
    return found


def _owners_of(stored: "Mapping[Place, Position]") -> set[str]:
    """The starts that have committed these positions."""
    return {each.owner for each in map(Progress.of, stored.values()) if each is not None}


def _taken_over(where: str) -> TakenOverError:
    return TakenOverError(
        f"{where}: another start of this run has taken over. Committed records stay; replays that send the same "
        "source at the same time each need their own --run"
    )


def _noting(sent: list[Sent], lane: Lane, offsets: Int64s) -> Callable[[int], None]:
    return lambda base: sent.append((lane, offsets, base))
