"""The prompt of `kafkafmt sql`: statements typed one after another, or read from stdin."""

import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Protocol

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, USAGE
from kafkafmt.errors import KafkafmtError

_FIRST, _MORE = "sql> ", "...> "

_HELP = """\
A statement ends with a semicolon. Ctrl-C drops or interrupts it, Ctrl-D ends.
  .tables        the relations
  .schema NAME   the columns of a relation
  .quit          end"""

_COMMANDS = {".tables": "show tables", "\\d": "show tables"}
_OF_NAME = (".schema", "\\d")
_HELPS = (".help", "\\?", "help")
_QUIT = (".quit", ".exit", "\\q", "quit", "exit")

# What a semicolon within does not end a statement; or what is left of it, up to the end of the text.
_WHOLE = re.compile(r"""'[^']*('|\Z)|"[^"]*("|\Z)|--[^\n]*|/\*.*?(\*/|\Z)""", re.DOTALL)


class RunStatements(Protocol):
    """Runs statements and writes their rows."""

    def __call__(self, query: str, *, whole_errors: bool = False) -> int:
        """Give the exit status."""


def run_from_stdin(run: RunStatements) -> int:
    """Run statements from stdin up to the first that is refused; returns the highest exit status."""
    status = CLEAN
    for statement in statements(sys.stdin):
        status = max(status, run(statement))
        if status == USAGE:
            break
    return status


def statements(lines: Iterable[str]) -> Iterator[str]:
    """Statements among lines of text; the last one needs no semicolon."""
    text = ""
    for line in lines:
        complete, text = divided(text + line)
        yield from complete
    if _WHOLE.sub("", text).strip():
        yield text


def divided(text: str) -> tuple[list[str], str]:
    """The statements of a text that end with a semicolon, and what comes after them."""
    hidden = _WHOLE.sub(lambda found: " " * len(found[0]), text)
    ends = [0, *(found.end() for found in re.finditer(";", hidden))]
    return [text[begin:end] for begin, end in itertools.pairwise(ends)], text[ends[-1] :].lstrip()


def run_prompt(run: RunStatements) -> None:
    """Run what is typed until it ends; no error ends it."""
    with suppress(ImportError):  # without it lines cannot be recalled
        import readline  # noqa: F401 - it changes what `input` does
    click.echo("SQL over what is on these disks; .help helps, .tables lists the relations.", err=True)
    prompt = _Prompt(run)
    while True:
        try:
            if not prompt.take_line():
                return
        except KeyboardInterrupt:  # wherever it met us
            prompt.interrupt()


class _Prompt:
    """What was typed and not run yet."""

    def __init__(self, run: RunStatements) -> None:
        self._run = run
        self._text = ""
        self._is_running = False

    def take_line(self) -> bool:
        """Ask for a line, and run the statements that it ends; returns whether there is more to ask for."""
        try:
            line = _ask(_MORE if self._text else _FIRST)
        except EOFError:
            click.echo(err=True)
            return False
        if self._text or not self._is_command(line):
            complete, self._text = divided(f"{self._text}{line}\n")
            for statement in complete:
                self._run_one(statement)
        return line.strip() not in _QUIT or bool(self._text)

    def interrupt(self) -> None:
        """Drop what was typed, or say that a statement was interrupted."""
        if self._is_running:
            messages.say_interrupted()
        else:
            click.echo(err=True)
        self._text = ""
        self._is_running = False

    def _is_command(self, line: str) -> bool:
        """Whether a line is a command of the prompt, or nothing; then it is done."""
        name, _, rest = line.strip().removesuffix(";").partition(" ")
        if name in _OF_NAME and rest:
            self._run_one(f"describe {rest.strip()}")
        elif name in _COMMANDS:
            self._run_one(_COMMANDS[name])
        elif name in _HELPS:
            click.echo(_HELP, err=True)
        elif name.startswith((".", "\\")) and name not in _QUIT:
            messages.say(f"no command {name}; .help lists them")
        else:
            return not name or name in _QUIT
        return True

    def _run_one(self, statement: str) -> None:
        self._is_running = True
        try:
            self._run(statement, whole_errors=True)
        except KafkafmtError as error:
            messages.say(error)
        self._is_running = False


def _ask(prompt: str) -> str:
    if sys.stdout.isatty():
        return input(prompt)
    click.echo(prompt, nl=False, err=True)  # stdout is data
    return input()
