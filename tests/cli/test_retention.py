"""`kafkafmt retention`: tables, pipes, wrong usage, damage, remote storage, and the page."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, on_terminal
from tests.golden_cases import GOLDEN, cluster_case
from tests.operations.golden_operations import questions

TIERED = GOLDEN / "tiered"
NODES = GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir"
AT = "1703888003001"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Golden log directories by the first word of the case name."""
    found = {each.case.partition("-")[0]: each for each in questions("retention") if "m-metadata" in each.case}
    found["crafted"] = next(each for each in questions("retention") if "crafted" in each.case)
    return {name: each.unpack(tmp_path_factory.mktemp(name)) for name, each in found.items()}


@pytest.fixture
def log_dir(unpacked: dict[str, Path], tmp_path: Path) -> Path:
    """A writable copy of the one with configs."""
    return Path(shutil.copytree(unpacked["configs"], tmp_path / "log-dir"))


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_table_of_topics(kafkafmt: Call, unpacked: dict[str, Path]) -> None:
    columns = "topic,segments,sizeInBytes,deletableBytes,inADayBytes,inAWeekBytes,heldBy,heldBytes"
    answer = kafkafmt("retention", unpacked["configs"], "--at", AT, "--show", "topics", "--columns", columns)
    assert answer.status == 0
    assert answer.text.splitlines()[:3] == [
        "topic          segments  sizeInBytes  deletableBytes  inADayBytes  inAWeekBytes  heldBy          heldBytes",
        "forever               6      2.5 KiB             0 B          0 B           0 B  no limit          2.5 KiB",
        "reset                 6      2.4 KiB         1.3 KiB      1.3 KiB       1.7 KiB  time              1.2 KiB",
    ]
    assert answer.stderr.endswith(
        "2023-12-29T22:13:23.001Z 8.3 KiB can go, a day later 8.3 KiB, a week later 10.4 KiB\n"
    )


def test_partitions_for_a_pipe_have_all_columns(kafkafmt: Call, unpacked: dict[str, Path]) -> None:
    arguments = ("--topic", "moved", "--at", "1700072000011", "--config", "retention.ms=43200011", "-o", "jsonl")
    answer = kafkafmt("retention", unpacked["crafted"], "--show", "partitions", *arguments)
    assert [row["partition"] for row in rows(answer.text)] == [0, 1, 2]
    assert rows(answer.text)[0] == {
        "topic": "moved",
        "partition": 0,
        "segments": 4,
        "sizeInBytes": 1203,
        "deletableBytes": 567,
        "inADayBytes": 1203,
        "inAWeekBytes": 1203,
        "heldBy": "time",
        "heldBytes": 636,
        "reason": "time: kept until 2023-11-15T22:13:20.013Z: offset 13 has timestamp 2023-11-15T10:13:20.001Z, and "
        "retention.ms is 43200011",
        "find": f"kafkafmt find {unpacked['crafted']}/moved-0 --timestamp 1700043200001",
        "logStartOffset": 6,
        "logStartOffsetAfter": 8,
        "highWatermark": 16,
        "logEndOffset": 16,
        "cleanupPolicy": "delete",
        "retentionMs": 43200011,
        "retentionBytes": -1,
        "configSource": "retention.ms=option, retention.bytes=default, cleanup.policy=default",
        "path": f"{unpacked['crafted']}/moved-0",
    }
    assert "no metadata log among the paths" in answer.stderr


def test_the_command_that_is_named_finds_the_record(kafkafmt: Call, unpacked: dict[str, Path]) -> None:
    answer = kafkafmt("retention", unpacked["crafted"], "--config", "retention.ms=1000", "-o", "jsonl")
    held = [row for row in rows(answer.text) if row["find"] is not None]
    assert {row["topic"] for row in held} == {"far", "future"}
    for row in held:
        found = kafkafmt(*row["find"].split()[1:], "-o", "jsonl")
        assert f"offset {rows(found.text)[0]['offset']} has timestamp" in row["reason"]


