"""Replays that are killed, paused while another start takes over, and that lose their broker."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

import kafkafmt
from kafka_broker.broker import Broker, free_ports
from replay_proof.contents import differences, example, rows_of

TOPICS = ("plain", "zipped")

_SETTINGS = {"log.retention.ms": "-1", "log.retention.check.interval.ms": "500"}
_LONGEST = 4.0
_SECONDS = 300
_PAUSES, _CRASHES = 0.1, 0.06


def ask(home: Path, records: int, kills: int, seed: int) -> Iterator[str]:
    """Kill starts until so many were; each run must have all records once when one of its starts has ended by itself.

    Args:
        home: a new directory.
        records: of the source.
        kills: how many.
        seed: of the moments.
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
        run = 0
        while done["kill"] < kills:
            run += 1
            names = {topic: f"{topic}-{run}" for topic in TOPICS}
            command = [sys.executable, "-m", "replay_proof.one_start", str(source), broker.bootstrap_servers]
            with open(home / "starts.log", "ab") as log:
                yield from _one_run([*command, f"run-{run}", json.dumps(names)], log, chance, broker, done)
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


def _one_run(
    command: list[str], log: object, chance: random.Random, broker: Broker, done: "Counter[str]"
) -> Iterator[str]:
    """Start a run again until a start ends by itself."""
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
                start.send_signal(signal.SIGCONT)  # it believes that it has the transactional id still
                statuses = start.wait(_SECONDS), second.wait(_SECONDS)
                if 0 in statuses:
                    return
                yield f"of two starts none has ended well: {statuses}"
            elif fate < _PAUSES + _CRASHES:
                done["crash of the broker"] += 1
                broker.kill()
                broker.start()
                if start.wait(_SECONDS) == 0:
                    return
                done["start without a broker"] += 1  # it had not met it before
            else:
                start.kill()
                start.wait()
                done["kill"] += 1
    yield f"no start has ended by itself in {_SECONDS} s"
