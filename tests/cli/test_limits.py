"""`--max NAME=VALUE`: the bounds of Limits on the command line, and errors that name the option."""

import importlib
import re
from pathlib import Path

import click
import pytest

from kafkafmt.cli.main import COMMANDS
from kafkafmt.cli.messages import error_text
from kafkafmt.errors import LimitExceededError
from kafkafmt.limits import Limits
from tests.cli.conftest import ROOT, Call
from tests.golden_cases import cases
from tests.logdir.builders import batch, file_name, segment
from tests.topics import test_state_memory

TRANSACTIONS = next(each for each in cases("modern") if each.name == "04-transactions-4.3.1").log_dir
NAMES = {
    "batch-bytes": "max_batch_bytes",
    "decompressed-bytes": "max_decompressed_bytes",
    "records-per-batch": "max_records_per_batch",
    "headers-per-record": "max_headers_per_record",
    "fields-per-value": "max_fields_per_value",
    "state-bytes": "max_state_bytes",
    "zstd-window-log": "zstd_window_log",
}


def test_a_refused_state_names_the_option_that_allows_it(kafkafmt: Call, tmp_path: Path) -> None:
    directory = tmp_path / "__consumer_offsets-0"
    directory.mkdir()
    (record, *_) = test_state_memory.nested()
    (directory / file_name(0)).write_bytes(test_state_memory.packed([record]))
    option, refused = "--max state-bytes=1KiB", 0
    while (answer := kafkafmt("groups", tmp_path, "--list", *option.split())).status == 1:
        assert "kafkafmt.Limits" not in answer.stderr
        (option,) = re.findall(r"--max state-bytes=[0-9]+", answer.stderr)
        refused += 1
    assert answer.status == 0
    assert 1 <= refused < 10


@pytest.mark.parametrize("command", ["cat", "batches --verify-checksums --deep", "inspect", "producers"])
def test_a_refused_batch_names_the_option_that_allows_it(kafkafmt: Call, tmp_path: Path, command: str) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0, 20, value=b"v" * 100))
    for name in ("batch-bytes=1KiB", "max_batch_bytes=1024"):
        answer = kafkafmt(*command.split(), log, "--max", name)
        assert answer.status == 1
        assert "--max batch-bytes (expected 1024, found " in answer.stderr
    assert kafkafmt(*command.split(), log, "--max", "batch-bytes=4kib").status == 0


@pytest.mark.parametrize("name", ["find", "dump"])
def test_a_command_without_the_option_does_not_name_it(name: str) -> None:
    error = LimitExceededError("the entry is larger than max_batch_bytes", expected=1, found=2)
    with click.Context(importlib.import_module(f"kafkafmt.cli.{name}").command):
        assert error_text(error) == str(error)
    with click.Context(importlib.import_module("kafkafmt.cli.cat").command):
        assert "--max batch-bytes" in error_text(error)


def test_the_number_of_records_is_bounded_where_they_are_decoded(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 20))
    answer = kafkafmt("cat", tmp_path, "--max", "records-per-batch=19", "--on-damage", "skip")
    assert answer.status == 1
    assert "--max records-per-batch (expected 19, found 20): limit_exceeded," in answer.stderr


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("state=1", "'state=1' is not NAME=VALUE with one of the names batch-bytes, decompressed-bytes,"),
        ("state-bytes", "'state-bytes' is not NAME=VALUE"),
        ("state-bytes=", "'' is neither a number nor a size like 256MiB."),
        ("state-bytes=1GB", "'1GB' is neither a number nor a size like 256MiB."),
        ("state-bytes=0", "Limits.max_state_bytes must be a positive int, not 0."),
        ("zstd-window-log=64", "Limits.zstd_window_log must be from 10 to 31, not 64."),
    ],
)
def test_wrong_usage(kafkafmt: Call, value: str, message: str) -> None:
    answer = kafkafmt("cat", TRANSACTIONS, "--max", value)
    assert (answer.status, message in answer.stderr) == (2, True)
    twice = kafkafmt("cat", TRANSACTIONS, "--max", "batch-bytes=9", "--max", "max-batch-bytes=9")
    assert (twice.status, "max-batch-bytes is given twice." in twice.stderr) == (2, True)


@pytest.mark.slow
def test_every_command_that_takes_limits_has_it(kafkafmt: Call) -> None:
    with_it = {name for name in COMMANDS if "--max NAME=VALUE" in kafkafmt(name, "--help").text}
    writing = {"repair", "extract", "load", "replay"}
    reading = {"cat", "grep", "batches", "ls", "groups", "transactions", "producers", "metadata"}
    reading |= {"inspect", "verify", "space", "retention", "compaction", "compare", "sql"}
    assert with_it == reading | writing
    for name in reading - {"inspect"}:
        paths = [TRANSACTIONS]
        if name in ("groups", "metadata"):
            case = {"groups": "08-consumer-groups-4.3.1", "metadata": "10-cluster-metadata-4.3.1"}[name]
            paths = [next(each for each in cases("modern") if each.name == case).log_dir]
        elif name == "compare":
            paths *= 2
        plain = kafkafmt(name, *paths, "-o", "jsonl")
        assert kafkafmt(name, *paths, "-o", "jsonl", "--max", "state-bytes=1GiB").stdout == plain.stdout


def test_help_and_the_document_name_every_bound(kafkafmt: Call) -> None:
    text = " ".join(kafkafmt("cat", "--help").text.split()).replace("- ", "-")
    rows = re.findall(
        r"^\| `([a-z-]+)` \|.*\| (\d+)(MiB)? \|$", (ROOT / "docs/command_line.md").read_text(), re.MULTILINE
    )
    assert [name for name, *_ in rows] == list(NAMES)
    for name, number, unit in rows:
        assert name in text
        assert int(number) * (2**20 if unit else 1) == getattr(Limits(), NAMES[name])
    assert sorted(NAMES.values()) == sorted(Limits.__dataclass_fields__)
