"""The page of a report: one HTML file that asks no network for anything; all text from disk is escaped."""

import html
import json
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from re import Pattern
from string import Template
from typing import TYPE_CHECKING

from plotly.offline import get_plotlyjs

from kafkafmt import __version__
from kafkafmt.cli.ls import human
from kafkafmt.cli.printable import escape
from kafkafmt.cli.report import figures
from kafkafmt.cli.report.gathering import Gathering
from kafkafmt.files.uri import shown

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from kafkafmt.cli.ls.run import Request
    from kafkafmt.survey import Finding

MOST_TOPICS = 100
"""Topics and log directories that the tables show; they say how many more there are."""

_AT_ONCE = 8
_NO_BREAK = "\N{NON-BREAKING HYPHEN}"

Cell = tuple[str, str]


def render(gathering: Gathering, request: "Request", clock: Callable[[], float] = time.time) -> str:
    """Write the page.

    Args:
        gathering: the survey.
        request: what was asked for.
        clock: tells the time it is made, in seconds since the epoch.
    """
    now = int(clock() * 1000)
    pictures: dict[str, go.Figure] = {}
    sections = [
        _sizes(gathering, pictures),
        _times(gathering, pictures, now),
        _shares(gathering, pictures),
        _log_dirs(gathering),
        _findings(gathering),
        _left_out(gathering),
        _notes(gathering),
    ]
    page = Template((files(__package__) / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        title="What is on these Kafka disks",
        sources="<br>".join(text(shown(path)) for path in request.paths),
        made=text(_made(request, now)),
        cards=_cards(gathering),
        sections="\n".join(sections),
        library=get_plotlyjs().replace("</script", "<\\/script"),
        figures=_as_script({name: figure.to_plotly_json() for name, figure in pictures.items()}),
    )


def text(content: str) -> str:
    """Text as HTML shows it literally."""
    return html.escape(escape(content))


def _as_script(value: object) -> str:
    """JSON that stands inside of a script element and cannot end it."""
    shown = json.dumps(value, separators=(",", ":"))
    return shown.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _made(request: "Request", now: int) -> str:
    read = {
        "headers": "from headers alone; CRCs were not checked",
        "checksums": "with all CRCs checked",
        "quick": "from the ends of each segment",
    }[request.depth]
    if isinstance(request.topics, Pattern):
        topics = [f"topics like {request.topics.pattern}"]
    else:
        topics = [f"topic {name}" for name in request.topics or ()]
    filters = [*topics, *(f"partition {each}" for each in request.partitions)]
    only = f" Only {', '.join(filters)}." if filters else ""
    return f"Made on {human.time(now)} UTC by kafkafmt {__version__}, {read}.{only}"


def _cards(gathering: Gathering) -> str:
    left_out = gathering.left_out_sizes.total()
    cards = [
        ("", human.size(gathering.size), "on disk"),
        _counted(len(gathering.log_dirs), "log directory", "log directories"),
        _counted(len(gathering.topics), "topic"),
        _counted(gathering.partitions, "partition"),
        _counted(gathering.segments, "segment"),
        _counted(gathering.records, "record"),
        ("fault" if gathering.finding_count else "good", *_counted(gathering.finding_count, "finding")[1:]),
        _counted(gathering.note_count, "note"),
        ("", human.size(left_out), "left out of the logs"),
        ("small", _span(gathering), "times of records (UTC)"),
    ]
    return "".join(
        f'<div class="card {kind}"><b>{text(value)}</b><span class="quiet">{text(name)}</span></div>'
        for kind, value, name in cards
    )


def _counted(count: int, one: str, many: str | None = None) -> tuple[str, str, str]:
    """A card: its class, a number and its noun."""
    value, _, noun = human.plural(count, one, many).partition(" ")
    return "", value, noun


def _span(gathering: Gathering) -> str:
    """First and last day, or the minutes of the only one; a time that is none of a calendar is a whole number."""
    first, last = human.time(gathering.min_timestamp), human.time(gathering.max_timestamp)
    if first == "-":
        return first
    days = [each.partition(" ")[0] for each in (first, last)]
    shown = f"{days[0]} to {days[1]}"
    if days[0] == days[1] and " " in first:
        shown = f"{first[:-3]} to {last[:-3].partition(' ')[2]}"
    return shown.replace("-", _NO_BREAK)


def _sizes(gathering: Gathering, pictures: "dict[str, go.Figure]") -> str:
    if not gathering.topics:
        return _section("Sizes", "No partition was found.")
    if gathering.size:
        pictures["sizes"] = figures.size_map(gathering)
    topics = sorted(gathering.topics.items(), key=lambda item: (-item[1].size, item[0]))
    rows = [
        [
            ("path", text(name)),
            ("number", human.size(topic.size)),
            ("number", f"{topic.size / (gathering.size or 1):.1%}"),
            ("number", human.number(topic.partitions)),
            ("number", human.number(topic.segments)),
            ("number", human.number(topic.records)),
            ("time", human.time(topic.min_timestamp)),
            ("time", human.time(topic.max_timestamp)),
            ("number fault" if topic.findings else "number", human.number(topic.findings)),
        ]
        for name, topic in topics[:MOST_TOPICS]
    ]
    titles = [
        ("", "topic"),
        ("number", "size"),
        ("number", "share"),
        ("number", "partitions"),
        ("number", "segments"),
        ("number", "records"),
        ("", "first time (UTC)"),
        ("", "last time (UTC)"),
        ("number", "findings"),
    ]
    more = _more(len(topics) - MOST_TOPICS, "topics", "ls --rows partitions")
    return _section(
        "Where the space goes",
        "All files of each partition directory; click a topic for its partitions. "
        "Red or with a ⚠: something is wrong there.",
        ('<div class="chart" id="sizes"></div>' if gathering.size else "")
        + _table(titles, rows[:_AT_ONCE])
        + _rest(titles, rows, more, "topics"),
    )


def _times(gathering: Gathering, pictures: "dict[str, go.Figure]", now: int) -> str:
    picture, outside = figures.time_line(gathering, now)
    title = "Segments over time"
    if picture is None:
        return _section(title, "No segment has a time that can be shown.")
    pictures["times"] = picture
    hint = (
        "Each bar reaches from the first to the last time in a segment, "
        f"for the {figures.MOST_LINES} largest partitions at most."
    )
    if outside:
        hint += f" {human.plural(outside, 'bar')} before 2010 or in the future left out."
    return _section(title, hint, '<div class="chart" id="times"></div>')


def _shares(gathering: Gathering, pictures: "dict[str, go.Figure]") -> str:
    if not gathering.codec_sizes:
        return ""
    pictures["codecs"] = figures.shares(gathering.codec_sizes)
    pictures["formats"] = figures.shares(gathering.format_sizes)
    codecs = _section("Codecs", "Bytes of batches by compression, as stored.", '<div class="chart" id="codecs"></div>')
    formats = _section(
        "Message formats", "v2 since Kafka 0.11, v1 since 0.10, v0 before.", '<div class="chart" id="formats"></div>'
    )
    return f'<div class="pair">{codecs}{formats}</div>'


def _log_dirs(gathering: Gathering) -> str:
    rows = [
        [
            ("path", text(facts.path)),
            ("number", human.plain(facts.node_id)),
            ("path", text(facts.cluster_id or "-")),
            ("", "clean" if facts.clean_shutdown else "not clean"),
            ("number", human.number(facts.partitions)),
            ("number", human.number(facts.other_partitions)),
            ("number", human.size(facts.size)),
            ("", text(", ".join(name for name, status in facts.checkpoints.items() if status == "broken") or "none")),
        ]
        for facts in gathering.log_dirs[:MOST_TOPICS]
    ]
    titles = [
        ("", "log directory"),
        ("number", "broker"),
        ("", "cluster"),
        ("", "shutdown"),
        ("number", "partitions"),
        ("number", "set aside"),
        ("number", "size"),
        ("", "broken checkpoints"),
    ]
    if not rows:
        return ""
    more = _more(len(gathering.log_dirs) - MOST_TOPICS, "log directories", "ls --rows log-dirs")
    return _section("Log directories", "", _table(titles, rows) + more)


def _findings(gathering: Gathering) -> str:
    if not gathering.finding_count:
        return _section("Findings", "Nothing wrong was found.")
    hint = "Faults: damage, broken indexes or checkpoints, gaps."
    more = _more(gathering.finding_count - len(gathering.findings), "findings", "ls --rows findings")
    return _section("Findings", hint, _finding_table(gathering.findings) + more)


def _notes(gathering: Gathering) -> str:
    if not gathering.note_count:
        return ""
    more = _more(gathering.note_count - len(gathering.notes), "notes", "ls --rows findings")
    hint = "No faults: what a killed or running broker leaves behind, and Kafka puts right by itself."
    body = _finding_table(gathering.notes) + more
    return _section(
        "Notes", hint, f"<details><summary>{human.plural(gathering.note_count, 'note')}</summary>{body}</details>"
    )


def _finding_table(findings: "Sequence[Finding]") -> str:
    rows = [
        [
            ("path", text(finding.path)),
            ("number", human.number(finding.position)),
            ("number", human.number(finding.length)),
            ("wide", text(finding.message)),
            ("quiet wide", text(finding.advice)),
        ]
        for finding in findings
    ]
    titles = [("", "file"), ("number", "position"), ("number", "bytes"), ("", "what"), ("", "what to do")]
    return _table(titles, rows)


def _left_out(gathering: Gathering) -> str:
    if not gathering.left_out_counts:
        return _section("Left out of the logs", "Nothing.")
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
            ("", text(each.kind)),
            ("number", human.size(each.size)),
            (
                "",
                ""
                if each.first_offset is None
                else f"{human.plain(each.first_offset)} to {human.plain(each.last_offset)}",
            ),
            ("path", text(each.path)),
        ]
        for each in gathering.left_out
    ]
    count = gathering.left_out_counts.total()
    more = _more(count - len(gathering.left_out), "paths", "ls --rows left-out")
    listed = _table([("", "what"), ("number", "size"), ("", "offsets"), ("", "path")], paths)
    return _section(
        "Left out of the logs",
        "On the disk, but no part of what a consumer would get.",
        _table([("", "what"), ("number", "paths"), ("number", "size"), ("", "why")], kinds)
        + f"<details><summary>{human.plural(count, 'path')}</summary>{listed}{more}</details>",
    )


def _section(title: str, hint: str, body: str = "") -> str:
    quiet = f'<p class="quiet">{text(hint)}</p>' if hint else ""
    return f"<section><h2>{text(title)}</h2>{quiet}{body}</section>"


def _table(titles: Iterable[Cell], rows: Iterable[Iterable[Cell]]) -> str:
    """A table; the cells are HTML already, each with its class."""
    head = "".join(f'<th class="{kind}">{title}</th>' for kind, title in titles)
    body = "".join("<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _rest(titles: Sequence[Cell], rows: Sequence[Sequence[Cell]], more: str, what: str) -> str:
    """The rows that are not shown at once."""
    rest = rows[_AT_ONCE:]
    if not rest:
        return more
    return f"<details><summary>{len(rest):,} more {what}</summary>{_table(titles, rest)}{more}</details>"


def _more(count: int, what: str, command: str) -> str:
    return f'<p class="quiet">and {count:,} more {what}: kafkafmt {command} lists them all.</p>' if count > 0 else ""
