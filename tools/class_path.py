"""Class paths for programs in tools/ that start Java: Kafka's jars, fetched by Maven, and compiled Java programs.

Standard library only. There are two class paths: that of a broker of the release in kafka_broker/pom.xml, for nearly
all programs, and that of the kafka-tools in kafka_judge/dump/pom.xml, whose DumpLogSegments `kafkafmt dump` follows.
Each has one directory of jars and one of classes, in target/ beside its pom.xml; so do programs with their own
libraries.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

TOOLS = Path(__file__).resolve().parent

KAFKA = TOOLS / "kafka_broker"
"""The directory of the pom.xml with the release of Kafka: a broker with all its modules, except the tools."""

_KAFKA_JAR = "kafka_2.13"
_KAFKA_PROGRAMS = (
    "clients_proof/java",
    "cluster_proof",
    "example_cluster",
    "follow_proof",
    "kafka_broker",
    "kafka_judge",
    "kafka_judge/advice",
    "kafka_judge/assignment",
    "kafka_judge/configs",
    "kafka_judge/groups",
    "kafka_judge/messages",
    "kafka_judge/metadata",
    "kafka_judge/operations",
    "kafka_judge/protocol",
    "kafka_judge/segments",
    "kafka_judge/writing",
    "operations_proof",
    "protocol_frames",
    "reset_proof",
    "serve_proof",
    "spark_proof",
    "spark_stream_proof",
    "startup_proof",
)

KAFKA_TOOLS = TOOLS / "kafka_judge" / "dump"
"""The directory of the pom.xml with the release of Kafka's tools."""

_KAFKA_TOOLS_PROGRAMS = ("benchmark/java", "kafka_judge/dump")

_OWN_LIBRARIES = (
    "kafka_judge/languages",
    "kafka_judge/protobuf",
    "kafka_judge/values",
    "protobuf_framings/apicurio",
    "protobuf_framings/glue",
)
"""Directories of programs that need jars other than Kafka's, named by a pom.xml there."""

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy"
"""Unlike later releases, this one does not need the parents of the artifact's pom.xml."""

_PACKAGES = {
    "mvn": "Apache Maven 3.6 or later (the Debian package is called maven)",
    "node": "Node.js 18 or later",
    "npm": "Node.js 18 or later with npm",
    "openssl": "OpenSSL 1.1.1 or later",
}
_JAVA = "a JDK 17 or later (the Debian package is called default-jdk-headless)"


class ToolError(Exception):
    """A tool is missing or fails; the text names it and the remedy.

    Args:
        text: the text.
        status: exit code for it; 0 if it is that of all failures of the program.
    """

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


def tool(name: str) -> str:
    """Find a program on PATH.

    Raises:
        ToolError: the program is not installed.
    """
    path = shutil.which(name)
    if path is None:
        raise ToolError(f"{name} is not on PATH: install {_PACKAGES.get(name, _JAVA)}")
    return path


def kafka_class_path() -> str:
    """The class path of a broker's jars, and of the programs compiled against them.

    Raises:
        ToolError: a tool is missing or fails.
    """
    return class_path(KAFKA, _KAFKA_JAR, [TOOLS / directory for directory in _KAFKA_PROGRAMS])


def kafka_tools_class_path() -> str:
    """The class path of Kafka's tools, and of the programs compiled against them.

    Raises:
        ToolError: a tool is missing or fails.
    """
    return class_path(KAFKA_TOOLS, "kafka-tools", [TOOLS / directory for directory in _KAFKA_TOOLS_PROGRAMS])


def kafka_jars() -> Path:
    """The directory of a broker's jars.

    Raises:
        ToolError: Maven is missing or fails.
    """
    return fetched_jars(KAFKA, _KAFKA_JAR)


def class_path(home: Path, jar: str, programs: Iterable[Path]) -> str:
    """The class path of jars and classes in a directory's target/; they are made again if their sources have changed.

    Args:
        home: the directory of the pom.xml.
        jar: name of the main jar, without version.
        programs: the directories of Java sources.

    Raises:
        ToolError: a tool is missing or fails.
    """
    jars = fetched_jars(home, jar)
    sources = [source for directory in programs for source in sorted(directory.glob("*.java"))]
    classes = home / "target" / f"classes-{_digest([home / 'pom.xml', *sources])}"
    with _made_once(classes, "classes-*") as compiled:
        if compiled is not None:
            command = [tool("javac"), "-Xlint:all", "-Werror", "-cp", str(jars / "*"), "-d", str(compiled)]
            _run([*command, *map(str, sources)], "javac could not compile the Java programs in tools")
    return f"{jars / '*'}:{classes}"


def fetched_jars(home: Path, jar: str) -> Path:
    """The directory of a pom.xml's jars, in the target/ beside it; fetched again if the pom.xml has changed.

    Args:
        home: the directory of the pom.xml.
        jar: name of the main jar, without version.

    Raises:
        ToolError: Maven is missing or fails.
    """
    pom = home / "pom.xml"
    jars = home / "target" / f"jars-{_digest([pom])}"
    with _made_once(jars, "jars-*") as fetched:
        if fetched is not None:
            command = [tool("mvn"), "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
            _run([*command, f"-DoutputDirectory={fetched}"], f"Maven could not fetch {jar}")
            if not any(fetched.glob(f"{jar}-*.jar")):
                raise ToolError(f"Maven fetched no {jar}")
    return jars


def fetched_artifact(home: Path, coordinates: str) -> Path:
    """An artifact of Maven without its dependencies, in a directory's target/; fetched if it is missing.

    Args:
        home: the directory.
        coordinates: group, name and version, optionally type and classifier, separated by colons.

    Raises:
        ToolError: Maven is missing or fails.
    """
    made = home / "target" / coordinates.replace(":", "-")
    with _made_once(made, made.name) as fetched:
        if fetched is not None:
            command = [tool("mvn"), "-q", "-B", _COPY, f"-Dartifact={coordinates}"]
            _run([*command, f"-DoutputDirectory={fetched}"], f"Maven could not fetch {coordinates}")
            if not fetched.is_dir():
                raise ToolError(f"Maven fetched no {coordinates}")
    return next(made.iterdir())


@contextmanager
def _made_once(path: Path, stale: str) -> Iterator[Path | None]:
    """A temporary path for making a directory, which then replaces a stale one; None if it is up to date.

    Other processes that need it wait. This also protects Maven's repository, which several processes cannot share.
    """
    handle = os.open(TOOLS, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if path.is_dir():
            yield None
            return
        path.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
            new = Path(scratch) / path.name
            yield new
            for old in path.parent.glob(stale):
                shutil.rmtree(old)
            new.rename(path)
    finally:
        os.close(handle)


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _run(command: list[str], complaint: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    if done.returncode:
        raise ToolError(f"{complaint}:\n{done.stdout}")
