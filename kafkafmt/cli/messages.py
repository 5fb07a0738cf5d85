"""Messages: the lines that a command writes to stderr, safe for a terminal whatever the data contains.

One rule for all: each message is one line that begins with `kafkafmt: `. A message that begins with `kafkafmt: note: `
does not change the exit status; every other message is a reason why the status is not 0. A command for the user to run
is on its own line, indented and without the prefix, so that it can be pasted.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Protocol

import click

from kafkafmt.cli.printable import escape, quote
from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.limits import Limits, option_name
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.answers import Answer

MOST_LINES = 50
"""Most lines of one kind that are written; the rest are counted."""


class Passes(Protocol):
    """A source of passes over log files: a scan, or one whose records are decoded."""

    @property
    def damage(self) -> "list[Damage]":
        """The damage of the last pass."""

    @property
    def notes(self) -> "Sequence[Note]":
        """The last pass's reports that are not damage."""

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass skipped in favour of a better replica."""

    def path_of(self, file: str | None) -> str | None:
        """Path or URI of a log file."""


def say(text: object) -> None:
    """Write one line to stderr; if stderr is closed, only the exit code is left."""
    _write(f"kafkafmt: {escape(error_text(text) if isinstance(text, KafkafmtError) else str(text))}")


def say_note(text: object) -> None:
    """Report something that does not change the exit status."""
    say(f"note: {text}")


def error_text(error: KafkafmtError) -> str:
    """The text of an error, with the option of the command line instead of the Python argument."""
    if not isinstance(error, LimitExceededError) or not _has_max():
        return str(error)
    limits = "|".join(field.name for field in fields(Limits))
    named = re.sub(rf"kafkafmt\.Limits\(({limits})=(\d+)\)", r"\1=\2", error.message)
    message = re.sub(rf"\b({limits})\b", lambda found: f"--max {option_name(found[0])}", named)
    return str(
        LimitExceededError(
            message, file=error.file, position=error.position, expected=error.expected, found=error.found
        )
    )


def _has_max() -> bool:
    """Whether the running command takes `--max`; find and dump do not."""
    context = click.get_current_context(silent=True)
    return context is None or any(parameter.name == "limits" for parameter in context.command.params)


def say_command(command: str) -> None:
    """Write a command for the user to run, on its own line, never wrapped.

    Args:
        command: the command, each argument quoted by `kafkafmt.cli.printable.quote`.
    """
    _write(f"  {escape(command)}")


def say_interrupted() -> None:
    """Report that the user ended the command; on a terminal, which shows `^C`, on the next line."""
    with suppress(OSError):
        if sys.stderr.isatty():
            click.echo(err=True)
    say("interrupted")


def _write(line: str) -> None:
    with suppress(OSError):
        click.echo(line, err=True)


def say_some(lines: Sequence[object]) -> None:
    """Write the first lines, and how many more there are."""
    for line in lines[:MOST_LINES]:
        say(line)
    if len(lines) > MOST_LINES:
        say(f"and {len(lines) - MOST_LINES} more like this")


def report_damage(scan: Passes) -> bool:
    """Report the damage of the last pass of a scan, one line each; returns whether any of it is a finding.

    A partial last entry or zeros at the end of the last segment are not: a running broker leaves them.
    """
    found = False
    for damage in scan.damage:
        found |= not damage.is_open_end
        say(damage_line(damage, with_path(damage.error, scan)))
    return found


def damage_line(damage: "Damage", error: KafkafmtError | None = None) -> str:
    """The line that reports damage, and its cost.

    Args:
        damage: the damage.
        error: its error with a path that can be pasted into the next command; None for the damage's own error.
    """
    from kafkafmt.files.damage import NORMAL_END, skipped_text  # not at the top, as --help must answer at once

    error = error or damage.error
    if damage.is_open_end:
        return f"note: {error}: {NORMAL_END}"
    return skipped_text(damage, error_text(error))


def report_notes(scan: Passes) -> bool:
    """Write the other reports of the last pass of a scan, one line each; returns whether any of them is a finding."""
    for note in scan.notes:
        say(line_of(note))
    return any(note.is_finding for note in scan.notes)


def line_of(note: str) -> str:
    """The line of a note; a finding or a missing name gets no leading word."""
    from kafkafmt.files.damage import Absence, is_finding

    return note if is_finding(note) or isinstance(note, Absence) else f"note: {note}"


def with_path(error: KafkafmtError, scan: Passes) -> KafkafmtError:
    """The same error with a path that can be pasted into the next command, instead of the `file` column's text."""
    path = _path_of(error.file, scan)
    return type(error)(error.message, file=path, position=error.position, expected=error.expected, found=error.found)


def report_answer(answer: "Answer", scan: Passes) -> bool:
    """Report an answer's damage, findings and notes; returns whether any of it is a finding.

    Args:
        answer: an answer of `kafkafmt.topics`.
        scan: a scan of the same sources, which knows the paths of their files.
    """
    from kafkafmt.files.damage import is_finding

    damage = [skipped for skipped in answer.damage if not skipped.is_open_end]
    say_some([damage_line(skipped, with_path(skipped.error, scan)) for skipped in damage])
    say_some([replace(finding, path=_path_of(finding.path, scan) or "") for finding in answer.findings])
    open_ends = [skipped for skipped in answer.damage if skipped.is_open_end]
    say_some([damage_line(skipped, with_path(skipped.error, scan)) for skipped in open_ends])
    wrong = [note for note in answer.notes if is_finding(note)]
    say_some(wrong)
    say_some([line_of(note) for note in answer.notes if note not in wrong])
    return bool(damage or answer.findings or wrong)


def _path_of(file: str | None, scan: Passes) -> str | None:
    try:
        return scan.path_of(file)
    except SourceError:
        return file


def report_end(error: KafkafmtError, scan: Passes, *, skipping: bool = False) -> None:
    """Report where and why reading ended, how to read past it, and the command that shows the place.

    Args:
        error: the error that ended reading.
        scan: the scan that read the file.
        skipping: whether damage is already skipped, so that this error cannot be skipped.
    """
    from kafkafmt.files.names import is_log_file

    placed = with_path(error, scan)
    say(placed)
    context = click.get_current_context(silent=True)
    if skipping or context is None or "on_damage" not in context.params:
        say("stopped at the damage")
    elif placed.file is None or placed.position is None or not is_log_file(placed.file.rpartition("/")[2]):
        say("stopped at the damage; continue past it with --on-damage skip")
    else:
        say("stopped at the damage; continue past it with --on-damage skip. To look at it:")
        say_command(f"kafkafmt inspect {quote(placed.file)} --position {placed.position}")


def say_no_event(what: str, unknown: "Sequence[str]", known: "Iterable[str]") -> None:
    """Report which names have no event in a history, and which names have.

    Args:
        what: the kind of the names.
        unknown: the names without an event.
        known: the names with an event.
    """
    say(f"no event of {what} {listed(unknown)}. There are events of: {listed(sorted(known)) or 'none'}.")


def report_skipped_replicas(partitions: "Sequence[Partition]") -> None:
    """Report which copies of partitions were skipped in favour of a better one."""
    if partitions:
        paths = listed([partition.path for partition in partitions])
        one = len(partitions) == 1
        copies = "1 other copy of this partition" if one else f"{len(partitions)} other copies of these partitions"
        say(f"note: skipped {copies} (--replica all reads {'it' if one else 'them'} too): {paths}")
