"""Following: `--follow` writes records as brokers append them, until Ctrl-C."""

import select
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.messages import say
from kafkafmt.cli.output.destination import is_device
from kafkafmt.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.output import Output, TableShape
    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.arguments import GivenEndOffset
    from kafkafmt.scanning.following import Follower

    FollowedRows = tuple[Scan, pa.Schema, TableShape, Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]]
    """Records to follow, columns and shape of the output, and the conversion of a batch of records."""

_SEE: Final = "write table, jsonl, csv or an arrow stream to standard output"


def follow_rows(
    paths: "Sequence[str]",
    followed: "Callable[[Disks], FollowedRows]",
    rows: "RowOptions",
    *,
    end_offset: "GivenEndOffset | None",
    last: int | None,
    limit: int | None,
) -> int:
    """Write rows of new records of the logs, until Ctrl-C.

    Args:
        paths: the paths that are read.
        followed: function that finds the records and describes their output.
        rows: form of the output.
        end_offset: value of the option.
        last: number of last records of each partition to begin with; None for all.
        limit: number of rows after which to end; None to end only at Ctrl-C.

    Returns:
        CLEAN; FINDINGS as described in `follow`.

    Raises:
        click.UsageError: the output or the log would have to end.
        SourceError: nothing can be read.
    """
    _require_endless(rows)
    if end_offset not in (None, "high_watermark"):
        raise click.UsageError("--follow has no end: leave out --end-offset, or give --end-offset high-watermark.")
    ctrl_c = CtrlC()
    with ctrl_c.caught():
        # A missing topic is only a note, as it may be written later.
        scan, schema, shape, prepare = followed(CommandFrame(paths, topics=None, partitions=None).disks)
        for note in scan.absent:
            say(f"note: {note}")
        output = rows.open(schema, shape, paths, is_endless=True)
        return follow(scan, output, prepare, ctrl_c, last=last, limit=limit)
    return CLEAN


def _require_endless(rows: "RowOptions") -> None:
    """Reject an output that appears only when it is complete, as followed logs have no end.

    Raises:
        click.UsageError: it is such an output.
    """
    if rows.kind == "parquet":
        raise click.UsageError(f"--follow cannot be combined with parquet, a file that is complete at its end: {_SEE}.")
    if rows.out is not None and not is_device(rows.out):
        raise click.UsageError(f"--follow cannot be combined with --out, whose file appears at the end: {_SEE}.")


class CtrlC:
    """Ends following without cutting a row: at once while it waits, else after the present rows.

    A second Ctrl-C ends it at once in any case.

    Attributes:
        was_pressed: whether following is to end.
        ends_at_once: whether nothing is being written.
    """

    def __init__(self) -> None:
        self.was_pressed = False
        self.ends_at_once = True

    def __call__(self, *_: object) -> None:
        """Handle the signal."""
        if self.was_pressed or self.ends_at_once:
            raise KeyboardInterrupt
        self.was_pressed = True

    @contextmanager
    def caught(self) -> "Iterator[None]":
        """Catch the signal in a block, and end the block without an error after it."""
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT)
        # Not if the signal is ignored, as in the background of a shell.
        if is_main and before != signal.SIG_IGN:
            signal.signal(signal.SIGINT, self)
        try:
            with suppress(KeyboardInterrupt):
                yield
        finally:
            if is_main and before != signal.SIG_IGN:
                signal.signal(signal.SIGINT, before)


def follow(
    scan: "Scan",
    output: "AbstractContextManager[Output]",
    prepare: "Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]",
    ctrl_c: CtrlC,
    *,
    last: int | None,
    limit: int | None,
) -> int:
    """Write the present records and new ones.

    Args:
        scan: the records to follow.
        output: the output that takes the rows.
        prepare: function that converts a record batch for output.
        ctrl_c: handler that ends following.
        last: number of last records of each partition to begin with; None for all.
        limit: number of rows after which to end; None to end only at Ctrl-C.

    Returns:
        CLEAN; with `limit` FINDINGS if damage was skipped; and FINDINGS whenever damage was not skipped.
    """
    left = sys.maxsize if limit is None else limit
    found = False
    error: DataError | None = None
    with output as opened, scan.follow(last=last) as follower:
        try:
            while left > 0 and not ctrl_c.was_pressed:
                ctrl_c.ends_at_once = False
                left -= _write(follower, opened, prepare, ctrl_c, left)
                found |= _report(follower, scan)
                ctrl_c.ends_at_once = not ctrl_c.was_pressed
                if left > 0 and not ctrl_c.was_pressed:
                    _wait(follower)
        except KeyboardInterrupt:
            ctrl_c.was_pressed = True
        except DataError as damage:
            _report(follower, scan)
            error = damage
    if error is not None:
        messages.report_end(error, scan)
        return FINDINGS
    return FINDINGS if found and not ctrl_c.was_pressed else CLEAN


def _write(
    follower: "Follower",
    output: "Output",
    prepare: "Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]",
    ctrl_c: CtrlC,
    most: int,
) -> int:
    """Write and flush the rows of one poll, at most `most`; returns their number."""
    written = 0
    try:
        with follower.poll() as reader:
            for batch in (rows for records in reader for rows in prepare(records)):
                output.write(batch.slice(0, most - written))
                written += min(batch.num_rows, most - written)
                if written == most or ctrl_c.was_pressed:
                    break
    finally:
        output.flush()
    return written


def _report(follower: "Follower", scan: "Scan") -> bool:
    """Report the damage and notes of the polls so far; returns whether any of them is a finding."""
    for damage in follower.damage:
        say(messages.damage_line(damage, messages.with_path(damage.error, scan)))
    for note in follower.notes:
        say(note if note.is_finding else f"note: {note}")
    found = bool(follower.damage) or any(note.is_finding for note in follower.notes)
    follower.damage.clear()
    follower.notes.clear()
    return found


def _wait(follower: "Follower") -> None:
    """Wait for the next poll.

    Raises:
        BrokenPipeError: the reader of standard output has closed it.
    """
    follower.wait()
    output = select.poll()
    try:
        output.register(sys.stdout.fileno(), 0)
    except OSError:  # a stream in memory has no descriptor
        return
    if any(events & (select.POLLERR | select.POLLHUP) for _, events in output.poll(0)):
        raise BrokenPipeError("the reader of the pipe has closed it")
