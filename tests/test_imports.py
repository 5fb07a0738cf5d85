"""Import rules: the product imports neither tests nor tools, tools no tests, and only tests/tools imports tools.

Also modules that commands may not import: numpy and Arrow alone double the time of a short command.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tests.imports import imported_names

ROOT = Path(__file__).parents[1]
TOOLS = {path.stem for path in (ROOT / "tools").iterdir() if path.is_dir() or path.suffix == ".py"}


def programs(directory: str) -> list[Path]:
    """Modules, and scripts with a Python shebang."""
    paths = [path for path in sorted((ROOT / directory).rglob("*")) if path.suffix in {"", ".py"} and path.is_file()]
    skipped = {"golden", "node_modules", "target"}
    paths = [path for path in paths if not skipped & set(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.suffix or path.read_bytes().startswith(b"#!/usr/bin/env python3")]


def imports(path: Path) -> set[str]:
    """The top-level packages that a program imports."""
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


EXAMPLE = ROOT / "docs" / "examples" / "shop"
# Modules that load slowly, and modules that few commands need.
FUNCTIONS = {"pyarrow.compute", "pyarrow.fs", "pandas", "numba", "llvmlite", "kafkafmt.columnar.decoder"}
CODECS = {"cramjam", "lz4.block", "lz4.frame", "zstandard"}
STANDARD = {
    *("asyncio", "concurrent.futures", "difflib", "email", "html", "http", "importlib.metadata", "logging"),
    *("multiprocessing", "ssl", "tempfile", "urllib.parse", "xml"),
}
# Combined specs of all records of a topic: a record needs only its own.
SPECS = {
    *("kafkafmt_specs.kafka_metadata_record", "kafkafmt_specs.kafka_consumer_offsets_key"),
    "kafkafmt.topics.cluster_metadata.history",
}
HEAVY = FUNCTIONS | STANDARD | SPECS
LIST = HEAVY | CODECS | {"numpy", "pyarrow", "shutil", "kafkafmt.scanning.stream", "kafkafmt.topics.internal_log"}

BUDGETS = {
    "--help": LIST - {"shutil"} | {"hashlib", "rich", "kafkafmt.io", "kafkafmt.logdir", "kafkafmt.scanning"},
    "ls": LIST,
    "ls --quick": LIST,
    "metadata": LIST,
    "verify": HEAVY | {"cramjam", "pyarrow"},
    "groups": HEAVY | {"cramjam"},
    "cat --last 10": HEAVY | {"cramjam", "kafkafmt.topics.internal_log"},
}
"""Modules that a command must not import when it reads a small directory, by command."""

COMMAND = """
import json, sys
from kafkafmt.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None), end
print(json.dumps([*sys.modules]), file=sys.stderr)
"""


@pytest.mark.parametrize("command", BUDGETS)
def test_a_command_imports_no_more_than_it_needs(command: str) -> None:
    arguments = command.split() if command == "--help" else [*command.split(), str(EXAMPLE)]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], env=environment(), check=True, capture_output=True, text=True
    )
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "kafkafmt.cli.main" in imported
    assert sorted(BUDGETS[command] & imported) == []


SCANS = """
import sys
import kafkafmt

for choice in ({"key": [b"a"]}, {"compacted": True}, {"isolation_level": "read_committed"}, {"columns": ["value"]}, {}):
    rows = sum(batch.num_rows for batch in kafkafmt.scan(sys.argv[1], **choice).to_batches())
assert rows == kafkafmt.scan(sys.argv[1]).count() > 0
from pyspark_kafkafmt.arrow_batches import microseconds
import pyarrow
microseconds(pyarrow.Array.from_buffers(pyarrow.int64(), 1, [None, pyarrow.py_buffer(bytes(8))]))
print("pandas" in sys.modules)
"""


def test_a_scan_leaves_pandas_alone() -> None:
    """Arrow imports it for `to_numpy`, and then Spark's workers scan its objects for garbage after each task."""
    pytest.importorskip("pandas", reason="pip install 'kafkafmt[spark]': without pandas there is nothing to see")
    command = [sys.executable, "-c", SCANS, str(EXAMPLE / "log-dir")]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
