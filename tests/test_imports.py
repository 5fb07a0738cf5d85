"""Who imports whom: the product neither tests nor tools, tools no tests, and tests no tools but in tests/tools."""

from pathlib import Path

import pytest

from tests.imports import imported_names

ROOT = Path(__file__).parents[1]
TOOLS = {path.stem for path in (ROOT / "tools").iterdir() if path.is_dir() or path.suffix == ".py"}


def programs(directory: str) -> list[Path]:
    """Modules, and scripts whose first line says that they are Python."""
    paths = [path for path in sorted((ROOT / directory).rglob("*")) if path.suffix in {"", ".py"} and path.is_file()]
    skipped = {"golden", "node_modules", "target"}
    paths = [path for path in paths if not skipped & set(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.suffix or path.read_bytes().startswith(b"#!/usr/bin/env python3")]


def imports(path: Path) -> set[str]:
    """The packages at the top of all that a program imports."""
    return {module.partition(".")[0] for module, _ in imported_names(path)}


@pytest.mark.parametrize(
    ("directory", "barred"),
    [("kafkafmt", {*TOOLS, "tests"}), ("spark", {*TOOLS, "tests"}), ("tools", {"tests"}), ("tests", TOOLS)],
)
def test_no_program_imports_what_it_must_not_know(directory: str, barred: set[str]) -> None:
    found = {
        str(path.relative_to(ROOT)): sorted(barred & imports(path))
        for path in programs(directory)
        if (ROOT / "tests" / "tools") not in path.parents
    }
    assert len(found) > 10
    assert {path: names for path, names in found.items() if names} == {}
