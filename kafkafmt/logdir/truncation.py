"""The steps by which a follower truncates its log when it begins to follow a leader.

Either by leader epochs (KIP-101, KIP-279), as Kafka's `AbstractFetcherThread` and `UnifiedLog` do since 2.7, where the
fetch response names the epoch at which the logs diverge; or by high watermarks, as before Kafka 0.11.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from kafkafmt.answer_columns import Named
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.logdir.leader_epochs import UNDEFINED, EpochHistory

TruncationProtocol = Literal["leader epochs", "high watermark"]
LEADER_EPOCHS: Final = "leader epochs"
HIGH_WATERMARK: Final = "high watermark"
PROTOCOLS: Final[tuple[TruncationProtocol, ...]] = (LEADER_EPOCHS, HIGH_WATERMARK)
"""How a follower decides where to truncate: since Kafka 0.11, and earlier."""

LeaderResponse = Literal["records", "diverging epoch", "OFFSET_OUT_OF_RANGE"]
RECORDS: Final = "records"
DIVERGING: Final = "diverging epoch"
OUT_OF_RANGE: Final = "OFFSET_OUT_OF_RANGE"
RESPONSES: Final = (RECORDS, DIVERGING, OUT_OF_RANGE)
"""A leader's responses to a fetch."""


@dataclass(frozen=True, slots=True)
class LogState:
    """The facts that decide where a copy of a partition is truncated.

    Attributes:
        start: log start offset.
        end: log end offset.
        high_watermark: high watermark in the replication-offset-checkpoint; None without an entry, which counts as 0.
        epochs: epoch and start offset of each entry of the leader-epoch-checkpoint; both rise.
    """

    start: int
    end: int
    high_watermark: int | None
    epochs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, start: int, end: int, high_watermark: int | None, entries: Iterable[EpochEntry]) -> "LogState":
        """The state of a log, with the epochs that Kafka keeps when it loads the log."""
        kept = EpochHistory(entries).within(start, end).entries
        return cls(start, end, high_watermark, tuple((entry.epoch, entry.start_offset) for entry in kept))

    @property
    def kept_by_high_watermark(self) -> int:
        """The high watermark of a broker that has just started, which is within the log."""
        return min(max(self.high_watermark or 0, self.start), self.end)


@dataclass(frozen=True, slots=True)
class TruncationStep:
    """One step of a follower: a fetch with its answer, or a cut before the first fetch.

    Attributes:
        fetch_offset: where the follower fetches; None if it cuts before its first request.
        last_epoch: the last leader epoch that it names in the fetch, or None.
        response: the leader's answer: "records", "diverging epoch" or "OFFSET_OUT_OF_RANGE"; None without a request.
        diverging_epoch: the leader's largest epoch that is not above the follower's, or None.
        diverging_end: where that epoch ends in the leader's log, or None.
        truncate_to: where the follower cuts, or None. Cutting at or after its log end takes nothing away.
        asks_again: whether the cut is not the last, as the follower does not know the diverging epoch (KIP-279).
        starts_over: whether it drops all of its log, to begin at the leader's log start.
    """

    fetch_offset: Annotated[int | None, "int64"] = None
    last_epoch: Annotated[int | None, Named("lastFetchedEpoch", "int32")] = None
    response: Annotated[LeaderResponse | None, "string"] = None
    diverging_epoch: Annotated[int | None, "int32"] = None
    diverging_end: Annotated[int | None, Named("divergingEndOffset", "int64")] = None
    truncate_to: Annotated[int | None, "int64"] = None
    asks_again: bool = False
    starts_over: bool = False

    @property
    def explanation(self) -> Annotated[str, "string"]:
        """The step in words."""
        return str(self)

    def __str__(self) -> str:
        """The step in a sentence."""
        if self.response is None:
            return f"before the first fetch the follower cuts to its own high watermark {self.truncate_to}"
        epoch = "" if self.last_epoch is None else f" with last epoch {self.last_epoch}"
        asked = f"fetch at {self.fetch_offset}{epoch}: "
        if self.response == RECORDS:
            return f"{asked}the leader answers with records"
        if self.response == OUT_OF_RANGE:
            then = f"the log is dropped and restarts at {self.truncate_to}" if self.starts_over else self._cut()
            return f"{asked}the leader has no such offset; {then}"
        answer = f"in the leader's log epoch {self.diverging_epoch} ends at {self.diverging_end}"
        return f"{asked}{answer}; {self._cut()}"

    def _cut(self) -> str:
        if self.truncate_to is None:
            return "nothing is cut"
        again = ", and asks again, as it does not know that epoch" if self.asks_again else ""
        return f"the follower cuts to {self.truncate_to}{again}"


