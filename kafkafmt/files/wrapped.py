"""Recognizes files that are not logs where a log is expected: packed backups, images, programs, databases, text.

They are not read; the error names the type of the file, and says how to unpack a backup.
"""

import codecs
import json
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.entry_finder import EntryFinder
from kafkafmt.files.names import kind_of_no_log
from kafkafmt.io.base import each_directory
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import HEADER_SIZE_UP_TO_MAGIC, RECORD_OVERHEAD_V0, read_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.io.base import File, Location

# The size of a tar header, the longest beginning to compare.
_HEAD_SIZE = 512


@dataclass(frozen=True)
class Wrapper:
    """A format in which files are packed.

    Attributes:
        name: description in an error, with its article.
        command: command that unpacks it, with `{file}` in place of the file.
    """

    name: str
    command: str

    def refusal(self, file: str) -> SourceError:
        """Make the error for a file in this format."""
        is_remote = "://" in file
        command = self.command.format(file=shlex.quote(file.rpartition("/")[2] if is_remote else file))
        do = "copy it to a disk and unpack it" if is_remote else "unpack it"
        return SourceError(f"this looks like {self.name} and not like a log segment: {do} first ({command})", file=file)


_TAR = Wrapper("a tar archive", "tar -xf {file}")
_GZIP = Wrapper("a gzip file", "gzip -dc {file} > UNPACKED")
_ZSTD = Wrapper("a zstd file", "zstd -dc {file} > UNPACKED")
_XZ = Wrapper("an xz file", "xz -dc {file} > UNPACKED")
_BZIP2 = Wrapper("a bzip2 file", "bzip2 -dc {file} > UNPACKED")
_LZ4 = Wrapper("an lz4 file", "lz4 -dc {file} > UNPACKED")
_SNAPPY = Wrapper("a snappy file", "snzip -dc {file} > UNPACKED")
_ZIP = Wrapper("a zip archive", "unzip {file}")
_7Z = Wrapper("a 7z archive", "7z x {file}")

_NAMES = (
    (re.compile(r"\.(?:tar(?:\.[a-z0-9]+)?|tgz|tbz2?|txz|tzst)\Z", re.IGNORECASE), _TAR),
    (re.compile(r"\.gz\Z", re.IGNORECASE), _GZIP),
    (re.compile(r"\.zstd?\Z", re.IGNORECASE), _ZSTD),
    (re.compile(r"\.xz\Z", re.IGNORECASE), _XZ),
    (re.compile(r"\.bz2\Z", re.IGNORECASE), _BZIP2),
    (re.compile(r"\.lz4\Z", re.IGNORECASE), _LZ4),
    (re.compile(r"\.(?:sz|snappy)\Z", re.IGNORECASE), _SNAPPY),
    (re.compile(r"\.zip\Z", re.IGNORECASE), _ZIP),
    (re.compile(r"\.7z\Z", re.IGNORECASE), _7Z),
)
_BEGINNINGS = (
    (b"\x1f\x8b\x08", _GZIP),
    (b"\x28\xb5\x2f\xfd", _ZSTD),
    (b"\xfd7zXZ\0", _XZ),
    (b"BZh", _BZIP2),
    (b"\x04\x22\x4d\x18", _LZ4),
    (b"\xff\x06\0\0sNaPpY", _SNAPPY),
    (b"PK\x03\x04", _ZIP),
    (b"7z\xbc\xaf\x27\x1c", _7Z),
)
_FIRST_BYTES = frozenset(beginning[:1] for beginning, _ in _BEGINNINGS)
_MAGIC_NUMBERS = (
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ\x90\0", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a Java class file"),
    (b"JAVA PROFILE", "a Java heap dump"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1\0\0", "an Arrow file"),
    (b"Obj\x01", "an Avro file"),
    (b"ORC", "an ORC file"),
    (b"\xd4\xc3\xb2\xa1", "a network capture"),
    (b"\x0a\x0d\x0d\x0a", "a network capture"),
    *((beginning, wrapper.name) for beginning, wrapper in _BEGINNINGS),
)
_JSON = "JSON text"
_WHITE_SPACE = frozenset("\t\n\r\f\x1b")


def wrapper_of_name(name: str) -> Wrapper | None:
    """The packing of a file, by the last suffix of its name; None if unknown."""
    return next((wrapper for pattern, wrapper in _NAMES if pattern.search(name)), None)


