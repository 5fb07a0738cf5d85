"""Man pages of the command line, made from the --help texts: one for `kafkafmt`, one for each command."""

import re
from collections.abc import Iterator

import click

_FONT = re.compile(r"`([^`]+)`")


class _Sections(click.HelpFormatter):
    """Collects the option sections of --help, as lists of terms."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[tuple[str, str]]] = {}
        self._heading = ""

    def write_heading(self, heading: str) -> None:
        self._heading = heading

    def write_dl(self, rows: object, col_max: int = 30, col_spacing: int = 2) -> None:
        del col_max, col_spacing
        if isinstance(rows, list):
            self.found.setdefault(self._heading, []).extend(rows)


def man_pages(group: click.Group, version: str, summaries: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The names and texts of all pages.

    Args:
        group: the command `kafkafmt`.
        version: version of the package.
        summaries: purpose of each command in half a sentence, by name.
    """
    name = str(group.name)
    # Commands keep the help option that they made first, so the context must have all names of that option.
    context = click.Context(group, info_name=name, **group.context_settings)
    whole = (group.help or "").strip().splitlines()[0].rstrip(".")
    listed = [(f"{name}-{each}(1)", summary) for each, summary in summaries.items()]
    yield f"{name}.1", _page(context, name, version, whole, {"COMMANDS": listed})
    for each, summary in summaries.items():
        command = group.get_command(context, each)
        if command is not None:
            of_command = click.Context(command, parent=context, info_name=each)
            yield f"{name}-{each}.1", _page(of_command, f"{name}-{each}", version, summary, {})


def _page(
    context: click.Context, title: str, version: str, summary: str, lists: dict[str, list[tuple[str, str]]]
) -> str:
    command = context.command
    sections = _Sections()
    command.format_options(context, sections)
    sections.found.pop("Commands", None)
    lines = [
        f'.TH "{_text(title.upper())}" 1 "" "kafkafmt {version}" "kafkafmt"',
        ".SH NAME",
        f"{_text(title)} \\- {_text(summary)}",
        ".SH SYNOPSIS",
        f"\\fB{_text(context.command_path)}\\fP {_text(' '.join(command.collect_usage_pieces(context)))}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    for heading, rows in (sections.found | lists).items():
        if rows:
            lines.append(f'.SH "{_text(heading.upper())}"')
            for term, text in rows:
                lines += [".TP", f"\\fB{_text(term)}\\fP", _text(" ".join(text.split()))]
    if command.epilog:
        heading, _, rest = command.epilog.replace("\b", "").strip().partition(":")
        lines += [f'.SH "{_text(heading.upper())}"', *_verbatim(rest)]
    if context.parent is not None:
        lines += [".SH SEE ALSO", f"\\fB{_text(str(context.parent.command.name))}\\fP(1)"]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; one that begins with a backspace keeps its lines, as in --help."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ".PP"
        lines = paragraph.split("\n")
        if lines[0].strip() == "\b":
            yield from _verbatim("\n".join(lines[1:]))
        else:
            yield _text(" ".join(paragraph.split()))


def _verbatim(text: str) -> Iterator[str]:
    yield from (".PP", ".nf")
    yield from (_text(line) for line in text.strip("\n").split("\n"))
    yield ".fi"


def _text(text: str) -> str:
    """Text for troff; backquoted text becomes bold."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = _FONT.sub(r"\\fB\1\\fP", escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
