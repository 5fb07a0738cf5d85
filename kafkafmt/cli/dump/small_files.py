"""The small files of a log directory as text, which Kafka's tool passes over: worded as it words the others."""

from collections.abc import Iterable, Sequence

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.json_text import as_json
from kafkafmt.cli.dump.names import as_java_prints
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.files import (
    clean_shutdown,
    leader_epoch_checkpoint,
    meta_properties,
    offset_checkpoint,
    partition_metadata,
    quorum_state,
    text,
)
from kafkafmt.files.location import Location


def dump_leader_epochs(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump a leader epoch checkpoint, an epoch a line.

    Raises:
        KafkafmtError: as `leader_epoch_checkpoint.read`; likewise for the functions below.
    """
    entries = leader_epoch_checkpoint.read(location).entries
    _print(location, console, (f"epoch: {entry.epoch} startOffset: {entry.start_offset}" for entry in entries), entries)


def dump_offsets(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump an offset checkpoint, a partition a line."""
    entries = offset_checkpoint.read(location).entries
    lines = (f"topic: {entry.topic} partition: {entry.partition} offset: {entry.offset}" for entry in entries)
    _print(location, console, lines, entries)


def dump_partition_metadata(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump the metadata of a partition."""
    _print_fields(location, console, partition_metadata.read(location).entries)


def dump_quorum_state(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump the state of a quorum."""
    _print_fields(location, console, quorum_state.read(location).entries)


def dump_meta_properties(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump the properties of a log directory."""
    _print_fields(location, console, meta_properties.read(location).entries)


def dump_clean_shutdown(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump the mark of a clean shutdown."""
    _print_fields(location, console, clean_shutdown.read(location).entries)


def _print_fields(location: Location, console: Console, fields: Sequence[tuple[str, object]]) -> None:
    _print(
        location, console, [" ".join(f"{text.well_formed(name)}: {_shown(value)}" for name, value in fields)], fields
    )


def _shown(value: object) -> str:
    return text.well_formed(value if isinstance(value, str) else as_json(value))


def _print(location: Location, console: Console, lines: Iterable[str], entries: Sequence[object]) -> None:
    if not entries:
        console.line(f"{as_java_prints(location)} is empty.")
        return
    for line in lines:
        console.line(line)
