"""`kafkafmt retention PATH...`: which segments Kafka deletes next, when, and what holds the others; and its page."""

from typing import TYPE_CHECKING, Any, Final

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import Command, RowOptions, columns_option, output_options
from kafkafmt.cli.frame import RowFrame, page_of
from kafkafmt.cli.options import (
    damage_option,
    limits_option,
    operation_options,
    partition_options,
    paths_argument,
    report_option,
    show_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.report.layout import Cell, bar, facts, long_table, page, section, short, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.operations import Retention

_SUMMARY = ("segments", "sizeInBytes", "deletableBytes", "inADayBytes", "inAWeekBytes", "heldBy", "heldBytes", "reason")
_SHAPES = {
    "segments": TableShape(
        ("topic", "partition", "baseOffset", "sizeInBytes", "decision", "reason"),
        first=("topic", "partition", "baseOffset", "reason", "decision"),
    ),
    "topics": TableShape(("topic", "partitions", *_SUMMARY), first=("topic", "deletableBytes", "heldBytes", "reason")),
    "partitions": TableShape(
        ("topic", "partition", *_SUMMARY), first=("topic", "partition", "deletableBytes", "reason", "heldBytes")
    ),
}

_HOUR_MS: Final = 3_600_000
_YEAR_MS: Final = 366 * 24 * _HOUR_MS
_LAST_YEAR_MS: Final = 253_370_764_800_000  # the year 9999 begins: Python cannot represent later days
_REASON_LETTERS: Final = 400
_NOTE_LETTERS: Final = 600


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt retention /var/lib/kafka/data --show topics
  kafkafmt retention /var/lib/kafka/data --topic orders
  kafkafmt retention /var/lib/kafka/data --topic orders --at 2026-12-24 --config retention.ms=3600000
  kafkafmt retention /data/d1 --metadata /data/d0 --show partitions    # the metadata log is elsewhere
  kafkafmt retention /var/lib/kafka/data -o jsonl | jq 'select(.decision == "delete") | .file'
  kafkafmt retention /var/lib/kafka/data --report retention.html
""",
)
@paths_argument
@partition_options()
@operation_options
@damage_option()
@limits_option
@show_option("segments", "topics", "partitions", default="segments")
@report_option("Write a page instead: bytes that become deletable over time, topics, and what holds most of each.")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    show: str | None,
    report: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.operations.retention
) -> int:
    """Show which segments the next pass of retention deletes, when it deletes the others, and what holds them:
    retention.ms, retention.bytes, the log start offset, the high watermark, an earlier segment, a record with a future
    time.

    A pass deletes from the beginning of a log, and ends at the first segment that stays. Configs come from the metadata
    log; give those of server.properties, which is not on these disks, with --config. Each copy of a partition has rows,
    as each broker deletes its own. Nothing is written.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.operations import Retention

    if report is not None and (show is not None or rows.columns is not None or not rows.is_screen):
        raise click.UsageError("--report writes a page: leave out --show, --columns, --output and --out")
    name = show or "segments"
    schema = Retention.schemas()[name]
    frame = RowFrame(
        paths, rows, schema, topics=wanted["topics"], partitions=wanted["partitions"], sources=wanted["metadata"] or ()
    )
    with page_of(report, paths) as write_page, frame.asking() as disks:
        with frame.progress() as advance:
            answer = disks.retention(**wanted, progress=advance)
        if write_page is not None:
            write_page(_page(answer, paths))
        else:
            copies = [(log.topic, log.partition) for log in answer.logs]
            shape = _SHAPES[name]
            if name != "topics":
                shape = shape.naming_copies("file" if name == "segments" else "path", copies)
            frame.write(answer.to_batches(name), shape)
    if rows.is_screen:
        worst = answer.worst_holder()
        if worst is not None:
            log, holder, size = worst
            base_offset = log.facts.base_offsets[holder]
            messages.say(f"note: segment {base_offset} of {log.path} holds back {human.size(size)} of later segments")
            command = log.find_of(holder)
            if command is not None:
                messages.say_command(command)
        now, day, week = map(human.size, answer.deletable_bytes())
        if not answer.logs:
            messages.say("note: no log here is subject to retention")
        else:
            messages.say(f"note: at {human.time(answer.at)} {now} can go, a day later {day}, a week later {week}")
    return frame.end(frame.report(answer))


def _page(answer: "Retention", paths: "Sequence[str]") -> str:
    """The page: bytes that become deletable over time, topics, and the main reason that holds each topic."""
    from kafkafmt.cli.report.over_time import over_time

    topics = sorted(answer.to_table("topics").to_pylist(), key=lambda row: -row["sizeInBytes"])
    sections = [
        _facts(answer, topics),
        over_time(
            _due(answer),
            "storedBytes",
            "Bytes that become deletable",
            human.size,
            since=answer.at if answer.at >= 0 else None,
            by="by the first time at which a pass deletes the segment, past ones at the time of the pass",
            undated="More than a year later, or at no time",
            nothing="Nothing becomes deletable.",
        ),
        _topics(topics, answer.notes),
    ]
    return page("What retention deletes", paths, f"for {human.time(answer.at)}.", sections)


def _due(answer: "Retention") -> list[dict[str, Any]]:
    """Bytes by the hour from which a pass deletes them: that of the pass if it deletes them, none after a year."""
    end = min(answer.at + _YEAR_MS, _LAST_YEAR_MS) if answer.at >= 0 else 0
    rows = []
    for log in answer.logs:
        for segment, size in zip(log.segments, log.facts.sizes, strict=True):
            due = answer.at if segment.fate.is_deleted else segment.fate.deletable_at
            hour = None if due is None or due >= end else due // _HOUR_MS * _HOUR_MS
            rows.append({"topic": log.topic, "hour": hour, "storedBytes": size})
    return rows


def _facts(answer: "Retention", topics: "Sequence[dict[str, Any]]") -> str:
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


def _topics(topics: "Sequence[dict[str, Any]]", notes: "Sequence[str]") -> str:
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
    body = long_table(titles, rows)
    body += "".join(f'<p class="quiet">{text(short(note, _NOTE_LETTERS))}</p>' for note in notes)
    return section("Topics, the largest first", "If nothing is written, and configs stay as they are.", body)


def _share(part: int, whole: int) -> str:
    return f"<div>{bar(part / (whole or 1))}<span>{human.size(part)}</span></div>"


def _held(row: dict[str, Any]) -> str:
    if row["reason"] is None:
        return ""
    command = "" if row["find"] is None else f"<br><code>{text(row['find'])}</code>"
    return f"{human.size(row['heldBytes'])}: {text(short(row['reason'], _REASON_LETTERS))}{command}"
