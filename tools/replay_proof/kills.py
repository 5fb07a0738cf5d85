"""Replays that are killed, that are paused while another start takes over, or that lose their broker."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

import kafkafmt
from kafka_broker.broker import Broker, free_ports
from proof_frame import ProofError
from replay_proof.contents import differences, example, rows_of

TOPICS = ("plain", "zipped")

_SETTINGS = {
    "log.retention.ms": "-1",
    "log.retention.check.interval.ms": "500",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
_LONGEST = 4.0
_SECONDS = 300
_PAUSES, _CRASHES = 0.1, 0.06
_SLOW = 2000
_SMALL = 5_000
_SOME_SECONDS = 8.0  # duration of a start, long enough to be hit at work
_TIMEOUT_MS, _STOPPED_SECONDS = 1500, 4.0


def ask(home: Path, records: int, kills: int, seed: int) -> Iterator[str]:
    """Kill a sufficient number of starts; each run must have every record once when one of its starts has completed.

    Args:
        home: a new directory.
        records: number of records of the source.
        kills: number of kills.
        seed: seed of the times.
    """
    home.mkdir(parents=True)
    source, chance, done = home / "source", random.Random(seed), Counter[str]()
    example(source, records)
    opened = kafkafmt.open(source)
    port, controller = free_ports(2)
    fixed = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
    }
    with Broker(home / "live", {**_SETTINGS, **fixed}) as broker:
        rate = records / _SOME_SECONDS
        yield from _take_over(home, source, broker, rate)
        yield from _time_out(home, source, broker, rate)
        run = 0
        while done["kill"] < kills:
            run += 1
            names = {topic: f"{topic}-{run}" for topic in TOPICS}
            command = _command(source, broker, topics=names, run=f"run-{run}")
            with open(home / "starts.log", "ab") as log:
                yield from _one_run(command, log, chance, broker, done)
            file = home / "map.parquet"
            to = broker.bootstrap_servers
            last = kafkafmt.replay(opened, to, topics=names, run=f"run-{run}", groups=True, offset_map=file)
            if last.records:
                yield f"run {run}: a last start has sent {last.records} records"
            offset_map = pq.read_table(file)
            target = kafkafmt.open(broker.log_dir)
            for topic, new in names.items():
                of_topic = offset_map.filter(pc.equal(offset_map["topic"], topic))
                yield from differences(new, rows_of(opened, topic), rows_of(target, new), of_topic)
            counted = ", ".join(f"{count} {name}" for name, count in sorted(done.items()))
            print(f"  run {run} ended: {counted}", flush=True)


def _take_over(home: Path, source: Path, broker: Broker, rate: float) -> Iterator[str]:
    """Let a start take over from a paused one, then break all connections: the later start must continue."""
    names = {topic: f"{topic}-taken-over" for topic in TOPICS}
    later_command = _command(source, broker, topics=names, run="taken-over", rate=rate)
    command = _command(source, broker, topics=names, run="taken-over", rate=_SLOW)
    with open(home / "earlier.log", "wb") as earlier_log, open(home / "later.log", "wb") as later_log:
        earlier = subprocess.Popen(command, stdout=earlier_log, stderr=earlier_log)
        _wait_for_records(broker, names.values())
        earlier.send_signal(signal.SIGSTOP)
        of_earlier = _last_epoch(broker, names.values())
        later = subprocess.Popen(later_command, stdout=later_log, stderr=later_log)
        # The paused start's last requests may still arrive: only records of a later epoch are from the later start.
        _wait_for_records(broker, names.values(), of_earlier + 1)
        if later.poll() is not None:
            yield "taken over: the later start has ended before the broker did"
        broker.kill()
        broker.start()
        earlier.send_signal(signal.SIGCONT)
        statuses = earlier.wait(_SECONDS), later.wait(_SECONDS)
    if statuses[0] == 0 or b"another start of this run has taken over" not in (home / "earlier.log").read_bytes():
        yield f"taken over: the earlier start ends with status {statuses[0]}"
    if statuses[1] != 0:
        yield f"taken over: the later start ends with status {statuses[1]}"
    yield from _compare(source, broker, names)
    print("  a start that was taken over has ended, the later one went on", flush=True)


def _time_out(home: Path, source: Path, broker: Broker, rate: float) -> Iterator[str]:
    """Pause a start for longer than the timeout of transactions: it must continue."""
    names = {topic: f"{topic}-timed-out" for topic in TOPICS}
    config = {"transaction.timeout.ms": str(_TIMEOUT_MS)}
    with open(home / "timed-out.log", "wb") as log:
        # Transactions end only by time, so that one is always open.
        command = _command(source, broker, 2**30, topics=names, run="timed-out", client_config=config, rate=rate)
        start = subprocess.Popen(command, stdout=log, stderr=log)
        _wait_for_records(broker, names.values())
        start.send_signal(signal.SIGSTOP)
        time.sleep(_STOPPED_SECONDS)
        start.send_signal(signal.SIGCONT)
        status = start.wait(_SECONDS)
    if status != 0:
        yield f"timed out: the start ends with status {status}"
    yield from _compare(source, broker, names)
    if b"trying again" not in (home / "timed-out.log").read_bytes():
        yield "timed out: the pause has met no open transaction"
    print("  a start that was paused beyond its time-out went on", flush=True)


def _compare(source: Path, broker: Broker, names: Mapping[str, str]) -> Iterator[str]:
    opened, target = kafkafmt.open(source), kafkafmt.open(broker.log_dir)
    for topic, new in names.items():
        yield from differences(new, rows_of(opened, topic), rows_of(target, new))


def _command(source: Path, broker: Broker, size: int = _SMALL, **arguments: object) -> list[str]:
    program = [sys.executable, "-m", "replay_proof.one_start", str(source), broker.bootstrap_servers, str(size)]
    return [*program, json.dumps(arguments)]


def _wait_for_records(broker: Broker, topics: Iterable[str], epoch: int = 0) -> None:
    """Wait until all topics hold records of this producer epoch or a later one."""
    until, wanted = time.monotonic() + _SECONDS, list(topics)
    while time.monotonic() < until:
        exist = {each.topic for each in kafkafmt.open(broker.log_dir).partitions}
        if exist.issuperset(wanted) and _last_epoch(broker, wanted) >= epoch:
            return
        time.sleep(0.1)
    raise ProofError(f"no records arrive in {', '.join(wanted)}")


def _last_epoch(broker: Broker, topics: Iterable[str]) -> int:
    """The latest producer epoch of the records in a broker's topics; -1 without records."""
    batches = kafkafmt.scan(broker.log_dir, topics=list(topics), columns=["producerEpoch"]).to_batches()
    return max((pc.max(batch["producerEpoch"]).as_py() for batch in batches if batch.num_rows), default=-1)


