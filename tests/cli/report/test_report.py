"""`kafkafmt ls --report`: the page as written, and as a real browser shows it."""

import html
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from kafkafmt.cli.ls import human
from kafkafmt.cli.ls.run import Request
from kafkafmt.cli.report.gathering import MOST_PARTITIONS, MOST_ROWS, MOST_TIMES, Gathering
from kafkafmt.cli.report.page import render
from kafkafmt.survey import FINDING, Finding, LeftOut, Options, survey
from tests.cli.conftest import Call
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, segment

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="install a headless browser: apt-get install chromium")
EVIL = '<img src=x onerror=alert(1)><a href="https:evil.example">${title}</script>'
NOW = 1_795_300_000


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


class Page(HTMLParser):
    """The text of a page, what its elements refer to, and the names of its elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.elements: list[str] = []
        self.texts: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self._inside.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]

    def handle_endtag(self, _: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        if not self._inside or self._inside[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def gathered(*paths: Path, **options: Any) -> Gathering:
    gathering = Gathering()
    for path in paths:
        for found in survey(path, Options(**options)):
            gathering.log_dir(found)
            for partition in found.partitions():
                gathering.partition(partition)
            gathering.end_log_dir()
    return gathering


def page_of(*paths: Path, **options: Any) -> str:
    return render(gathered(*paths), Request(tuple(map(str, paths)), **options), clock=lambda: NOW)


def figures(page: str) -> dict[str, Any]:
    found = re.search(r"^const figures = (.*);$", page, re.MULTILINE)
    assert found is not None
    parsed: dict[str, Any] = json.loads(found[1])
    return parsed


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of several brokers, sound and damaged, old and new."""
    root = tmp_path_factory.mktemp("brokers")
    nodes = case("07-three-nodes-diverged-4.3.1").log_dir
    for number in (1, 2, 3):
        shutil.copytree(nodes / f"node-{number}", root / f"broker-{number}")
    shutil.copytree(case("12-crash-4.3.1").log_dir / "damaged", root / "broker-4")
    shutil.copytree(case("15-large-4.3.1").log_dir, root / "broker-5")
    shutil.copytree(case("mixed-magic-2.8.2").log_dir, root / "broker-6")
    shutil.copytree(case("06-retention-4.3.1").log_dir, root / "broker-7")
    return root


# The page as written


def test_the_command_writes_one_page(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    answer = kafkafmt("ls", "--report", out, brokers)
    assert (answer.status, answer.stdout) == (1, b"")
    page = Page(out.read_text())
    assert page.references == []
    assert f"by kafkafmt {library.__version__}, from headers alone; CRCs were not checked." in page.text
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
    assert f"{human.size(size)} on disk 7 log directories" in text
    assert f"{len(partitions)} partitions" in text
    assert f"{gathering.finding_count} findings" in text
    (tiles,) = figures(page)["sizes"]["data"]
    by_id = dict(zip(tiles["ids"], tiles["values"], strict=True))
    for parent in set(tiles["parents"]) - {""}:
        children = [key for key, above in zip(tiles["ids"], tiles["parents"], strict=True) if above == parent]
        assert by_id[parent] == sum(by_id[child] for child in children)
    (codecs,) = figures(page)["codecs"]["data"]
    shares = [share for facts in partitions for share in facts.shares.items()]
    assert dict(zip(codecs["y"], codecs["x"], strict=True)) == {
        name: sum(share.size for (_, codec), share in shares if codec == name) for name in {c for (_, c), _ in shares}
    }
    (formats,) = figures(page)["formats"]["data"]
    assert sorted(formats["y"]) == ["v0", "v1", "v2", "v9"]


def test_the_time_line_has_a_bar_for_each_segment(brokers: Path) -> None:
    events = brokers / "broker-5" / "events-0"
    (bars,) = figures(page_of(events))["times"]["data"]
    (found,) = survey(events)
    (partition,) = found.partitions()
    assert bars["base"] == [each.min_timestamp for each in partition.segments]
    ends = [base + length for base, length in zip(bars["base"], bars["x"], strict=True)]
    assert all(end >= (each.max_timestamp or 0) for end, each in zip(ends, partition.segments, strict=True))


def test_findings_and_what_is_left_out_are_listed(brokers: Path) -> None:
    text = Page(page_of(brokers)).text
    assert "a message format newer than this release" in text
    assert "crash-bad-magic-0/00000000000000000048.log 651 183" in text
    assert "00000000000000000000.log.deleted" in text
    assert "48 to 59" in text
    assert "no mark of a clean shutdown" in text


def test_a_page_of_nothing_wrong(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=-1))
    (tmp_path / ".kafka_cleanshutdown").write_bytes(b"")
    (tmp_path / "t-0" / "00000000000000000000.index").write_bytes(b"")
    text = Page(page_of(tmp_path)).text
    assert "Nothing wrong was found." in text
    assert "Nothing." in text
    assert "No segment has a time that can be shown." in text
    assert "Notes" not in text


