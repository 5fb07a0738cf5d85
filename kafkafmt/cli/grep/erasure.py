"""`grep --everywhere`: all traces of a text below the paths, and a report on them."""

import hashlib
import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import click
import pyarrow as pa

from kafkafmt import __version__
from kafkafmt.cli import human, messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE, RowOptions
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.errors import SourceError
from kafkafmt.limits import Limits
from kafkafmt.logdir.sources import Sources
from kafkafmt.phrases import counted
from kafkafmt.searching.everywhere import Everywhere
from kafkafmt.searching.hits import HITS, SearchedFile, Unread
from kafkafmt.searching.places import FilePlace

if TYPE_CHECKING:
    from kafkafmt.searching import RecordSearch

_SHAPE = TableShape(
    ("topic", "partition", "offset", "partOf", "visible", "visibleCommitted", "matchedIn", "file", "position"),
    first=("file", "position", "partOf", "visible", "offset", "visibleCommitted", "matchedIn"),
)

_SELECTING = (
    "compacted",
    "count",
    "follow",
    "json_path",
    "topics",
    "topic_regex",
    "partitions",
    "start_offset",
    "end_offset",
    "start_timestamp",
    "end_timestamp",
    "control_records",
    "isolation_level",
    "below_log_start",
    "key",
    "limit",
    "last",
    "on_damage",
    "replica",
    "record_kind",
    "state",
    "partition_by",
    "max_file_bytes",
)
"""Arguments of options that leave something out of the search."""

_LIBRARIES: Final = ("cramjam", "crc32c", "cryptography", "isal", "lz4", "numba", "numpy", "pyarrow", "zstandard")
_READ: Final = 1024 * 1024


def grep_everywhere(
    search: "RecordSearch", paths: Sequence[str], rows: RowOptions, evidence: str | None, limits: Limits | None
) -> int:
    """Write all hits, report unreadable parts, and write the evidence if it is wanted.

    Returns:
        FINDINGS if something was found; else UNREADABLE if something could not be read, or CLEAN.

    Raises:
        click.UsageError: an option leaves something out, the pattern cannot be searched in raw bytes, or a file cannot
            be written.
        SourceError: nothing can be read.
    """
    _refuse_selection()
    rows.check(HITS.names)
    try:
        everywhere = Everywhere(Sources(()), search, limits or Limits())
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    try:
        everywhere.sources = disks = CommandFrame(paths, topics=None, partitions=None).disks
        disks.found  # noqa: B018 - errors in the paths are raised before anything is written
    except SourceError as error:
        if evidence is None:
            raise
        # The report lists unreadable parts even if there are no hits.
        everywhere.sources, everywhere.places = Sources(()), [error.with_traceback(None)]
    with _evidence(everywhere, evidence, paths) as writer:
        total = sum(getattr(place, "size", 0) or 0 for place in everywhere.places)
        hits: Counter[str] = Counter()
        with _progress(total, rows) as advance:
            batches = _counted(everywhere.to_batches(advance), writer, hits)
            rows.write(batches, HITS, _SHAPE, paths, names_if_empty=True)
        if writer is not None:
            writer.finish()
    for note in everywhere.sources.link_notes:
        say(f"note: {note}")
    _report(everywhere, hits, total)
    return FINDINGS if everywhere.found else UNREADABLE if everywhere.unread else CLEAN


def _counted(
    batches: "Iterator[pa.RecordBatch]", writer: "EvidenceWriter | None", hits: Counter[str]
) -> "Iterator[pa.RecordBatch]":
    for batch in batches:
        if writer is not None:
            writer.add(batch)
        hits.update(batch.column("partOf").to_pylist())
        hits["visible"] += sum(map(bool, batch.column("visible").to_pylist()))
        yield batch


def _report(everywhere: "Everywhere", hits: Counter[str], total: int) -> None:
    """Report unreadable parts, and the result of the search."""
    messages.say_some([f"not proved: {each}" for each in everywhere.unread])
    searched = f"searched {counted(len(everywhere.files), 'file')}, {human.size(total)}"
    visible = hits.pop("visible", 0)
    if everywhere.found:
        say(f"{_found(everywhere.found, hits, visible)}; {searched}")
    elif everywhere.unread:
        unread = counted(len(everywhere.unread), "place")
        say(f"not proved: nothing found, but {unread} could not be read; {searched}")
    else:
        say(f"note: nothing found; {searched}")


def _found(times: int, places: Counter[str], visible: int) -> str:
    """A sentence with the number and places of the hits, and the number that consumers get."""
    part, _ = places.most_common(1)[0]
    if times == 1:
        seen = "visible" if visible else "not visible"
        return f"found once ({part}), {seen} to consumers"
    where = ", ".join(f"{number:,} {name}" for name, number in places.most_common()) if len(places) > 1 else part
    seen = {0: "not visible", times: "all visible"}.get(visible, f"{visible:,} visible")
    return f"found {times:,} times ({where}), {seen} to consumers"