def test_metadata_elsewhere(kafkafmt: Call, log_dir: Path, tmp_path: Path) -> None:
    for name in ("__cluster_metadata-0", "meta.properties"):
        (tmp_path / "other").mkdir(exist_ok=True)
        shutil.move(log_dir / name, tmp_path / "other" / name)
    wanted = ("--topic", "plain", "--show", "partitions", "-o", "jsonl", "--at", AT)
    without = kafkafmt("retention", log_dir, *wanted)
    assert rows(without.text)[0]["configSource"].startswith("retention.ms=default, retention.bytes=default")
    answer = kafkafmt("retention", log_dir, "--metadata", tmp_path / "other", *wanted)
    assert rows(answer.text)[0]["configSource"].startswith("retention.ms=cluster, retention.bytes=cluster")
    assert "no meta.properties says which node this is" in answer.stderr
    nowhere = kafkafmt("retention", log_dir, "--metadata", log_dir / "plain-0", *wanted)
    assert (nowhere.status, "no cluster metadata there" in nowhere.stderr) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--config", "retention.sm=1"),
            "'retention.sm' is not a config of retention or compaction; retention.ms",
        ),
        (("--config", "retention.ms=x"), "retention.ms=x is not an integer."),
        (("--config", "retention.ms"), "'retention.ms' is not NAME=VALUE, as in retention.ms=3600000."),
        (("--config", "retention.ms=1", "--config", "retention.ms=2"), "retention.ms is given twice."),
        (("--at", "noon"), "'noon' is neither ms since 1970 nor a time"),
        (("--show", "nothing"), "'nothing' is not one of"),
        (("--columns", "nothing"), "no column 'nothing'"),
        (("--report", "x.html", "-o", "jsonl"), "--report writes a page"),
    ],
)
def test_wrong_usage(kafkafmt: Call, unpacked: dict[str, Path], arguments: tuple[str, ...], said: str) -> None:
    answer = kafkafmt("retention", unpacked["configs"], *arguments)
    assert (answer.status, said in answer.stderr, answer.text) == (2, True, "")


def test_what_is_not_there(kafkafmt: Call, unpacked: dict[str, Path], tmp_path: Path) -> None:
    assert kafkafmt("retention", tmp_path / "nowhere").status == 3
    answer = kafkafmt("retention", unpacked["configs"], "--topic", "nothing")
    assert (answer.status, answer.text) == (3, "")
    assert "no topic nothing" in answer.stderr


def test_a_broken_checkpoint_ends_it_or_is_reported(kafkafmt: Call, log_dir: Path) -> None:
    (log_dir / "replication-offset-checkpoint").write_text("0\nx\n")
    ended = kafkafmt("retention", log_dir, "--topic", "plain", "--at", AT, "--on-damage", "raise")
    assert (ended.status, ended.text) == (1, "")
    assert "replication-offset-checkpoint" in ended.stderr
    skipped = kafkafmt("retention", log_dir, "--topic", "plain", "--at", AT, "-o", "jsonl")
    assert skipped.status == 1
    assert skipped.stderr.count("replication-offset-checkpoint") == 1
    # As without the file: the checkpoint is the log start.
    assert {row["reason"].partition(":")[0] for row in rows(skipped.text)} == {"high watermark"}


def test_a_broken_batch_ends_it_or_is_reported(kafkafmt: Call, log_dir: Path) -> None:
    (log_dir / "plain-0" / "00000000000000000016.index").unlink()
    log = log_dir / "plain-0" / "00000000000000000016.log"
    data = bytearray(log.read_bytes())
    data[8:12] = (2**31 - 1).to_bytes(4, "big")
    log.write_bytes(data)
    ended = kafkafmt("retention", log_dir, "--topic", "plain", "--at", AT, "--on-damage", "raise")
    assert ended.status == 1
    assert "00000000000000000016.log" in ended.stderr
    skipped = kafkafmt("retention", log_dir, "--topic", "plain", "--at", AT, "-o", "jsonl")
    assert (skipped.status, len(rows(skipped.text))) == (1, 6)
    assert "00000000000000000016.log" in skipped.stderr


def test_after_a_kill_batches_tell_the_time_of_the_active_segment(kafkafmt: Call, log_dir: Path) -> None:
    wanted = ("--topic", "plain", "--at", AT, "-o", "jsonl")
    expected = rows(kafkafmt("retention", log_dir, *wanted).text)
    active = log_dir / "plain-0" / "00000000000000000020.timeindex"
    active.write_bytes(bytes(12 * 100))  # as a broker preallocates it
    assert rows(kafkafmt("retention", log_dir, *wanted).text)[-1]["largestTimestamp"] == 0
    (log_dir / ".kafka_cleanshutdown").unlink()
    assert rows(kafkafmt("retention", log_dir, *wanted).text) == expected


def test_directories_that_are_set_aside_have_no_rows(kafkafmt: Call, log_dir: Path) -> None:
    (log_dir / "plain-0").rename(log_dir / f"plain-0.{'0' * 32}-delete")
    (log_dir / "ms-0").rename(log_dir / f"ms-0.{'0' * 32}-stray")
    answer = kafkafmt("retention", log_dir, "--show", "topics", "-o", "jsonl", "--at", AT)
    topics = {row["topic"] for row in rows(answer.text)}
    assert not topics & {"plain", "ms", "__cluster_metadata"}
    assert len(topics) == 7


