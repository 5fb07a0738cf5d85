"""Sessions of a run: takeover by another start, transaction timeouts, sources that stall."""

import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

import kafkafmt
from kafkafmt.replaying import replay_run
from kafkafmt.replaying.cluster import Position, TargetCluster
from kafkafmt.replaying.errors import FencedError, RetriableError, TakenOverError, TargetError
from kafkafmt.replaying.group_offsets import GroupOffset, GroupOffsets
from kafkafmt.replaying.lanes import Lane, LaneRecords, Progress, WantedRecords
from kafkafmt.replaying.pace import Pace
from kafkafmt.replaying.producer import Place, TransactionalProducer
from kafkafmt.replaying.replay_run import ReplayRun
from kafkafmt.replaying.source import lanes_of
from kafkafmt.replaying.step_ahead import StepAhead

SHOP = Path("docs/examples/shop/log-dir")

T = TypeVar("T")


@dataclass
class Target:
    """A cluster that stores positions, and the producer that commits them.

    Attributes:
        stored: committed positions.
        sessions: number of sessions that were started.
        faults: errors raised by the next commits, by number, before they take effect.
        said: the reported messages.
    """

    stored: dict[Place, Position] = field(default_factory=dict)
    sessions: int = 0
    faults: dict[int, Exception] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    commits: int = 0
    producer_id: int = 1
    epoch: int = 0
    throttled_until: float = 0.0
    base: int = 0
    waiting: dict[Place, Position] = field(default_factory=dict)

    def patiently(self, function: Callable[[], T]) -> T:
        return function()

    def committed(self, _: str, *, stable: bool) -> dict[Place, Position]:
        del stable
        return dict(self.stored)

    def tell(self, error: Exception) -> None:
        self.said.append(str(error))

    def close(self) -> None:
        pass

    def start_session(self) -> None:
        self.sessions += 1
        self.waiting.clear()

    def sequence(self, _: Place) -> int:
        return 0

    def add_partitions(self, _: list[Place]) -> None:
        pass

    def send(self, _: Place, __: object, count: int, take: Callable[[int], None]) -> None:
        take(self.base)
        self.base += count

    def flush(self) -> None:
        pass

    def commit_offsets(self, _: str, positions: Mapping[Place, Position]) -> None:
        self.waiting |= positions

    def commit(self) -> None:
        self.commits += 1
        if (fault := self.faults.pop(self.commits, None)) is not None:
            raise fault
        self.stored |= self.waiting
        self.waiting.clear()

    def abort(self) -> None:
        self.waiting.clear()


@pytest.fixture
def lane() -> Lane:
    return lanes_of(kafkafmt.open(SHOP), "orders", 2)[0]


def run_of(
    target: Target, lane: Lane, monkeypatch: pytest.MonkeyPatch, pace: Pace | None = None, timeout_ms: int = 60_000
) -> ReplayRun:
    monkeypatch.setattr(replay_run, "TransactionalProducer", lambda *_: target)
    monkeypatch.setattr(replay_run, "_FIRST_PAUSE", 0.001)
    return ReplayRun(
        "r",
        kafkafmt.open(SHOP),
        cast("TargetCluster", target),
        [lane],
        WantedRecords(),
        size_limits={"orders": 10**6},
        groups=lambda _: None,
        pace=pace or Pace(),
        timeout_ms=timeout_ms,
    )


def start(lane: Lane) -> dict[Lane, Progress]:
    return {lane: Progress(0, lane.topic, lane.partition, lane.topic_id)}


def taken_by(position: Position, owner: str) -> Position:
    progress = Progress.of(position)
    assert progress is not None
    texts = {name: getattr(progress, name) for name in progress.__slots__}
    return Progress(**{**texts, "owner": owner}).position


