"""Aiven's manifest of a tiered segment (`.rsm-manifest`), which describes how to read its objects.

The plugin's SegmentManifestV1, JSON in one line: the chunk index, the slices of `.indexes`, compression, encryption,
and Kafka's own RemoteLogSegmentMetadata (KIP-405), whose keys depend on the broker's version.
"""

import base64
import binascii
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from kafkafmt_specs.aiven_chunk_sizes import AivenChunkSizes

from kafkafmt.answer_columns import TIME, Named, TableColumns, columns_of
from kafkafmt.codec.encryption import OVERHEAD
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, DataError, LimitExceededError, UnsupportedError
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.io.chunks import ChunkIndex
from kafkafmt.libraries import pa, zstandard
from kafkafmt.phrases import sized
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.streams import stream

MAX_CHUNKS: Final = 1 << 16
MAX_CHUNK_BYTES: Final = 256 * 1024 * 1024
"""Size of the largest chunk that is decoded, in bytes, as it is held whole. Uncompressed chunks have no bound."""

_MAX_SIZES_BYTES = 10 * 1024 * 1024  # the plugin's own bound
_SIZES_START = struct.Struct(">iiB")
_KEY_ID = re.compile(r"([^:]+):([^:]+)", re.DOTALL)
_EPOCH = re.compile(r"[0-9]{1,10}")
_SLICES: Final = {
    "offset": "index",
    "timestamp": "timeindex",
    "producerSnapshot": "snapshot",
    "leaderEpoch": "leader-epoch-checkpoint",
    "transaction": "txnindex",
}
"""Names of the slices of `.indexes` in the manifest, and file names in a partition directory."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """The encryption of a segment's chunks.

    Attributes:
        key_id: name of the key pair.
        data_key: the AES key, encrypted with RSA.
        aad: additional data that the tags cover.
    """

    key_id: str
    data_key: bytes
    aad: bytes


@dataclass(frozen=True, slots=True)
class ManifestSegment:
    """The segment's identity, as the broker gave it to the plugin.

    Attributes:
        topic: its name.
        topic_id: its id as Kafka prints it.
        partition: number of the partition.
        segment_id: id of this upload of the segment.
        start_offset: the base offset.
        end_offset: the last offset.
        max_timestamp: greatest timestamp, in ms since the epoch.
        event_timestamp: when the upload began, in ms since the epoch.
        broker_id: id of the broker that uploaded it.
        leader_epochs: each leader epoch in the segment, and the first offset that it has there; both rise.
    """

    topic: Annotated[str, "string"]
    topic_id: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    segment_id: Annotated[str, "string"]
    start_offset: Annotated[int, "int64"]
    end_offset: Annotated[int, "int64"]
    max_timestamp: Annotated[int, Named("maxTimestampMs", TIME)]
    event_timestamp: Annotated[int, Named("eventTimestampMs", TIME)]
    broker_id: Annotated[int, "int32"]
    leader_epochs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RsmManifest:
    """The content of a manifest.

    Attributes:
        chunks: positions of the segment's chunks in the `.log` object.
        indexes: start and stored size in bytes of each file in the `.indexes` object, by the ending of its name in a
            partition directory.
        is_compressed: whether each chunk is a zstd frame.
        encryption: encryption of the chunks, or None.
        segment: identity of the segment; None if the manifest lacks it.
        raw: the JSON object.
        file: name of the file, or None.
    """

    chunks: ChunkIndex
    indexes: Mapping[str, tuple[int, int]]
    is_compressed: bool
    encryption: Encryption | None
    segment: ManifestSegment | None
    raw: Mapping[str, object] = field(repr=False, hash=False)
    file: str | None

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values of the JSON object, in file order."""
        return tuple(self.raw.items())

    def to_table(self) -> "pa.Table":
        """Make a table of one row.

        Returns:
            `topic`, `topicId` string, `partition` int32, `segmentId` string, `startOffset`, `endOffset` int64,
            `maxTimestampMs`, `eventTimestampMs` timestamp[ms, UTC], `brokerId`, `chunkSize`, `chunks` int32,
            `sizeInBytes`, `storedBytes` int64, `compression` bool, `keyId` string.
        """
        return TableColumns(
            *columns_of(ManifestSegment, "segment", optional=True),
            ("chunkSize", "int32", "chunks.chunk_size"),
            ("chunks", "int32", "chunks.count"),
            ("sizeInBytes", "int64", "chunks.size"),
            ("storedBytes", "int64", "chunks.stored_size"),
            ("compression", "bool", "is_compressed"),
            ("keyId", "string", lambda manifest: manifest.encryption and manifest.encryption.key_id),
        ).to_table([self])


