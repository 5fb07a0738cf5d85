"""Runs the unchanged commands of docs/restore.md with the shop's disk and live brokers.

MirrorMaker 2 runs in the proof "clients".
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import environment
import kafkafmt
from clients_proof.disks import SHOP
from kafka_broker.broker import Broker, free_ports
from proof_frame import ProofError
from replay_proof.contents import rows_of

_PAGE = environment.ROOT / "docs" / "restore.md"
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TOPICS = ("customers", "orders", "page-views", "payments")
_SECONDS = 120


def ask(home: Path) -> Iterator[str]:
    """Run each way of the page, and check the number of records in the broker afterwards.

    Args:
        home: a new directory.
    """
    home.mkdir(parents=True)
    ways = {way.partition("\n")[0]: "".join(_BLOCK.findall(way)) for way in _PAGE.read_text("utf-8").split("\n## ")}
    yield from _repaired(home, ways["Brokers on repaired disks"])
    for name in ("Serve, and a linker that keeps offsets", "Serve and MirrorMaker 2"):
        yield from _served(name, ways[name])
    committed = {name: kafkafmt.scan(SHOP, topics=name, isolation_level="read_committed").count() for name in _TOPICS}
    # Treating the open transactions as aborted includes the records that were committed after their beginning.
    replayed = committed | {"orders": committed["orders"] + 3}
    with Broker(home / "live", {"log.retention.ms": "-1"}) as broker:
        said = _run(ways["Replay"], home, broker.bootstrap_servers)
        _run(ways["Write"], home, broker.bootstrap_servers)
        broker.stop()
        opened = kafkafmt.open(broker.log_dir)
        found = {name: sum(len(table) for table in rows_of(opened, name).values()) for name in _TOPICS}
        if found != replayed:
            yield f"replay: {found}, not {replayed}"
        made = sum(len(table) for table in rows_of(opened, "orders-made").values())
        if made != committed["orders"]:
            yield f"write: {made} of {committed['orders']} records"
        if f"{sum(replayed.values())} records were sent" not in said:
            yield f"replay says {said}"


def _repaired(home: Path, commands: str) -> Iterator[str]:
    """Start a broker on the repaired disk: it must have all records at their offsets."""
    _run(commands, home, "")
    controller = free_ports(1)[0]
    settings = {"controller.quorum.voters": f"1@127.0.0.1:{controller}"}
    listeners = f"PLAINTEXT://127.0.0.1:{free_ports(1)[0]},CONTROLLER://127.0.0.1:{controller}"
    with Broker(home, {**settings, "listeners": listeners, "log.retention.ms": "-1"}, log_dirs=["restored"]) as broker:
        broker.stop()
    for topic in _TOPICS:
        there, here = (kafkafmt.scan(each, topics=topic).to_table() for each in (SHOP, home / "restored"))
        for name in ("partition", "offset", "key", "value", "timestamp"):
            if not there[name].equals(here[name].slice(0, there.num_rows)):
                yield f"repair: {topic} has another {name}"


def _served(name: str, commands: str) -> Iterator[str]:
    """Start the server with the page's command, on a free port: it must report the topics that it serves."""
    line = next(each for each in commands.splitlines() if each.startswith("kafkafmt serve"))
    words = shlex.split(line.replace("/copies/broker-1", str(SHOP)).replace(":19092", ":0"))
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline() if process.stderr is not None else ""
        finally:
            process.terminate()
    if "serving 6 topics, 13 partitions" not in said:
        yield f"{name}: it says {said!r}"


def _run(commands: str, home: Path, to: str) -> str:
    """Run the kafkafmt commands; returns their stderr."""
    said = []
    for line in commands.splitlines():
        typed = line.replace("/copies/broker-1", str(SHOP)).replace("live-1:9092", to)
        typed = re.sub(r"(?<= )/(?=restored|made)", f"{home}/", typed)
        words = shlex.split(typed.partition("#")[0])
        if words[0] != "kafkafmt":
            raise ProofError(f"docs/restore.md: cannot run {line}")
        done = subprocess.run(
            [sys.executable, "-m", *words], check=False, cwd=home, capture_output=True, text=True, timeout=_SECONDS
        )
        if done.returncode:
            raise ProofError(f"{line} ends with {done.returncode}: {done.stderr}")
        said.append(done.stderr)
    return "".join(said)
