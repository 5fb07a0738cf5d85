"""Modules loaded before the first row: slow imports happen only where they are used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tests.golden_cases import GOLDEN
from tests.reference.builder import R, batch

HEAVY = (
    "numba",
    "llvmlite",
    "pandas",
    "pyarrow.compute",
    "pyarrow.fs",
    "kafkafmt.reference.messages.readers",
    "kafkafmt.topics.tables",
)

# Of which the last batches lie far behind what alone would be worth loading kernels for.
BATCHES = 300
RECORDS = 20

COMMAND = """
import sys
from kafkafmt.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end
"""
SCAN = """
import sys, kafkafmt
first = next(iter(kafkafmt.scan(sys.argv[1]).to_reader()))
assert first.num_rows > 0
"""


def loaded(code: str, *arguments: object, heavy: tuple[str, ...] = HEAVY) -> set[str]:
    """Names of the slow modules that a process has loaded when it ends."""
    code += f"import json; print(json.dumps([name for name in {heavy!r} if name in sys.modules]), file=sys.stderr)\n"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def partition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A partition without index files."""
    made = tmp_path_factory.mktemp("start") / "t-0"
    made.mkdir()
    values = [
        R(number, value=b"%03d" % number * 2000, headers=[(b"k", b"v")] * (number % 3)) for number in range(RECORDS)
    ]
    data = b"".join(
        batch(values, base_offset=number * RECORDS, attributes=4 * (number % 2)) for number in range(BATCHES)
    )
    (made / "00000000000000000000.log").write_bytes(data)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["cat", "--limit", "1"],
        ["cat", "--last", "10"],
        ["cat", "--last", "50", "--columns", "offset,timestamp,isControl,headers,value"],
        ["cat", "--start-offset", "4000", "--limit", "5"],
        ["cat", "--start-offset", "5990"],
        ["cat", "--start-offset", "5000", "--end-offset", "5030"],
        ["batches", "--limit", "3"],
        ["find", "--offset", "4000"],
        ["ls"],
    ],
    ids=" ".join,
)
def test_a_command_that_decodes_little_loads_nothing_heavy(partition: Path, arguments: list[str]) -> None:
    command, *options = arguments
    assert loaded(COMMAND, command, partition, *options) == set()


@pytest.mark.slow
def test_lines_of_text_need_functions_of_arrow_alone(partition: Path) -> None:
    lines = "cat", partition, "--last", 50, "--output", "jsonl"
    assert loaded(COMMAND, *lines, heavy=(*HEAVY, "rich")) == {"pyarrow.compute"}, "tables are laid out by rich"


@pytest.mark.slow
def test_what_decodes_much_loads_kernels(partition: Path) -> None:
    first, second = (loaded(COMMAND, "cat", partition, "--output", "jsonl") for _ in range(2))
    assert "llvmlite" in first
    assert second == {"llvmlite", "pyarrow.compute"}, "what numba compiled is kept"


def test_a_scan_of_little_loads_nothing_heavy(tmp_path: Path) -> None:
    log = tmp_path / "00000000000000000000.log"
    log.write_bytes(batch([R(number, value=b"v" * 5000) for number in range(20)]) * 10)
    assert loaded(SCAN, log) == set()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["ls", "verify"])
@pytest.mark.parametrize(
    "place",
    ["modern/04-transactions-4.3.1", "modern/05-compacted-4.3.1", "modern/12-crash-4.3.1", "legacy", "tiered"],
)
def test_a_few_entries_are_judged_alike_with_and_without_numpy(command: str, place: str) -> None:
    run = "import sys; from kafkafmt.cli.main import run; sys.exit(run(sys.argv[1:]))"
    arguments = [command, str(GOLDEN / place)]
    answers = [
        subprocess.run(
            [sys.executable, "-c", f"{first}; {run}", *arguments], env=environment(), check=False, capture_output=True
        )
        # Otherwise only the first entries of a process are read without numpy.
        for first in ("import numpy", "from kafkafmt.files import read_window; read_window._WORTH_NUMPY = 10**9")
    ]
    first, second = answers
    assert (second.returncode, second.stdout, second.stderr) == (first.returncode, first.stdout, first.stderr)
    assert first.stdout
