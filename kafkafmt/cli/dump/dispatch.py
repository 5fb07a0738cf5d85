"""Every file that was named, one after the other, each by the module of its kind."""

import sys
from collections.abc import Callable

from kafkafmt.cli.dump import index, log, small_files, snapshot, time_index, transaction_index
from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.names import as_java_prints
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.cli.exit_codes import UNREADABLE
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.kinds import kind_of
from kafkafmt.files.wrapped import content_of
from kafkafmt.io.base import Location
from kafkafmt.io.source import locate

_Dumper = Callable[[Location, DumpOptions, Console], None]

# Of the other kinds, entries are printed as they are.
_DUMPERS: dict[str, _Dumper] = {
    "log": log.dump,
    "checkpoint": log.dump,
    "index": index.dump,
    "timeindex": time_index.dump,
    "txnindex": transaction_index.dump,
    "snapshot": snapshot.dump,
}


def dump_all(sources: list[str], options: DumpOptions) -> int:
    """Dump files and the files of directories, in the order given.

    What cannot be read is reported, and the next file is dumped.

    Returns:
        The exit code.
    """
    console = Console(sys.stdout.buffer, sys.stderr.buffer, is_terminal=sys.stdout.isatty(), hints=sys.stderr.isatty())
    try:
        for source in sources:
            try:
                locations = _files_of(locate(source))
            except KafkafmtError as error:
                console.finding(error)
                continue
            for location in locations:
                _dump(location, options, console)
        console.print_hints()
    finally:
        console.flush()
    return console.status


def _dump(location: Location, options: DumpOptions, console: Console) -> None:
    printed = as_java_prints(location)
    console.line(f"Dumping {printed}")
    kind = kind_of(location.name)
    try:
        if kind is None:
            with location.open() as file:  # a path that leads nowhere is not called unknown
                content = content_of(file)
            console.error_line(f"Ignoring unknown file {printed}")
            if content is not None:
                console.note(f"{printed}: this is {content}")
            console.status = max(console.status, UNREADABLE)
        elif kind.id in _DUMPERS:
            _DUMPERS[kind.id](location, options, console)
        else:
            small_files.dump(kind, location, console)
    except KafkafmtError as error:
        console.finding(error)


def _files_of(location: Location) -> list[Location]:
    """A file itself; of a directory the files of known kinds in it, by name."""
    if not location.is_directory():
        return [location.searched(is_directory=False)]
    location = location.searched()
    files = [entry.location for entry in location.list() if entry.is_file and kind_of(entry.name)]
    if not files:
        raise SourceError(
            "this directory has no Kafka files itself: name those in its subdirectories", file=str(location)
        )
    return files
