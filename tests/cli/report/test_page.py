"""`kafkafmt ls --report`: the page as written."""

import html
import re
from pathlib import Path

import pytest

import kafkafmt as library
from kafkafmt.cli import human
from kafkafmt.cli.ls.request import ListingRequest
from kafkafmt.cli.report.gathering import Gathering
from kafkafmt.cli.report.page import render
from kafkafmt.survey import survey
from tests.cli.conftest import Call
from tests.cli.report.pages import EVIL, Page, gathered, page_of
from tests.logdir.builders import batch, segment


def test_the_command_writes_one_page(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    answer = kafkafmt("ls", "--report", out, brokers)
    assert (answer.status, answer.stdout) == (1, b"")
    page = Page(out.read_text())
    assert page.references == []
    assert (
        f"by kafkafmt {library.__version__}, from batch headers; CRCs were not checked (--verify-checksums)."
        in page.text
    )
    assert str(brokers) in page.text


def test_numbers_are_those_of_the_survey(brokers: Path) -> None:
    gathering = gathered(brokers)
    page = page_of(brokers)
    text = Page(page).text
    partitions = [
        partition.facts for found in survey(brokers) for partition in found.partitions() if partition.facts.topic
    ]
    size = sum(facts.size for facts in partitions)
    assert gathering.size == size
    assert f"{human.size(size)} in partition directories 7 log directories" in text
    assert f"{len(partitions)} partitions" in text
    assert f"{gathering.finding_count} findings" in text
    for name, topic in gathering.topics.items():
        assert f"{name} {human.size(topic.size)} {topic.size / size:.1%} {topic.partitions} " in text
    shares = [share for facts in partitions for share in facts.shares.items()]
    stored = sum(share.size for _, share in shares)
    for codec in {codec for (_, codec), _ in shares}:
        count = sum(share.size for (_, name), share in shares if name == codec)
        assert f"{codec} {human.size(count)} · {count / stored:.1%}" in text
    assert all(f" {name} " in text for name in ("v0", "v1", "v2", "v9"))


def test_findings_and_what_is_left_out_are_listed(brokers: Path) -> None:
    text = Page(page_of(brokers)).text
    assert "a message format that this release does not know" in text
    assert "crash-bad-magic-0/00000000000000000048.log position 651, 183 bytes" in text
    assert "00000000000000000000.log.deleted" in text
    assert "48 to 59" in text
    assert "no mark of a clean shutdown" in text


def test_directories_set_aside_are_counted_apart(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    segment(tmp_path / f"gone-0.{'a' * 32}-delete", 0, batch(0))
    assert " 1 topic 1 partition 1 directory set aside 2 segments " in Page(page_of(tmp_path)).text


def test_a_page_of_nothing_wrong(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=-1))
    (tmp_path / ".kafka_cleanshutdown").write_bytes(b"")
    for suffix in ("index", "timeindex"):
        (tmp_path / "t-0" / f"00000000000000000000.{suffix}").write_bytes(b"")
    text = Page(page_of(tmp_path)).text
    assert "No findings Headers, indexes and checkpoints are sound and fit together. The CRCs of the" in text
    assert "Left out of the logs Nothing." in text
    assert "No segment has a time that can be shown." in text
    assert " note " not in text


def test_a_page_of_no_partition(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=c\n")
    text = Page(page_of(tmp_path, topics=("x",), partitions=(1,))).text
    assert "No partition was found." in text
    assert "Only topic x, partition 1." in text
    assert "Only topics like x.*." in Page(page_of(tmp_path, topics=re.compile("x.*"))).text


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([-1], "-"),
        ([1_790_000_000_000, 1_790_000_100_000], "2026-09-21T14:13 to 14:15"),
        ([1_790_000_000_000, 1_790_000_001_000], "2026-09-21T14:13:20.000Z to 14:13:21.000Z"),
        ([1_700_000_000_000, 1_790_000_000_000], "2023-11-14 to 2026-09-21"),
        ([1_790_000_000_000, 1_790_000_100_000, 9_000_000_000_000_000], "2026-09-21T14:13 to 14:15"),
        ([9_000_000_000_000_000], "-"),
    ],
)
def test_the_card_of_times(tmp_path: Path, times: list[int], shown: str) -> None:
    segment(tmp_path / "t-0", 0, *(batch(offset, timestamp=time) for offset, time in enumerate(times)))
    text = Page(page_of(tmp_path)).text.replace("\N{NON-BREAKING HYPHEN}", "-")
    assert f"{shown} times of records (UTC)" in text


