"""Kafka's jars, brought by Maven, and our Java programs, compiled: what a judge needs to start."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KAFKA = Path(__file__).resolve().parent.parent / "kafka_broker"
"""The directory of the pom.xml that names the release of Kafka: a broker, and so all modules but the tools."""


class JudgeError(Exception):
    """A tool is missing or fails; the text says which, and what to do about it."""


def tool(name: str) -> str:
    """Find a program on PATH.

    Raises:
        JudgeError: it is not there.
    """
    path = shutil.which(name)
    if path is None:
        what = {"mvn": "Apache Maven 3.6 or later (the Debian package is called maven)"}
        instead = what.get(name, "a JDK 17 or later (the Debian package is called default-jdk-headless)")
        raise JudgeError(f"{name} is not on PATH: install {instead}")
    return path


def kafka_class_path(programs: Path) -> str:
    """Find Kafka's jars, and the classes of the Java programs in a directory, compiled against them.

    Raises:
        JudgeError: a tool is missing or fails.
    """
    return class_path(KAFKA, "kafka_2.13", programs)


def kafka_jars() -> Path:
    """Find the directory of Kafka's jars.

    Raises:
        JudgeError: Maven is missing or fails.
    """
    return fetched_jars(KAFKA, "kafka_2.13")


def class_path(home: Path, jar: str, programs: Path | None = None) -> str:
    """Find the jars and classes of a judge in target/, brought and compiled if they are not of its sources.

    Args:
        home: the directory of its pom.xml, and of its Java sources if they are in no other one.
        jar: the jar of Kafka that it is all about, without version.
        programs: the directory of its Java sources.

    Raises:
        JudgeError: a tool is missing or fails.
    """
    jars = fetched_jars(home, jar)
    programs = programs or home
    sources = sorted(programs.glob("*.java"))
    target = programs / "target"
    target.mkdir(exist_ok=True)
    classes = target / f"classes-{_digest([home / 'pom.xml', *sources])}"
    with _alone():
        if classes.is_dir():
            return f"{jars / '*'}:{classes}"
        with tempfile.TemporaryDirectory(dir=target) as scratch:
            compiled = Path(scratch) / "classes"
            command = [tool("javac"), "-Xlint:all", "-Werror", "-cp", str(jars / "*"), "-d", str(compiled)]
            _run([*command, *map(str, sources)], f"javac could not compile the sources in {programs}")
            _replace(target, "classes-*", compiled, classes)
    return f"{jars / '*'}:{classes}"


def fetched_jars(home: Path, jar: str) -> Path:
    """Find the directory of the jars that a pom.xml names, in the target/ beside it, brought if they are not of it.

    Args:
        home: the directory of the pom.xml.
        jar: the one that it is all about, without version.

    Raises:
        JudgeError: Maven is missing or fails.
    """
    pom = home / "pom.xml"
    target = home / "target"
    jars = target / f"jars-{_digest([pom])}"
    with _alone():
        if jars.is_dir():
            return jars
        target.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target) as scratch:
            fetched = Path(scratch) / "jars"
            command = [tool("mvn"), "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
            _run([*command, f"-DoutputDirectory={fetched}"], f"Maven could not fetch {jar}")
            if not any(fetched.glob(f"{jar}-*.jar")):
                raise JudgeError(f"Maven fetched no {jar}")
            _replace(target, "jars-*", fetched, jars)
    return jars


@contextmanager
def _alone() -> Iterator[None]:
    """Hold off other processes that are about to do the same; Maven does not share its repository well either."""
    handle = os.open(Path(__file__).resolve().parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _run(command: list[str], complaint: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    if done.returncode:
        raise JudgeError(f"{complaint}:\n{done.stdout}")


def _replace(target: Path, stale: str, new: Path, name: Path) -> None:
    for old in target.glob(stale):
        shutil.rmtree(old)
    new.rename(name)
