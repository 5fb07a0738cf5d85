"""The page of `ls --report` and `verify --report`: findings, sizes, times, codecs, log directories, left-out files."""

import time
from collections import Counter
from collections.abc import Callable
from re import Pattern
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.cli import human
from kafkafmt.cli.frame import page_of
from kafkafmt.cli.report.findings import findings_of, notes_of, path_below
from kafkafmt.cli.report.gathering import Gathering, TopicSum, is_set_aside
from kafkafmt.cli.report.layout import (
    Cell,
    bar,
    bars,
    details,
    facts,
    long_table,
    more,
    page,
    path_text,
    section,
    short,
    table,
    text,
    time_of,
)
from kafkafmt.cli.report.size_map import SizeMap
from kafkafmt.cli.report.time_line import MOST_LINES, time_line
from kafkafmt.phrases import counted, named

if TYPE_CHECKING:
    from kafkafmt.cli.ls.request import ListingRequest

MOST_TOPICS = 100
"""Most topics and log directories in the tables, which say how many more there are."""

_NAMED = 6
_NO_BREAK = "\N{NON-BREAKING HYPHEN}"
_MAPS = (("wide", 1120, 420), ("narrow", 340, 420))

_Result = TypeVar("_Result")


def write_report(request: "ListingRequest", gather: Callable[[Gathering], _Result]) -> _Result:
    """Write the page of a survey, or of verify; the file appears when the page is complete.

    Args:
        request: the options of the survey, which name the file.
        gather: function that surveys, and adds the results to the given `Gathering`.

    Returns:
        The result of `gather`.

    Raises:
        click.UsageError: the file is in a log directory or cannot be created.
    """
    sources = (*request.paths, *request.metadata)
    with page_of(request.report, sources) as write_page:
        gathering = Gathering()
        result = gather(gathering)
        if write_page is not None:
            write_page(render(gathering, request))
    return result


def render(gathering: Gathering, request: "ListingRequest", clock: Callable[[], float] = time.time) -> str:
    """Render the page.

    Args:
        gathering: the survey.
        request: the options of the survey.
        clock: function that returns the time of the report, in seconds since the epoch.
    """
    sections = [
        _verdict(gathering),
        findings_of(gathering, request),
        _facts(gathering),
        _sizes(gathering),
        _times(gathering),
        _shares(gathering),
        _log_dirs(gathering),
        _left_out(gathering, request),
        notes_of(gathering, request),
    ]
    return page(_title(gathering), request.paths, _how(request), sections, clock)


def _title(gathering: Gathering) -> str:
    """The nodes and clusters of these disks, by their meta.properties."""
    nodes = sorted({facts.node_id for facts in gathering.log_dirs if facts.node_id is not None})
    clusters = sorted({facts.cluster_id for facts in gathering.log_dirs if facts.cluster_id is not None})
    parts = []
    if nodes:
        parts.append(named("node", nodes, _NAMED))
    if clusters:
        parts.append(f"cluster {clusters[0]}" if len(clusters) == 1 else f"{len(clusters)} clusters")
    return f"Kafka {', '.join(parts)}" if parts else "Kafka disk without node id"


def _how(request: "ListingRequest") -> str:
    """How the data was read, and what it covers."""
    read = {
        "headers": "from batch headers; CRCs were not checked (--verify-checksums)",
        "checksums": "with all CRCs checked",
        "records": "with every record decompressed and parsed",
        "quick": "from the ends of each segment",
    }[request.depth]
    if isinstance(request.topics, Pattern):
        topics = [f"topics like {request.topics.pattern}"]
    else:
        topics = [f"topic {name}" for name in request.topics or ()]
    filters = [*topics, *(f"partition {number}" for number in request.partitions or ())]
    only = f" Only {', '.join(filters)}." if filters else ""
    return f"{read}.{only}"


