"""`--state`: a file of `Offsets`, so that a run takes only new records; and `--commit`, its two phases.

The file is written last, under another name and renamed: if a run is killed before, the file is unchanged, and the next
run begins where the killed one began. With `--commit` the run writes `FILE.next`, and `commit` moves it once the rows
are loaded. A `FILE.next` of rows that were not committed is removed before a run delivers its first row, as a later
commit would apply it to other rows.
"""

import os
import stat
import sys
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from kafkafmt.cached import cached_property
from kafkafmt.cli.command import give
from kafkafmt.cli.messages import say, say_note
from kafkafmt.cli.options import which_option
from kafkafmt.cli.output.destination import open_destination, refuse_unfit, require_writable, sync_name
from kafkafmt.cli.printable import escape
from kafkafmt.errors import SourceError
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.loading.appended import AppendedDirectory
    from kafkafmt.loading.parquet_files import PartitionedOutput
    from kafkafmt.scanning import Offsets, Scan
    from kafkafmt.scanning.arguments import GivenEndOffset

_OPTION = "--state"
_HINT = f"'{_OPTION}'"

state_options = give(
    which_option(
        _OPTION,
        type=click.Path(dir_okay=False, readable=False),
        metavar="FILE",
        help="Only records after the last run with FILE, which holds the next offset of each partition. FILE is "
        "rewritten when all records are delivered.",
    ),
    which_option(
        "--commit",
        is_flag=True,
        help="With --state: write FILE.next instead, which `kafkafmt state commit FILE` moves to FILE once the rows "
        "are loaded. Without that the next run gives them again.",
    ),
)
"""`--state` and `--commit`."""


class State:
    """The offsets at which a run begins, and the next one will begin, in a file.

    Args:
        path: the file; if it does not exist, all records are new.
        sources: the paths that are read, none of whose files may be overwritten.
        out: destination of the rows: a file or directory, or None for stdout.
        is_divided: whether `out` is a directory that later runs append to.
        commits_later: whether `commit` will move the file once the rows are loaded.

    Attributes:
        path: the file, as given.
        directory: the directory that is appended to; None if it does not exist yet.
        was_written: whether `write` has written the file, and the next run begins elsewhere.

    Raises:
        click.BadParameter: the file cannot be read or written, was not written by kafkafmt, or is among Kafka's files.
        SourceError: `out` is a directory that cannot be appended to.
    """

    _scan: "Scan"

    def __init__(
        self,
        path: str,
        sources: Sequence[str],
        out: str | None = None,
        *,
        is_divided: bool = False,
        commits_later: bool = False,
    ) -> None:
        from kafkafmt.scanning import Offsets

        self.path = path
        self.directory: AppendedDirectory | None = None
        self.was_written = False
        self._sources = sources
        self._out = out
        self._target = _next_of(path) if commits_later else path
        require_writable(path, sources, option=_OPTION)
        self._offsets = _read(path) or Offsets({})
        if is_divided and out is not None and os.path.lexists(out):
            self.directory = _reopened(out, sources)
            self._take_up(self.directory.offsets, out)

    def resumed(self, scan: "Scan", end_offset: "GivenEndOffset | None") -> "Scan":
        """A scan of the new records of another scan, for `write`; its notes name logs that were cut or recreated.

        Args:
            scan: the records to read, from their start.
            end_offset: its end offset.

        Raises:
            click.UsageError: a log has no name under which to store its offset, so its records would be read each time.
            SourceError: an uncommitted state cannot be removed.
        """
        unnamed = [each.name for each in scan.best_partitions() if not each.topic or each.partition is None]
        if unnamed:
            text = f"{escape(listed(unnamed))} is not named <topic>-<partition>: --state cannot store its offsets"
            raise click.UsageError(f"{text}. Rename it, or leave out --state.")
        following = _next_of(self.path)
        if os.path.lexists(following):
            try:
                os.unlink(following)
                sync_name(following)
            except OSError as error:
                raise SourceError(f"cannot be removed: {error.strerror}", file=following) from error
            say(f"note: {following} was never committed: its rows are read again, from {self.path}")
        self._scan = scan.narrowed(start_offset=self._offsets, end_offset=end_offset)
        return self._scan

    @cached_property
    def _ends(self) -> "Offsets":
        """The offsets at which the resumed scan ends, with the stored offsets of partitions that it does not read.

        Raises:
            KafkafmtError: `Scan.end_offsets` raises it.
        """
        return self._scan.end_offsets()

    @property
    def _ends_of_scan(self) -> "Offsets":
        """The end offsets of only those partitions that the scan has read."""
        from kafkafmt.scanning import Offsets

        read = {(each.topic, each.partition) for each in self._scan.best_partitions()}
        topics = {topic for topic, _ in read}
        return Offsets(
            {name: offset for name, offset in self._ends.items() if name in read},
            {topic: topic_id for topic, topic_id in self._ends.topic_ids.items() if topic in topics},
        )

    @contextmanager
    def open_directory(
        self, schema: "pa.Schema", dividers: Sequence[str], max_file_bytes: int | None
    ) -> "Iterator[PartitionedOutput]":
        """Open the directory for the rows of this run: a new one, or one that is appended to.

        Nothing is added to it if any part of the scan's source cannot be read.

        Args:
            schema: columns of the files.
            dividers: columns after which directories are named.
            max_file_bytes: as for `PartitionedOutput`.

        Raises:
            click.UsageError, SourceError: as in `AppendedDirectory`.
        """
        from kafkafmt.loading.appended import begin_appended

        def ends() -> "Offsets | None":
            if self._scan.unreadable:
                say(f"nothing was added to {self._out}: part of the source cannot be read")
                return None
            return self._ends_of_scan

        if self.directory is None:
            refuse_unfit((self._out or "").rstrip("/") or "/", self._sources)
            self.directory = begin_appended(self._out or "", self._sources, say_note)
        try:
            self.directory.check(dividers, schema.names)
            with self.directory.appending(schema, dividers, self._sources, max_file_bytes, ends) as output:
                yield output
        finally:
            self.directory.close()

    def write(self) -> None:
        """Write where the next run begins, once all rows are on the disk, if everything could be read.

        Raises:
            click.BadParameter: the file cannot be written, or is among Kafka's files.
            KafkafmtError: `Scan.end_offsets` raises it.
        """
        if self._scan.unreadable:
            return
        content = self._ends.to_json().encode() + b"\n"
        if self._out is None:
            with suppress(OSError):  # a pipe, or a stream in memory
                sys.stdout.flush()
                os.fsync(sys.stdout.fileno())
        else:
            sync_name(self._out)
        with open_destination(self._target, "json", self._sources, option=_OPTION) as destination:
            destination.write(content)
        sync_name(self._target)
        self.was_written = True

    def _take_up(self, written: "Offsets", out: str) -> None:
        """Continue where the directory ends, if that is further: a run may be killed before it writes the file."""
        ids, theirs = self._offsets.topic_ids, written.topic_ids
        further = {
            name: offset
            for name, offset in written.items()
            if offset > self._offsets.get(name, -1) or ids.get(name[0]) not in (None, theirs.get(name[0]))
        }
        if not further:
            return
        from kafkafmt.scanning import Offsets

        self._offsets |= Offsets(further, {topic: theirs[topic] for topic, _ in further if topic in theirs})
        say(f"note: {out} has records that {self.path} does not count as read: they are not read again")