def test_cards_count_as_people_do(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    text = Page(page_of(tmp_path)).text
    assert "1 log directory 1 topic 1 partition 1 segment 1 record" in text
    assert "2 notes" in text


def test_a_name_from_disk_is_text_everywhere(tmp_path: Path) -> None:
    directory = tmp_path / f"{EVIL.replace('/', '')}-0"
    segment(directory, 0, batch(5), batch(0))
    segment(directory, 0, suffix=".deleted")
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=<b>cluster</b>\n")
    page = page_of(tmp_path)
    assert "<img" not in page
    assert "<b>cluster" not in page
    elements = Page(page).elements
    assert "img" not in elements
    assert "a" not in elements
    assert "script" not in elements
    assert html.escape("<img src=x") in page


def test_keys_in_a_uri_are_not_shown() -> None:
    page = render(Gathering(), ListingRequest(("s3://KEY:SECRET@bucket/b?endpoint_override=host",)))
    assert "s3://bucket/b" in Page(page).text
    assert "SECRET" not in page


@pytest.mark.parametrize(
    ("ids", "title"),
    [
        ([(3, "abc")], "Kafka node 3, cluster abc"),
        ([(1, "abc"), (2, "abc")], "Kafka nodes 1, 2, cluster abc"),
        ([(number, "abc") for number in range(9)], "Kafka nodes 0, 1, 2, 3, 4, 5 and 3 more, cluster abc"),
        ([(1, "abc"), (1, "xyz")], "Kafka node 1, 2 clusters"),
        ([], "Kafka disk without node id"),
    ],
)
def test_the_title_names_the_disk(tmp_path: Path, ids: list[tuple[int, str]], title: str) -> None:
    segment(tmp_path / "plain" / "t-0", 0, batch(0))
    for number, (node, cluster) in enumerate(ids):
        segment(tmp_path / f"disk-{number}" / "t-0", 0, batch(0))
        text = f"version=1\nnode.id={node}\ncluster.id={cluster}\n"
        (tmp_path / f"disk-{number}" / "meta.properties").write_text(text)
    headings = Page(page_of(tmp_path)).headings
    assert headings[:2] == [f"{title}: {tmp_path}", title]


def test_findings_come_first(brokers: Path) -> None:
    gathering = gathered(brokers)
    _, _, first, *_ = Page(page_of(brokers)).headings
    assert first == f"{gathering.finding_count} findings"


def test_names_that_are_no_text_print(tmp_path: Path) -> None:
    segment(Path(str(tmp_path) + "/\udcff-0"), 0)
    assert r"\udcff" in Page(page_of(tmp_path)).text


def test_an_unreadable_path_leaves_a_page_of_the_others(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    assert kafkafmt("ls", "--report", out, tmp_path / "missing", brokers / "broker-7").status == 1
    assert "all-gone" in Page(out.read_text()).text


def test_a_page_among_kafka_files_is_refused_by_the_name_of_its_option(tmp_path: Path, kafkafmt: Call) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    answer = kafkafmt("ls", tmp_path, "--report", tmp_path / "t-0" / "page.html")
    assert answer.status == 2
    assert answer.stderr.startswith("kafkafmt: Invalid value for '--report': refusing to write ")
