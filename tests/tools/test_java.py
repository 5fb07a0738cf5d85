"""Finding Java: JAVA_HOME before PATH, only one that runs and is new enough; and the wrapper for a bundled one."""

import subprocess
from pathlib import Path

import pytest

import java


def make_java(home: Path, answer: str, status: int = 0) -> Path:
    """Write a script that answers like `java -XshowSettings:properties -version`."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{answer}\nEND\nexit {status}\n")
    executable.chmod(0o755)
    return executable


def settings(home: Path, version: str) -> str:
    return f"Property settings:\n    java.home = {home}\n    java.specification.version = {version}\n    other = x\n"


def environ(java_home: Path | None = None, *path: Path) -> dict[str, str]:
    variables = {"PATH": ":".join(str(each / "bin") for each in path)}
    if java_home is not None:
        variables["JAVA_HOME"] = str(java_home)
    return variables


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    make_java(one, settings(one, "21"))
    make_java(other, settings(other, "17"))
    assert java.find(environ(one, other)) == (java.Java(one, 21), [])
    assert java.find(environ(None, other)) == (java.Java(other, 17), [])


def test_home_is_what_java_says_not_where_its_link_lies(tmp_path: Path) -> None:
    real = tmp_path / "real home"
    executable = make_java(real, settings(real, "17"))
    link = tmp_path / "usr" / "bin" / "java"
    link.parent.mkdir(parents=True)
    link.symlink_to(executable)
    assert java.find(environ(None, tmp_path / "usr")) == (java.Java(real, 17), [])


def test_a_java_home_that_is_too_old_gives_way_to_path(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    executable = make_java(old, settings(old / "jre", "1.8"))
    make_java(new, settings(new, "25"))
    found, refused = java.find(environ(old, new))
    assert found == java.Java(new, 25)
    assert refused == [f"{executable} (from JAVA_HOME) is Java 8, older than 17"]


def test_what_is_too_old_or_does_not_run_is_refused_with_a_reason(tmp_path: Path) -> None:
    broken, old = tmp_path / "broken", tmp_path / "old"
    first = make_java(broken, "Unable to locate a Java Runtime.", status=1)
    second = make_java(old, settings(old, "11"))
    assert java.find(environ(broken, old)) == (
        None,
        [f"{first} (from JAVA_HOME) does not run as Java", f"{second} (from PATH) is Java 11, older than 17"],
    )


@pytest.mark.parametrize("variables", [{}, {"PATH": ""}, {"PATH": "/nowhere", "JAVA_HOME": ""}])
def test_none_anywhere_is_no_error(variables: dict[str, str]) -> None:
    assert java.find(variables) == (None, [])


@pytest.mark.parametrize(
    "answer",
    ["", "java.home = /x", "    java.specification.version = 17", "java.home = /x\njava.specification.version = new"],
)
def test_an_answer_that_is_not_javas_is_refused(tmp_path: Path, answer: str) -> None:
    assert java.ask(make_java(tmp_path, answer)) is None


def test_a_java_home_without_java_is_refused(tmp_path: Path) -> None:
    assert java.ask(tmp_path / "bin" / "java") is None


def test_wrapper_drops_one_argument_and_passes_all_others_as_they_are(tmp_path: Path) -> None:
    runtime, home = tmp_path / "a run'time", tmp_path / "java home"
    executable = runtime / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    executable.chmod(0o755)
    java.wrap(runtime, home)
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-Dname=a b", "", "*", "--add-modules=java.sql"]
    answer = subprocess.run([home / "bin" / "java", *arguments], check=True, capture_output=True, text=True)
    assert answer.stdout == "<-Xmx1g><-Dname=a b><><*><--add-modules=java.sql>"
