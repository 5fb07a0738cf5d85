"""The proof "replay": after `kafkafmt replay`, a live cluster has each record once, however often it was killed."""

import argparse
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pyarrow.compute as pc
import pyarrow.parquet as pq

import environment
import kafkafmt
import proof_frame
from clients_proof.disks import SHOP, Disk, disks
from kafka_broker.broker import Broker
from kafkafmt.internal_topics import INTERNAL_TOPICS
from proof_frame import DIFFERS, ProofError
from replay_proof import kills, page, refusals, secured, speed
from replay_proof.contents import differences, example, group_differences, rows_of

_KEEPING = {"log.retention.ms": "-1", "log.message.timestamp.after.max.ms": str(2**63 - 1)}
_DELETING = {"log.retention.check.interval.ms": "500", "log.initial.task.delay.ms": "100"}
_WAIT_SECONDS = 5.0
_QUICK_KILLS, _KILLS = 4, 200
_QUICK_RECORDS, _RECORDS = 60_000, 1_000_000
_RECORDS_TO_KILL = 200_000
_ROUNDS = 3
_GOAL = 150_000


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""

    def prove(options: argparse.Namespace, home: Path) -> int:
        count = _QUICK_KILLS if options.quick else _KILLS
        parts: dict[str, Callable[[], Iterator[str]]] = {
            "golden": lambda: _golden(home / "golden", few=options.quick),
            "million": lambda: _million(home / "million", _QUICK_RECORDS if options.quick else _RECORDS),
            "refusals": lambda: refusals.ask(home / "refusals"),
            "secured": lambda: secured.ask(home / "secured"),
            "retention": lambda: _retention(home / "retention"),
            "kills": lambda: kills.ask(
                home / "kills", _QUICK_RECORDS if options.quick else _RECORDS_TO_KILL, count, options.seed
            ),
        }
        if not options.quick:
            parts["page"] = lambda: page.ask(home / "page")
        chosen = options.part or list(parts)
        parts["speed"] = lambda: _speed(home / "speed", _RECORDS)  # only on request: figures of a busy machine differ
        if unknown := set(chosen) - parts.keys():
            raise ProofError(f"no part is called {', '.join(sorted(unknown))}; there are: {', '.join(parts)}")
        found: list[str] = []
        for name in chosen:
            begun, before = time.monotonic(), len(found)
            found += [f"{name}: {text}" for text in parts[name]()]
            print(f"{name}: {len(found) - before} differences, {time.monotonic() - begun:.0f} s", flush=True)
        for text in found:
            print(text)
        return DIFFERS if found else 0

    return proof_frame.run(arguments, prove)


def _golden(home: Path, *, few: bool) -> Iterator[str]:
    """Replay golden disks of all eras and the shop's disk, each topic under its own name."""
    replayed = {}
    with Broker(home, _KEEPING) as broker:
        for number, disk in enumerate([Disk("shop", (SHOP,), {}, {}), *disks(few=few)]):
            keys = dict(part.split("=", 1) for part in disk.options[1::2])
            opened = kafkafmt.open(disk.paths, decryption_keys=keys or None)
            topics = {each.topic for each in opened.partitions if each.topic} - INTERNAL_TOPICS
            names = {topic: f"{disk.name}.{topic}" for topic in sorted(topics)}
            to = broker.bootstrap_servers
            now = number % 2 == 0  # otherwise groups are replayed after all records
            done = kafkafmt.replay(opened, to, topics=names, create=True, groups=now, run=disk.name)
            again = kafkafmt.replay(opened, to, topics=names, groups=True, run=disk.name)
            if again.records:
                yield f"{disk.name}: a second start has sent {again.records} records"
            replayed[disk.name] = opened, names, done.offset_map.to_table()
        registry = _registry(home / "registry")
        kafkafmt.replay(registry, broker.bootstrap_servers, topics="_schemas", create=True)
        broker.stop()
        target = kafkafmt.open(broker.log_dir)
        yield from _schema_differences(registry, broker.log_dir)
        for name, (opened, names, offset_map) in replayed.items():
            rows = {}
            for topic, new in names.items():
                rows[topic] = rows_of(opened, topic), rows_of(target, new)
                yield from differences(new, *rows[topic], offset_map.filter(pc.equal(offset_map["topic"], topic)))
            yield from group_differences(opened, target, names, rows)
            count = sum(table.num_rows for there, _ in rows.values() for table in there.values())
            print(f"  {name}: {count} records of {len(names)} topics", flush=True)


