"""`kafkafmt ls --report`: the page as written, and as a real browser shows it.

It is long because both look at the same pages, which take a while to make.
"""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from kafkafmt.cli import human
from kafkafmt.cli.ls.run import Request
from kafkafmt.cli.report import MOST_PARTITIONS, MOST_ROWS, MOST_TIMES, Gathering
from kafkafmt.cli.report.figures import Area, squarify, ticks
from kafkafmt.cli.report.page import render
from kafkafmt.survey import FINDING, Finding, LeftOut, Options, survey
from tests.cli.conftest import Call
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, segment

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="install a headless browser: apt-get install chromium")
EVIL = '<img src=x onerror=alert(1)><a href="https:evil.example">${title}</script>'
NOW = 1_790_300_000


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


class Page(HTMLParser):
    """The text of a page, what its elements refer to, and its elements with their attributes and the text in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.elements: list[str] = []
        self.texts: list[str] = []
        self.headings: list[str] = []
        self.shapes: list[dict[str, str]] = []
        self._inside: list[str] = []
        self._attributes: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes = {name: value or "" for name, value in attrs}
        self.elements.append(tag)
        self._inside.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag == "svg":
            self._chart = self._attributes.get("class", "")
        if tag == "rect":
            self.shapes.append({"chart": self._chart, **self._attributes})

    def handle_endtag(self, _: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        inside = self._inside[-1] if self._inside else ""
        if inside == "style":
            return
        if inside == "title" and self.shapes:
            self.shapes[-1]["tip"] = data
        elif inside == "text" and self.shapes:
            self.shapes[-1].setdefault("label", data)
        if inside in ("h1", "h2", "title"):
            self.headings.append(data)
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def tiles(self, width: str = "wide") -> list[dict[str, str]]:
        """The rectangles of the map of sizes."""
        return [shape for shape in self.shapes if shape["chart"] == f"map {width}"]

    @property
    def segments(self) -> list[dict[str, str]]:
        """The bars of the time line."""
        return [shape for shape in self.shapes if shape["chart"] == "" and "tip" in shape]


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
    assert f"{human.size(size)} on disk 7 log directories" in text
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


def test_tiles_are_as_large_as_what_they_show(brokers: Path) -> None:
    gathering = gathered(brokers)
    tiles = Page(page_of(brokers)).tiles()
    shown = 0
    for tile in tiles:
        topic = gathering.topics.get(tile["tip"].split("\n")[0])
        # Two pixels are the gap to the next one.
        if topic is not None and topic.size > gathering.size / 1000:
            shown += 1
            area = (float(tile["width"][:-1]) * 11.2 + 2) * (float(tile["height"]) + 2)
            assert area == pytest.approx(topic.size / gathering.size * 1120 * 420, rel=0.02)
    assert shown > 10
    faulty = [tile for tile in tiles if tile.get("class") == "f"]
    assert faulty
    assert all("finding" in tile["tip"] for tile in faulty)


def test_areas_divide_the_whole_by_size() -> None:
    sizes = [60.0, 60, 40, 30, 20, 20, 10]
    areas = squarify(sizes, Area(0, 0, 600, 400))
    assert [round(area.width * area.height / 1000, 6) for area in areas] == sizes
    assert all(area.x >= 0 and area.x + area.width <= 600.001 for area in areas)
    assert all(max(area.width / area.height, area.height / area.width) < 3 for area in areas)
    for one, other in combinations(areas, 2):
        across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
        down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
        assert across < 0.001 or down < 0.001


def test_the_time_line_has_a_bar_for_each_segment(brokers: Path) -> None:
    events = brokers / "broker-5" / "events-0"
    bars = Page(page_of(events)).segments
    (found,) = survey(events)
    (partition,) = found.partitions()
    assert [bar["tip"].split("\n")[1] for bar in bars] == [
        f"{human.time(each.min_timestamp)} to {human.time(each.max_timestamp)}" for each in partition.segments
    ]
    places = [float(bar["x"][:-1]) for bar in bars]
    assert places == sorted(places)
    assert all(0 < place < 100 for place in places)


@pytest.mark.parametrize(
    ("start", "end", "labels"),
    [
        ("2026-03-01 10:00:00", "2026-03-01 10:00:04", ["10:00:00", "10:00:01", "10:00:02", "10:00:03", "10:00:04"]),
        ("2026-03-01 10:01:00", "2026-03-01 10:59:00", ["10:15", "10:30", "10:45"]),
        ("2026-03-01 20:00:00", "2026-03-02 07:00:00", ["03-01 21:00", "03-02 00:00", "03-02 03:00", "03-02 06:00"]),
        ("2026-02-27 01:00:00", "2026-03-02 07:00:00", ["2026-02-28", "2026-03-01", "2026-03-02"]),
        ("2025-11-05 00:00:00", "2026-05-02 07:00:00", [f"{n}-01"[:7] for n in
            ("2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05")]),
        ("1985-01-01 00:00:00", "2026-05-02 07:00:00", ["1990-01", "2000-01", "2010-01", "2020-01"]),
    ],
)  # fmt: skip
def test_ticks_are_round_times(start: str, end: str, labels: list[str]) -> None:
    marks = ticks(*(int(datetime.fromisoformat(f"{time}Z").timestamp()) * 1000 for time in (start, end)))
    assert [label for _, label in marks] == labels


def test_findings_and_what_is_left_out_are_listed(brokers: Path) -> None:
    text = Page(page_of(brokers)).text
    assert "a message format that this release does not know" in text
    assert "crash-bad-magic-0/00000000000000000048.log position 651, 183 bytes" in text
    assert "00000000000000000000.log.deleted" in text
    assert "48 to 59" in text
    assert "no mark of a clean shutdown" in text


def test_a_page_of_nothing_wrong(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=-1))
    (tmp_path / ".kafka_cleanshutdown").write_bytes(b"")
    (tmp_path / "t-0" / "00000000000000000000.index").write_bytes(b"")
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


def test_impossible_times_are_counted_apart(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=5), batch(1, timestamp=-1))
    segment(tmp_path / "t-0", 2, batch(2, timestamp=NOW * 1000), batch(3, timestamp=2**63 - 1))
    segment(tmp_path / "t-0", 4, batch(4, timestamp=253_402_300_799_999))
    page = Page(page_of(tmp_path))
    (bar,) = page.segments
    time = human.time(NOW * 1000)
    assert bar["tip"].split("\n")[1] == f"{time} to {time}"
    assert "4 batches have timestamps that no clock showed" in page.text
    assert "9999" not in page.text
    assert str(2**63 - 1) not in page.text


def test_partitions_without_a_possible_time_have_no_line(tmp_path: Path) -> None:
    segment(tmp_path / "early-0", 0, batch(0, timestamp=5))
    segment(tmp_path / "timeless-0", 0, batch(0, timestamp=-1))
    segment(tmp_path / "right-0", 0, batch(0, timestamp=NOW * 1000))
    assert lines(page_of(tmp_path)) == ["right-0"]


def lines(page: str) -> list[str]:
    """Names at the lines of the time line."""
    return re.findall(r'<div class="line"><span title="[^"]*">([^<]*)</span>', page)


def test_a_time_before_kafka_was_is_shown(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=480_000_000_000), batch(1, timestamp=NOW * 1000))
    text = Page(page_of(tmp_path)).text.replace("\N{NON-BREAKING HYPHEN}", "-")
    assert "1985-03-18 to 2026-09-25 times of records" in text
    assert "no clock" not in text


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
    assert sorted(lines(page_of(tmp_path))) == sorted(names)


def test_without_bytes_there_is_no_map(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, b"")
    page = page_of(tmp_path)
    assert "t 0 B 0.0%" in Page(page).text
    assert '<svg class="map' not in page


def test_a_long_name_is_short_in_the_map(tmp_path: Path) -> None:
    segment(tmp_path / f"{'x' * 200}-0", 0, batch(0))
    (tile,) = Page(page_of(tmp_path)).tiles("narrow")
    assert len(tile["label"]) < 50
    assert "…" in tile["label"]


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
    page = render(Gathering(), Request(("s3://KEY:SECRET@bucket/b?endpoint_override=host",)))
    assert "s3://bucket/b" in Page(page).text
    assert "SECRET" not in page


@pytest.mark.parametrize(
    ("ids", "title"),
    [
        ([(3, "abc")], "Kafka node 3, cluster abc"),
        ([(1, "abc"), (2, "abc")], "Kafka nodes 1, 2, cluster abc"),
        ([(number, "abc") for number in range(9)], "Kafka nodes 0, 1, 2, 3, 4, 5, …, cluster abc"),
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


def test_the_page_stays_small_with_very_many_partitions(tmp_path: Path) -> None:
    (found,) = survey(case("15-large-4.3.1").log_dir)
    partition = next(iter(found.partitions()))
    gathering = Gathering()
    gathering.log_dir(found)
    number = 20_000
    for each in range(number):
        # Names are as long as Kafka allows.
        topic = f"topic-{each // 10}".ljust(249, "<")
        path = f"/var/lib/kafka/data/{topic}-{each % 10}"
        facts = replace(partition.facts, topic=topic, partition=each % 10, size=each + 1, path=path)
        finding = Finding(FINDING, "corrupt", f"{path}/file", f"broken at {each}", f"{each % 40}")
        left_out = LeftOut("deleted", f"{path}/file", 1, "deleted")
        gathering.partition(replace(partition, facts=facts, findings=(finding,), left_out=(left_out,)))
    assert len(gathering.largest) == MOST_PARTITIONS
    assert [kept.facts.size for kept in gathering.largest[:3]] == [number, number - 1, number - 2]
    assert (len(gathering.findings), gathering.finding_count) == (MOST_ROWS, number)
    page = render(gathering, Request((str(tmp_path),)))
    assert len(page) < 1_000_000
    tiles = Page(page).tiles()
    assert "1,900 smaller topics" in tiles[-1]["tip"]
    text = Page(page).text
    assert "and 1,900 more topics of 172.1 MiB (19,000 partitions" in text
    assert "and 19,800 more findings: kafkafmt ls --rows findings lists them all." in text


def test_neighbours_of_very_many_segments_are_drawn_as_one(tmp_path: Path) -> None:
    for base_offset in range(2 * MOST_TIMES + 10):
        segment(tmp_path / "t-0", base_offset, batch(base_offset, timestamp=1_700_000_000_000 + base_offset))
    (kept,) = gathered(tmp_path).largest
    assert len(kept.time_bars) <= MOST_TIMES
    assert sum(each.segments for each in kept.time_bars) == 2 * MOST_TIMES + 10
    assert (kept.time_bars[0].first_offset, kept.time_bars[-1].next_offset) == (0, 2 * MOST_TIMES + 10)


def test_directories_set_aside_and_without_a_name_are_groups(tmp_path: Path) -> None:
    segment(tmp_path / "t-0.0123456789abcdef0123456789abcdef-delete", 0)
    segment(tmp_path / "nameless", 0)
    assert gathered(tmp_path).topics.keys() == {"(delete)", "(no topic name)"}


def test_an_unreadable_path_leaves_a_page_of_the_others(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    assert kafkafmt("ls", "--report", out, tmp_path / "missing", brokers / "broker-7").status == 1
    assert "all-gone" in Page(out.read_text()).text


# The page as a browser shows it


SWITCHES = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000
    --window-size=1600,1600 --dump-dom
"""


