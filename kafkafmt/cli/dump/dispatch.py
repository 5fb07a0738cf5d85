"""Chooses the dump of a file by its name, and dumps the small files beside a log."""

import sys
from collections.abc import Callable, Iterable

from kafkafmt.cli.command import UNREADABLE
from kafkafmt.cli.dump import index, log, time_index
from kafkafmt.cli.dump.batch_text import optional_long
from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.kafkas_view import as_java_prints
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.cli.dump.topic_decoders import as_json
from kafkafmt.cli.values import keys_of_command
from kafkafmt.errors import CorruptError, KafkafmtError, SourceError
from kafkafmt.files import producer_snapshot, text
from kafkafmt.files.kinds import FileKind, kind_of
from kafkafmt.files.wrapped import content_of
from kafkafmt.io.base import Location
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.io.source import locate
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.logdir.tier_search import in_tier
from kafkafmt.phrases import sized


def dump_snapshot(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump a producer snapshot, one line for each producer.

    Raises:
        KafkafmtError: the file cannot be read, or is damaged.
    """
    snapshot = producer_snapshot.read(location)
    for entry in snapshot.entries:
        line = (
            f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch} "
            f"coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {optional_long(entry.current_txn_first_offset)} lastTimestamp: {entry.timestamp}"
        )
        if entry.has_batch:
            line += (
                f" firstSequence: {entry.first_sequence} lastSequence: {entry.last_sequence} "
                f"lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta} timestamp: {entry.timestamp}"
            )
        console.line(line)
    if snapshot.trailing_bytes:
        console.finding(
            CorruptError("bytes follow the last producer", file=str(location), found=sized(snapshot.trailing_bytes))
        )


def dump_small_file(kind: FileKind, location: Location, console: Console) -> None:
    """Dump a small file: one line for each entry of a checkpoint or index, one line with all fields of other files.

    Raises:
        KafkafmtError: `read` of the kind's module raises it.
    """
    entries = kind.read(location).entries
    if not entries:
        console.line(f"{as_java_prints(location)} is empty.")
    elif kind.syntax in ("properties", "json"):
        console.line(_fields(entries))
    else:
        for entry in entries:
            console.line(_fields((_camel_case(name), getattr(entry, name)) for name in _names(entry)))


def _names(entry: object) -> Iterable[str]:
    """The field names of an entry, which is a NamedTuple or a dataclass with slots."""
    names: Iterable[str] = getattr(entry, "_fields", None) or type(entry).__slots__  # type: ignore[attr-defined]
    return names


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _fields(fields: Iterable[tuple[str, object]]) -> str:
    return " ".join(f"{text.well_formed(name)}: {_shown(value)}" for name, value in fields)


def _shown(value: object) -> str:
    return text.well_formed(value if isinstance(value, str) else as_json(value))


_Dumper = Callable[[Location, DumpOptions, Console], None]

# Entries of other kinds are printed as they are.
_DUMPERS: dict[str, _Dumper] = {
    "log": log.dump,
    "checkpoint": log.dump,
    "index": index.dump,
    "timeindex": time_index.dump,
    "txnindex": index.dump_transaction_index,
    "snapshot": dump_snapshot,
}


def dump_all(sources: list[str], options: DumpOptions) -> int:
    """Dump files, and the files of directories, in the given order.

    An unreadable file is reported, and the dump continues with the next one.

    Returns:
        The exit code.
    """
    console = Console(sys.stdout.buffer, sys.stderr.buffer, is_terminal=sys.stdout.isatty(), hints=sys.stderr.isatty())
    try:
        for source in sources:
            try:
                locations = _files_of(in_tier(locate(source), DecryptionKeys.of(keys_of_command())))
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
            with location.open() as file:  # first, so that a missing path is not reported as unknown
                content = content_of(file)
            console.error_line(f"Ignoring unknown file {printed}")
            if content is not None:
                console.note(f"{printed}: this is {content}")
            console.status = max(console.status, UNREADABLE)
        elif kind.id in _DUMPERS:
            _DUMPERS[kind.id](location, options, console)
        else:
            dump_small_file(kind, location, console)
    except KafkafmtError as error:
        console.finding(error)


def _files_of(location: Location) -> list[Location]:
    """The file itself; for a directory its files of known kinds, by name."""
    if not location.is_directory():
        return [location.searched(is_directory=False)]
    location = location.searched()
    listing = location.contents if isinstance(location, TierPartition) else location.list()
    files = [entry.location for entry in listing if entry.is_file and kind_of(entry.name)]
    if not files:
        raise SourceError(
            "this directory has no Kafka files itself: name those in its subdirectories", file=str(location)
        )
    return files
