"""The page of `retention --report`: bytes that become deletable over time, topics, and what holds most of each."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.cli import human
from kafkafmt.cli.report.figures import over_time
from kafkafmt.cli.report.layout import AT_ONCE, Cell, bar, details, facts, page, section, short, table, text

if TYPE_CHECKING:
    from kafkafmt.operations import Retention

_HOUR_MS: Final = 3_600_000
_YEAR_MS: Final = 366 * 24 * _HOUR_MS
_LAST_YEAR_MS: Final = 253_370_764_800_000  # 9999 begins: later days have no names in Python
_REASON_LETTERS: Final = 400
_NOTE_LETTERS: Final = 600


def render(answer: "Retention", paths: Sequence[str], clock: Callable[[], float] = time.time) -> str:
    """Write the page.

    Args:
        answer: what retention does.
        paths: what was read.
        clock: gives the time of the report, in seconds since the epoch.
    """
    topics = sorted(answer.to_table("topics").to_pylist(), key=lambda row: -row["sizeInBytes"])
    sections = [
        _facts(answer, topics),
        over_time(
            _due(answer),
            "storedBytes",
            "Bytes that become deletable",
            human.size,
            by="by the first time at which a pass deletes the segment, past ones at the time of the pass",
            undated="More than a year later, or at no time",
            nothing="Nothing becomes deletable.",
        ),
        _topics(topics, answer.notes),
    ]
    return page("What retention deletes", paths, f"for {human.time(answer.at)}.", sections, clock)


def _due(answer: "Retention") -> list[dict[str, Any]]:
    """Bytes by the hour from which a pass deletes them; those that go now in that of the pass, none after a year."""
    end = min(answer.at + _YEAR_MS, _LAST_YEAR_MS) if answer.at >= 0 else 0
    rows = []
    for log in answer.logs:
        for segment, size in zip(log.segments, log.facts.sizes, strict=True):
            due = answer.at if segment.fate.is_deleted else segment.fate.deletable_at
            hour = None if due is None or due >= end else due // _HOUR_MS * _HOUR_MS
            rows.append({"topic": log.topic, "hour": hour, "storedBytes": size})
    return rows


def _facts(answer: "Retention", topics: Sequence[dict[str, Any]]) -> str:
    now, day, week = answer.deletable_bytes()
    numbers = [
        (human.size(sum(row["sizeInBytes"] for row in topics)), "in log files"),
        (human.size(now), "can go now"),
        (human.size(day), "a day later"),
        (human.size(week), "a week later"),
        (human.number(sum(row["segments"] for row in topics)), "segments"),
        (human.number(len(answer.logs)), "partition directories"),
        (human.number(len(topics)), "topics"),
    ]
    return facts(numbers)


def _topics(topics: Sequence[dict[str, Any]], notes: Sequence[str]) -> str:
    titles: list[Cell] = [
        ("path", "topic"),
        ("number", "size"),
        ("share", "can go now"),
        ("number", "in a day"),
        ("number", "in a week"),
        ("path", "held most by"),
    ]
    rows: list[list[Cell]] = [
        [
            ("path", text(short(row["topic"] or "(no topic name)"))),
            ("number", human.size(row["sizeInBytes"])),
            ("share", _share(row["deletableBytes"], row["sizeInBytes"])),
            ("number", human.size(row["inADayBytes"])),
            ("number", human.size(row["inAWeekBytes"])),
            ("path", _held(row)),
        ]
        for row in topics
    ]
    body = table(titles, rows[:AT_ONCE])
    if rows[AT_ONCE:]:
        body += details(f"{len(rows) - AT_ONCE:,} more", table(titles, rows[AT_ONCE:]))
    body += "".join(f'<p class="quiet">{text(short(note, _NOTE_LETTERS))}</p>' for note in notes)
    return section("Topics, the largest first", "If nothing is written, and configs stay as they are.", body)


def _share(part: int, whole: int) -> str:
    return f"<div>{bar(part / (whole or 1))}<span>{human.size(part)}</span></div>"


def _held(row: dict[str, Any]) -> str:
    if row["reason"] is None:
        return ""
    command = "" if row["find"] is None else f"<br><code>{text(row['find'])}</code>"
    return f"{human.size(row['heldBytes'])}: {text(short(row['reason'], _REASON_LETTERS))}{command}"
