"""docs/architecture.md compared with the code: the same rooms, and no import of a higher one."""

import functools
import re
from pathlib import Path

import pytest

from tests.imports import imported_names

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text()
PACKAGES = {"kafkafmt": ROOT / "kafkafmt", "pyspark_kafkafmt": ROOT / "spark" / "pyspark_kafkafmt"}
# They re-export other modules: the lazily loaded public interface, and `python -m kafkafmt`.
DOORS = {"kafkafmt", "kafkafmt.__main__"}


def rooms() -> list[list[str]]:
    """Names of modules and packages in the table's order, grouped by row."""
    table = DOCUMENT.partition("## Rooms")[2].partition("##")[0]
    rows = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    return [
        [
            path.removeprefix("spark/").rstrip("/").removesuffix(".py").replace("/", ".")
            for path in re.findall(r"`(.+?)`", row)
        ]
        for row in rows
    ]


RANKS = {name: rank for rank, names in enumerate(rooms()) for name in names}


def modules() -> dict[str, Path]:
    found = {}
    for name, directory in PACKAGES.items():
        for path in directory.rglob("*.py"):
            parts = (name, *path.relative_to(directory).with_suffix("").parts)
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] == "pyspark_kafkafmt" else ".".join(parts[:2])


@functools.cache
def imported(path: Path) -> list[str]:
    """Modules of the product that a module imports at any level."""
    found = [*imported_names(path)]
    assert not [module for module, _ in found if module.startswith(".")], path
    names = [whole if (whole := f"{module}.{name}") in MODULES else module for module, name in found]
    return [name for name in names if name in MODULES]


def test_classes_are_in_the_modules_that_the_document_names() -> None:
    named = re.findall(r"`([A-Z]\w+)` \(`([\w/]+\.py)`\)", DOCUMENT)
    assert len(named) > 25
    for name, path in named:
        (module,) = {each for each in MODULES.values() if each.as_posix().endswith(f"/{path}")}
        assert re.search(rf"^class {name}\b", module.read_text(encoding="utf-8"), re.MULTILINE), (name, path)


def test_each_room_is_in_the_table_and_each_row_is_a_room() -> None:
    assert {room_of(name) for name in MODULES} - DOORS == set(RANKS)


@pytest.mark.parametrize("room", RANKS)
def test_a_room_imports_only_from_rooms_above_it(room: str) -> None:
    own = [name for name in MODULES if room_of(name) == room]
    assert own
    wrong = [
        f"{name} imports {other}"
        for name in own
        for other in imported(MODULES[name])
        if other not in DOORS and room_of(other) != room and RANKS[room_of(other)] > RANKS[room]
    ]
    assert not wrong
    last = max(RANKS.values())
    if RANKS[room] == last:  # Spark does not need the command line
        assert not [name for name in own if any(room_of(other) == "kafkafmt.cli" for other in imported(MODULES[name]))]


def test_only_kernels_import_numba_and_only_the_compiler_imports_kernels() -> None:
    kernels = "kafkafmt.columnar.kernels"
    compiled = {name for name in MODULES if name.startswith(f"{kernels}.")}
    for package, others in (("numba", set()), ("llvmlite", {"kafkafmt.columnar.object_code"})):
        pattern = re.compile(rf"^\s*(?:from|import) {package}\b", re.MULTILINE)
        importing = {name for name, path in MODULES.items() if pattern.search(path.read_text())}
        assert importing & compiled
        assert importing - compiled == others
    importers = {
        name: others
        for name, path in MODULES.items()
        if name not in compiled and (others := compiled & set(imported(path)))
    }
    # One imports it for the type checker, the other where there is no code yet.
    assert importers.keys() == {kernels, "kafkafmt.columnar.object_code"}
    assert importers["kafkafmt.columnar.object_code"] == {f"{kernels}.compiling"}


def test_paths_that_the_document_names_are_there() -> None:
    named = set(
        re.findall(
            r"`((?:kafkafmt|tests|tools|spark|docs|formats|generated|files|logdir|scanning|columnar|topics|survey)/[\w/.]*)`",
            DOCUMENT,
        )
    )
    assert len(named) > 20
    missing = [path for path in named if not (ROOT / path).exists() and not (ROOT / "kafkafmt" / path).exists()]
    assert not missing


def test_no_public_class_name_is_used_twice() -> None:
    found: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for public in re.findall(r"^class ([A-Za-z]\w*)", path.read_text(), re.MULTILINE):
            found.setdefault(public, []).append(name)
    assert len(found) > 300
    assert not {name: places for name, places in found.items() if len(places) > 1}


def test_only_the_check_of_assignments_and_the_coordinator_import_the_assignors() -> None:
    assignors = "kafkafmt.topics.assignment"
    users = {name for name, path in MODULES.items() if any(other.startswith(assignors) for other in imported(path))}
    assert {name for name in users if not name.startswith(assignors)} == {
        "kafkafmt.serving.groups.consumer",
        "kafkafmt.topics.consumer_groups.assignment_check",
    }
