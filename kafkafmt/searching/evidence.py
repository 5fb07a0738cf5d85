"""Evidence: the report of a search everywhere as JSON: what was searched, when, with what, and what was found."""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any, Final

import pyarrow as pa

from kafkafmt import __version__
from kafkafmt.errors import SourceError
from kafkafmt.searching.everywhere import Everywhere
from kafkafmt.searching.hits import SearchedFile, Unread
from kafkafmt.searching.places import FilePlace

_LIBRARIES: Final = ("cramjam", "crc32c", "cryptography", "isal", "lz4", "numba", "numpy", "pyarrow", "zstandard")
_READ: Final = 1024 * 1024


class EvidenceWriter:
    """Writes the report piece by piece, so that any number of hits need no memory.

    It is one JSON object: `kafkafmt`, `python`, `libraries` (versions), `startedAt`, `pattern`, `directory` (in
    which paths begin), `paths`, `hits` (rows
    as `HITS`, times in ms), `files` (`path, sizeInBytes, sha256, modifiedAt, partOf, hits`; the hash is that of so many
    first bytes), `unread` (`path, position, reason`), `notes`, `verdict`, `endedAt`. Times but those of records are
    ISO 8601 in UTC.

    Args:
        everywhere: what is searched.
        write: takes each piece.
        paths: what was named.
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
            batch: of them, with the columns `HITS`.
        """
        at = batch.schema.get_field_index("timestamp")
        batch = batch.set_column(at, "timestamp", batch.column(at).cast(pa.int64()))
        for row in batch.to_pylist():
            self._write(self._separator + _json(row).encode())
            self._separator = b",\n"

    def finish(self) -> None:
        """Hash the files, and write the rest; a file that cannot be read any more is unread."""
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
        version = place.location.version()
        changed = version[-1] if isinstance(version, tuple) else None
        digest = None
        try:
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
