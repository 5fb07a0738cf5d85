"""The frame of a command: its paths are opened, its names checked, its rows written, and its exit status found.

A command that shows an answer:

    frame = CommandFrame(paths, rows, SCHEMA, topics=topics, partitions=partitions)
    with frame.asking() as disks:
        answer = disks.producers(**wanted)
        frame.write(answer.to_batches(), SHAPE)
    return frame.end(frame.report(answer))

A command that shows the rows of a scan calls `kafkafmt.cli.delivery.deliver` in place of the middle.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE, RowOptions
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.values import keys_of_command
from kafkafmt.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.cli.options import Names
    from kafkafmt.cli.progress import WatchedPass
    from kafkafmt.disks import Disks
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.answers import Answer

_Event = TypeVar("_Event")
_Name = TypeVar("_Name", str, int)


class CommandFrame:
    """One run of a command over the disks of its paths.

    Args:
        paths: the user's paths.
        rows: form of the rows; the columns that the user named are checked at once.
        schema: of the rows.
        topics: names, or a pattern: missing ones give exit status 3, and the others are answered.
        partitions: numbers of partitions, treated as topics are.
        says: whether missing names are reported here; the notes of most answers report them.
        sources: the paths read besides these, so that no output overwrites them.

    Attributes:
        disks: the opened paths.

    Raises:
        click.BadParameter: the column does not exist.
        click.exceptions.Exit: no partition is left; stderr lists the missing names.
        SourceError: none of the paths can be read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        rows: RowOptions,
        schema: "pa.Schema",
        *,
        topics: "Names" = None,
        partitions: "Sequence[int] | None" = None,
        says: bool = False,
        sources: Sequence[str] = (),
    ) -> None:
        rows.check(schema.names)
        self._rows, self._schema, self._sources = rows, schema, (*paths, *sources)
        self.disks = open_disks(paths)
        self._missing = CLEAN
        if topics is not None or partitions is not None:
            self._missing = require_partitions(self.disks, topics, partitions, says=says)

    @contextmanager
    def asking(self) -> "Iterator[Disks]":
        """Ask the disks; damage that the answer does not skip ends the command, as `ending_at_damage` says."""
        with ending_at_damage(self.disks):
            yield self.disks

    def progress(self, passes: int = 1) -> "AbstractContextManager[Callable[[int], None]]":
        """Show on a terminal how many bytes of all segments are read; each of them `passes` times."""
        return progress_of_bytes(
            lambda: passes * sum(segment.size for each in self.disks.partitions for segment in each.segments)
        )

    def write(
        self,
        batches: "Iterable[pa.RecordBatch]",
        shape: TableShape,
        *,
        names_if_empty: bool = False,
        watched: "WatchedPass | None" = None,
    ) -> int:
        """Write the rows, as `RowOptions.write` does; returns how many there were."""
        return self._rows.write(
            batches, self._schema, shape, self._sources, names_if_empty=names_if_empty, watched=watched
        )

    def report(self, answer: "Answer") -> int:
        """Report damage and notes of an answer; returns the exit status, which includes missing names."""
        return report_answer(answer, self.disks) or self._missing

    def end(self, status: int) -> int:
        """Report unreadable files; returns the exit status of the command."""
        return account_for(self.disks, status)


def noting(events: Iterable[_Event], name: Callable[[_Event], _Name], seen: set[_Name]) -> Iterator[_Event]:
    """The same events; takes the names that occur."""
    for event in events:
        seen.add(name(event))
        yield event


@contextmanager
def page_of(report: str | None, paths: Sequence[str]) -> Iterator[Callable[[str], object] | None]:
    """The writer of a page of HTML; None without a report.

    Its file is found to be writable before anything is read, and appears when the page is complete.

    Args:
        report: the file of --report.
        paths: the paths read: none of them is overwritten.

    Raises:
        click.UsageError, OSError: as `kafkafmt.cli.output.destination.open_destination`.
    """
    if report is None:
        yield None
        return
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(report, "html", paths, option="--report") as destination:
        yield lambda page: destination.write(page.encode("utf-8", "backslashreplace"))


def open_disks(paths: Sequence[str]) -> "Disks":
    """Search the paths of a command: `account_for` reports unreadable ones, and the rest is read.

    Raises:
        SourceError: none of them can be read.
    """
    from kafkafmt.disks import Disks

    return Disks(paths, skip_unreadable=True, decryption_keys=keys_of_command())


@contextmanager
def ending_at_damage(disks: "Disks") -> Iterator[None]:
    """End a command at damage that its answer does not skip: stderr says where and how to read on.

    Raises:
        click.exceptions.Exit: at damage.
        SourceError: nothing that was asked for could be read.
    """
    try:
        yield
    except DataError as error:
        messages.report_end(error, disks.scan())
        raise click.exceptions.Exit(FINDINGS) from error
    require_readable(disks)


def require_readable(disks: "Disks") -> None:
    """End a command that could read nothing that was asked for, before its output appears.

    Raises:
        SourceError: as said.
    """
    if disks.was_missed and not disks.was_read:
        *others, last = disks.unreadable
        messages.say_some(others)
        raise last


def report_answer(answer: "Answer", disks: "Disks") -> int:
    """Report an answer's damage, findings and notes, and the replicas it skipped.

    Returns:
        CLEAN, FINDINGS, or UNREADABLE if there are no faults but a name is missing.
    """
    from kafkafmt.files.damage import Absence

    absent = any(isinstance(note, Absence) for note in answer.notes)
    status = FINDINGS if messages.report_answer(answer, disks.scan()) else UNREADABLE if absent else CLEAN
    messages.report_skipped_replicas(answer.skipped_replicas)
    return status


def account_for(disks: "Disks", status: int) -> int:
    """Report unreadable files, and links that were not followed; returns the exit code.

    Args:
        disks: the disks read.
        status: the exit code otherwise.

    Raises:
        SourceError: nothing that was asked for could be read.
    """
    require_readable(disks)
    messages.say_some(disks.unreadable)
    for note in disks.link_notes:
        say(f"note: {note}")
    if any(error.is_disk_failure for error in disks.unreadable):
        return UNREADABLE
    return status or (FINDINGS if disks.unreadable else CLEAN)


def wanted_partitions(scan: "Scan") -> "tuple[list[Partition], int]":
    """Partitions of a scan that its filters take; a pass notes missing names.

    Returns:
        The partitions, and UNREADABLE if a name is missing, else CLEAN.

    Raises:
        click.exceptions.Exit: none is left; stderr lists the missing names.
    """
    if not scan.partitions and scan.absent:
        raise click.exceptions.Exit(say_absent(scan))
    return scan.partitions, UNREADABLE if scan.absent else CLEAN


def say_absent(scan: "Scan") -> int:
    """Report missing topics and partitions of its filters; returns UNREADABLE if there are any, else CLEAN."""
    for note in scan.absent:
        say(note)
    return UNREADABLE if scan.absent else CLEAN


def require_partitions(
    disks: "Disks", topics: "Names", partitions: "Sequence[int] | None", *, says: bool = False
) -> int:
    """Whether topics and partitions are missing: UNREADABLE, else CLEAN.

    Args:
        disks: the disks to read.
        topics: names, or a pattern.
        partitions: numbers.
        says: whether it is said here; the notes of most answers say it.

    Raises:
        click.exceptions.Exit: none is left; stderr says so.
    """
    scan = disks.scan(topics=topics, partitions=partitions)
    _, missing = wanted_partitions(scan)
    return say_absent(scan) if says else missing
