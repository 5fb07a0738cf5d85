"""Kafka Connect's file sink and MirrorMaker 2 read the shop's records from `kafkafmt serve`.

MirrorMaker 2 fills a live broker: where transactions have left no markers, the offsets are the same, and
`kafkafmt compare` reports the two disks as equal; elsewhere the records are the same, in order. Open transactions are
served as aborted, as read_committed would otherwise end before them.
"""

import base64
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import environment
import kafkafmt
from class_path import tool
from clients_proof.clients import connect_jars, pom_version
from clients_proof.commands import Answer
from clients_proof.disks import Disk, lines_of
from clients_proof.served import Served
from kafka_broker.broker import Broker, free_ports
from kafkafmt.disks import Disks
from kafkafmt.errors import NotFoundError

_SECONDS = 240
_POLL_SECONDS = 2
_LOGGING = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"

_TOPICS = ("customers", "orders", "page-views", "payments")
_SAME_OFFSETS = {("customers", 0), ("page-views", 0), ("page-views", 1)}
# An aborted transaction of order 7, a hanging one, and one that is open for the coordinator.
_ABORTED = {("orders", 1, 4), ("payments", 1, 6), ("orders", 0, 8), ("orders", 1, 10)}
# MirrorMaker translates no offset before its first sync of the partition (OffsetSyncStore), and writes
# only the newest syncs if the target is slow (OffsetSyncWriter). docs/serve.md says how to set the offset then.
_AT_THE_END = {("search-index", "customers")}
_BEHIND = {("billing", "orders"), ("billing", "payments"), ("reports", "page-views")}
_GROUPS_SECONDS = 60

_CONFIGS = {("customers", "cleanup.policy"): "compact", ("page-views", "compression.type"): "zstd"}
_NOT_COPIED = ("page-views", "retention.ms")

