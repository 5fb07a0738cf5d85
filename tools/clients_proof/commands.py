"""Kafka's own command line tools on the shop's disk, compared with its files and its README."""

import base64
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from class_path import ToolError, fetched_jars, tool
from clients_proof.clients import HERE, pom_version
from clients_proof.disks import SHOP, Disk

_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
_SECONDS = 180
_SHOWN = 3
_PRINTED = ("offset", "partition", "key", "timestamp", "headers")
_READ_ONLY = "read-only"

_GROUPS = {
    *(("billing", "orders", partition, "4") for partition in "012"),
    *(("billing", "payments", partition, "4") for partition in "01"),
    ("refunds", "payments", "0", "3"),
    ("refunds", "payments", "1", "-"),
    ("reports", "page-views", "0", "10"),
    ("search-index", "customers", "0", "6"),
    ("search-index", "page-views", "0", "30"),
    ("search-index", "page-views", "1", "30"),
}
_TRANSACTIONS = {("till-1", "CompleteCommit"), ("till-2", "CompleteCommit"), ("till-3", "Ongoing")}
_HANGING = {("orders", "0", "2", "8")}  # topic, partition, producer id, start offset

Judge = Callable[[str], tuple[Iterable[object], Iterable[object]]]


@dataclass(frozen=True)
class Command:
    """A command line tool, and the facts that it must print.

    Attributes:
        name: name of the tool, without suffix.
        main: its class in org.apache.kafka.tools.
        arguments: arguments after the address.
        facts: name in the matrix of the facts that its output is compared with.
        judge: function that takes its output, and returns the found and the expected facts.
    """

    name: str
    main: str
    arguments: tuple[str, ...]
    facts: str
    judge: Judge


@dataclass
class Answer:
    """The result of a tool.

    Attributes:
        label: the tool and its version.
        asked: the task that it was given.
        facts: the facts that its output was compared with.
        differences: texts on wrong facts.
    """

    label: str
    asked: str
    facts: str
    differences: list[str] = field(default_factory=list)