def _refuse_selection() -> None:
    """Reject options that leave something out: a proof reads everything.

    Raises:
        click.UsageError: such an option is given.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if is_given and isinstance(parameter, click.Option) and parameter.name in _SELECTING:
            raise click.UsageError(f"--everywhere reads everything: leave out {parameter.opts[0]}.")


@contextmanager
def _progress(total: int, rows: RowOptions) -> "Iterator[Callable[[int], None]]":
    """Show the progress if rows do not go to the terminal; yields the function that counts bytes."""
    if rows.out is None and sys.stdout.isatty():
        yield lambda _: None
        return
    with progress_of_bytes(lambda: total) as advance:
        yield advance


@contextmanager
def _evidence(everywhere: "Everywhere", out: str | None, paths: Sequence[str]) -> "Iterator[EvidenceWriter | None]":
    """The writer of the evidence; the file appears when the context ends without an exception."""
    if out is None:
        yield None
        return
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(out, "json", paths, option="--evidence") as destination:
        yield EvidenceWriter(everywhere, destination.write, paths)


class EvidenceWriter:
    """Writes the report piece by piece, so that memory does not grow with the number of hits.

    The report is one JSON object: `kafkafmt`, `python`, `libraries` (versions), `startedAt`, `pattern`, `directory` (in
    which paths begin), `paths`, `hits` (rows as in `HITS`, times in ms), `files` (`path, sizeInBytes, sha256,
    modifiedAt, partOf, hits`; the hash covers `sizeInBytes`), `unread` (`path, position, reason`), `notes`, `verdict`,
    `endedAt`. Times, except those of records, are ISO 8601 in UTC.

    Args:
        everywhere: the search.
        write: function that takes each piece.
        paths: the user's paths.
    """

    def __init__(self, everywhere: Everywhere, write: Callable[[bytes], object], paths: Sequence[str]) -> None:
        self._everywhere = everywhere
        self._write = write
        pattern = everywhere.pattern
        text = pattern.text
        head = {
            "kafkafmt": __version__,
            "python": platform.python_version(),
            "libraries": {name: version for name in _LIBRARIES if (version := _version_of(name)) is not None},
            "startedAt": _now(),
            "pattern": {
                "text": text if isinstance(text, str) else None,
                "hex": text.hex() if isinstance(text, bytes) else None,
                "fixedString": pattern.fixed,
                "ignoreCase": pattern.ignore_case,
                "in": list(everywhere.search.parts),
            },
            "directory": os.getcwd(),
            "paths": list(paths),
        }
        self._write(_json(head)[:-1].encode() + b',"hits":[')
        self._separator = b"\n"

    def add(self, batch: pa.RecordBatch) -> None:
        """Write hits.

        Args:
            batch: hits, with the columns `HITS`.
        """
        at = batch.schema.get_field_index("timestamp")
        batch = batch.set_column(at, "timestamp", batch.column(at).cast(pa.int64()))
        for row in batch.to_pylist():
            self._write(self._separator + _json(row).encode())
            self._separator = b",\n"

    def finish(self) -> None:
        """Hash the files, and write the rest; a file that can no longer be read is listed as unread."""
        everywhere = self._everywhere
        self._write(b'],"files":[')
        separator = b"\n"
        for file in everywhere.files:
            self._write(separator + _json(self._file(file)).encode())
            separator = b",\n"
        unread = [{"path": each.file, "position": each.position, "reason": each.reason} for each in everywhere.unread]
        notes = [str(note) for note in everywhere.sources.link_notes]
        tail = {"unread": unread, "notes": notes, "verdict": everywhere.verdict, "endedAt": _now()}
        self._write(b"]," + _json(tail)[1:].encode() + b"\n")

    def _file(self, file: SearchedFile) -> dict[str, Any]:
        place = file.place
        changed: object = None
        digest = None
        try:
            version = place.location.version()
            changed = version[-1] if isinstance(version, tuple) else None
            digest = _hash_of(place)
        except SourceError as error:
            unread = Unread(place.path, None, error.message)
            if all(each.file != place.path for each in self._everywhere.unread):
                self._everywhere.unread.append(unread)
        return {
            "path": place.path,
            "sizeInBytes": place.size,
            "sha256": digest,
            "modifiedAt": _iso(changed / 1e9) if isinstance(changed, int) else None,
            "partOf": place.part_of,
            "hits": file.hits,
        }


def _hash_of(place: FilePlace) -> str:
    digest = hashlib.sha256()
    with place.location.open() as file:
        size = file.size if place.size is None else min(file.size, place.size)
        for position in range(0, size, _READ):
            digest.update(file.read_at(position, min(_READ, size - position)))
    return digest.hexdigest()


def _version_of(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _now() -> str:
    return _iso(datetime.now(UTC).timestamp())


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
