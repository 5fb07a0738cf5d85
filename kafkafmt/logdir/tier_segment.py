"""Upload: one upload of a segment into remote storage; TierFile: one of its files, as in a broker's log directory.

An object that is the file itself is read unchanged. Chunks are decrypted and decompressed when they are read
(`kafkafmt.io.chunks`), and index files that share an object are slices of it.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkafmt.cached import cached_property
from kafkafmt.codec.compression.zstd import decompress_frame
from kafkafmt.codec.encryption import OVERHEAD, ChunkCipher
from kafkafmt.errors import CorruptError, DataError, LimitExceededError, SourceError, TruncatedError
from kafkafmt.files import partition_metadata
from kafkafmt.files.kinds import KINDS
from kafkafmt.files.names import LEADER_EPOCHS, PARTITION_METADATA, parse_segment_file_name, segment_file_name
from kafkafmt.io.base import DirectoryEntry, File, Location, MemoryFile
from kafkafmt.io.chunks import ChunkedFile, ChunkIndex, Decode
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.logdir.tier_names import INDEXES, Layout
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkafmt.files.rsm_manifest import RsmManifest

_INDEX_ENDINGS: Final = ("index", "timeindex", "txnindex")


@dataclass(frozen=True, eq=False)
class Upload:
    """One upload of a segment.

    Attributes:
        directory: the partition directory in which it is shown.
        topic_id: topic id, as Kafka prints it.
        base_offset: base offset of the segment.
        id: the segment id, or Confluent's tier epoch.
        layout: layout of the tier.
        objects: the objects by their endings; see `tier_names`.
        keys: decryption keys.
        manifest: how the segment is stored; None if the objects are Kafka's files.
        end_offset: last offset; None if unknown.
        leader_epochs: each leader epoch in the segment, and its first offset there; None if unknown.
        max_timestamp: largest timestamp, in ms since the epoch; None if unknown.
        error: why the upload cannot be read, or None.
        size: size of the segment's valid part, in bytes; None if it is valid as a whole.
        cut: offset at which the valid part ends, or None.
        epochs: the leader-epoch-checkpoint of the log to which it belongs; None for its own.
    """

    directory: Location
    topic_id: str
    base_offset: int
    id: str
    layout: Layout
    objects: Mapping[str, DirectoryEntry]
    keys: DecryptionKeys = field(default_factory=DecryptionKeys)
    manifest: "RsmManifest | None" = None
    end_offset: int | None = None
    leader_epochs: tuple[tuple[int, int], ...] | None = None
    max_timestamp: int | None = None
    error: DataError | None = None
    size: int | None = None
    cut: int | None = None
    epochs: Location | None = None

    @property
    def what(self) -> str:
        """The segment in words, for errors."""
        end = "" if self.end_offset is None else f" to {self.end_offset}"
        return f"the segment with offsets {self.base_offset}{end}"

    @property
    def is_complete(self) -> bool:
        """Whether all its objects exist."""
        return self.layout.whole <= self.objects.keys()

    @property
    def uploaded(self) -> int:
        """When the upload began, in ms since the epoch; without a manifest, when its log was last changed."""
        if self.manifest is not None and self.manifest.segment is not None:
            return self.manifest.segment.event_timestamp
        log = self.objects.get("log")
        version = None if log is None else log.location.version()
        changed = version[-1] if isinstance(version, tuple) else None
        return changed // 1_000_000 if isinstance(changed, int) else 0

    @property
    def whole_size(self) -> int:
        """Size of the whole segment in bytes, if known."""
        if self.manifest is not None:
            return self.manifest.chunks.size
        log = self.objects.get("log")
        return (self.size or 0) if log is None else log.size or 0

    def file(self, ending: str, suffix: str = "") -> "TierFile":
        """One of its files, by the ending."""
        return TierFile(self, ending, suffix)

    def has(self, ending: str) -> bool:
        """Whether it has a file with this ending."""
        if ending in ("log", PARTITION_METADATA):
            return True
        if ending == "snapshot" and self.cut is not None:
            return False  # the snapshot belongs to the end of the whole segment, not to the cut
        if self.manifest is not None:
            return ending in self.manifest.indexes and INDEXES in self.objects
        return ending in self.objects

    @cached_property
    def cipher(self) -> ChunkCipher | None:
        """The cipher of its chunks; None if they are not encrypted.

        Raises:
            UnsupportedError: the key is unknown, or AES is not installed.
            CorruptError: the key is the wrong one.
        """
        encryption = self.manifest.encryption if self.manifest else None
        if encryption is None:
            return None
        return ChunkCipher(self.keys.unwrap(encryption.key_id, encryption.data_key), encryption.aad)

    def open_log(self) -> File:
        """Open the segment, cut to its valid part.

        Raises:
            SourceError: the object cannot be read.
        """
        log = self.objects.get("log")
        name = str(self.file("log"))
        if self.error is not None or log is None:
            error = self.error or CorruptError(f"the object of {self.what} is missing", file=name)
            size = self.size if self.size is not None else self.whole_size
            return ChunkedFile(
                name, None, ChunkIndex(max(size, 1), size, [size]), _as_it_is, what=self.what, lost=error
            )
        stored = log.location.open()
        manifest = self.manifest
        try:
            file = stored if manifest is None else self._decoded(name, stored, manifest)
        except BaseException:
            stored.close()
            raise
        if self.size is not None:
            file.size = min(file.size, self.size)
        return file

    def _decoded(self, name: str, stored: File, manifest: "RsmManifest") -> File:
        plain = not manifest.is_compressed and manifest.encryption is None
        if plain and stored.size == manifest.chunks.size:
            return stored
        lost = None
        decode: Decode = _as_it_is
        if not plain:
            try:
                decode = partial(_undo, self.cipher, manifest.is_compressed)
            except DataError as error:
                lost = type(error)(f"{self.what}: {error.message}", expected=error.expected, found=error.found)
                lost.at(name, 0)
        return ChunkedFile(name, stored, manifest.chunks, decode, what=self.what, lost=lost)

    def read_index(self, ending: str) -> bytes:
        """Read a file other than the log, cut to the valid part of the log.

        Raises:
            SourceError: the object cannot be read.
            DataError: it cannot be decrypted, or is cut off.
        """
        if ending == PARTITION_METADATA:
            return partition_metadata.encode(self.topic_id)
        kind = KINDS.get(ending) or KINDS["leader_epochs"]
        if self.manifest is None or ending not in self.manifest.indexes:
            entry = self.objects.get(ending)
            if entry is None:
                raise SourceError("the file cannot be read: No such file or directory", file=str(self.file(ending)))
            with entry.location.open() as file:
                data = _bounded(file, 0, file.size, kind.max_bytes)
        else:
            position, size = self.manifest.indexes[ending]
            with self.objects[INDEXES].location.open() as file:
                data = _bounded(file, position, size, kind.max_bytes)
                try:
                    if size and self.cipher is not None:
                        data = self.cipher.decrypt(memoryview(data))
                except DataError as error:
                    error.message = f"{ending} of {self.what}: {error.message}"
                    error.at(file.name, position)
                    raise
        return data if self.cut is None else _cut_index(data, ending, self.base_offset, self.cut, self.size or 0)

    def size_of(self, ending: str) -> int | None:
        """Size of one of its files in bytes, if known without reading the file."""
        if ending == "log":
            return self.whole_size if self.size is None else self.size
        if self.manifest is not None and ending in self.manifest.indexes:
            size = self.manifest.indexes[ending][1]
            return max(0, size - OVERHEAD) if self.manifest.encryption else size
        if ending == PARTITION_METADATA:
            return len(self.read_index(ending))
        entry = self.objects.get(ending)
        return None if entry is None else entry.size

    def with_epochs(self, place: Location) -> "Upload":
        """The same upload as a part of a log with this leader-epoch-checkpoint."""
        return replace(self, epochs=place)

    def anchored(self, directory: Location, epochs: Location | None) -> "Upload":
        """The same upload with whole paths.

        Args:
            directory: the partition directory in which it is shown, anchored.
            epochs: the leader-epoch-checkpoint of the log, anchored.
        """
        objects = {ending: entry.anchored() for ending, entry in self.objects.items()}
        return replace(self, directory=directory, objects=objects, epochs=epochs)

    def slim(self) -> "Upload":
        """The same upload without the fields that are only needed to choose among uploads, for a small pickle."""
        manifest = None if self.manifest is None else replace(self.manifest, raw={}, segment=None)
        return replace(self, manifest=manifest)


class TierFile(Location):
    """A file of a segment as in a broker's partition directory, although remote storage stores it differently.

    `str()` gives the object that holds it.
    """

    __slots__ = ("_ending", "_suffix", "read_at_once", "upload")

    def __init__(self, upload: Upload, ending: str, suffix: str = "") -> None:
        self.upload = upload
        self._ending = ending
        self._suffix = suffix
        self.read_at_once = next((each.location.read_at_once for each in upload.objects.values()), 1)

    def __str__(self) -> str:
        return str(self._object)

    @property
    def name(self) -> str:
        """Name of the file on a broker's disk."""
        if self._ending in (LEADER_EPOCHS, PARTITION_METADATA):
            return self._ending
        base = self.upload.base_offset
        if self._ending == "snapshot" and self.upload.end_offset is not None:
            base = self.upload.end_offset + 1
        return segment_file_name(base, self._ending, self._suffix)

    @property
    def absolute(self) -> str:
        """Path or URI of the object."""
        return self._object.absolute

    @property
    def identity(self) -> str:
        """Identity of the object, with the file's part in it."""
        identity = self._object.identity
        return identity if self._ending == "log" else f"{identity}#{self._ending}"

    @property
    def parent(self) -> Location:
        """The partition directory in which it is shown."""
        return self.upload.directory

    def child(self, name: str) -> "TierFile":
        """A location that does not exist, as a file has no children."""
        return self.upload.file(f"{self._ending}/{name}")

    def sibling(self, name: str) -> Location:
        """Another file of the same segment; with any other name, a location that does not exist."""
        parsed = parse_segment_file_name(name)
        if parsed is not None and parsed.base_offset == self.upload.base_offset and parsed.suffix == self._suffix:
            return self.upload.file(parsed.kind, self._suffix)
        if name == LEADER_EPOCHS:
            return self.upload.epochs or self.upload.file(LEADER_EPOCHS)
        return self.upload.file(f"?{name}")

    def is_directory(self) -> bool:
        """Return false."""
        return False

    def is_file(self) -> bool:
        """Whether the segment has such a file."""
        return self.upload.has(self._ending)

    def version(self) -> "Hashable | None":
        """Version of the object."""
        return self._object.version() if self.is_file() else None

    def list(self) -> list[DirectoryEntry]:
        """Fail, as it is a file."""
        raise SourceError("the directory cannot be read: Not a directory", file=str(self))

    def open(self) -> File:
        """Open the file; see `Location.open`.

        Raises:
            DataError: a file other than the log is damaged.
        """
        if self._ending == "log":
            return self.upload.open_log()
        return MemoryFile(str(self), self.upload.read_index(self._ending))

    def searched(self, *, is_directory: bool = True, keys: DecryptionKeys | None = None) -> "TierFile":  # noqa: ARG002
        """Return this file."""
        return self

    def anchored(self) -> "TierFile":
        """The same file with whole paths; see `Location.anchored`."""
        upload = self.upload
        epochs = None if upload.epochs is None else upload.epochs.anchored()
        return TierFile(upload.anchored(upload.directory.anchored(), epochs), self._ending, self._suffix)

    def __reduce__(self) -> tuple[type["TierFile"], tuple[Upload, str, str]]:
        """Pickle all that reading needs, with paths of keys instead of keys."""
        return TierFile, (self.upload.slim(), self._ending, self._suffix)

    @property
    def _object(self) -> Location:
        objects = self.upload.objects
        entry = objects.get(self._ending) or objects.get(INDEXES if self._ending != "log" else "log")
        entry = entry or next(iter(objects.values()), None)
        if entry is None:
            return self.upload.directory.child(f"{self.upload.base_offset:020d}-{self.upload.id}.{self._ending}")
        return entry.location