def ask(shop: Disk, bootstrap: str) -> Iterator[Answer]:
    """Run all commands on the shop's disk while it is served.

    Raises:
        ToolError: Java or Maven is missing or fails.
    """
    jars = fetched_jars(HERE / "kafka_4_4", "kafka-clients")
    java = [tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", _QUIET, "-cp", str(jars / "*")]
    for command in _commands(shop):
        line = [*java, f"org.apache.kafka.tools.{command.main}", "--bootstrap-server", bootstrap, *command.arguments]
        try:
            done = subprocess.run(line, check=False, capture_output=True, encoding="utf-8", timeout=_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"{command.name} has not ended after {_SECONDS} s") from error
        asked = " ".join(each for each in command.arguments if "formatter" not in each and "print." not in each)
        answer = Answer(f"{command.name} {pom_version('kafka_4_4', 'kafka-tools')}", asked, command.facts)
        found, expected = map(set, command.judge(done.stdout + done.stderr))
        if found != expected or not found:
            missing, more = sorted(map(str, expected - found)), sorted(map(str, found - expected))
            answer.differences.append(f"missing {missing[:_SHOWN]}, not expected {more[:_SHOWN]}: {done.stderr[-300:]}")
        yield answer


def _commands(shop: Disk) -> Iterator[Command]:
    yield Command("kafka-topics", "TopicCommand", ("--describe",), "topics, ids and partitions on the disk", _topics)
    yield Command("kafka-get-offsets", "GetOffsetShell", (), "the checkpoint of high watermarks", _offsets)
    yield Command(
        "kafka-consumer-groups",
        "consumer.group.ConsumerGroupCommand",
        ("--describe", "--all-groups"),
        "the groups and their committed offsets",
        _groups,
    )
    yield Command("kafka-transactions", "TransactionsCommand", ("list",), "the transactional ids", _transactions)
    yield Command(
        "kafka-transactions",
        "TransactionsCommand",
        ("find-hanging", "--broker-id", "1"),
        "the hanging transaction",
        _hanging,
    )
    yield Command(
        "kafka-configs",
        "ConfigCommand",
        ("--describe", "--entity-type", "topics", "--entity-name", "page-views"),
        "the configs of the topic",
        _configs,
    )
    yield Command("kafka-log-dirs", "LogDirsCommand", ("--describe",), "the sizes of the segments", _log_dirs)
    for level in ("read_uncommitted", "read_committed"):
        count = sum(place[0] == "orders" for place in shop.lines[level])
        options = [part for name in _PRINTED for part in ("--formatter-property", f"print.{name}=true")]
        options += ["--isolation-level", level, "--max-messages", str(count), "--timeout-ms", "60000"]
        yield Command(
            "kafka-console-consumer",
            "consumer.ConsoleConsumer",
            ("--topic", "orders", "--from-beginning", *options),
            f"all records, {level}",
            _records(shop, level),
        )
    for name, main, arguments in (
        ("kafka-topics", "TopicCommand", ("--create", "--topic", "new")),
        ("kafka-topics", "TopicCommand", ("--delete", "--topic", "orders")),
        (
            "kafka-configs",
            "ConfigCommand",
            ("--alter", "--entity-type", "topics", "--entity-name", "orders", "--add-config", "retention.ms=1"),
        ),
    ):
        yield Command(name, main, arguments, "refused", _refused)


def _topics(said: str) -> tuple[Iterable[object], Iterable[object]]:
    found = re.findall(r"^Topic: (\S+)\tTopicId: (\S+)\tPartitionCount: (\d+)", said, re.MULTILINE)
    expected: dict[str, list[str]] = {}
    for path in SHOP.glob("*/partition.metadata"):
        topic, _, partition = path.parent.name.rpartition("-")
        if partition.isdecimal() and topic != "__cluster_metadata":
            expected.setdefault(topic, []).append(path.read_text().split("topic_id: ")[1].strip())
    return found, [(topic, ids[0], str(len(ids))) for topic, ids in expected.items()]


def _offsets(said: str) -> tuple[Iterable[object], Iterable[object]]:
    lines = (SHOP / "replication-offset-checkpoint").read_text().splitlines()[2:]
    return said.split(), [line.replace(" ", ":") for line in lines]


def _groups(said: str) -> tuple[Iterable[object], Iterable[object]]:
    rows = (line.split() for line in said.splitlines())
    return {tuple(row[:4]) for row in rows if len(row) >= 6 and row[2].isdecimal()}, _GROUPS


def _transactions(said: str) -> tuple[Iterable[object], Iterable[object]]:
    rows = [line.split() for line in said.splitlines()[1:]]
    return [(row[0], row[3]) for row in rows if row], _TRANSACTIONS


def _hanging(said: str) -> tuple[Iterable[object], Iterable[object]]:
    rows = [line.split() for line in said.splitlines()[1:]]
    return [(row[0], row[1], row[2], row[5]) for row in rows if row], _HANGING


def _configs(said: str) -> tuple[Iterable[object], Iterable[object]]:
    return re.findall(r"^  (\S+=\S+)", said, re.MULTILINE), ["compression.type=zstd", "retention.ms=-1"]


def _log_dirs(said: str) -> tuple[Iterable[object], Iterable[object]]:
    (answer,) = (json.loads(line) for line in said.splitlines() if line.startswith("{"))
    partitions = answer["brokers"][0]["logDirs"][0]["partitions"]
    sizes = {
        path.parent.name: sum(file.stat().st_size for file in path.parent.glob("*.log"))
        for path in SHOP.glob("*/00000000000000000000.log")
        if re.search(r"-\d+$", path.parent.name) and not path.parent.name.startswith("__cluster_metadata")
    }
    return ((each["partition"], each["size"]) for each in partitions), sizes.items()


def _records(shop: Disk, level: str) -> Judge:
    def judge(said: str) -> tuple[Iterable[object], Iterable[object]]:
        found = (line for line in said.splitlines() if line.startswith("CreateTime:"))
        lines = (each for place, each in shop.lines[level].items() if place[0] == "orders")  # type: ignore[index]
        return found, map(printed, lines)

    def printed(line: str) -> str:
        _, partition, offset, time, key, value, _ = line.split("\t")
        content = (base64.b64decode(each).decode() for each in (key, value))
        return "\t".join((f"CreateTime:{time}", f"Partition:{partition}", f"Offset:{offset}", "NO_HEADERS", *content))

    return judge


def _refused(said: str) -> tuple[Iterable[object], Iterable[object]]:
    return [_READ_ONLY] if _READ_ONLY in said else [said[-200:]], [_READ_ONLY]