@dataclass(frozen=True, slots=True)
class Truncation:
    """The steps of a follower until it fetches records, and what they cut.

    Attributes:
        steps: the steps in order; the last is the fetch that returns records.
        end: log end offset of the follower at that fetch.
        cut: the same offset if something was cut, else None.
        drops_all: whether the follower's whole log is deleted.
    """

    steps: tuple[TruncationStep, ...]
    end: int
    cut: int | None
    drops_all: bool


def follow(leader: LogState, follower: LogState, protocol: TruncationProtocol = LEADER_EPOCHS) -> Truncation:
    """Let one copy follow another, which leads with a new epoch above all others.

    Args:
        leader: state of the leader's log.
        follower: state of the follower's log.
        protocol: one of `PROTOCOLS`.
    """
    return _Follower(leader, follower, protocol).follow()


class _Follower:
    def __init__(self, leader: LogState, follower: LogState, protocol: TruncationProtocol) -> None:
        newest = max((epoch for epoch, _ in (*leader.epochs, *follower.epochs)), default=-1) + 1
        self._leader = leader
        self._leader_epochs = _history((*leader.epochs, (newest, leader.end)))
        self._before = follower
        self._start, self._end = follower.start, follower.end
        self._by_epochs = protocol == LEADER_EPOCHS
        self._epochs = _history(follower.epochs if self._by_epochs else ())
        self._drops_all = False

    def follow(self) -> Truncation:
        steps = tuple(self._steps())
        changed = self._drops_all or self._end < self._before.end
        return Truncation(steps, self._end, self._end if changed else None, self._drops_all)

    def _steps(self) -> Iterator[TruncationStep]:
        offset = self._end
        if self._epochs.latest is None:
            offset = self._before.kept_by_high_watermark
            self._cut(offset)
            yield TruncationStep(truncate_to=offset)
        asked: set[tuple[int, int | None]] = set()
        while (offset, self._epochs.latest) not in asked:
            asked.add((offset, self._epochs.latest))
            step = self._fetch(offset)
            yield step
            if step.response == RECORDS:
                return
            offset = self._end if step.truncate_to is None else step.truncate_to

    def _fetch(self, offset: int) -> TruncationStep:
        """One fetch (`Partition.readRecords`), and the follower's reaction to the response."""
        last = self._epochs.latest
        leader = self._leader
        end = UNDEFINED if last is None else self._leader_epochs.end_of(last, leader.end)
        if offset < leader.start or (end == UNDEFINED and offset > leader.end):
            return self._reset(offset, last)
        if end == UNDEFINED or (end[0] == last and end[1] >= offset):
            return TruncationStep(offset, last, RECORDS)
        cut, asks_again = self._cut_for(*end)
        self._cut(cut)
        return TruncationStep(offset, last, DIVERGING, *end, cut, asks_again)

    def _cut_for(self, epoch: int, end: int) -> tuple[int, bool]:
        """The offset to cut at for a diverging epoch (`getOffsetTruncationState`), and whether to ask again."""
        own = self._epochs.end_of(epoch, self._end)
        if own == UNDEFINED:
            return min(end, self._end), False
        if own[0] != epoch:
            return min(own[1], self._end), True
        return min(own[1], end, self._end), False

    def _reset(self, offset: int, last: int | None) -> TruncationStep:
        """A follower's reaction to OFFSET_OUT_OF_RANGE (`fetchOffsetAndTruncate`)."""
        leader = self._leader
        if leader.end < self._end:
            self._cut(leader.end)
            return TruncationStep(offset, last, OUT_OF_RANGE, truncate_to=leader.end)
        if leader.start <= self._end:
            return TruncationStep(offset, last, OUT_OF_RANGE)
        self._start = self._end = leader.start
        self._drops_all = True
        self._epochs = EpochHistory(())
        return TruncationStep(offset, last, OUT_OF_RANGE, truncate_to=leader.start, starts_over=True)

    def _cut(self, offset: int) -> None:
        """Cut the log (`UnifiedLog.truncateTo`); epochs from there on are dropped even if no record is."""
        self._start = min(self._start, offset)
        self._end = min(self._end, offset)
        self._epochs = EpochHistory(entry for entry in self._epochs.entries if entry.start_offset < self._end)


def _history(epochs: Iterable[tuple[int, int]]) -> EpochHistory:
    return EpochHistory(EpochEntry(*each) for each in epochs)
