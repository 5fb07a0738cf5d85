"""Schemas of a folder: .avsc, .proto and .json files, and the output of `kafkafmt schemas --out`.

The subject is the name of the file, as in `orders-value.avsc`; `orders-value.v3.id17.avsc` also has the version and the
id. If two folders have a file with the same name, the subject is the path below the folder. An index (`schemas.jsonl`),
if there is one, has the facts that do not fit into names: references, metadata, rules, states, configs, modes.
"""

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, SourceError
from kafkafmt.files.names import is_kafka_file
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_links import linked
from kafkafmt.values.schema_names import SUFFIXES, parse_name
from kafkafmt.values.schema_rows import Settings, row_of, schema_of
from kafkafmt.values.stored_schema import StoredSchema

INDEX: Final = "schemas.jsonl"
"""The index of a folder that `kafkafmt schemas --out` wrote."""

_MOST_FILES: Final = 100_000
_MOST_DEPTH: Final = 20
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_BYTES_OF_ALL: Final = 512 * 1024 * 1024
_MARK: Final = b"\xef\xbb\xbf"

Report = Callable[[KafkafmtError], object]


def read_folder(path: str, report: Report) -> Schemas:
    """Read the schemas of a folder, or one file.

    Args:
        path: the folder, or a file with one of the suffixes.
        report: called with the error of each file, or line of the index, that has no schema.

    Raises:
        SourceError: the folder cannot be listed.
        LimitExceededError: there are too many files, or too many bytes.
    """
    findings: list[Finding] = []

    def note(error: KafkafmtError) -> None:
        report(error)
        findings.append(Finding(FINDING, STATE, error.file or "", error.message, position=error.position))

    folder = _Folder(Path(path), note)
    indexed, settings = folder.indexed()
    found = (*indexed, *folder.others())
    return Schemas(found, settings.configs, settings.modes, tuple(findings))


def holds_schemas(path: str) -> bool:
    """Whether a path is a schema file, or a folder with schema files and no Kafka file in it or below it."""
    if os.path.isfile(path):
        return _suffix(path) in SUFFIXES
    found, count = os.path.isfile(os.path.join(path, INDEX)), 0
    for _, folders, names in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        count += len(names) + len(folders)
        if count > _MOST_FILES or any(map(is_kafka_file, names)):
            return False
        found = found or any(_suffix(each) in SUFFIXES for each in names)
    return found


def schema_files(path: str) -> Iterator[Path]:
    """The schema files of a folder, or the file itself, in the order of their paths.

    Raises:
        SourceError: the folder cannot be listed.
        LimitExceededError: the folder has too many files.
    """
    if not os.path.isdir(path):
        yield from [Path(path)] if _suffix(path) in SUFFIXES else ()
        return

    def failed(error: OSError) -> None:
        raise SourceError(f"cannot be listed: {error.strerror}", file=error.filename) from error

    count = 0
    top = len(Path(path).parts)
    for directory, folders, names in os.walk(path, onerror=failed):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        count += len(names) + len(folders)
        if count > _MOST_FILES or len(Path(directory).parts) - top > _MOST_DEPTH:
            text = f"at most {_MOST_FILES:,} files, {_MOST_DEPTH} folders deep"
            raise LimitExceededError("the folder is too large for one of schemas", file=path, expected=text)
        yield from (Path(directory, each) for each in sorted(names) if _suffix(each) in SUFFIXES)


@dataclass
class _Folder:
    """A folder being read.

    Attributes:
        path: the folder, or one file.
        report: called with each error.
    """

    path: Path
    report: Report

    def __post_init__(self) -> None:
        self._bytes = 0
        self._read: set[Path] = set()

    def indexed(self) -> tuple[list[StoredSchema], Settings]:
        """The schemas of the index, and the registry's settings."""
        index, settings = self.path / INDEX, Settings()
        found: list[StoredSchema] = []
        if not index.is_file():
            return found, settings
        for number, line in enumerate((self._text(index) or "").splitlines(), 1):
            try:
                row = _object(line)
                if not settings.take(row):
                    file = self._named(row)
                    self._read.add(file)
                    text = self._text(file)
                    if text is not None:
                        found.append(schema_of(row, text))
            except CorruptError as error:
                error.message = f"line {number}: {error.message}"
                self.report(error.at(str(index)))
        return found, settings

    def others(self) -> list[StoredSchema]:
        """The schemas of the files that no index names."""
        files = [each for each in schema_files(str(self.path)) if each not in self._read]
        stems = Counter(each.name for each in files)
        base = self.path if self.path.is_dir() else self.path.parent
        found: dict[tuple[str, int, int | None], tuple[str, StoredSchema]] = {}
        for file in files:
            relative = file.relative_to(base)
            stem = file.stem if stems[file.name] == 1 else relative.with_suffix("").as_posix()
            name = parse_name(stem)
            text = self._text(file)
            if text is None:
                continue
            if name in found:
                said = f"the same subject and version as {found[name][0]}: rename it, as in {_renamed(file)}"
                self.report(CorruptError(said, file=str(file)))
                continue
            kind = SUFFIXES[_suffix(file.name)]
            row = row_of(name.subject, name.version, name.schema_id, kind)
            found[name] = relative.as_posix(), schema_of(row, text)
        return linked([*found.values()])

    def _named(self, row: Mapping[str, Any]) -> Path:
        """The file of a line of the index, which must be in the folder."""
        name = row.get("file")
        if not isinstance(name, str) or not name or PurePath(name).name != name or name.startswith("."):
            raise CorruptError("'file' is not the name of a file in the folder", found=json.dumps(name)[:80])
        return self.path / name

    def _text(self, file: Path) -> str | None:
        """The text of a file; if it has none, None after a report."""
        try:
            with open(file, "rb", opener=_at_once) as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    self.report(CorruptError("not a regular file", file=str(file)))
                    return None
                data = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            self.report(SourceError(f"cannot be read: {error.strerror}", file=str(file)))
            return None
        if len(data) > _MOST_BYTES:
            text = f"at most {_MOST_BYTES:,} bytes"
            self.report(LimitExceededError("the file is too large for a schema", file=str(file), expected=text))
            return None
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES_OF_ALL:
            text = f"at most {_MOST_BYTES_OF_ALL:,} bytes"
            raise LimitExceededError("the schemas of the folder are too large", file=str(self.path), expected=text)
        try:
            return data.removeprefix(_MARK).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            self.report(CorruptError("not valid UTF-8", file=str(file), position=error.start))
            return None


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


def _renamed(file: Path) -> str:
    return f"{file.stem}.v2{file.suffix}"


def _object(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorruptError("not JSON") from error
    if not isinstance(value, dict):
        raise CorruptError("not a JSON object")
    return value
