"""The frame of a command: opens its paths, checks names, writes rows, and determines the exit status.

A command that shows an answer:

    frame = RowFrame(paths, rows, SCHEMA, topics=topics, partitions=partitions)
    with frame.asking() as disks:
        answer = disks.producers(**wanted)
        frame.write(answer.to_batches(), SHAPE)
    return frame.end(frame.report(answer))

A command that shows the rows of a scan calls `kafkafmt.cli.delivery.deliver` instead of the middle part. Only this
module opens disks, and `topics` and `partitions` have no defaults: names that do not exist give exit status 3.
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
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.answers import Answer

_Event = TypeVar("_Event")
_Name = TypeVar("_Name", str, int)


class CommandFrame:
    """One run of a command over the disks of its paths; unreadable ones are skipped, and reported at its end.

    Args:
        paths: the user's paths.
        topics: names of topics, or their pattern: missing ones give exit status 3, and the others are
            answered. None for all, and if the answer checks them, as the metadata may know more than the disks.
        partitions: numbers of partitions, treated like topics.

    Attributes:
        disks: the opened paths.

    Raises:
        click.exceptions.Exit: no partition is left; stderr lists the missing names.
        SourceError: none of the paths can be read.
    """

    def __init__(
        self, paths: Sequence[str], *, topics: "Names | str", partitions: "Sequence[int] | int | None"
    ) -> None:
        from kafkafmt.disks import Disks

        self.disks = Disks(paths, skip_unreadable=True, decryption_keys=keys_of_command())
        self._unsaid: list[str] = []
        self._missing = CLEAN
        self._is_accounted = False
        if topics is not None or partitions is not None:
            self.require(self.disks.scan(topics=topics, partitions=partitions))

    def require(self, scan: "Scan") -> None:
        """Note the names that a scan asks for but does not find.

        Raises:
            click.exceptions.Exit: no partition is left; stderr lists the missing names.
        """
        if scan.absent:
            self.lacks(scan.absent)
            if not scan.partitions:
                raise click.exceptions.Exit(self.status(CLEAN))

    def lacks(self, names: Iterable[str]) -> None:
        """Take sentences on names that do not exist, for `say_missing` or the end: the exit status becomes 3."""
        self._unsaid = [*dict.fromkeys((*self._unsaid, *names))]
        self._missing = UNREADABLE if self._unsaid else self._missing

    @property
    def is_lacking(self) -> bool:
        """Whether a name that was asked for does not exist."""
        return self._missing != CLEAN

    def say_missing(self) -> None:
        """Report the missing names now, for a command that acts on them then."""
        for sentence in self._unsaid:
            say(sentence)
        self._unsaid = []

    @contextmanager
    def asking(self) -> "Iterator[Disks]":
        """Ask the disks; damage that the answer does not skip ends the command, and stderr says how to read past it.

        Raises:
            click.exceptions.Exit: there is damage.
            SourceError: nothing that was asked for could be read.
        """
        try:
            yield self.disks
        except DataError as error:
            messages.report_end(error, self.disks.scan())
            raise click.exceptions.Exit(FINDINGS) from error
        self.require_readable()

    def require_readable(self) -> None:
        """End a command that could read nothing it was asked for, before its output appears.

        Raises:
            SourceError: nothing that was asked for could be read.
        """
        if self.disks.was_missed and not self.disks.was_read:
            *others, last = self.disks.unreadable
            messages.say_some(others)
            raise last

    def progress(self, passes: int = 1) -> "AbstractContextManager[Callable[[int], None]]":
        """Show on a terminal how many bytes of all segments have been read; each segment is read `passes` times."""
        return progress_of_bytes(
            lambda: passes * sum(segment.size for each in self.disks.partitions for segment in each.segments)
        )

    def report(self, answer: "Answer") -> int:
        """Report an answer's damage, findings and notes, and the replicas that it skipped; returns the exit status."""
        found = messages.report_answer(answer, self.disks.scan())
        messages.report_skipped_replicas(answer.skipped_replicas)
        self.has_said(answer.notes)
        return FINDINGS if found else self._missing

    def say_notes(self, notes: "Iterable[str]") -> int:
        """Report other notes, one line each; returns FINDINGS if one of them is a finding, else CLEAN."""
        from kafkafmt.files.damage import is_finding

        said = list(notes)
        for note in said:
            say(messages.line_of(note))
        self.has_said(said)
        return FINDINGS if any(map(is_finding, said)) else CLEAN

    def has_said(self, notes: "Iterable[str]") -> None:
        """Take notes that have been reported: an answer may already have named the missing names."""
        from kafkafmt.files.damage import Absence

        said = {_head(note) for note in notes if isinstance(note, Absence)}
        if said:
            self._missing = UNREADABLE
            self._unsaid = [sentence for sentence in self._unsaid if _head(sentence) not in said]

    def account(self, status: int) -> int:
        """Report unreadable files, and links that were not followed, once; returns the exit status.

        Args:
            status: the exit status if all files were readable.

        Raises:
            SourceError: nothing that was asked for could be read.
        """
        if self._is_accounted:
            return status
        self.require_readable()
        self._is_accounted = True
        messages.say_some(self.disks.unreadable)
        for note in self.disks.link_notes:
            say(f"note: {note}")
        if any(error.is_disk_failure for error in self.disks.unreadable):
            return UNREADABLE
        return status or (FINDINGS if self.disks.unreadable else CLEAN)

    def status(self, status: int) -> int:
        """The exit status, apart from unreadable files; reports missing names that no answer has reported."""
        self.say_missing()
        return status or self._missing

    def end(self, status: int) -> int:
        """Report everything not yet reported; returns the exit status of the command."""
        return self.status(self.account(status))


