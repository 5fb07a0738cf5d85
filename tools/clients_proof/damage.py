"""The check of a damaged disk: with `stop`, a consumer fails where it does at a broker; `skip` returns the rest."""

import base64
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

from class_path import fetched_jars, tool
from clients_proof.clients import HERE, pom_version
from clients_proof.commands import Answer
from clients_proof.disks import Disk
from clients_proof.served import Served
from kafka_broker.broker import Broker

_PARTITION = ("orders", 2)
_DAMAGED_BATCH = 4  # counted from 0: holds a record of a committed transaction
_FRAME = struct.Struct(">qi")  # base offset, length
_LAST_OFFSET_DELTA = struct.Struct(">i")
_LAST_OFFSET_DELTA_AT = 23
_IDLE_MS = "15000"
_SECONDS = 180
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"


def ask(shop: Disk, home: Path) -> Iterator[Answer]:
    """Flip a bit in a batch of the shop's disk, and read its partition from a broker and from `kafkafmt serve`."""
    topic, partition = _PARTITION
    broker_home = home / "broker"
    shutil.copytree(shop.paths[0], broker_home / "log-dir")
    lost = _damage(broker_home / "log-dir" / f"{topic}-{partition}" / "00000000000000000000.log")
    shutil.copytree(broker_home / "log-dir", home / "log-dir")
    lines = {
        offset: base64.b64decode(line.split("\t")[5]).decode()
        for (name, number, offset), line in shop.lines["read_uncommitted"].items()
        if (name, number) == _PARTITION
    }
    before = [value for offset, value in lines.items() if offset < lost.start]
    others = [value for offset, value in lines.items() if offset not in lost]
    with Broker(broker_home, log_dirs=["log-dir"]) as broker:
        values, error = _consume(broker.bootstrap_servers)
    label = f"kafka-console-consumer {pom_version('kafka_4_4', 'kafka-tools')}"
    stop = Answer(label, "--on-damage stop", "the records before a damaged batch, then an error, as from a broker")
    if values != before or not error:
        stop.differences.append(f"a broker gives {len(values)} of {len(before)} records, and {error or 'no error'}")
    for answer, choice, expected in (
        (stop, "stop", before),
        (Answer(label, "--on-damage skip", "all records but those of a damaged batch"), "skip", others),
    ):
        with Served([home / "log-dir"], home / f"{choice}.err", "--on-damage", choice) as server:
            values, error = _consume(server.bootstrap_servers)
        if values != expected:
            answer.differences.append(f"{len(values)} records, expected {len(expected)}: {error}")
        if bool(error) != (choice == "stop"):
            answer.differences.append(f"its error is {error!r}")
        if choice == "skip" and server.said().count("skipped") != 1:
            answer.differences.append(f"the damage is not reported once: {server.said()}")
        yield answer


def _damage(log: Path) -> range:
    """Flip a bit in the last byte of a batch, in place; returns the batch's offsets."""
    content = bytearray(log.read_bytes())
    position = 0
    for _ in range(_DAMAGED_BATCH):
        position += _FRAME.size + _FRAME.unpack_from(content, position)[1]
    base, length = _FRAME.unpack_from(content, position)
    (delta,) = _LAST_OFFSET_DELTA.unpack_from(content, position + _LAST_OFFSET_DELTA_AT)
    content[position + _FRAME.size + length - 1] ^= 1
    log.write_bytes(content)
    return range(base, base + delta + 1)


def _consume(bootstrap: str) -> tuple[list[str], str]:
    """Read the partition with the console consumer; returns the values, and its error if it ends with one."""
    jars = fetched_jars(HERE / "kafka_4_4", "kafka-clients")
    java = [tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", _QUIET, "-cp", str(jars / "*")]
    topic, partition = _PARTITION
    options = ["--topic", topic, "--partition", str(partition), "--offset", "0", "--timeout-ms", _IDLE_MS]
    command = [*java, "org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server", bootstrap, *options]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", timeout=_SECONDS)
    errors = [line for line in done.stderr.splitlines() if "KafkaException" in line or "CorruptRecord" in line]
    return done.stdout.splitlines(), errors[0] if errors else ""