def test_a_page_of_no_partition(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=c\n")
    text = Page(page_of(tmp_path, topics=("x",), partitions=(1,))).text
    assert "No partition was found." in text
    assert "Only topic x, partition 1." in text
    assert "Only topics like x.*." in Page(page_of(tmp_path, topics=re.compile("x.*"))).text


def test_times_that_no_right_clock_tells_are_not_drawn(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=5))
    segment(tmp_path / "t-0", 1, batch(1, timestamp=NOW * 1000))
    segment(tmp_path / "t-0", 2, batch(2, timestamp=253_402_300_799_999))
    page = page_of(tmp_path)
    (bars,) = figures(page)["times"]["data"]
    assert bars["base"] == [NOW * 1000]
    assert "2 bars before 2010 or in the future left out." in Page(page).text


def test_partitions_without_a_time_to_show_have_no_line(tmp_path: Path) -> None:
    segment(tmp_path / "early-0", 0, batch(0, timestamp=5))
    segment(tmp_path / "timeless-0", 0, batch(0, timestamp=-1))
    segment(tmp_path / "right-0", 0, batch(0, timestamp=NOW * 1000))
    assert figures(page_of(tmp_path))["times"]["layout"]["yaxis"]["ticktext"] == ["right-0"]


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([-1], "-"),
        ([1_790_000_000_000, 1_790_000_100_000], "2026-09-21 14:13 to 14:15"),
        ([1_790_000_000_000, 1_800_000_000_000], "2026-09-21 to 2027-01-15"),
        ([1_790_000_000_000, 9_000_000_000_000_000], "2026-09-21 to 9000000000000000"),
        ([9_000_000_000_000_000], "9000000000000000 to 9000000000000000"),
    ],
)
def test_the_card_of_times(tmp_path: Path, times: list[int], shown: str) -> None:
    segment(tmp_path / "t-0", 0, *(batch(offset, timestamp=time) for offset, time in enumerate(times)))
    text = Page(page_of(tmp_path)).text.replace("\N{NON-BREAKING HYPHEN}", "-")
    assert f"{shown} times of records (UTC)" in text


def test_cards_count_as_people_do(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    text = Page(page_of(tmp_path)).text
    assert "1 log directory 1 topic 1 partition 1 segment 1 record 0 findings 2 notes" in text


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("broker-1/data", "broker-2/data", ["t-0 (broker-1)", "t-0 (broker-2)"]),
        ("a/x/data", "a/data", ["t-0 (x)", "t-0 (data)"]),
        ("deep", "deep/er", ["t-0 (deep)", "t-0 (er)"]),
    ],
)
def test_lines_of_several_brokers_are_told_apart(tmp_path: Path, one: str, other: str, names: list[str]) -> None:
    for place in (one, other):
        segment(tmp_path / place / "t-0", 0, batch(0, timestamp=NOW * 1000))
    shown = figures(page_of(tmp_path))["times"]["layout"]["yaxis"]["ticktext"]
    assert sorted(shown) == sorted(names)


def test_without_bytes_there_is_no_map(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, b"")
    page = page_of(tmp_path)
    assert "sizes" not in figures(page)
    assert 'id="sizes"' not in page


def test_a_long_name_is_short_in_the_map(tmp_path: Path) -> None:
    segment(tmp_path / f"{'x' * 200}-0", 0, batch(0))
    assert max(map(len, figures(page_of(tmp_path))["sizes"]["data"][0]["labels"])) < 50


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
    assert elements.count("script") == 2
    assert any(html.escape("<img src=x") in text for text in figures(page)["sizes"]["data"][0]["labels"])


def test_keys_in_a_uri_are_not_shown() -> None:
    page = render(Gathering(), Request(("s3://KEY:SECRET@bucket/b?endpoint_override=host",)))
    assert "s3://bucket/b" in Page(page).text
    assert "SECRET" not in page


def test_names_that_are_no_text_print(tmp_path: Path) -> None:
    segment(Path(str(tmp_path) + "/\udcff-0"), 0)
    assert r"\udcff" in Page(page_of(tmp_path)).text