class RowFrame(CommandFrame):
    """The frame of a command whose rows have one schema.

    Args:
        paths: as for `CommandFrame`.
        rows: form of the rows; the columns that the user named are checked at once.
        schema: schema of the rows.
        topics: as for `CommandFrame`.
        partitions: as for `CommandFrame`.
        sources: other paths that are read, which no output may overwrite.

    Raises:
        click.BadParameter: a column does not exist.
        click.exceptions.Exit, SourceError: as in `CommandFrame`.
    """

    def __init__(
        self,
        paths: Sequence[str],
        rows: RowOptions,
        schema: "pa.Schema",
        *,
        topics: "Names | str",
        partitions: "Sequence[int] | int | None",
        sources: Sequence[str] = (),
    ) -> None:
        rows.check(schema.names)
        super().__init__(paths, topics=topics, partitions=partitions)
        self._rows, self._schema, self._sources = rows, schema, (*paths, *sources)

    def write(
        self,
        batches: "Iterable[pa.RecordBatch]",
        shape: TableShape,
        *,
        names_if_empty: bool = False,
        watched: "WatchedPass | None" = None,
    ) -> int:
        """Write the rows, as `RowOptions.write` does; returns their number."""
        return self._rows.write(
            batches, self._schema, shape, self._sources, names_if_empty=names_if_empty, watched=watched
        )


def _head(sentence: str) -> str:
    """A sentence on missing names without the list of existing ones, which an answer may know better than the disks."""
    return sentence.partition(". There are: ")[0]


def noting(events: Iterable[_Event], names: Callable[[_Event], Iterable[_Name]], seen: set[_Name]) -> Iterator[_Event]:
    """Pass on the events, and collect the names that occur in them."""
    for event in events:
        seen.update(names(event))
        yield event


@contextmanager
def page_of(report: str | None, paths: Sequence[str]) -> Iterator[Callable[[str], object] | None]:
    """The writer of an HTML page; None without a report.

    The file is checked to be writable before anything is read, and appears when the page is complete.

    Args:
        report: the file of --report.
        paths: the paths that are read, none of which may be overwritten.

    Raises:
        click.UsageError, OSError: as in `kafkafmt.cli.output.destination.open_destination`.
    """
    if report is None:
        yield None
        return
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(report, "html", paths, option="--report") as destination:
        yield lambda page: destination.write(page.encode("utf-8", "backslashreplace"))