def browse(page: Path) -> tuple[str, list[str]]:
    """The document as loaded, and what its console says; no host has an address meanwhile."""
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
        timeout=900,
    )
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return done.stdout.decode("utf-8"), [line for line in said if "CONSOLE" in line]


# What a page says of itself, in a frame of the width and without the directive that lets no script run.
MEASURE = """<script>
const all = [...document.querySelectorAll("main *")];
const beyond = all.filter((each) => each.getBoundingClientRect().right > innerWidth);
const charts = all.filter((each) => each.matches(".map, .times rect, .bars rect") && each.getClientRects().length);
const sizes = all.map((each) => parseFloat(getComputedStyle(each).fontSize));
parent.document.title = JSON.stringify([innerWidth, beyond.length, charts.length, Math.min(...sizes)]);
</script>"""


@BROWSER
@pytest.mark.parametrize("width", [400, 980, 1400])
def test_a_browser_shows_all_without_a_complaint(kafkafmt: Call, brokers: Path, tmp_path: Path, width: int) -> None:
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, brokers)
    document, console = browse(out)
    assert console == []
    assert Page(document).text == Page(out.read_text()).text
    page = re.sub("<meta http-equiv.*", "", out.read_text()).replace("</body>", f"{MEASURE}</body>")
    out.write_text(f'<title></title><iframe srcdoc="{html.escape(page)}" width="{width}" height="900" border="0">')
    document, _ = browse(out)
    inner, beyond, charts, least = json.loads(Page(document).headings[0])
    assert inner == width
    assert beyond == 0
    assert charts > 20
    assert least >= 12


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


def test_a_page_among_kafka_files_is_refused_by_the_name_of_its_option(tmp_path: Path, kafkafmt: Call) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    answer = kafkafmt("ls", tmp_path, "--report", tmp_path / "t-0" / "page.html")
    assert answer.status == 2
    assert answer.stderr.startswith("kafkafmt: Invalid value for '--report': refusing to write ")
