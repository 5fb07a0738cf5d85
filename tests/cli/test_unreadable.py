"""Unreadable files are named and all else is delivered: exit status 1, or 3 if a disk fails or nothing was read.

Also: every command lists each directory once, and links out of a source are skipped.
"""

import errno
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Call
from tests.golden_cases import cases
from tests.logdir.builders import batch, segment

GOLDEN = next(case for case in cases("modern") if case.name == "08-consumer-groups-4.3.1").log_dir
CONTROLLERS = next(case for case in cases("modern") if case.name == "10b-three-controllers-4.3.1").log_dir
LOG = f"{0:020}.log"
DIRECTORY = "__consumer_offsets-1"
FILE = f"orders-1/{LOG}"

COMMANDS = {
    "ls": ["ls"],
    "ls rows": ["ls", "--rows", "partitions", "-o", "jsonl"],
    "cat": ["cat", "--columns", "topic,partition,offset", "-o", "jsonl"],
    "cat last": ["cat", "--last", "1", "-o", "jsonl"],
    "cat committed": ["cat", "--isolation-level", "read_committed", "-o", "jsonl"],
    "cat kind": ["cat", "--kind", "OffsetCommit", "-o", "jsonl"],
    "batches": ["batches", "-o", "jsonl"],
    "producers": ["producers", "-o", "jsonl"],
    "transactions": ["transactions", "-o", "jsonl"],
    "transactions open": ["transactions", "--open", "-o", "jsonl"],
    "groups": ["groups", "-o", "jsonl"],
    "groups list": ["groups", "--list", "-o", "jsonl"],
    "groups where": ["groups", "--where", "g-admin", "-o", "jsonl"],
    "find": ["find", "--topic", "orders", "--partition", "0", "--latest", "-o", "jsonl"],
}
OF_FILES = {"ls", "ls rows", "cat", "cat last", "cat committed", "batches", "producers", "transactions open", "groups"}
"""Commands that read the file."""


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    shutil.copytree(GOLDEN, tmp_path / "data")
    return tmp_path / "data"