def _one_run(
    command: list[str], log: object, chance: random.Random, broker: Broker, done: "Counter[str]"
) -> Iterator[str]:
    """Repeat the starts of a run until one completes."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        start = subprocess.Popen(command, stdout=log, stderr=log)  # type: ignore[call-overload]
        done["start"] += 1
        fate = chance.random()
        try:
            if start.wait(chance.uniform(0.2, _LONGEST)) == 0:
                return
            yield f"a start ended with status {start.returncode}"
        except subprocess.TimeoutExpired:
            if fate < _PAUSES:
                start.send_signal(signal.SIGSTOP)
                done["pause"] += 1
                second = subprocess.Popen(command, stdout=log, stderr=log)  # type: ignore[call-overload]
                with suppress(subprocess.TimeoutExpired):
                    second.wait(chance.uniform(1, _LONGEST))
                start.send_signal(signal.SIGCONT)  # it believes that it still has the transactional id
                statuses = start.wait(_SECONDS), second.wait(_SECONDS)
                if 0 in statuses:
                    return
                yield f"neither of two starts has succeeded: {statuses}"
            elif fate < _PAUSES + _CRASHES:
                done["crash of the broker"] += 1
                broker.kill()
                broker.start()
                if start.wait(_SECONDS) == 0:
                    return
                done["start without a broker"] += 1  # it ends, as it had not reached the broker before the crash
            else:
                start.kill()
                start.wait()
                done["kill"] += 1
    yield f"no start has ended on its own in {_SECONDS} s"
