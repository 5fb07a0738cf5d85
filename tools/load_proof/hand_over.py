"""A sink of Kafka Connect takes over from a table: runs the unchanged commands of docs/load.md on a live broker.

Connect's own file sink stands in for any sink. A topic is loaded into a Delta table, and more records arrive before
and after the start of the sink. Table and file together must contain each record exactly once.
"""

import re
import shlex
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable

import environment
import kafkafmt
from class_path import kafka_tools_class_path, tool
from clients_proof.clients import connect_jars
from kafka_broker.broker import Broker, free_ports
from proof_frame import ProofError

_PAGE = environment.ROOT / "docs" / "load.md"
_BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_COMMAND = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
_SECONDS = 180.0
_POLL_SECONDS = 0.5
_RECORDS, _PARTITIONS = 3000, 3
_FIRST = 1_795_000_000_000
_WORKER = """\
bootstrap.servers={bootstrap}
group.id=connect
config.storage.topic=connect-configs
config.storage.replication.factor=1
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
status.storage.topic=connect-status
status.storage.replication.factor=1
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
listeners=http://127.0.0.1:{port}
plugin.discovery=only_scan
offset.flush.interval.ms=1000
"""


def ask(home: Path) -> Iterator[str]:
    """Hand over by Connect's REST API, and by kafka-consumer-groups.sh.

    Args:
        home: a new directory.
    """
    home.mkdir(parents=True)
    create, by_connect, resume, by_groups = _commands()
    _write(home / "source")
    with Broker(home / "live", {"log.retention.ms": "-1", "offsets.topic.num.partitions": "3"}) as broker:
        port = free_ports(1)[0]
        with _worker(home, broker.bootstrap_servers, port):
            for name, commands in (("PATCH", by_connect), ("kafka-consumer-groups.sh", by_groups)):
                place = home / name
                place.mkdir()
                topic = f"orders-{place.name[0].lower()}"
                _send(home / "source", broker, topic, 0, 1)
                loaded = kafkafmt.load(broker.log_dir, f"delta:{place}/lake/orders", topics=topic)
                _send(home / "source", broker, topic, 1, 2)
                _run(_typed(create + commands + resume, place, broker, topic, port), place)
                file = place / "orders.txt"
                _wait_for(file, 2 * _RECORDS // 3 - loaded.rows_loaded)
                _send(home / "source", broker, topic, 2, 3)
                time.sleep(2 * _POLL_SECONDS)
                lines = _wait_for(file, _RECORDS - loaded.rows_loaded)
                table = DeltaTable(place / "lake" / "orders").to_pyarrow_table(columns=["value"])["value"].to_pylist()
                found = Counter(lines) + Counter(value.decode() for value in table)
                print(f"Connect by {name}: {len(table)} records in the table, {len(lines)} in the sink", flush=True)
                if found != Counter(_value(number) for number in range(_RECORDS)):
                    twice = sum(count > 1 for count in found.values())
                    yield f"Connect by {name}: {_RECORDS - len(found)} records are missing, {twice} are repeated"


def _commands() -> tuple[str, str, str, str]:
    """The commands of the page: create the connector, set its offsets, resume it; and the other way to set offsets."""
    blocks = [textwrap.dedent(each) for each in _BLOCK.findall(_PAGE.read_text("utf-8"))]
    found = [each for each in blocks if "/connectors" in each or "--from-file" in each]
    if len(found) != len(("by Connect", "by kafka-consumer-groups.sh")):
        raise ProofError("docs/load.md has no hand-over to Kafka Connect that can be run")
    by_connect, by_groups = found
    begin, end = by_connect.index("kafkafmt load"), by_connect.index("curl -fsS -X PUT")
    return by_connect[:begin], by_connect[begin:end], by_connect[end:], by_groups


def _typed(commands: str, place: Path, broker: Broker, topic: str, port: int) -> str:
    """Commands of the page, with the proof's addresses, names and programs in place of the page's."""
    for theirs, ours in {
        "http://connect:8083": f"http://127.0.0.1:{port}",
        "broker:9092": broker.bootstrap_servers,
        "orders-sink": f"{topic}-sink",
        '"topics": "orders"': f'"topics": "{topic}"',
        "--topic orders": f"--topic {topic}",
        "/lake/orders.txt": f"{place}/orders.txt",
        " log-dir ": f" {shlex.quote(str(broker.log_dir))} ",
    }.items():
        commands = commands.replace(theirs, ours)
    java = [tool("java"), "-Xmx256m", _QUIET, "-cp", kafka_tools_class_path(), _COMMAND]
    programs = {"kafkafmt": [sys.executable, "-m", "kafkafmt"], "kafka-consumer-groups.sh": java}
    made = [f'{name}() {{ {shlex.join(command)} "$@"; }}' for name, command in programs.items()]
    return "\n".join(["set -e", *made, commands])


def _run(script: str, place: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", script], cwd=place, check=False, capture_output=True, text=True, timeout=_SECONDS
    )
    (place / "said.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        raise ProofError(f"the commands of docs/load.md end with {done.returncode}:\n{done.stdout}{done.stderr}")


def _value(number: int) -> str:
    return f"record {number}"


def _write(directory: Path) -> None:
    numbers = np.arange(_RECORDS)
    rows = {
        "value": pa.array([_value(number).encode() for number in range(_RECORDS)], pa.binary()),
        "partition": pa.array(numbers % _PARTITIONS, pa.int32()),
        "timestamp": pa.array(_FIRST + numbers),
    }
    kafkafmt.write(pa.table(rows), directory, topic="orders", partitions=_PARTITIONS)


def _send(source: Path, broker: Broker, topic: str, begin: int, end: int) -> None:
    """Send the records of the given range of thirds."""
    third = _RECORDS // 3
    done = kafkafmt.replay(
        source,
        broker.bootstrap_servers,
        topics={"orders": topic},
        start_timestamp=_FIRST + begin * third,
        end_timestamp=_FIRST + end * third,
        create=True,
        append=True,
        run=f"{topic}-{begin}",
    )
    if done.records != (end - begin) * third:
        raise ProofError(f"{done.records} records were sent to {topic}")


def _wait_for(file: Path, count: int) -> list[str]:
    """Wait until a file has `count` lines, or until a timeout; returns its lines."""
    until, lines = time.monotonic() + _SECONDS, list[str]()
    while len(lines) < count and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return lines


@contextmanager
def _worker(home: Path, to: str, port: int) -> Iterator[None]:
    """Run a Connect worker; it is ready for requests in the block."""
    settings, log = home / "worker.properties", home / "connect.log"
    settings.write_text(_WORKER.format(bootstrap=to, port=port))
    java = [tool("java"), "-Xmx384m", _QUIET, "-cp", str(connect_jars() / "*")]
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [*java, "org.apache.kafka.connect.cli.ConnectDistributed", str(settings)],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
        try:
            until = time.monotonic() + _SECONDS
            asked = [tool("curl"), "-fsS", "-m", "5", f"http://127.0.0.1:{port}/connectors"]
            while subprocess.run(asked, check=False, capture_output=True).returncode:
                if process.poll() is not None or time.monotonic() > until:
                    raise ProofError(f"Connect does not start: {log.read_text('utf-8', 'replace')[-500:]}")
                time.sleep(_POLL_SECONDS)
            yield
        finally:
            process.terminate()
            process.wait()