def _registry(home: Path) -> Path:
    """The disk of a cluster with a schema registry."""
    with tarfile.open(environment.ROOT / "tests" / "golden" / "values" / "registry" / "log-dir.tar.gz") as packed:
        packed.extractall(home, filter="data")
    return home / "log-dir"


def _schema_differences(source: Path, target: Path) -> Iterator[str]:
    """Differences of a registry on a replayed `_schemas`: ids, versions, states, contexts and configs."""
    there, here = (kafkafmt.values.schemas(each) for each in (source, target))
    for name in ("schemas", "subjects"):
        wanted, found = (
            each.to_table(name).drop_columns(["offsets"] if name == "schemas" else []) for each in (there, here)
        )
        if not wanted.num_rows or not found.equals(wanted):
            yield f"_schemas: {name} are not those of the source"


def _million(home: Path, records: int) -> Iterator[str]:
    """Replay many records, and write the offset map to a file."""
    home.mkdir(parents=True)
    source, file = home / "source", home / "map.parquet"
    example(source, records)
    with Broker(home / "live", _KEEPING) as broker:
        done = kafkafmt.replay(source, broker.bootstrap_servers, create=True, offset_map=file)
        broker.stop()
        if done.records != records:
            yield f"{done.records} of {records} records were sent"
        offset_map, opened, target = pq.read_table(file), kafkafmt.open(source), kafkafmt.open(broker.log_dir)
        for topic in kills.TOPICS:
            of_topic = offset_map.filter(pc.equal(offset_map["topic"], topic))
            yield from differences(topic, rows_of(opened, topic), rows_of(target, topic), of_topic)


def _speed(home: Path, records: int) -> Iterator[str]:
    """Print the speed of records into a broker; a median of `kafkafmt replay` below its goal is a difference."""
    found = []
    for name, steady, whole in speed.measure(home, records, _ROUNDS):
        told = "" if whole is None else f", {whole:,.0f} with the start of the process"
        print(f"  {name}: {steady:,.0f} records a second{told}", flush=True)
        if name == speed.REPLAY and whole is not None:
            found.append(whole)
    if median(found) < _GOAL:
        yield f"{speed.REPLAY}: below {_GOAL:,} records a second"


def _retention(home: Path) -> Iterator[str]:
    """Replay old records into topics that delete them: they stay only if retention is held."""
    home.mkdir(parents=True)
    example(home / "source", 1000)
    with Broker(home / "live", _DELETING) as broker:
        left = {}
        for name, holds in (("held", True), ("deleted", False)):
            names = {topic: f"{topic}-{name}" for topic in kills.TOPICS}
            done = kafkafmt.replay(
                home / "source", broker.bootstrap_servers, topics=names, create=True, hold_retention=holds, run=name
            )
            part = "keeps all records until" if holds else "retention.ms=604800000"
            if not all(any(each.startswith(new) and part in each for each in done.warnings) for new in names.values()):
                yield f"{name}: it warns of {done.warnings}"
            left[name] = names.values()
        time.sleep(_WAIT_SECONDS)
        broker.stop()
        opened = kafkafmt.open(broker.log_dir)
        counts = {name: sum(opened.scan(topics=new).count() for new in topics) for name, topics in left.items()}
        if counts != {"held": 1000, "deleted": 0}:
            yield f"records that are left: {counts}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
