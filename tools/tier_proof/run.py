"""The proof "tiers": runs the recipe of docs/data_engineers.md from a bucket to a broker on golden tiers."""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

import environment
import kafkafmt
import proof_frame
from kafka_broker.broker import Broker, BrokerError
from kafkafmt.scanning.arguments import IsolationLevel
from proof_frame import DIFFERS

CASES = ("04-zstd-aes-rotated-3.9.1", "11-two-brokers-overlap-3.9.1")
GOLDEN = environment.ROOT / "tests" / "golden" / "tiered"
RECIPES = environment.ROOT / "docs" / "data_engineers.md"
SETTINGS = {
    "log.message.timestamp.before.max.ms": str(2**63 - 1),
    "log.message.timestamp.after.max.ms": str(2**63 - 1),
    "log.retention.ms": "-1",  # the records are years old
}

Records = dict[tuple[str, int], list[tuple[int, bytes | None, bytes | None]]]


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""

    def prove(_: argparse.Namespace, home: Path) -> int:
        differences = [text for case in CASES for text in _case(GOLDEN / case, home / case)]
        for text in differences:
            print(text)
        return DIFFERS if differences else 0

    return proof_frame.run(arguments, prove)


def _case(golden: Path, home: Path) -> Iterator[str]:
    home.mkdir(parents=True)
    named = json.loads((golden / "case.json").read_text("utf-8")).get("decryptionKeys", {})
    keys = {name: str(golden / file) for name, file in named.items()}
    disks = kafkafmt.open(golden / "tier", decryption_keys=keys)
    partitions: dict[str, int] = {}
    for each in disks.partitions:
        partitions[str(each.topic)] = max(partitions.get(str(each.topic), 0), (each.partition or 0) + 1)
    with Broker(home / "broker", SETTINGS) as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
        made = admin.create_topics([NewTopic(topic, count, 1) for topic, count in partitions.items()])
        for each in made.values():
            each.result()
        broker.stop()
        _run_recipe(golden / "tier", keys, broker.log_dir, home)
        broker.start()
        for level in get_args(IsolationLevel):
            ours = _ours(disks, level)
            theirs = _theirs(broker, sorted(ours), level)
            print(f"{golden.name}, {level}: {sum(map(len, theirs.values())):,} records of {len(theirs)} partitions")
            if not ours:
                yield f"{golden.name}: there was nothing to restore"
            for key in sorted(ours.keys() | theirs.keys()):
                if ours.get(key) != theirs.get(key):
                    counts = len(ours.get(key, ())), len(theirs.get(key, ()))
                    yield f"{golden.name}: {key[0]}-{key[1]}, {level}: {counts[0]} in the bucket, {counts[1]} served"


def _run_recipe(tier: Path, keys: dict[str, str], log_dir: Path, home: Path) -> None:
    """Run the commands of docs/data_engineers.md from `kafkafmt repair s3://bucket/tier` on, with other paths."""
    found = re.search(r"^```sh\n(kafkafmt repair s3://.*?)^```", RECIPES.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    if found is None:
        raise BrokerError("data_engineers.md has no recipe that repairs a bucket")
    options = " ".join(f"--key-file {name}={path}" for name, path in keys.items())
    script = found[1].replace("s3://bucket/tier", str(tier)).replace("--key-file key1=key1.pem", options)
    script = script.replace("/var/lib/kafka/new", str(log_dir))
    program = Path(sys.executable).parent
    command = ["bash", "-euc", f"PATH={program}:$PATH\n{script}"]
    done = subprocess.run(command, check=False, cwd=home, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise BrokerError(f"the recipe of docs/data_engineers.md ends with {done.returncode}:\n{done.stderr}")


def _ours(disks: kafkafmt.Disks, level: IsolationLevel) -> Records:
    records: Records = {}
    scan = disks.scan(isolation_level=level, columns=["topic", "partition", "offset", "key", "value"])
    for batch in scan.to_reader():
        for row in batch.to_pylist():
            key = row["topic"], row["partition"]
            records.setdefault(key, []).append((row["offset"], row["key"], row["value"]))
    return records


def _theirs(broker: Broker, partitions: list[tuple[str, int]], level: str) -> Records:
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": level,
            "isolation.level": level,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    records: Records = {}
    consumer.assign([TopicPartition(topic, partition, 0) for topic, partition in partitions])
    ended: set[tuple[str, int]] = set()
    while len(ended) < len(partitions):
        message = consumer.poll(60)
        if message is None:
            raise BrokerError("a consumer waited for a minute in vain")
        key = message.topic(), message.partition()
        if message.error() is not None:
            if message.error().name() != "_PARTITION_EOF":
                raise BrokerError(str(message.error()))
            ended.add(key)
        else:
            records.setdefault(key, []).append((message.offset(), message.key(), message.value()))
    consumer.close()
    return records


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
