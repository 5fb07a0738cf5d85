"""class_path: Maven and javac run once, whoever asks, and their output is found again."""

import threading
from pathlib import Path

import pytest

import class_path as made
from class_path import ToolError, class_path, fetched_artifact, fetched_jars


class Tools:
    """Replacements of Maven and javac: shell scripts that record their runs."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.log = directory / "ran"
        self.does("mvn", 'mkdir -p "${6#-DoutputDirectory=}" && touch "${6#-DoutputDirectory=}/kafka-clients-1.jar"')
        self.does("javac", 'while [ "$1" != -d ]; do shift; done; mkdir "$2"')
        monkeypatch.setattr(made, "tool", lambda name: str(directory / name))

    def does(self, name: str, line: str) -> None:
        script = self.directory / name
        script.write_text(f"#!/bin/sh\necho {name} >>{self.log}\nsleep 0.05\n{line}\n")
        script.chmod(0o755)

    def ran(self) -> list[str]:
        return self.log.read_text().split()


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return Tools(tmp_path, monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    (made / "pom.xml").write_text("<project/>")
    (made / "Judge.java").write_text("class Judge {}")
    return made


def test_what_is_there_is_taken(tools: Tools, home: Path) -> None:
    first = class_path(home, "kafka-clients", [home])
    jars, classes = (Path(part) for part in first.split(":"))
    assert [jar.name for jar in jars.parent.glob(jars.name)] == ["kafka-clients-1.jar"]
    assert classes.is_dir()
    assert class_path(home, "kafka-clients", [home]) == first
    assert tools.ran() == ["mvn", "javac"]


def test_what_is_of_other_sources_is_replaced(tools: Tools, home: Path) -> None:
    first = class_path(home, "kafka-clients", [home])
    (home / "Judge.java").write_text("class Judge { }")
    assert class_path(home, "kafka-clients", [home]) != first
    assert tools.ran() == ["mvn", "javac", "javac"]
    assert len(list((home / "target").glob("classes-*"))) == 1


def test_an_artifact_is_fetched_once(tools: Tools, home: Path) -> None:
    tools.does("mvn", 'mkdir "${5#-DoutputDirectory=}" && touch "${5#-DoutputDirectory=}/app-1-all.tar.gz"')
    packed = fetched_artifact(home, "org.example:app:1:tar.gz:all")
    assert packed == home / "target" / "org.example-app-1-tar.gz-all" / "app-1-all.tar.gz"
    assert packed.is_file()
    assert fetched_artifact(home, "org.example:app:1:tar.gz:all") == packed
    assert tools.ran() == ["mvn"]


def test_an_artifact_that_maven_does_not_bring(tools: Tools, home: Path) -> None:
    tools.does("mvn", "true")
    with pytest.raises(ToolError, match=r"Maven fetched no org\.example:app:1"):
        fetched_artifact(home, "org.example:app:1")


def test_programs_of_several_directories_are_compiled_at_once(tools: Tools, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "programs" / "Other.java"
    other.parent.mkdir()
    other.write_text("class Other {}")
    tools.does("javac", f'while [ "$1" != -d ]; do shift; done; mkdir "$2"; echo "$@" >{tmp_path}/sources')
    jars, classes = class_path(home, "kafka-clients", [home, other.parent]).split(":")
    assert Path(jars).parent.parent == Path(classes).parent == home / "target"
    assert (tmp_path / "sources").read_text().split()[2:] == [str(home / "Judge.java"), str(other)]


def test_each_java_program_is_on_one_class_path() -> None:
    listed = [*made._KAFKA_PROGRAMS, *made._KAFKA_TOOLS_PROGRAMS, *made._OWN_LIBRARIES]
    assert sorted({str(path.parent.relative_to(made.TOOLS)) for path in made.TOOLS.rglob("*.java")}) == sorted(listed)


def test_those_who_ask_at_once_wait_for_the_first(tools: Tools, home: Path) -> None:
    found: list[str] = []

    def ask() -> None:
        found.append(class_path(home, "kafka-clients", [home]))

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert tools.ran() == ["mvn", "javac"]


def test_a_tool_that_fails_is_told_and_leaves_nothing(tools: Tools, home: Path) -> None:
    tools.does("mvn", "echo no network; exit 1")
    with pytest.raises(ToolError, match="Maven could not fetch kafka-clients:\nno network"):
        fetched_jars(home, "kafka-clients")
    tools.does("mvn", "exit 0")
    with pytest.raises(ToolError, match="Maven fetched no kafka-clients"):
        fetched_jars(home, "kafka-clients")
    assert list((home / "target").iterdir()) == []