_PAGE = environment.ROOT / "docs" / "serve.md"
_RECIPE = re.compile(r"^```properties\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"^(dead|live)\.bootstrap\.servers=.*$", re.MULTILINE)
_MIRROR_OF_ONE_BROKER = """\
replication.factor=1
offset-syncs.topic.replication.factor=1
checkpoints.topic.replication.factor=1
live.config.storage.replication.factor=1
live.offset.storage.replication.factor=1
live.status.storage.replication.factor=1
emit.checkpoints.interval.seconds=5
sync.group.offsets.interval.seconds=5
refresh.topics.interval.seconds=20
"""
_WORKER = """\
bootstrap.servers={bootstrap}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename={home}/offsets
listeners=http://127.0.0.1:{port}
plugin.discovery=only_scan
"""
_SINK = """\
name=shop
connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
tasks.max=1
topics=orders
file={home}/orders.txt
"""


def connect(shop: Disk, home: Path) -> Answer:
    """Let Connect's file sink write a topic to a file."""
    answer = Answer(f"Kafka Connect {pom_version('connect', 'connect-runtime')}", "file sink", "all values of a topic")
    lines = [line for place, line in shop.lines["read_uncommitted"].items() if place[0] == "orders"]
    expected = sorted(base64.b64decode(line.split("\t")[5]).decode() for line in lines)
    written = home / "orders.txt"
    with Served(shop.paths, home / "serve.err") as server:
        worker, sink = home / "worker.properties", home / "sink.properties"
        worker.write_text(_WORKER.format(bootstrap=server.bootstrap_servers, home=home, port=free_ports(1)[0]))
        sink.write_text(_SINK.format(home=home))

        def is_done() -> bool:
            return written.exists() and len(written.read_text("utf-8").splitlines()) >= len(expected)

        failure = _run("cli.ConnectStandalone", [worker, sink], home / "connect.log", is_done)
    found = sorted(written.read_text("utf-8").splitlines()) if written.exists() else []
    if found != expected:
        answer.differences.append(f"{len(found)} of {len(expected)} values were written; {failure}")
    return answer


def mirror(shop: Disk, home: Path) -> Answer:
    """Let MirrorMaker 2 restore the shop's disk into a live broker, and compare the disks."""
    label = f"MirrorMaker {pom_version('connect', 'connect-mirror')}"
    answer = Answer(label, "into a live broker", "all records, `kafkafmt compare` of both disks, configs and groups")
    committed = {place: line for place, line in shop.lines["read_uncommitted"].items() if place not in _ABORTED}
    expected = _contents(committed)
    count = sum(map(len, expected.values()))
    with (
        Served(shop.paths, home / "serve.err", "--open-transactions", "abort") as server,
        Broker(home / "live", {"log.retention.ms": "-1"}) as live,
    ):
        settings = home / "mirror.properties"
        settings.write_text(mirror_settings(server.bootstrap_servers, live.bootstrap_servers))

        moments: list[float] = []

        def is_done() -> bool:
            disks = kafkafmt.open(live.log_dir)
            try:
                if sum(map(len, _contents(lines_of(disks, "read_uncommitted", _TOPICS)).values())) < count:
                    return False
                moments.append(time.monotonic())
                wanted = _AT_THE_END if moments[-1] - moments[0] > _GROUPS_SECONDS else _AT_THE_END | _BEHIND
                return _committed(disks) >= wanted
            except NotFoundError:  # a topic, or that of the groups, does not exist yet
                return False

        failure = _run("mirror.MirrorMaker", [settings], home / "mirror.log", is_done)
        live.stop()
        answer.differences += [failure] if failure else []
        answer.differences += _differences(expected, shop, live.log_dir)
    return answer


def mirror_settings(dead: str, live: str) -> str:
    """The recipe of docs/serve.md with other addresses, and the settings that a cluster with one broker needs."""
    (recipe,) = _RECIPE.findall(_PAGE.read_text("utf-8"))
    addresses = {"dead": dead, "live": live}
    given = _ADDRESS.sub(lambda found: f"{found[1]}.bootstrap.servers={addresses[found[1]]}", recipe)
    return given + _MIRROR_OF_ONE_BROKER


def _differences(expected: Mapping[tuple[str, int], list[str]], shop: Disk, log_dir: Path) -> Iterator[str]:
    disks = kafkafmt.open(log_dir)
    found = _contents(lines_of(disks, "read_uncommitted", _TOPICS))
    for place in sorted(expected.keys() | found.keys()):
        if expected.get(place) != found.get(place):
            yield f"{place[0]}-{place[1]}: {len(found.get(place, ()))} of {len(expected.get(place, ()))} records"
    committed = _committed(disks)
    if missing := _AT_THE_END - committed:
        yield f"no offsets of {sorted(missing)}"
    for group, topic in sorted(_BEHIND - committed):
        print(f"  MirrorMaker has no sync before the offset of {group} in {topic}: none is set")
    configs = {(each.resource_name, each.name): each.value for each in disks.metadata().configs}
    if not configs.items() >= _CONFIGS.items() or _NOT_COPIED in configs:
        yield f"its configs are {configs}"
    topics = sorted({topic for topic, _ in _SAME_OFFSETS})
    command = [sys.executable, "-m", "kafkafmt", "compare", *map(str, shop.paths), str(log_dir), "--no-header"]
    command += ["--output", "csv", "--columns", "topic,partition,relation"]
    named = [part for topic in topics for part in ("--topic", topic)]
    done = subprocess.run([*command, *named], check=False, capture_output=True, encoding="utf-8")
    relations = {f"{topic},{partition},equal" for topic, partition in _SAME_OFFSETS}
    if done.returncode or set(done.stdout.split()) != relations:
        yield f"kafkafmt compare says: {done.stdout} {done.stderr}"


def _contents(lines: Mapping[tuple[str, int, int], str]) -> dict[tuple[str, int], list[str]]:
    """Records without their offsets, by partition, in order."""
    contents: dict[tuple[str, int], list[str]] = defaultdict(list)
    for (topic, partition, _), line in lines.items():
        contents[topic, partition].append("\t".join(line.split("\t")[3:]))
    return contents


def _committed(disks: Disks) -> set[tuple[str, str]]:
    return {(row["group"], row["topic"]) for row in disks.groups().offsets.to_pylist()}


def _run(main: str, arguments: list[Path], log: Path, is_done: Callable[[], bool]) -> str:
    """Run a program of Connect until `is_done`; returns why it has not finished, or ""."""
    command = [tool("java"), "-Xmx384m", _LOGGING, "-cp", str(connect_jars() / "*"), f"org.apache.kafka.connect.{main}"]
    with open(log, "wb") as file:
        process = subprocess.Popen([*command, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            deadline = time.monotonic() + _SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)
                if is_done():
                    return ""
        finally:
            process.terminate()
            process.wait()
    return f"not done after {_SECONDS} s: {log.read_text('utf-8', 'replace')[-500:]}"
