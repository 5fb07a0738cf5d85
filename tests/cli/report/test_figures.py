"""`kafkafmt ls --report`: the map of sizes, and the timeline."""

import re
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from pathlib import Path

import pytest

from kafkafmt.cli import human
from kafkafmt.cli.ls.request import ListingRequest
from kafkafmt.cli.report.gathering import MOST_PARTITIONS, MOST_ROWS, MOST_TIMES, Gathering
from kafkafmt.cli.report.over_time import over_time
from kafkafmt.cli.report.page import render
from kafkafmt.cli.report.size_map import Area, squarify
from kafkafmt.cli.report.time_axis import ticks
from kafkafmt.findings import FINDING, Finding
from kafkafmt.survey import LeftOut, survey
from tests.cli.report.pages import NOW, Page, case, gathered, page_of
from tests.logdir.builders import batch, segment


def test_tiles_are_as_large_as_what_they_show(brokers: Path) -> None:
    gathering = gathered(brokers)
    tiles = Page(page_of(brokers)).tiles()
    shown = 0
    for tile in tiles:
        topic = gathering.topics.get(tile["tip"].split("\n")[0])
        # The gap to the next one is two pixels.
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
        ("2026-03-01 10:00:00", "2026-03-01 10:00:04", [
            "2026-03-01 10:00:00", "10:00:01", "10:00:02", "10:00:03", "10:00:04"]),
        ("2026-03-01 10:01:00", "2026-03-01 10:59:00", ["2026-03-01 10:15", "10:30", "10:45"]),
        ("2026-03-01 20:00:00", "2026-03-02 07:00:00", [
            "2026-03-01 21:00", "03-02 00:00", "03-02 03:00", "03-02 06:00"]),
        ("2026-02-27 01:00:00", "2026-03-02 07:00:00", ["2026-02-28", "2026-03-01", "2026-03-02"]),
        ("2025-11-05 00:00:00", "2026-05-02 07:00:00", [f"{n}-01"[:7] for n in
            ("2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05")]),
        ("1985-01-01 00:00:00", "2026-05-02 07:00:00", ["1990-01", "2000-01", "2010-01", "2020-01"]),
    ],
)  # fmt: skip
def test_ticks_are_round_times(start: str, end: str, labels: list[str]) -> None:
    marks = ticks(*(int(datetime.fromisoformat(f"{time}Z").timestamp()) * 1000 for time in (start, end)))
    assert [label for _, label in marks] == labels


def columns(*hours: tuple[str, int], since: str | None = None) -> str:
    def ms(time: str) -> int:
        return int(datetime.fromisoformat(f"{time}:00+00:00").timestamp()) * 1000

    rows = [{"topic": "t", "hour": ms(hour), "storedBytes": size} for hour, size in hours]
    start = None if since is None else ms(since)
    return over_time(rows, "storedBytes", "Bytes over time", human.size, since=start)


def test_a_record_of_2099_does_not_make_one_column_of_a_week() -> None:
    week = [(f"2026-11-{day} 10:00", 1000) for day in range(20, 27)]
    text = columns(("1970-01-01 00:00", 20), *week, ("2099-01-01 05:00", 30), ("2099-03-01 05:00", 10))
    assert "Each column is 3 hours" in text
    assert "Not drawn, as it is far from the rest: 20 B of 1970-01-01." in text
    assert "Not drawn, as it is far from the rest: 40 B of 2099-01-01 to 2099-03-01." in text
    assert text.count("<rect class=") == 7 + 1  # the last one is in the key


@pytest.mark.parametrize(
    "hours",
    [
        [("2020-01-01 10:00", 1000), ("2026-11-20 10:00", 900)],
        [("2026-11-20 10:00", 1000), ("2026-11-22 10:00", 1)],
        [(f"2026-{month}-01 10:00", 10) for month in range(10, 13)],
        [("2026-11-20 10:00", 1000)],
    ],
)
def test_what_is_many_or_near_is_no_outlier(hours: list[tuple[str, int]]) -> None:
    assert "Not drawn" not in columns(*hours)


def test_an_axis_may_begin_before_the_first_column() -> None:
    assert ">2026-12-02 10:00<" in columns(("2026-12-02 10:00", 1))
    text = columns(("2026-12-02 10:00", 1), since="2026-11-22 00:00")
    assert "Each column is 3 hours" in text
    assert [f">2026-11-{day}<" in text for day in (23, 25, 27, 29)] == [True] * 4


def test_impossible_times_are_counted_apart(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=5), batch(1, timestamp=-1))
    segment(tmp_path / "t-0", 2, batch(2, timestamp=NOW * 1000), batch(3, timestamp=2**63 - 1))
    segment(tmp_path / "t-0", 4, batch(4, timestamp=253_402_300_799_999))
    page = Page(page_of(tmp_path))
    (bar,) = page.segments
    time = human.time(NOW * 1000)
    assert bar["tip"].split("\n")[1] == f"{time} to {time}"
    assert "4 batches have impossible timestamps" in page.text
    assert "9999" not in page.text
    assert str(2**63 - 1) not in page.text


def test_partitions_without_a_possible_time_have_no_line(tmp_path: Path) -> None:
    segment(tmp_path / "early-0", 0, batch(0, timestamp=5))
    segment(tmp_path / "timeless-0", 0, batch(0, timestamp=-1))
    segment(tmp_path / "right-0", 0, batch(0, timestamp=NOW * 1000))
    assert lines(page_of(tmp_path)) == ["right-0"]


def lines(page: str) -> list[str]:
    """Names at the lines of the timeline."""
    return re.findall(r'<div class="line"><span title="[^"]*">([^<]*)</span>', page)


def test_a_time_before_kafka_was_is_shown(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=480_000_000_000), batch(1, timestamp=NOW * 1000))
    text = Page(page_of(tmp_path)).text.replace("\N{NON-BREAKING HYPHEN}", "-")
    assert "1985-03-18 to 2026-09-25 times of records" in text
    assert "impossible" not in text


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


@pytest.mark.slow
def test_the_page_stays_small_with_very_many_partitions(tmp_path: Path) -> None:
    (found,) = survey(case("15-large-4.3.1").log_dir)
    partition = next(iter(found.partitions()))
    gathering = Gathering()
    gathering.log_dir(found)
    number = 20_000
    for each in range(number):
        # Names have the maximum length that Kafka allows.
        topic = f"topic-{each // 10}".ljust(249, "<")
        path = f"/var/lib/kafka/data/{topic}-{each % 10}"
        facts = replace(partition.facts, topic=topic, partition=each % 10, size=each + 1, path=path)
        finding = Finding(FINDING, "corrupt", f"{path}/file", f"broken at {each}", f"{each % 40}")
        left_out = LeftOut(kind="deleted", path=f"{path}/file", size=1, reason="deleted")
        gathering.partition(replace(partition, facts=facts, findings=(finding,), left_out=(left_out,)))
    assert len(gathering.largest) == MOST_PARTITIONS
    assert [kept.facts.size for kept in gathering.largest[:3]] == [number, number - 1, number - 2]
    assert (len(gathering.findings), gathering.finding_count) == (MOST_ROWS, number)
    page = render(gathering, ListingRequest((str(tmp_path),)))
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