def _facts(gathering: Gathering) -> str:
    """The numbers of the whole survey."""
    left_out = gathering.left_out_sizes.total()
    live = [topic.partitions for name, topic in gathering.topics.items() if not is_set_aside(name)]
    aside = gathering.partitions - sum(live)
    numbers = [
        (human.size(gathering.size), "in partition directories"),
        _counted(len(gathering.log_dirs), "log directory", "log directories"),
        _counted(len(live), "topic"),
        _counted(sum(live), "partition"),
        *([_counted(aside, "directory set aside", "directories set aside")] if aside else []),
        _counted(gathering.segments, "segment"),
        _counted(gathering.records, "record"),
        (human.size(left_out), "left out of the logs"),
        (_span(gathering), "times of records (UTC)"),
    ]
    return facts(numbers) + _impossible(gathering)


def _impossible(gathering: Gathering) -> str:
    count = gathering.impossible_times
    if not count:
        return ""
    has = "has an impossible timestamp" if count == 1 else "have impossible timestamps"
    batches = counted(count, "batch", "batches")
    return (
        f'<p class="aside">{batches} {has}: before 1971 (such as -1) or more than a day after '
        "this report. No time on this page includes them.</p>"
    )


def _counted(count: int, one: str, many: str | None = None) -> tuple[str, str]:
    """A number and its noun."""
    value, _, noun = counted(count, one, many).partition(" ")
    return value, noun


def _span(times: Gathering) -> str:
    """First and last day, or the minutes if there is only one day."""
    if times.earliest is None or times.latest is None:
        return "-"
    first, last = human.time(times.earliest), human.time(times.latest)
    if first[:16] == last[:16]:
        return f"{first} to {last[11:]}".replace("-", _NO_BREAK)
    if first[:10] == last[:10]:
        return f"{first[:16]} to {last[11:16]}".replace("-", _NO_BREAK)
    return f"{first[:10]} to {last[:10]}".replace("-", _NO_BREAK)


def _sizes(gathering: Gathering) -> str:
    if not gathering.topics:
        return section("Sizes", "No partition was found.")
    topics = sorted(gathering.topics.items(), key=lambda item: (-item[1].size, item[0]))
    largest = topics[0][1].size
    rows = [_topic_row(text(short(name, 80)), topic, gathering.size, largest) for name, topic in topics[:MOST_TOPICS]]
    titles = [
        ("name", "topic"),
        ("number", "size"),
        ("share", "share"),
        ("number", "partitions"),
        ("number", "segments"),
        ("number", "records"),
        ("time", "first time (UTC)"),
        ("time", "last time (UTC)"),
        ("number", "findings"),
    ]
    maps = "".join(SizeMap(gathering, width, height).draw(kind) for kind, width, height in _MAPS)
    body = long_table(titles, rows, "topics")
    rest = [topic for _, topic in topics[MOST_TOPICS:]]
    if rest:
        others = f"and {len(rest):,} more topics of {human.size(sum(topic.size for topic in rest))}"
        partitions, findings = sum(topic.partitions for topic in rest), sum(topic.findings for topic in rest)
        detail = f"{counted(partitions, 'partition')}, {counted(findings, 'finding')}"
        body += f'<p class="quiet">{others} ({detail}): kafkafmt ls --rows partitions lists them all.</p>'
    return section(
        "Where the space goes",
        "Every file in the partition directories. Red: it has findings.",
        (maps if gathering.size else "") + body,
    )


def _topic_row(name: str, topic: TopicSum, whole: int, largest: int) -> list[Cell]:
    share = topic.size / (whole or 1)
    return [
        ("name", name),
        ("number", human.size(topic.size)),
        (
            "share",
            f"<div>{bar(topic.size / (largest or 1), is_faulty=bool(topic.findings))}<span>{share:.1%}</span></div>",
        ),
        ("number", human.number(topic.partitions)),
        ("number", human.number(topic.segments)),
        ("number", human.number(topic.records)),
        ("time", time_of(topic.earliest)),
        ("time", time_of(topic.latest)),
        ("number fault" if topic.findings else "number", human.number(topic.findings)),
    ]