def parse(data: bytes | memoryview, *, file: str | None = None) -> RsmManifest:
    """Parse a manifest.

    Args:
        data: the whole file.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is not "1", or the kind of chunk index is unknown.
        CorruptError: the file is not a JSON object, a field is missing or of the wrong type, or numbers contradict each
            other.
        LimitExceededError: it declares more than `MAX_CHUNKS` chunks, or chunks above `MAX_CHUNK_BYTES` that have to be
            decoded.
    """
    raw = text.json_object(bytes(data), file=file)
    manifest = _Object(raw, "", file)
    version = manifest.string("version")
    if version != "1":
        raise UnsupportedError("unknown version of a segment manifest", file=file, expected="1", found=version)
    is_compressed = manifest.boolean("compression")
    given = manifest.optional("encryption")
    encryption = None if given is None else _encryption(given)
    chunks = _chunk_index(manifest.object("chunkIndex"), is_compressed=is_compressed, encryption=encryption)
    slices = manifest.object("segmentIndexes")
    indexes = {}
    for name, ending in _SLICES.items():
        at = slices.optional(name) if name == "transaction" else slices.object(name)
        if at is not None:
            indexes[ending] = (at.positive("position"), at.positive("size"))
    told = manifest.optional("remoteLogSegmentMetadata")
    segment = None if told is None else _segment(told)
    return RsmManifest(chunks, indexes, is_compressed, encryption, segment, raw, file)


read = reader("rsm-manifest", parse)


@dataclass(frozen=True, slots=True)
class _Object:
    """An object in the JSON, with typed access to its fields."""

    fields: Mapping[str, object]
    path: str
    file: str | None

    def value(self, name: str) -> object:
        if name not in self.fields:
            raise CorruptError(f"the field {self.path + name!r} is missing", file=self.file)
        return self.fields[name]

    def object(self, name: str) -> "_Object":
        value = self.value(name)
        if not isinstance(value, dict):
            raise CorruptError(f"{self.path}{name} is not an object", file=self.file, found=type(value).__name__)
        return _Object(value, f"{self.path}{name}.", self.file)

    def optional(self, name: str) -> "_Object | None":
        return None if self.fields.get(name) is None else self.object(name)

    def string(self, name: str) -> str:
        return text.json_string(self.value(name), self.path + name, file=self.file)

    def boolean(self, name: str) -> bool:
        value = self.value(name)
        if not isinstance(value, bool):
            raise CorruptError(f"{self.path}{name} is not true or false", file=self.file, found=type(value).__name__)
        return value

    def integer(self, name: str, bits: int) -> int:
        return text.json_integer(self.value(name), bits, self.path + name, file=self.file)

    def positive(self, name: str, *, least: int = 0) -> int:
        number = self.integer(name, 32)
        if number < least:
            raise CorruptError(
                f"{self.path}{name} is too small", file=self.file, expected=f"at least {least}", found=number
            )
        return number

    def uuid(self, name: str) -> str:
        return format_uuid(text.kafka_uuid(self.string(name), self.path + name, position=0, file=self.file).bytes)

    def base64(self, name: str) -> bytes:
        return _base64(self.string(name), self.path + name, self.file)


def _base64(value: str, what: str, file: str | None) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CorruptError(f"{what} is not base64", file=file, found=text.shown(value[:40])) from error


def _encryption(given: _Object) -> Encryption:
    data_key = _KEY_ID.fullmatch(given.string("dataKey"))
    if data_key is None:
        raise CorruptError("encryption.dataKey is malformed", file=given.file, expected="KEY ID:BASE64")
    wrapped = _base64(data_key[2], "encryption.dataKey", given.file)
    return Encryption(data_key[1], wrapped, given.base64("aad"))