def _as_it_is(piece: memoryview, target: memoryview) -> int:
    size = min(len(piece), len(target))
    target[:size] = piece[:size]
    return size


def _undo(cipher: ChunkCipher | None, is_compressed: bool, piece: memoryview, target: memoryview) -> int:
    if cipher is None:
        return decompress_frame(piece, target)
    if is_compressed:
        return decompress_frame(cipher.decrypt(piece), target)
    return cipher.decrypt_into(piece, target)


def _bounded(file: File, position: int, size: int, most: int) -> bytes:
    if size > most:
        raise LimitExceededError("the file is too large for its kind", file=file.name, expected=most, found=size)
    if position + size > file.size:
        raise TruncatedError("the object ends before it", file=file.name, position=position, expected=sized(size))
    return file.read_at(position, size)


def _cut_index(data: bytes, ending: str, base_offset: int, cut: int, size: int) -> bytes:
    """The part of an index file that concerns the log before the cut."""
    entry = KINDS[ending].entry if ending in _INDEX_ENDINGS else None
    if entry is None:
        return data
    for number, values in enumerate(struct.iter_unpack(entry.format, data[: len(data) // entry.size * entry.size])):
        beyond = (
            values[1] >= size or base_offset + values[0] >= cut
            if ending == "index"
            else base_offset + values[1] >= cut
            if ending == "timeindex"
            else values[3] >= cut
        )
        if beyond:
            return data[: number * entry.size]
    return data