def _times(gathering: Gathering) -> str:
    picture = time_line(gathering)
    title = "Segments over time"
    if picture is None:
        return section(title, "No segment has a time that can be shown.")
    with_times = sum(1 for kept in gathering.largest if kept.time_bars)
    which = "" if with_times <= MOST_LINES else f" The {MOST_LINES} largest partitions."
    return section(
        title,
        f"Each bar is a segment, from its first to its last timestamp.{which} "
        f"{human.time(picture.start)} to {human.time(picture.end)}.",
        picture.drawn,
    )


def _shares(gathering: Gathering) -> str:
    if not gathering.codec_sizes:
        return ""
    codecs = section("Codecs", "Bytes of batches by compression, as stored.", _bars(gathering.codec_sizes))
    formats = section(
        "Message formats", "v2 since Kafka 0.11, v1 since 0.10, v0 before.", _bars(gathering.format_sizes)
    )
    return f'<div class="pair">{codecs}{formats}</div>'


def _bars(sizes: Counter[str]) -> str:
    """Bars of bytes, largest first."""
    total = sizes.total() or 1
    items = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return bars((name, size, f"{human.size(size)} · {size / total:.1%}") for name, size in items)


def _log_dirs(gathering: Gathering) -> str:
    rows = [
        [
            ("path", path_text(facts.path)),
            ("number", human.plain(facts.node_id)),
            ("path", text(facts.cluster_id or "-")),
            ("", "remote storage" if facts.is_tier else "clean" if facts.clean_shutdown else "not clean"),
            ("number", human.number(facts.partitions)),
            ("number", human.number(facts.other_partitions)),
            ("number", human.size(facts.size)),
            ("", text(", ".join(name for name, status in facts.checkpoints.items() if status == "broken") or "none")),
        ]
        for facts in gathering.log_dirs[:MOST_TOPICS]
    ]
    titles = [
        ("path", "log directory"),
        ("number", "node"),
        ("path", "cluster"),
        ("", "shutdown"),
        ("number", "partitions"),
        ("number", "set aside"),
        ("number", "size"),
        ("", "broken checkpoints"),
    ]
    if not rows:
        return ""
    rest = more(len(gathering.log_dirs) - MOST_TOPICS, "log directories", "ls --rows log-dirs")
    return section("Log directories", "", table(titles, rows) + rest)


def _verdict(gathering: Gathering) -> str:
    """The result of a broker's start on these disks; empty if it was not asked for."""
    if not gathering.verdict:
        return ""
    lines = "<br>".join(text(line) for line in gathering.verdict)
    hint = "What Kafka 4.x (KRaft) would do if it started on these log directories as they are."
    return section("Would a broker start?", hint, f"<p>{lines}</p>")


def _left_out(gathering: Gathering, request: "ListingRequest") -> str:
    if not gathering.left_out_counts:
        return section("Left out of the logs", "Nothing.")
    kinds = [
        [
            ("", text(kind)),
            ("number", human.number(count)),
            ("number", human.size(gathering.left_out_sizes[kind])),
            ("wide", text(gathering.left_out_reasons[kind])),
        ]
        for kind, count in sorted(gathering.left_out_counts.items())
    ]
    paths = [
        [
            ("", text(left_out.kind)),
            ("number", human.size(left_out.size)),
            (
                "",
                ""
                if left_out.first_offset is None
                else f"{human.plain(left_out.first_offset)} to {human.plain(left_out.last_offset)}",
            ),
            ("path", path_below(left_out.path, request)),
        ]
        for left_out in gathering.left_out
    ]
    count = gathering.left_out_counts.total()
    rest = more(count - len(gathering.left_out), "paths", "ls --rows left-out")
    listed = table([("", "what"), ("number", "size"), ("", "offsets"), ("path", "path")], paths)
    return section(
        "Left out of the logs",
        "On the disk, but not part of a log, so a consumer does not get it.",
        table([("", "what"), ("number", "paths"), ("number", "size"), ("wide", "why")], kinds)
        + details(counted(count, "path"), listed + rest),
    )