def _segment(told: _Object) -> ManifestSegment:
    ids = told.object("remoteLogSegmentId")
    of = ids.object("topicIdPartition")
    name = of.object("topicPartition")
    start, end = told.integer("startOffset", 64), told.integer("endOffset", 64)
    if not 0 <= start <= end:
        raise CorruptError("the offsets of the segment are invalid", file=told.file, found=f"{start} to {end}")
    epochs = told.object("segmentLeaderEpochs")
    entries = []
    for epoch in epochs.fields:
        if not _EPOCH.fullmatch(epoch) or int(epoch) >= 1 << 31:
            raise CorruptError("a leader epoch is not a number", file=told.file, found=text.shown(epoch))
        entries.append((int(epoch), epochs.integer(epoch, 64)))
    entries.sort()
    return ManifestSegment(
        topic=name.string("topic"),
        topic_id=of.uuid("topicId"),
        partition=name.positive("partition"),
        segment_id=ids.uuid("id"),
        start_offset=start,
        end_offset=end,
        max_timestamp=told.integer("maxTimestampMs", 64),
        event_timestamp=told.integer("eventTimestampMs", 64),
        broker_id=told.integer("brokerId", 32),
        leader_epochs=tuple(entries),
    )


def _chunk_index(index: _Object, *, is_compressed: bool, encryption: Encryption | None) -> ChunkIndex:
    kind = index.string("type")
    if kind not in ("fixed", "variable"):
        raise UnsupportedError(
            "unknown kind of chunk index", file=index.file, expected="fixed or variable", found=text.shown(kind)
        )
    chunk_size = index.positive("originalChunkSize", least=1)
    size = index.positive("originalFileSize")
    count = -(-size // chunk_size)
    if count > MAX_CHUNKS:
        raise LimitExceededError("too many chunks in a segment", file=index.file, expected=MAX_CHUNKS, found=count)
    if (is_compressed or encryption) and min(chunk_size, size) > MAX_CHUNK_BYTES:
        raise LimitExceededError(
            "the chunks of the segment are too large",
            file=index.file,
            expected=f"at most {MAX_CHUNK_BYTES} bytes",
            found=sized(chunk_size),
        )
    if kind == "fixed":
        last = index.positive("finalTransformedChunkSize")
        usual = index.positive("transformedChunkSize")
        sizes = [usual] * (count - 1) + [last] * bool(count)
    else:
        sizes = _sizes(index.base64("transformedChunks"), count, index.file)
    chunks = ChunkIndex(chunk_size, size, sizes)
    _check_sizes(chunks, is_compressed=is_compressed, encryption=encryption, file=index.file)
    return chunks


def _sizes(packed: bytes, count: int, file: str | None) -> list[int]:
    """The sizes of a variable chunk index (the plugin's ChunkSizesBinaryCodec)."""
    try:
        size = zstandard.frame_content_size(packed)
        if size < 0 or size > _MAX_SIZES_BYTES:
            raise LimitExceededError(
                "the list of chunk sizes is too large",
                file=file,
                expected=f"a zstd frame of at most {_MAX_SIZES_BYTES} bytes",
                found=size,
            )
        data = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(packed, max_output_size=size or 1)
    except zstandard.ZstdError as error:
        raise CorruptError(f"the sizes of the chunks do not decompress: {error}", file=file) from error
    # Checked here, because the parser trusts these numbers.
    declared = int.from_bytes(data[:4], "big")
    width = data[8] if len(data) > 8 else 0
    wanted = 4 if not count else 8 if count == 1 else _SIZES_START.size + (count - 1) * width + 4
    if declared != count or len(data) != wanted:
        raise CorruptError(
            "the chunk index does not add up",
            file=file,
            expected=f"{count} chunks",
            found=f"{declared} in {len(data)} bytes",
        )
    try:
        with generated_errors():
            parsed = AivenChunkSizes(stream(data))
    except DataError as error:
        raise error.at(file) from error.__cause__
    if not count:
        return []
    return [parsed.base + each.value for each in (parsed.differences if count > 1 else ())] + [parsed.last]


def _check_sizes(chunks: ChunkIndex, *, is_compressed: bool, encryption: Encryption | None, file: str | None) -> None:
    """Refuse sizes of chunks that neither compression nor encryption can produce."""
    more = OVERHEAD if encryption else 0
    for chunk, stored in enumerate(chunks.stored_sizes):
        length = chunks.length(chunk)
        # zstd's bound of a frame of incompressible bytes, and its header.
        least, most = (1, length + (length >> 7) + 512) if is_compressed else (length, length)
        if not least + more <= stored <= most + more:
            expected = f"{least + more} to {most + more}" if is_compressed else most + more
            raise CorruptError(
                f"the chunk index does not add up: the size of {chunks.bytes_of(chunk)}",
                file=file,
                expected=expected,
                found=stored,
            )
