"""The clients of the matrix: their names, how they are installed, and what they can do.

A small program drives each client through the tasks of `driver`. Versions of Maven, Go and npm clients are pinned in
the directories beside this module; those of Python clients in requirements/clients_proof.txt. kcat is the machine's.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import environment
import proof_jars
import proofs
from class_path import ToolError, class_path, fetched_jars, tool

HERE = Path(__file__).resolve().parent
INSTALLED = environment.ROOT / "build" / "clients_proof"

_GZIP_ALONE = frozenset({"none", "gzip"})
# Formats 0 and 1 of old brokers: checksums of KAFKA-3160, timestamps set by the broker, no timestamps.
_OLD = frozenset({"m0-codecs-0.9.0.1", "m1-codecs-0.10.2.2", "mixed-magic-2.8.2"})
_ODD_TIMES = "02-timestamps-3.9.1"  # up to 2^63 - 1 ms, which overflows in some clients
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"


class MissingError(ToolError):
    """A client is not available on this machine; the text says what to install."""


@dataclass(frozen=True)
class Client:
    """A client.

    Attributes:
        name: name on the command line.
        label: function that returns its name in the matrix, with its version.
        prepare: function that installs it, and returns the command that takes a file of tasks.
        protocols: group protocols that it supports.
        codecs: codecs that it can decompress; None for all.
        headers: the order in which it returns headers: "all" in that of the record, "grouped" by name; "none" if their
            form cannot be compared.
        can_commit: whether it can commit offsets and report committed ones.
        can_create: whether it can create a topic.
        is_slow: whether it reads only the few disks of --quick.
        left_out: disks that it cannot read from any broker.
    """

    name: str
    label: Callable[[], str]
    prepare: Callable[[], list[str]]
    protocols: tuple[str, ...] = ("classic",)
    codecs: frozenset[str] | None = None
    headers: Literal["all", "grouped", "none"] = "all"
    can_commit: bool = True
    can_create: bool = True
    is_slow: bool = False
    left_out: frozenset[str] = frozenset()


def java(release: str) -> list[str]:
    """Fetch a release of kafka-clients and compile the driver against it; returns the command.

    Raises:
        ToolError: Maven or Java is missing or fails.
    """
    return [tool("java"), "-Xmx256m", _QUIET, "-cp", java_class_path(release), "DoTasks"]


def java_class_path(release: str) -> str:
    """The class path of a release of kafka-clients, and of the driver compiled against it."""
    return class_path(HERE / f"kafka_{release}", "kafka-clients", [HERE / "java"])


def pom_version(directory: str, artifact: str) -> str:
    """The version of an artifact in a pom.xml."""
    pom = (HERE / directory / "pom.xml").read_text("utf-8")
    found = re.search(rf"<artifactId>{artifact}</artifactId>\s*<version>(.*?)</version>", pom)
    if found is None:
        raise ToolError(f"{directory}/pom.xml does not name {artifact}")
    return found[1]


def connect_jars() -> Path:
    """The directory with the jars of Kafka Connect, its file sink and MirrorMaker 2.

    Raises:
        ToolError: Maven is missing or fails.
    """
    return fetched_jars(HERE / "connect", "connect-runtime")


def _java_client(release: str, *protocols: str) -> Client:
    def label() -> str:
        return f"kafka-clients {pom_version(f'kafka_{release}', 'kafka-clients')} (Java)"

    return Client(f"java-{release.replace('_', '.')}", label, lambda: java(release), protocols)


def _python_client(package: str, *protocols: str, left_out: frozenset[str] = _OLD) -> Client:
    def label() -> str:
        pins = (environment.ROOT / "requirements" / "clients_proof.txt").read_text("utf-8")
        found = re.search(rf"^{package}==(\S+)", pins, re.MULTILINE)
        return f"{package} {found[1] if found else ''} (Python)"

    def prepare() -> list[str]:
        directory = str((INSTALLED / "venv").relative_to(environment.ROOT))
        ready = environment.prepare("clients_proof", directory=directory, with_project=False)
        return [str(ready.python), "-m", f"clients_proof.{package.replace('-', '_')}_client"]

    return Client(package, label, prepare, protocols, left_out=left_out)


def _spark(way: str) -> Client:
    def label() -> str:
        pins = (environment.ROOT / "requirements" / "spark_proof.txt").read_text("utf-8")
        found = re.search(r"^pyspark==(\S+)", pins, re.MULTILINE)
        return f"Spark {found[1] if found else ''}, its kafka source, {way}"

    def prepare() -> list[str]:
        ready = environment.prepare("spark_proof", directory=proofs.SPARK_ENVIRONMENT)
        jars = ",".join(map(str, proof_jars.connector_jars()))
        return [str(ready.python), "-m", "clients_proof.spark_client", jars, way]

    return Client(f"spark-{way}", label, prepare, protocols=(), can_create=False, is_slow=True)


def _go(directory: str) -> Callable[[], list[str]]:
    def prepare() -> list[str]:
        go = shutil.which("go")
        if go is None:
            raise MissingError("go is not on PATH: install Go 1.26 or later")
        program = INSTALLED / "go" / directory
        _run([go, "build", "-trimpath", "-o", str(program), f"./{directory}"], HERE / "go")
        return [str(program)]

    return prepare


def _go_version(module: str) -> str:
    found = re.search(rf"^\t{re.escape(module)} v(\S+)", (HERE / "go" / "go.mod").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else ""


def _node(program: str) -> Callable[[], list[str]]:
    def prepare() -> list[str]:
        for name in ("node", "npm"):
            if shutil.which(name) is None:
                raise MissingError(f"{name} is not on PATH: install Node.js 20 or later with npm")
        home = INSTALLED / "node"
        home.mkdir(parents=True, exist_ok=True)
        lock = (HERE / "node" / "package-lock.json").read_bytes()
        installed = home / "installed-lock.json"
        for file in (HERE / "node").iterdir():
            shutil.copy(file, home)
        if not installed.exists() or installed.read_bytes() != lock:
            _run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], home)
            installed.write_bytes(lock)
        return ["node", str(home / program)]

    return prepare


def _npm_version(package: str) -> str:
    version: str = json.loads((HERE / "node" / "package.json").read_text("utf-8"))["dependencies"][package]
    return version


def _kcat() -> list[str]:
    if shutil.which("kcat") is None:
        raise MissingError("kcat is not on PATH: install kcat (the Debian package is called kcat)")
    return [sys.executable, "-m", "clients_proof.kcat_client"]


def _kcat_label() -> str:
    said = subprocess.run(["kcat", "-V"], check=True, capture_output=True, encoding="utf-8").stdout
    found = re.search(r"Version (\S+).*librdkafka (\S+)", said)
    return f"kcat {found[1]} (librdkafka {found[2]})" if found else "kcat"


def _run(command: list[str], where: Path) -> None:
    done = subprocess.run(
        command, check=False, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    if done.returncode:
        raise ToolError(f"{' '.join(command)} in {where} failed:\n{done.stdout}")


def variables() -> Mapping[str, str]:
    """The environment variables of drivers."""
    return {**os.environ, "PYTHONWARNINGS": "ignore"}


CLIENTS = (
    _java_client("4_4", "classic", "consumer"),
    _java_client("3_9", "classic", "consumer"),
    _java_client("2_8", "classic"),
    Client("kcat", _kcat_label, _kcat, headers="none", can_commit=False, can_create=False, left_out=_OLD),
    _python_client("confluent-kafka", "classic", "consumer"),
    _python_client("aiokafka", "classic"),
    _python_client("kafka-python", "classic", left_out=_OLD | {_ODD_TIMES}),
    Client(
        "franz-go",
        lambda: f"franz-go {_go_version('github.com/twmb/franz-go')} (Go)",
        _go("franz"),
        left_out=_OLD | {_ODD_TIMES},
    ),
    Client(
        "sarama",
        lambda: f"sarama {_go_version('github.com/IBM/sarama')} (Go)",
        _go("sarama"),
        left_out=_OLD | {_ODD_TIMES},
    ),
    Client(
        "kafkajs",
        lambda: f"KafkaJS {_npm_version('kafkajs')} (Node.js)",
        _node("kafkajs.mjs"),
        ("classic",),
        _GZIP_ALONE,
        "grouped",
        is_slow=True,
    ),
    Client(
        "platformatic",
        lambda: f"@platformatic/kafka {_npm_version('@platformatic/kafka')} (Node.js)",
        _node("platformatic.mjs"),
        ("classic", "consumer"),
        _GZIP_ALONE,  # on Node.js 20
        is_slow=True,
    ),
    _spark("batch"),
    _spark("stream"),
)
