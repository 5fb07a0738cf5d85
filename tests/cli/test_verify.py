"""`kafkafmt verify`: the verdict in words, and rows."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Call
from tests.golden_cases import cluster_case
from tests.startup.test_golden_starts import unpack


@pytest.mark.slow
def test_command_says_the_verdict_first(tmp_path: Path, kafkafmt: Call) -> None:
    unpack("79-killed-many", tmp_path)
    answer = kafkafmt("verify", str(tmp_path / "d0"), str(tmp_path / "d1"))
    lines = answer.text.splitlines()
    assert answer.status == 1
    assert lines[0] == "Node 1 starts, but Kafka cuts 3 logs (102 records lost)."
    assert "12 partitions, 12 recovered, 3 cut, 102 records lost, no clean shutdown" in lines[1]
    assert "Findings" in lines
    assert lines[-1] == lines[0]  # it is longer than the screen
    said = answer.text.partition("Findings")[2]
    assert said.index("Kafka cuts the log") < said.index("->")  # findings that cost records come first
    rows = kafkafmt("verify", str(tmp_path / "d0"), str(tmp_path / "d1"), "-o", "jsonl")
    assert {json.loads(line)["level"] for line in rows.text.splitlines()} == {"finding", "note"}
    for show in ("verdict", "partitions", "files"):
        shown = kafkafmt("verify", str(tmp_path / "d0"), "--show", show, "-o", "jsonl")
        assert json.loads(shown.text.splitlines()[0])


def test_command_is_content_with_a_sound_disk(tmp_path: Path, kafkafmt: Call) -> None:
    unpack("01-clean", tmp_path)
    answer = kafkafmt("verify", str(tmp_path / "d0"), str(tmp_path / "d1"))
    assert (answer.status, answer.stderr) == (0, "")
    assert answer.text.startswith("Node 1 starts.")
    assert answer.text.endswith("No findings.\n")


def test_partitions_are_counted_as_ls_counts_them(tmp_path: Path, kafkafmt: Call) -> None:
    """The metadata log is recovered even after a clean shutdown (golden/cluster, 01: its action is "recover")."""
    nodes = cluster_case(1).unpack(tmp_path)
    answer = kafkafmt("verify", *nodes[1])
    listed = kafkafmt("ls", *nodes[1])
    d0, d1 = answer.text.splitlines()[1:3]
    assert d0.endswith("n1/d0: 6 partitions, metadata log recovered (as at every start)")
    assert d1.endswith("n1/d1: 5 partitions, 1 directory set aside")
    assert "5 partitions, 1 directory set aside, " in listed.text
    assert "; no findings in headers and indexes" in listed.text
    assert "; no findings\n" in kafkafmt("ls", "--verify-checksums", *nodes[1]).text


def test_an_empty_directory_that_was_named_is_a_blocker(tmp_path: Path, kafkafmt: Call) -> None:
    unpack("65-dir-empty", tmp_path)
    (tmp_path / "d1").mkdir(exist_ok=True)
    answer = kafkafmt("verify", str(tmp_path / "d0"), str(tmp_path / "d1"), "--show", "verdict", "-o", "jsonl")
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.status == 1
    assert [row["starts"] for row in rows] == [False, False]
    assert "meta.properties" in rows[1]["blockers"][0]


def test_report_is_a_page_with_verdict_and_findings_first(tmp_path: Path, kafkafmt: Call) -> None:
    unpack("75-clean-zero-tail", tmp_path / "disks")
    log_dirs = [str(tmp_path / "disks" / name) for name in ("d0", "d1")]
    page = tmp_path / "page.html"
    answer = kafkafmt("verify", *log_dirs, "--report", str(page))
    assert (answer.status, answer.text) == (1, "")
    written = page.read_text()
    assert "with all CRCs checked" in written
    first = ("Node 1 does not start.", "the node does not start:", "times of records")
    places = [written.index(text) for text in first]
    assert places == sorted(places)
    refused = kafkafmt("verify", *log_dirs, "--report", str(page), "--show", "files")
    assert refused.status == 2
    assert "leave out --show" in refused.stderr


def test_a_partition_alone_has_no_verdict(tmp_path: Path, kafkafmt: Call) -> None:
    unpack("01-clean", tmp_path)
    answer = kafkafmt("verify", str(tmp_path / "d0" / "orders-0"))
    assert (answer.status, answer.text) == (0, "No findings.\n")
    assert "no verdict: name the directory above" in answer.stderr


def test_a_node_alone_has_no_joint_start(kafkafmt: Call) -> None:
    answer = kafkafmt("verify", ROOT / "docs" / "examples" / "shop" / "log-dir", "--show", "cluster")
    assert (answer.status, answer.stdout) == (0, b"")
    assert "note: no rows of --show cluster: the paths have 1 node, and it shows how several nodes st" in answer.stderr
