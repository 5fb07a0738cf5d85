"""Invalid arguments are rejected before anything is read: a missing path would give status 3."""

import importlib
from pathlib import Path

import pytest

from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import Call, on_terminal
from tests.cli.test_names import SHOP, TIER, VIEWS, arguments_of

NEEDS: dict[str, list[list[str]]] = {
    "inspect": [["--offset", "0"]],
    "specs": [[]],
    "write": [["--out", "OUT"]],
    "compaction": [*VIEWS["compaction"], ["--out", "OUT"]],
    "metadata": [["--show", "topics"], ["--history"], ["--diff", "1", "end"]],
    "sql": [[]],
}
"""Views in which a command writes rows, where they differ from those of `test_names`."""

LATER = {("cat", "--value-format"), ("cat", "--kind"), ("load", "--to")}
"""Views whose columns depend on the topics: the paths are listed first, but not read."""


def cases(option: str, *besides: str) -> list[tuple[str, list[str]]]:
    """Commands that have an option, with each of their views that accepts it."""
    found = []
    for command in COMMANDS:
        module = importlib.import_module(f"kafkafmt.cli.{command.replace('-', '_')}")
        if option in {name for parameter in module.command.params for name in parameter.opts}:
            views = NEEDS.get(command) or VIEWS.get(command, [[]])
            found += [(command, view) for view in views if not {*view} & {*besides}]
    return found


def nowhere(command: str, view: list[str], tmp_path: Path) -> list[str]:
    """The arguments of a command, with existing paths replaced by a missing one."""
    if command == "specs":
        return [command]
    paths = {str(SHOP), str(TIER.tier), str(TIER.log_dir)}
    given = arguments_of(command, view, tmp_path / "out")
    query = ["select 1"] if command == "sql" else []
    return [given[0], *query, *(str(tmp_path / "nowhere") if each in paths else each for each in given[1:])]


@pytest.mark.parametrize(
    ("command", "view"), [each for each in cases("--columns") if (each[0], *each[1][:1]) not in LATER]
)
def test_columns(command: str, view: list[str], kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt(*nowhere(command, view, tmp_path), "--columns", "nope")
    assert (answer.status, "no column 'nope'" in answer.stderr) == (2, True), answer.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("command", "view"), cases("--bytes", "--reset-file"))
def test_a_file_that_cannot_be_written(command: str, view: list[str], kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "no-directory" / "rows.csv"
    answer = kafkafmt(*nowhere(command, view, tmp_path), "--out", out)
    assert (answer.status, f"{out} cannot be written" in answer.stderr) == (2, True), answer.stderr


@pytest.mark.parametrize("option", ["--reset-file", "--report"])
def test_another_file_that_cannot_be_written(option: str, kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "no-directory" / "file.csv"
    view = [] if option == "--reset-file" else ["--history"]
    answer = kafkafmt("groups", SHOP, *view, option, out)
    assert (answer.status, f"{out} cannot be written" in answer.stderr) == (2, True), answer.stderr


def test_a_directory_that_exists(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("schemas", "http://127.0.0.1:1", "--out", tmp_path)
    assert (answer.status, f"{tmp_path}: exists already" in answer.stderr) == (3, True), answer.stderr


@pytest.mark.parametrize("command", ["repair", "extract", "compaction", "groups"])
def test_a_binary_form_for_a_terminal(command: str, tmp_path: Path) -> None:
    target = [] if command == "groups" else ["--out", tmp_path / "out"]
    answer = on_terminal(command, SHOP, *target, "-o", "parquet", columns=200)
    assert (answer.status, "parquet cannot be shown on a terminal" in answer.text) == (2, True)
    assert [*tmp_path.iterdir()] == []
