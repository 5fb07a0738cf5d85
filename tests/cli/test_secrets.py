"""Access keys in a URI, however written and wherever given, never appear in messages of any command."""

from pathlib import Path

import click
import pytest

from kafkafmt.cli.main import COMMANDS
from kafkafmt.cli.main import kafkafmt as kafkafmt_command
from tests.cli.conftest import Call
from tests.logdir.builders import batch, segment

# pyarrow would connect to a well-formed URI, so only output options get one.
MALFORMED = (
    "file://KEY:SECRET@host/x",
    "FILE://KEY:SE/CRET@host/x",
    "file://KEY@SECRET/x",
    "file:/KEY:SECRET@host/x",
    "file:///KEY:SECRET@host/x",
    "file://KEY%3ASECRET%40host/x",
    "s3:/KEY:SECRET@bucket/x",
    "s3//KEY:SECRET@bucket/x",
    " s3://KEY:SECRET@bucket/x",
    "KEY:SECRET@bucket/x",
)
WELL_FORMED = tuple(f"{scheme}://KEY:SECRET@bucket/x" for scheme in ("s3", "S3", "gs", "hdfs", "abfss", "https"))
ENDINGS = ("", ".csv", ".parquet", ".csv.gz")
OUTPUTS = {"--out", "--state", "--report", "--evidence", "--reset-file"}
NEEDED = {  # arguments a command needs besides a path
    "grep": ["v"],
    "groups": ["--group", "g"],
    "sql": ["select 1"],
    "find": ["--offset", "0"],
    "compare": ["second"],
    "state": ["commit"],
}


def options() -> list[tuple[str, str]]:
    """Each command alone, and with each of its options that take a path."""
    found = []
    for name in COMMANDS:
        command = kafkafmt_command.get_command(click.Context(kafkafmt_command), name)
        assert command is not None
        found.append((name, ""))
        found += [
            (name, parameter.opts[0])
            for parameter in command.params
            if isinstance(parameter, click.Option)
            and parameter.name != "json_path"
            and any(word in (parameter.metavar or "") for word in ("PATH", "FILE", "DIR"))
        ]
    return found


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    segment(tmp_path / "disk" / "t-0", 0, batch(0))
    return tmp_path / "disk"


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"completion", "serve", "warm-up"}))
def test_access_keys_are_in_no_message(kafkafmt: Call, disk: Path, command: str) -> None:
    for name, option in options():
        if name != command:
            continue
        for uri in (*MALFORMED, *(WELL_FORMED if option in OUTPUTS else ())):
            for ending in ENDINGS if option in OUTPUTS else ENDINGS[:1]:
                given = uri + ending
                needed = NEEDED.get(name, [])
                value = f"name={given}" if option == "--key-file" else given
                arguments = [*needed, *([str(disk), option, value] if option else [given])]
                answer = kafkafmt(command, *arguments)
                assert "SECRET" not in answer.text + answer.stderr, arguments
                assert "SE/CRET" not in answer.text + answer.stderr, arguments