def test_the_page_stays_small_with_very_many_partitions(tmp_path: Path) -> None:
    (found,) = survey(case("15-large-4.3.1").log_dir)
    partition = next(iter(found.partitions()))
    gathering = Gathering()
    gathering.log_dir(found)
    number = 20_000
    for each in range(number):
        facts = replace(partition.facts, topic=f"topic-{each // 10}", partition=each % 10, size=each + 1)
        finding = Finding(FINDING, "corrupt", f"file-{each}", "broken")
        left_out = LeftOut("deleted", f"file-{each}", 1, "deleted")
        gathering.partition(replace(partition, facts=facts, findings=(finding,), left_out=(left_out,)))
    assert len(gathering.largest) == MOST_PARTITIONS
    assert [kept.facts.size for kept in gathering.largest[:3]] == [number, number - 1, number - 2]
    assert (len(gathering.findings), gathering.finding_count) == (MOST_ROWS, number)
    page = render(gathering, Request((str(tmp_path),)))
    assert len(page) < 6_500_000
    (tiles,) = figures(page)["sizes"]["data"]
    assert len(tiles["ids"]) < 2 * MOST_PARTITIONS
    assert tiles["values"][0] == sum(range(1, number + 1))
    text = Page(page).text
    assert "and 1,900 more topics: kafkafmt ls --rows partitions lists them all." in text
    assert "and 19,500 more findings: kafkafmt ls --rows findings lists them all." in text


def test_neighbours_of_very_many_segments_are_drawn_as_one(tmp_path: Path) -> None:
    for base_offset in range(2 * MOST_TIMES + 10):
        segment(tmp_path / "t-0", base_offset, batch(base_offset, timestamp=1_700_000_000_000 + base_offset))
    (kept,) = gathered(tmp_path).largest
    assert len(kept.stretches) <= MOST_TIMES
    assert sum(each.segments for each in kept.stretches) == 2 * MOST_TIMES + 10
    assert (kept.stretches[0].first_offset, kept.stretches[-1].next_offset) == (0, 2 * MOST_TIMES + 10)


def test_directories_set_aside_and_without_a_name_are_groups(tmp_path: Path) -> None:
    segment(tmp_path / "t-0.0123456789abcdef0123456789abcdef-delete", 0)
    segment(tmp_path / "nameless", 0)
    assert gathered(tmp_path).topics.keys() == {"(delete)", "(no topic name)"}


def test_without_plotly_it_says_what_to_install(
    kafkafmt: Call, brokers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(("plotly", "kafkafmt.cli.report."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    answer = kafkafmt("ls", "--report", tmp_path / "disks.html", brokers)
    assert answer.status == 2
    assert "pip install 'kafkafmt[report]'" in answer.stderr
    assert not (tmp_path / "disks.html").exists()


def test_an_unreadable_path_leaves_a_page_of_the_others(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    assert kafkafmt("ls", "--report", out, tmp_path / "missing", brokers / "broker-7").status == 3
    assert "all-gone" in Page(out.read_text()).text


# The page as a browser shows it


SWITCHES = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000
    --window-size=1280,1600 --dump-dom
"""


def browse(page: Path) -> tuple[str, list[str]]:
    """The document after its scripts have run, and what its console says; no host has an address meanwhile."""
    done = subprocess.run(
        [
            CHROMIUM or "chromium",
            *SWITCHES.split(),
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={page.parent / 'profile'}",
            page.as_uri(),
        ],
        capture_output=True,
        check=True,
        timeout=120,
    )
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return done.stdout.decode("utf-8"), [line for line in said if "CONSOLE" in line]


@BROWSER
def test_a_browser_draws_all_pictures_without_a_complaint(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, brokers)
    document, console = browse(out)
    assert console == []
    charts = dict(re.findall(r'<div class="chart[^"]*" id="(\w+)"[^>]*>(.*?)</div></div></div>', document, re.DOTALL))
    assert charts.keys() == {"sizes", "times", "codecs", "formats"}
    gathering = gathered(brokers)
    shown = Page(document).text
    assert f"{human.size(gathering.topics['events'].size)}" in shown
    assert ">events<" in charts["sizes"]
    total = gathering.codec_sizes.total()
    for name, size in gathering.codec_sizes.items():
        assert f">{name}<" in charts["codecs"]
        assert f"{human.size(size)} · {size / total:.1%}" in charts["codecs"]
    assert ">events-0 (broker-5)<" in charts["times"]
    assert ">v1<" in charts["formats"]


@BROWSER
@pytest.mark.parametrize("element", ['<img src="http://example.invalid/x.png">', "<script>fetch('x')</script>"])
def test_the_page_may_ask_no_network_for_anything(kafkafmt: Call, brokers: Path, tmp_path: Path, element: str) -> None:
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, brokers / "broker-7")
    out.write_text(out.read_text().replace("</main>", f"{element}</main>"))
    _, console = browse(out)
    assert any("Content Security Policy" in line for line in console)


@BROWSER
def test_in_a_browser_a_name_from_disk_runs_nothing(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "data" / f"{EVIL.replace('/', '')}-0", 0, batch(0, timestamp=1_700_000_000_000))
    checkpoint(tmp_path / "data", "replication-offset-checkpoint", {("<img", 0): 1})
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, tmp_path / "data")
    document, console = browse(out)
    assert console == []
    page = Page(document)
    assert "img" not in page.elements
    assert "a" not in page.elements
    assert "<img src=x onerror=alert(1)>" in page.text
