"""What pages are made of: one HTML file without scripts and requests; all text from disk is escaped."""

import os.path
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from string import Template

from kafkafmt import __version__
from kafkafmt.cli import human
from kafkafmt.cli.report.figures import short, text
from kafkafmt.io.uri import shown

AT_ONCE = 10
"""Rows of a table that are seen without a click."""

LONGEST_PATH = 600
"""Characters of a path that are shown."""

Cell = tuple[str, str]
"""Class and HTML of a cell."""


def page(
    title: str, paths: Sequence[str], how: str, sections: Iterable[str], clock: Callable[[], float] = time.time
) -> str:
    """Write a page.

    Args:
        title: what it shows.
        paths: what was read, also relative to the working directory.
        how: how, as the end of a sentence.
        sections: its parts, as HTML.
        clock: gives the time of the report, in seconds since the epoch.
    """
    names = [
        name if name != path or "://" in path else os.path.abspath(path)
        for path, name in zip(paths, map(shown, paths), strict=True)
    ]
    template = Template((files(__package__) / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=text(f"{title}: {', '.join(names)}"),
        heading=text(title),
        sources="<br>".join(text(short(name, LONGEST_PATH)) for name in names),
        made=text(f"Made on {human.time(int(clock() * 1000))} by kafkafmt {__version__}, {how}"),
        sections="\n".join(sections),
    )


def facts(numbers: Iterable[tuple[str, str]]) -> str:
    """Numbers side by side, each with what it is of."""
    shown_numbers = (
        f'<div><b>{text(value)}</b> <span class="quiet">{text(name)}</span></div>' for value, name in numbers
    )
    return f'<div class="facts">{"".join(shown_numbers)}</div>'


def section(title: str, hint: str, body: str = "", *, css_class: str = "") -> str:
    """A part of the page with a title; the body is HTML already."""
    quiet = f'<p class="quiet">{text(hint)}</p>' if hint else ""
    kind = f' class="{css_class}"' if css_class else ""
    return f"<section{kind}><h2>{text(title)}</h2>{quiet}{body}</section>"


def details(summary: str, body: str) -> str:
    """HTML that is shown after a click on the summary."""
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def table(titles: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; the cells are HTML already, each with its class. Narrow pages show each row as a list with titles."""
    head = "".join(f'<th class="{kind}">{title}</th>' for kind, title in titles)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{kind}" data-title="{title}">{cell}</td>'
            for (kind, cell), (_, title) in zip(row, titles, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def time_of(milliseconds: int | None) -> str:
    """A time that a narrow column may break between date and time of day."""
    return human.time(milliseconds).replace("T", "T<wbr>")