def test_every_copy_has_rows(kafkafmt: Call, log_dir: Path, unpacked: dict[str, Path]) -> None:
    answer = kafkafmt("retention", log_dir, unpacked["configs"], "--topic", "plain", "--at", AT, "-o", "jsonl")
    assert [row["file"].startswith(str(log_dir)) for row in rows(answer.text)].count(True) == 6
    assert len(rows(answer.text)) == 12


def test_the_page(kafkafmt: Call, unpacked: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    answer = kafkafmt("retention", unpacked["crafted"], "--at", "1700072000011", "--report", page)
    assert (answer.status, answer.text) == (0, "")
    text = page.read_text()
    assert "<h1>What retention deletes</h1>" in text
    for part in ("Bytes that become deletable", "Topics, the largest first", "kafkafmt find", "can go now", "future"):
        assert part in text
    assert "More than a year later, or at no time: 4.4 KiB." in text
    assert "no metadata log among the paths: configs are " in text
    assert kafkafmt("retention", unpacked["crafted"], "--at", -5, "--report", page).status == 0
    assert kafkafmt("retention", unpacked["crafted"], "--at", 2**63 - 1, "--report", page).status == 0
    assert "Nothing becomes deletable." in page.read_text()
    empty = tmp_path / "empty.html"
    assert kafkafmt("retention", unpacked["crafted"] / "nothing-0", "--report", empty).status == 0
    assert "Nothing becomes deletable." in empty.read_text()


def test_a_tier_alone(kafkafmt: Call) -> None:
    answer = kafkafmt("retention", TIERED / "01-plain-4.3.1" / "tier")
    assert (answer.status, answer.text) == (0, "")
    assert "no log here is subject to retention" in answer.stderr
    assert "`kafkafmt tiers` lists what is there" in answer.stderr
    assert "can go" not in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("show", "column"), [("segments", "file"), ("partitions", "path")])
def test_a_table_tells_copies_apart(kafkafmt: Call, show: str, column: str) -> None:
    arguments = ("--show", show, "--partition", 0)
    answer = kafkafmt("retention", NODES / "node-1", NODES / "node-2", *arguments)
    assert answer.lines[0].split()[2] == column
    assert {Path(line.split()[2].partition("/rep-0")[0]).name for line in answer.lines[1:]} == {"node-1", "node-2"}
    assert column not in kafkafmt("retention", NODES / "node-1", *arguments).lines[0].split()
    terminal = on_terminal("retention", NODES / "node-1", NODES / "node-2", *arguments, columns=80)
    assert "node-1/rep-0" in terminal.text
    assert "node-2/rep-0" in terminal.text
    assert "reason" in next(line for line in terminal.lines if "topic  partition" in line)


def test_damage_that_a_start_would_cut_is_named(kafkafmt: Call, tmp_path: Path) -> None:
    """golden cluster 27: brokers end orders-1 at 30 and solo-0 at 0 (expected/partitions.jsonl)."""
    paths = cluster_case(27).unpack(tmp_path)[1]
    answer = kafkafmt("retention", *paths, "--at", AT)
    assert answer.status == 1
    assert "199 bytes skipped (offsets 30 to 31, 2 records)" in answer.stderr
    (note,) = [line for line in answer.stderr.splitlines() if "drops everything after damage" in line]
    assert note.endswith(f": {paths[0]}/orders-1, {paths[0]}/solo-0")


def test_damage_that_no_start_cuts(kafkafmt: Call, tmp_path: Path) -> None:
    paths = cluster_case(37).unpack(tmp_path)[1]
    answer = kafkafmt("retention", *paths, "--at", AT)
    assert "281 bytes skipped (offsets 60 to 65, 6 records)" in answer.stderr
    assert "drops everything after damage" not in answer.stderr
    assert answer.status == 1


@pytest.mark.parametrize(
    ("options", "assumed"),
    [
        ((), "retention.ms and retention.bytes of 4 topics"),
        (("--config", "log.retention.hours=24"), "retention.bytes of 4 topics"),
        (("--config", "retention.ms=1", "--config", "retention.bytes=1"), None),
        (("--topic", "__consumer_offsets"), None),
    ],
)
def test_a_default_is_said_to_be_assumed(
    kafkafmt: Call, tmp_path: Path, options: tuple[str, ...], assumed: str | None
) -> None:
    paths = cluster_case(1).unpack(tmp_path)[1]
    answer = kafkafmt("retention", *paths, "--at", AT, *options)
    notes = [line for line in answer.stderr.splitlines() if "server.properties" in line]
    assert [note.partition(": Kafka's default is assumed")[0] for note in notes] == (
        [] if assumed is None else [f"kafkafmt: note: {assumed}"]
    )