def test_each_start_takes_the_positions_over(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    target, owners = Target(), []
    for records in (6, 0):
        run = run_of(target, lane, monkeypatch)
        run.run(start(lane))
        assert run.offset_map.records == records
        progress = Progress.of(target.stored[lane.target])
        assert progress is not None
        assert (progress.records, progress.is_complete) == (6, True)
        owners.append(progress.owner)
    assert len({*owners, ""}) == 3


@pytest.mark.parametrize("fault", [RetriableError("broker 1: the connection is lost"), FencedError("EndTxn: fenced")])
def test_a_start_goes_on_after_a_fault(lane: Lane, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    target = Target(faults={2: fault})
    run = run_of(target, lane, monkeypatch)
    run.run(start(lane))
    assert run.offset_map.records == 6
    assert target.said == [str(fault)]
    assert target.sessions == 3  # another session after the fault, and one that waits for the last markers


@pytest.mark.parametrize("fault", [RetriableError("broker 1: the connection is lost"), FencedError("EndTxn: fenced")])
def test_an_earlier_start_does_not_fence_a_later_one(
    lane: Lane, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    class TakenOver(Target):
        def commit(self) -> None:
            try:
                super().commit()
            except (RetriableError, FencedError):
                self.stored[lane.target] = taken_by(self.stored[lane.target], "later")
                raise

    target = TakenOver(faults={2: fault})
    with pytest.raises(TakenOverError, match="another start of this run has taken over"):
        run_of(target, lane, monkeypatch).run(start(lane))
    assert target.sessions == 1


def test_a_later_start_that_commits_while_the_session_begins_is_not_fenced_again(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    class TakenOver(Target):
        def start_session(self) -> None:
            super().start_session()
            if self.sessions == 2:
                self.stored[lane.target] = taken_by(self.stored[lane.target], "later")

    target = TakenOver(faults={2: RetriableError("broker 1: the connection is lost")})
    with pytest.raises(TakenOverError, match="another start of this run has taken over"):
        run_of(target, lane, monkeypatch).run(start(lane))
    assert target.sessions == 2
    assert target.commits == 2


def test_a_start_that_has_sent_all_leaves_the_end_to_a_later_one(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    class TakenOver(Target):
        def commit(self) -> None:
            super().commit()
            if self.commits == 2:
                self.stored[lane.target] = taken_by(self.stored[lane.target], "later")

    target = TakenOver()
    run_of(target, lane, monkeypatch).run(start(lane))
    assert target.sessions == 1


@pytest.mark.parametrize("is_later", [False, True])
def test_a_first_commit_that_is_fenced_is_made_again_unless_another_start_is_there(
    lane: Lane, monkeypatch: pytest.MonkeyPatch, is_later: bool
) -> None:
    class Fenced(Target):
        def commit(self) -> None:
            try:
                super().commit()
            except FencedError:
                if is_later:
                    self.stored[lane.target] = taken_by(start(lane)[lane].position, "later")
                raise

    target = Fenced(faults={1: FencedError("EndTxn: PRODUCER_FENCED")})
    run = run_of(target, lane, monkeypatch)
    if is_later:
        with pytest.raises(TakenOverError):
            run.run(start(lane))
    else:
        run.run(start(lane))
    assert run.offset_map.records == (0 if is_later else 6)


def test_a_start_whose_positions_are_gone_does_not_send_again(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deleted(Target):
        def commit(self) -> None:
            try:
                super().commit()
            except FencedError:
                self.stored.clear()
                raise

    monkeypatch.setattr(replay_run, "TRANSACTION_BYTES", 1)
    target = Deleted(faults={3: FencedError("fenced")})
    with pytest.raises(TargetError, match="the positions of this run are gone, such as that of orders-2"):
        run_of(target, lane, monkeypatch, Pace(per_second=100.0)).run(start(lane))
    assert target.base == 6  # each once


def test_groups_are_asked_for_when_no_earlier_start_can_go_on(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target()
    run_of(target, lane, monkeypatch).run(start(lane))
    asked: list[tuple[int, int]] = []
    run = run_of(target, lane, monkeypatch)
    run._groups_of = lambda begun: asked.append((target.sessions, begun[lane].records))
    run.run(start(lane))
    assert asked == [(3, 6)]


def test_a_start_without_groups_leaves_those_of_its_records_to_a_later_one(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, found = Target(), GroupOffsets({lane: [GroupOffset("g", 5, "")]}, {})
    begun = Progress(4, lane.topic, lane.partition, lane.topic_id, 3, 3, has_groups=True, groups=found.digest(lane))
    target.stored[lane.target] = begun.position
    assert found.is_committed(lane, begun)
    run_of(target, lane, monkeypatch).run(start(lane))
    reached = Progress.of(target.stored[lane.target])
    assert reached is not None
    assert (reached.is_complete, found.needs_earlier(lane, reached)) == (True, True)


def test_a_fault_that_does_not_pass_ends_it(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_run, "PATIENCE", 0.2)
    monkeypatch.setattr(replay_run, "_LONGEST_PAUSE", 0.01)
    target = Target(faults={number: RetriableError("gone") for number in range(2, 10_000)})
    with pytest.raises(RetriableError, match="gone"):
        run_of(target, lane, monkeypatch).run(start(lane))
    assert target.sessions > 2


def test_a_transaction_is_committed_while_the_source_stalls(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    target, resumed = Target(), threading.Event()

    class Stalling(Pace):
        def pieces(
            self, disks: kafkafmt.Disks, choice: WantedRecords, starts: Mapping[Lane, int]
        ) -> Generator[tuple[Lane, LaneRecords | None] | None, None, None]:
            for step in super().pieces(disks, choice, starts):
                yield step
                assert resumed.wait(20)  # a read that takes long

    monkeypatch.setattr(replay_run, "TRANSACTION_SECONDS", 0.1)
    monkeypatch.setattr("kafkafmt.replaying.step_ahead._WAIT_SECONDS", 0.05)
    work = threading.Thread(target=run_of(target, lane, monkeypatch, Stalling()).run, args=(start(lane),))
    work.start()
    until = time.monotonic() + 10
    while target.commits < 2 and time.monotonic() < until:
        time.sleep(0.01)
    progress = Progress.of(target.stored[lane.target])
    resumed.set()
    work.join(20)
    assert progress is not None
    assert (progress.records, progress.is_complete) == (6, False)


def test_a_fault_long_after_another_one_is_waited_for(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Pace):
        def pieces(
            self, disks: kafkafmt.Disks, choice: WantedRecords, starts: Mapping[Lane, int]
        ) -> Generator[tuple[Lane, LaneRecords | None] | None, None, None]:
            time.sleep(0.3)
            yield from super().pieces(disks, choice, starts)

    monkeypatch.setattr(replay_run, "PATIENCE", 0.2)
    target = Target(faults={number: RetriableError("gone") for number in (2, 4)})
    run = run_of(target, lane, monkeypatch, Slow())
    run.run(start(lane))
    assert run.offset_map.records == 6


def test_transactions_are_short_where_the_time_out_is(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target()
    run_of(target, lane, monkeypatch, Pace(per_second=20.0), timeout_ms=30).run(start(lane))
    assert target.commits > 3


def test_a_quota_ends_transactions_before_it_is_waited_for(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Throttled(Target):
        def send(self, place: Place, batch: object, count: int, take: Callable[[int], None]) -> None:
            super().send(place, batch, count, take)
            self.throttled_until = time.monotonic() + 0.1

    monkeypatch.setattr(replay_run, "TRANSACTION_SECONDS", 0.05)
    target = Throttled()
    run = run_of(target, lane, monkeypatch)
    monkeypatch.setattr(LaneRecords, "batches", lambda *_: ((memoryview(b""), 1) for _ in range(6)))
    begun = time.monotonic()
    run.run(start(lane))
    assert run.offset_map.records == run.progress[lane].records == 6
    assert target.commits >= 6
    assert time.monotonic() - begun > 0.5


def test_batches_do_not_wait_at_a_broker_that_throttles() -> None:
    """KIP-219: it answers at once, and then reads nothing for a while."""

    class Connection:
        waiting = 0
        throttle = 0

        def send(self, _: str, body: Mapping[str, Any]) -> None:
            self.waiting += 1
            self.topic = body["TopicData"][0]["Name"]

        def receive(self) -> Mapping[str, Any]:
            self.waiting -= 1
            answer = {"Index": 0, "ErrorCode": 0, "BaseOffset": 0, "RecordErrors": [], "ErrorMessage": None}
            return {
                "ThrottleTimeMs": self.throttle,
                "Responses": [{"Name": self.topic, "PartitionResponses": [answer]}],
            }

    connection, said = Connection(), list[str]()

    class Cluster:
        def node(self, _: int, __: str) -> Connection:
            return connection

        def say_once(self, line: str) -> None:
            said.append(line)

    producer = TransactionalProducer(cast("TargetCluster", Cluster()), "id", 60_000)
    producer._leaders["t", 0] = 1
    for _ in range(6):
        producer.send(("t", 0), b"", 1, lambda _: None)
    assert connection.waiting == 5
    assert producer.throttled_until == 0
    connection.throttle = 2000
    producer.send(("t", 0), b"", 1, lambda _: None)
    assert connection.waiting == 0
    assert 1 < producer.throttled_until - time.monotonic() <= 2
    assert said == ["a quota of the target bounds this replay: it sends as fast as the brokers allow"] * 6


def test_a_rate_does_not_make_up_for_a_stall() -> None:
    disks, choice = kafkafmt.open(SHOP), WantedRecords()
    starts = dict.fromkeys(lanes_of(disks, "page-views", None), 0)
    sent, began, steps = 0, 0.0, Pace(per_second=20.0).pieces(disks, choice, starts)
    for step in steps:
        if step is None or step[1] is None:
            continue
        sent += len(step[1])
        if sent == 2:
            time.sleep(3)
            began = time.monotonic()
        if sent >= 2 + 30:
            break
    assert sent == 32
    assert time.monotonic() - began > 0.3  # 20 at once, for the one second that may be caught up, and ten at the rate


def test_steps_come_in_order_and_errors_after_them() -> None:
    closed: list[int] = []

    def steps() -> Generator[int, None, None]:
        try:
            yield 1
            yield 2
            raise ValueError("damaged")
        finally:
            closed.append(threading.get_ident())

    taken = []
    with pytest.raises(ValueError, match="damaged"), StepAhead(steps()) as ahead:  # noqa: PT012
        for step in ahead:
            taken.append(step)  # noqa: PERF402
    assert taken == [1, 2]
    assert len(closed) == 1


def test_the_source_is_read_one_step_ahead_and_no_more() -> None:
    taken: list[int] = []

    def steps() -> Generator[int, None, None]:
        for number in range(100):
            taken.append(number)
            yield number

    with StepAhead(steps()) as ahead:
        assert next(iter(ahead)) == 0
    assert taken in ([0], [0, 1])


def test_an_interrupt_does_not_wait_for_a_source_that_stalls() -> None:
    resumed = threading.Event()

    def steps() -> Generator[int, None, None]:
        yield 1
        resumed.wait(20)
        yield 2

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), StepAhead(steps()) as ahead:  # noqa: PT012
        for _ in ahead:
            raise KeyboardInterrupt
    assert time.monotonic() - began < 10
    resumed.set()
