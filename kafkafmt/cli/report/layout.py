"""Parts of pages: escaped text, sections, tables, bars; a page is one HTML file without scripts or requests."""

import os.path
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from kafkafmt import __version__
from kafkafmt.cli import human
from kafkafmt.cli.printable import escape
from kafkafmt.phrases import counted

LONGEST_PATH = 600
"""Most characters of a path that are shown."""

_ROWS_AT_ONCE = 10
_MOST_CHARACTERS = 28
_LONGEST_TIP = 160

Cell = tuple[str, str]
"""CSS class and HTML of a cell."""


def text(content: str) -> str:
    """A text in HTML and SVG that shows it literally."""
    import html  # not at the top, as commands load this module, and --help must answer at once

    return html.escape(escape(content))


def short(name: str, most: int = _MOST_CHARACTERS) -> str:
    """A name with its middle cut out if it is longer than `most` characters."""
    tail = most // 3
    return name if len(name) <= most else f"{name[: most - tail - 1]}…{name[-tail:]}"


def base_name(path: str) -> str:
    """The last component of a path."""
    return path.rstrip("/").rpartition("/")[2] or path


def distinct_names(paths: Sequence[str]) -> dict[str, str]:
    """Short names of paths, without their common beginning and end."""
    parts = {path: path.rstrip("/").split("/") for path in paths}
    for _ in ("the beginning", "then the end"):
        names = zip(*parts.values(), strict=False) if len(parts) > 1 else ()
        alike = sum(1 for _ in takewhile(lambda name: len(set(name)) == 1, names))
        parts = {path: part[alike:][::-1] for path, part in parts.items()}
    return {path: "/".join(part) or base_name(path) for path, part in parts.items()}


def page(
    title: str, paths: Sequence[str], how: str, sections: Iterable[str], clock: Callable[[], float] = time.time
) -> str:
    """Render a page.

    Args:
        title: its heading.
        paths: the paths that are read; relative ones are completed with the working directory.
        how: how the data was read, as the end of a sentence.
        sections: its parts, as HTML.
        clock: function that returns the time of the report, in seconds since the epoch.
    """
    from importlib.resources import files
    from string import Template

    from kafkafmt.io.uri import shown

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
    """Numbers side by side, each with its label."""
    shown_numbers = (
        f'<div><b>{text(value)}</b> <span class="quiet">{text(name)}</span></div>' for value, name in numbers
    )
    return f'<div class="facts">{"".join(shown_numbers)}</div>'


def section(title: str, hint: str, body: str = "", *, css_class: str = "") -> str:
    """A part of the page with a title; the body is already HTML."""
    quiet = f'<p class="quiet">{text(hint)}</p>' if hint else ""
    kind = f' class="{css_class}"' if css_class else ""
    return f"<section{kind}><h2>{text(title)}</h2>{quiet}{body}</section>"


def details(summary: str, body: str) -> str:
    """HTML that is shown after a click on the summary."""
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def table(titles: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; cells are already HTML, each with its class. Narrow pages show each row as a list with titles."""
    head = "".join(f'<th class="{kind}">{title}</th>' for kind, title in titles)
    body = "".join(
        "<tr>"
        + "".join(
            # One element, as a narrow page would put each of several into a separate column.
            f'<td class="{kind}" data-title="{title}">{cell if cell.startswith("<div") else f"<div>{cell}</div>"}</td>'
            for (kind, cell), (_, title) in zip(row, titles, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def long_table(titles: Sequence[Cell], rows: Sequence[Sequence[Cell]], noun: str = "") -> str:
    """A table whose first rows are visible without a click.

    Args:
        titles: as for `table`.
        rows: as for `table`.
        noun: name of the other rows, after "more".
    """
    rest = rows[_ROWS_AT_ONCE:]
    more = details(f"{len(rest):,} more {noun}".rstrip(), table(titles, rest)) if rest else ""
    return table(titles, rows[:_ROWS_AT_ONCE]) + more


def time_of(milliseconds: int | None) -> str:
    """A time that a narrow column may break between date and time of day."""
    return human.time(milliseconds).replace("T", "T<wbr>")


def bar(share: float, *, is_faulty: bool = False) -> str:
    """A bar that fills a share of its width; a share above 0 is always visible."""
    fault = ' class="f"' if is_faulty else ""
    return f'<svg class="bar" aria-hidden="true"><rect{fault} width="{percent(max(share, 0.004))}"/></svg>'


def bars(values: Iterable[tuple[str, int, str]], *, css_class: str = "bars") -> str:
    """Bars below each other, with a name, a value and a remark each; the largest value fills the width."""
    values = list(values)
    most = max((value for _, value, _ in values), default=0) or 1
    lines = "".join(
        f'<div><span class="name">{text(name)}</span>{bar(value / most)}<span class="number">{text(said)}</span></div>'
        for name, value, said in values
    )
    return f'<div class="{css_class}">{lines}</div>'


def tip_of(lines: Sequence[str], findings: int) -> str:
    """A tooltip."""
    shown = [short(line, _LONGEST_TIP) for line in lines]
    if findings:
        shown.append(f"⚠ {counted(findings, 'finding')}")
    return f"<title>{'&#10;'.join(map(text, shown))}</title>"


def percent(share: float) -> str:
    """A share as an SVG length."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def more(count: int, what: str, command: str) -> str:
    """A line with the number of further items, and the command that lists them all; empty if there are none."""
    return f'<p class="quiet">and {count:,} more {what}: kafkafmt {command} lists them all.</p>' if count > 0 else ""


def path_text(path: str) -> str:
    """The HTML of a path, with its middle cut out if it is long."""
    return text(short(path, LONGEST_PATH))