def refused(path: Path, error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the system refuse a path, as for a user without permission, or on a broken disk."""

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(name: Any, *arguments: Any, **more: Any) -> Any:
            if str(name) == str(path):
                raise OSError(error, os.strerror(error), str(path))
            return call(name, *arguments, **more)

        return refuse

    for name in ("open", "scandir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))


def forbidden(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(path, errno.EACCES, monkeypatch)


def broken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(path, errno.EIO, monkeypatch)


def failing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a disk that fails while the content is read."""
    read = os.preadv

    def fail(descriptor: int, *arguments: Any) -> int:
        if os.readlink(f"/proc/self/fd/{descriptor}") == str(path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(descriptor, *arguments)

    monkeypatch.setattr(os, "preadv", fail)


def dangling(path: Path, _: pytest.MonkeyPatch) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to("/nowhere/at/all")


def special(path: Path, _: pytest.MonkeyPatch) -> None:
    path.unlink()
    os.mkfifo(path)


def vanishing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a file that is listed but gone when opened."""
    refused(path, errno.ENOENT, monkeypatch)


@pytest.mark.parametrize(
    ("name", "breaking"),
    [*((name, forbidden) for name in COMMANDS), ("cat", broken), ("ls", dangling), ("cat", dangling)],
)
def test_a_directory_that_cannot_be_read_is_named_and_all_else_delivered(
    name: str, breaking: Callable[..., None], log_dir: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, *options = COMMANDS[name]
    without = log_dir.parent / "without"
    shutil.copytree(log_dir, without)
    shutil.rmtree(without / DIRECTORY)
    expected = kafkafmt(command, without, *options).text.replace(str(without), str(log_dir))
    breaking(log_dir / DIRECTORY, monkeypatch)
    answer = kafkafmt(command, log_dir, *options)
    assert answer.status == (3 if breaking is broken else 1)
    named = answer.text if name == "ls" else answer.stderr
    if name != "ls rows":
        assert named.count(f"{log_dir / DIRECTORY}: ") == 1
    if name != "ls":
        assert answer.text == expected


@pytest.mark.parametrize(
    ("name", "breaking"),
    [
        *((name, forbidden) for name in sorted(OF_FILES)),
        *((name, failing) for name in sorted(OF_FILES)),
        *((name, breaking) for name in ("ls", "cat") for breaking in (broken, dangling, special, vanishing)),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_all_else_delivered(
    name: str, breaking: Callable[..., None], log_dir: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, *options = COMMANDS[name]
    before = kafkafmt(command, log_dir, *options)
    breaking(log_dir / FILE, monkeypatch)
    answer = kafkafmt(command, log_dir, *options)
    assert (before.status, answer.status) == (0, 3 if breaking in (broken, failing) else 1)
    named = answer.text if name == "ls" else answer.stderr
    if name != "ls rows":
        assert named.count(f"{log_dir / FILE}: ") == 1
    if name.startswith(("cat", "batches")):
        rows = [line for line in before.lines if not is_of(json.loads(line), "orders", 1)]
        assert answer.lines == rows
        assert len(rows) < len(before.lines)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"find"}))
def test_a_checkpoint_that_cannot_be_read_is_named_once_and_all_rows_come(
    name: str, log_dir: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, *options = COMMANDS[name]
    before = kafkafmt(command, log_dir, *options)
    checkpoint = log_dir / "log-start-offset-checkpoint"
    assert checkpoint.is_file()
    forbidden(checkpoint, monkeypatch)
    answer = kafkafmt(command, log_dir, *options)
    named = answer.text if name == "ls" else answer.stderr
    if name == "ls rows":
        assert answer.status == 1
    else:
        assert (answer.status, named.count(str(checkpoint))) in ((1, 1), (0, 0))
    if name != "ls":
        assert answer.text == before.text


def is_of(row: dict[str, Any], topic: str, partition: int) -> bool:
    if "topic" not in row:
        return bool(row["file"] == f"{topic}-{partition}/{LOG}")
    return bool((row["topic"], row["partition"]) == (topic, partition))


def test_out_has_all_that_could_be_read(log_dir: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    out = log_dir.parent / "rows.csv"
    forbidden(log_dir / FILE, monkeypatch)
    assert kafkafmt("cat", log_dir, "--topic", "orders", "--out", out).status == 1
    assert len(out.read_text().splitlines()) == 1 + 20
    out.unlink()
    nothing = kafkafmt("cat", log_dir, "--topic", "orders", "--partition", "1", "--out", out)
    assert nothing.status == 3
    assert nothing.stderr.count(str(log_dir / FILE)) == 1
    assert not out.exists()


@pytest.mark.parametrize("command", ["cat", "batches"])
def test_a_command_that_ends_early_has_read_something(command: str, log_dir: Path, kafkafmt: Call) -> None:
    (log_dir / "t-0").symlink_to("/nowhere/at/all")
    named = f"kafkafmt: {log_dir / 't-0'}: the directory cannot be read: No such file or directory"
    answer = kafkafmt(command, log_dir, "--limit", "1", "-o", "jsonl")
    assert (answer.status, len(answer.lines), answer.stderr.splitlines()) == (1, 1, [named])
    out = log_dir.parent / "rows.csv"
    assert kafkafmt(command, log_dir, "--limit", "1", "--out", out).status == 1
    assert len(out.read_text().splitlines()) == 2


def test_damage_in_the_only_file_that_is_read_is_a_finding(tmp_path: Path, kafkafmt: Call) -> None:
    segment(tmp_path / "t-0", 0, batch(0), batch(1)[:-1] + b"!", batch(2))
    (tmp_path / "u-0").symlink_to("/nowhere/at/all")
    answer = kafkafmt("cat", tmp_path, "-o", "jsonl")
    assert (answer.status, len(answer.lines)) == (1, 1)
    assert answer.stderr.count("CRC mismatch") == 1


@pytest.mark.parametrize("command", ["ls", "cat", "batches", "producers", "groups", "transactions", "metadata", "find"])
def test_a_path_that_cannot_be_read_leaves_the_others(command: str, log_dir: Path, kafkafmt: Call) -> None:
    missing = log_dir.parent / "missing"
    source = CONTROLLERS if command == "metadata" else log_dir
    options = ["--topic", "orders", "--partition", "0", "--latest"] if command == "find" else []
    answer = kafkafmt(command, missing, source, *options)
    assert answer.status == 1
    assert answer.text.count("\n") > 1
    assert answer.stderr.count(f"{missing}: the file cannot be read: No such file or directory") == 1
    nothing = kafkafmt(command, missing, log_dir.parent / "gone", *options)
    assert (nothing.status, nothing.text) == (3, "")
    assert all(str(log_dir.parent / name) in nothing.stderr for name in ("missing", "gone"))


def test_metadata_of_a_controller_that_can_be_read(
    tmp_path: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CONTROLLERS, tmp_path / "disks")
    best = kafkafmt("metadata", tmp_path / "disks", "-o", "jsonl").text
    [first] = [name for name in ("node-1", "node-2", "node-3") if f"{name}/__cluster" in best]
    directory = tmp_path / "disks" / first / "__cluster_metadata-0"
    for path in (directory, max(directory.glob("*.log"))):
        with monkeypatch.context() as patch:
            forbidden(path, patch)
            answer = kafkafmt("metadata", tmp_path / "disks", "-o", "jsonl")
        assert answer.status == 1
        assert f"{path}: the " in answer.stderr
        assert answer.text.count("\n") == 1


def test_a_metadata_log_that_cannot_be_read_is_not_answered_with_what_the_cluster_began_with(
    tmp_path: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CONTROLLERS / "node-1", tmp_path / "data")
    directory = tmp_path / "data" / "__cluster_metadata-0"
    assert directory.is_dir()
    assert (tmp_path / "data" / "bootstrap.checkpoint").is_file()
    forbidden(directory, monkeypatch)
    answer = kafkafmt("metadata", tmp_path, "-o", "jsonl")
    assert (answer.status, answer.text) == (3, "")
    assert answer.stderr == f"kafkafmt: {directory}: the directory cannot be read: Permission denied\n"


@pytest.mark.parametrize(
    "name",
    [
        "meta.properties",
        "replication-offset-checkpoint",
        "orders-1/leader-epoch-checkpoint",
        FILE,
        f"orders-1/{0:020}.index",
    ],
)
def test_ls_finds_a_file_that_cannot_be_read_once_and_nothing_more_about_it(
    name: str, log_dir: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden(log_dir / name, monkeypatch)
    for depth in ([], ["--quick"], ["--verify-checksums"], ["--all"]):
        answer = kafkafmt("ls", log_dir, "--rows", "findings", "-o", "jsonl", *depth)
        found = [json.loads(line) for line in answer.lines if json.loads(line)["level"] == "finding"]
        assert [(row["kind"], row["path"]) for row in found] == [("unreadable", str(log_dir / name))]


def test_a_name_that_is_no_text_is_read_and_named(tmp_path: Path, kafkafmt: Call) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9-0"))
    shutil.copytree(GOLDEN / "orders-1", directory)
    shutil.copytree(GOLDEN / "orders-0", tmp_path / "orders-0")
    assert kafkafmt("cat", tmp_path).status == 0
    (directory / LOG).unlink()
    (directory / LOG).symlink_to("nowhere")
    for command in ("cat", "ls", "batches"):
        answer = kafkafmt(command, tmp_path)
        assert answer.status == 1
        assert r"caf\udce9-0" in answer.text + answer.stderr


# Replicas


def test_of_two_replicas_the_one_that_can_be_read_is_read(
    tmp_path: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        shutil.copytree(GOLDEN / "orders-1", tmp_path / name / "orders-1")
    forbidden(tmp_path / "a" / FILE, monkeypatch)
    answer = kafkafmt("cat", tmp_path, "--columns", "file", "-o", "csv")
    assert answer.status == 1
    assert set(answer.lines[1:]) == {f"b/{FILE}"}
    assert answer.stderr.count(f"{tmp_path / 'a' / FILE}: ") == 1


# Links


def test_a_link_to_a_file_that_leads_out_is_left_out_and_neither_read_nor_quoted(log_dir: Path, kafkafmt: Call) -> None:
    elsewhere = log_dir.parent / "elsewhere"
    elsewhere.mkdir()
    (log_dir / "orders-0").rename(elsewhere / "orders-0")
    (elsewhere / "secret").write_text("version=SECRET\n")
    links = {
        log_dir / "orders-0": elsewhere / "orders-0",
        log_dir / "replication-offset-checkpoint": elsewhere / "secret",
        log_dir / "meta.properties": elsewhere / "secret",
        log_dir / "orders-1" / "leader-epoch-checkpoint": elsewhere / "secret",
        log_dir / "orders-1" / f"{0:020}.index": elsewhere / "secret",
        log_dir / "orders-1" / f"{50:020}.log": elsewhere / "secret",
    }
    for link, target in links.items():
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    (log_dir / "loop").symlink_to(".")
    rows = kafkafmt("ls", log_dir, "--rows", "left-out", "-o", "jsonl")
    left_out = [json.loads(line) for line in rows.lines]
    to_files = {str(link) for link, target in links.items() if target.is_file()}
    assert {row["path"] for row in left_out if row["kind"] == "link"} == to_files
    assert all("leads out" in row["reason"] for row in left_out if row["kind"] == "link")
    for name, (command, *options) in COMMANDS.items():
        if name != "find":
            answer = kafkafmt(command, log_dir, *options)
            assert answer.status == 0, name
            assert "SECRET" not in answer.text + answer.stderr
    told = kafkafmt("cat", log_dir, "--columns", "file", "-o", "csv")
    assert "note: links that lead out of the source are not followed" in told.stderr
    assert "note: links to directories are followed, as by Kafka" in told.stderr
    assert any(line.startswith("orders-0/") for line in told.lines)
    assert kafkafmt("cat", log_dir / "orders-0", "-o", "csv").text.count("\n") == 1 + 5


# Listings


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts how often each directory is listed."""
    counts: Counter[str] = Counter()
    scandir = os.scandir

    def counting(path: Any) -> Any:
        counts[os.path.abspath(path)] += 1
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counting)
    return counts


@pytest.mark.parametrize("name", [*COMMANDS, "transactions hanging", "groups check", "metadata", "metadata diff"])
def test_each_directory_is_listed_once(name: str, log_dir: Path, kafkafmt: Call, listed: Counter[str]) -> None:
    more = {
        "transactions hanging": ["transactions", "--hanging"],
        "groups check": ["groups", "--check-assignment"],
        "metadata": ["metadata"],
        "metadata diff": ["metadata", "--diff", "0", "end"],
    }
    command, *options = (COMMANDS | more)[name]
    source = CONTROLLERS if command == "metadata" else log_dir
    # Findings listed one by one, each with the path of its file.
    for number in range(2):
        with (log_dir / f"__consumer_offsets-{number}" / LOG).open("ab") as file:
            file.write(b"\1" * 400)
    answer = kafkafmt(command, source, *options)
    assert answer.status in (0, 1), answer.stderr
    assert listed
    assert set(listed.values()) == {1}, listed


def test_gaps_of_a_partition_are_judged_in_linear_time(
    tmp_path: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kafkafmt.survey.log_checks import LogChecks

    directory = tmp_path / "t-0"
    directory.mkdir()
    for number in range(30):
        (directory / f"{number * 10:020}.log").touch()
    calls = 0
    judge = LogChecks._is_compacted

    def counting(*arguments: Any) -> bool:
        nonlocal calls
        calls += 1
        return judge(*arguments)

    monkeypatch.setattr(LogChecks, "_is_compacted", counting)
    answer = kafkafmt("ls", tmp_path, "--rows", "findings", "-o", "jsonl")
    assert sum(json.loads(line)["kind"] == "gap" for line in answer.lines) == 29
    assert calls == 1


def test_a_log_with_a_linked_file_is_not_judged(kafkafmt: Call, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "examples" / "shop" / "log-dir", tmp_path / "disk")
    log = min((tmp_path / "disk" / "orders-0").glob("*.log"))
    log.symlink_to(log.rename(tmp_path / "elsewhere.log"))
    verdict = kafkafmt("verify", tmp_path / "disk")
    assert (
        "14 partitions, 1 directory set aside, metadata log recovered (as at every start), 1 not judged\n"
        in verdict.text
    )
    rows = kafkafmt("verify", tmp_path / "disk", "--show", "partitions", "-o", "jsonl")
    not_judged = [row for row in map(json.loads, rows.lines) if row["action"] is None]
    assert [(row["topic"], row["partition"]) for row in not_judged] == [("orders", 0)]
    assert not_judged[0]["reason"].startswith("not judged: a log file is a link that leads outside the PATH")