def state_of(
    path: str | None, sources: Sequence[str], rows: "RowOptions", *, is_divided: bool, commits_later: bool
) -> State | None:
    """The state of a command; None without `--state`.

    Args:
        path: the state's file, or None.
        sources: as for `State`.
        rows: the options of the output.
        is_divided: as for `State`.
        commits_later: as for `State`.

    Raises:
        click.BadParameter, SourceError: as in `State`.
    """
    if path is None:
        return None
    return State(path, sources, rows.out, is_divided=is_divided, commits_later=commits_later)


def commit(path: str) -> None:
    """Commit the state that a run with `--commit` has left, so that the next run begins with it.

    Raises:
        click.BadParameter: the run has left a file that is not a state, or FILE cannot be written.
        SourceError: no run has left a state.
    """
    require_writable(path, (), option="FILE")
    following, target = _next_of(path), os.path.realpath(path)
    if _read(following) is None:
        text = "no such file: no complete run with --commit waits for this, or it was committed already"
        raise SourceError(text, file=following)
    try:
        with suppress(FileNotFoundError):
            os.chmod(following, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(following, target)
        sync_name(target)
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", file=path) from error


def _reopened(out: str, sources: Sequence[str]) -> "AppendedDirectory":
    from kafkafmt.loading.appended import AppendedDirectory

    refuse_unfit(out.rstrip("/") or out, sources)
    return AppendedDirectory(out, sources, say_note)


def _next_of(path: str) -> str:
    return f"{os.path.realpath(path) if os.path.islink(path) else path}.next"


def _read(path: str) -> "Offsets | None":
    """The offsets in a file; None if it does not exist.

    Raises:
        click.BadParameter: the file cannot be read, or is not a state.
    """
    from kafkafmt.scanning import Offsets

    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise click.BadParameter(f"{escape(path)} cannot be read: {error.strerror}.", param_hint=_HINT) from error
    try:
        return Offsets.from_json(content)
    except ValueError as error:
        text = f"{escape(path)} is not a state that --state has written: {escape(str(error))}"
        raise click.BadParameter(f"{text}; see docs/daily_loads.md.", param_hint=_HINT) from error