def refuse_wrapped(file: "File") -> None:
    """Raise if an open file is not a log: its bytes are another program's, or its name is another Kafka file's.

    A packed file is refused unless it begins with an entry of a log; any other file only if it is not named like a
    segment and does not contain an entry anywhere, as part of a segment may have been overwritten with another file.

    Raises:
        SourceError: the file is not a log, or reading failed.
    """
    wrapper = wrapper_of(file)
    if wrapper is not None and not _begins_with_an_entry(file):
        # A packed archive looks like any packed file, so its name decides.
        by_name = wrapper_of_name(file.name)
        raise (by_name if by_name is _TAR else wrapper).refusal(file.name)
    if wrapper is None and not _is_named_like_a_log(file.name):
        kind = kind_of_no_log(file.name.rpartition("/")[2])
        content = content_of(file) if kind is None else kind
        if content is not None and EntryFinder(file, Limits(), 0).next_entry(0) == file.size:
            hint = "" if kind is None else ": kafkafmt dump or inspect shows what it holds"
            raise SourceError(f"this is {content}, not a log segment{hint}", file=file.name)


def content_of(file: "File") -> str | None:
    """The type of a foreign file by its first bytes: "a JPEG image", "JSON text", "plain text"; None if unknown.

    Raises:
        SourceError: reading failed.
    """
    head = file.read_at(0, min(_HEAD_SIZE, file.size))
    for beginning, name in _MAGIC_NUMBERS:
        if head.startswith(beginning):
            return name
    if _is_tar_header(head):
        return _TAR.name
    return _text_content(head, is_whole=len(head) == file.size)


def _text_content(head: bytes, *, is_whole: bool) -> str | None:
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, final=is_whole)
    except UnicodeDecodeError:
        return None
    if not text.strip() or not all(character.isprintable() or character in _WHITE_SPACE for character in text):
        return None
    if not text.lstrip().startswith(("{", "[")):
        return "plain text"
    try:
        json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        # Only the first block is examined, so the text may be cut there; or it is not JSON after all.
        return "plain text" if is_whole else _JSON
    return _JSON


def _is_named_like_a_log(path: str) -> bool:
    return not {"log", "checkpoint"}.isdisjoint(path.rpartition("/")[2].split(".")[1:])


def refuse_packed(files: "Sequence[Location]") -> None:
    """Raise if all these files are packed, judged by their names; with no files there is nothing to refuse.

    Raises:
        SourceError: they are packed; the error names the first one.
    """
    wrappers = [wrapper_of_name(file.name) for file in files]
    if wrappers and wrappers[0] is not None and all(wrappers):
        raise wrappers[0].refusal(str(files[0]))


def nothing_found(message: str, location: "Location") -> SourceError:
    """The error for a directory without a log; it names packed files in or below it, or a link that leads out."""
    links: list[Location] = []
    for place, listing in each_directory(location.searched()):
        if isinstance(listing, SourceError):
            continue
        links += place.links_out()
        for entry in listing:
            wrapper = wrapper_of_name(entry.name) if entry.is_file else None
            if wrapper is not None:
                return SourceError(f"{message}; {wrapper.refusal(entry.path)}", file=str(location))
    advice = "name an entry of log.dirs, a directory above it or below, or a file"
    if links:
        advice = f"the link {links[0]} leads outside the source and is not followed; name its target to read it"
    return SourceError(f"{message}; {advice}", file=str(location))


def wrapper_of(file: "File") -> Wrapper | None:
    """The packing of an open file, by its first bytes; None if unknown.

    Raises:
        SourceError: reading failed.
    """
    head = file.read_at(0, _HEAD_SIZE)
    if head[:1] in _FIRST_BYTES:  # a log begins with a zero, the highest byte of its first offset
        for beginning, wrapper in _BEGINNINGS:
            if head.startswith(beginning):
                return wrapper
    return _TAR if _is_tar_header(head) else None


def _is_tar_header(head: bytes) -> bool:
    # The checksum must be right too: a record's value could have the text "ustar" there.
    if len(head) < _HEAD_SIZE or head[257:262] != b"ustar":
        return False
    stored = head[148:156].strip(b" \0")
    if not re.fullmatch(rb"[0-7]{1,8}", stored):
        return False
    return sum(head) - sum(head[148:156]) + 8 * ord(" ") == int(stored, 8)


def _begins_with_an_entry(file: "File") -> bool:
    if file.size <= HEADER_SIZE_UP_TO_MAGIC:
        return False
    frame = read_frame(file.read_at(0, HEADER_SIZE_UP_TO_MAGIC))
    size = frame.size_in_bytes
    if frame.size < RECORD_OVERHEAD_V0 or size > min(file.size, Limits().max_batch_bytes):
        return False
    entry = Entry(file.read_at(0, size), file.name, 0)
    try:
        entry.verify_checksum()
    except KafkafmtError:
        return False
    return True
