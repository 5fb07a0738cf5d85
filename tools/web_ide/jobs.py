"""The files to parse and their specs: golden files, and pieces of them for the specs of smaller structures."""

import base64
import gzip
import hashlib
import itertools
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import zstandard
from kafkafmt_specs.kafka_header import KafkaHeader
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kafkafmt_specs.kafka_record import KafkaRecord
from kafkafmt_specs.message_fields import MESSAGES
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStructError

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.kinds import kind_by_extension
from kafkafmt.limits import Limits

LARGEST_FILE = 32 * 1024
FILES_PER_DIRECTORY = 2
PIECES_PER_SPEC = 40

CODECS = frozenset(Compression) - {Compression.NONE}
RECORDS_IN_BATCH = 49
TRANSACTION_MARKERS = (b"\0\0", b"\0\1")

# The specs of the values of control records by the names of Kafka's `ControlRecordType`.
SPEC_OF_CONTROL_TYPE = {
    "LEADER_CHANGE": "kafka_leader_change_message",
    "SNAPSHOT_HEADER": "kafka_snapshot_header_record",
    "SNAPSHOT_FOOTER": "kafka_snapshot_footer_record",
    "KRAFT_VERSION": "kafka_kraft_version_record",
    "KRAFT_VOTERS": "kafka_voters_record",
}
FIRST_CONTROL_TYPE = 2


# The topics whose keys and values have specs, with these specs; metadata records have only values.
SPECS_OF_TOPIC = {
    "__consumer_offsets": ("kafka_consumer_offsets_key", "kafka_consumer_offsets_value"),
    "__transaction_state": ("kafka_transaction_state_key", "kafka_transaction_state_value"),
    "__share_group_state": ("kafka_share_group_state_key", "kafka_share_group_state_value"),
    "__cluster_metadata": (None, "kafka_metadata_record"),
}
RECORDS_PER_KIND = 4

# Data that no golden record has: user data of assignors, from old and new consumers.
USER_DATA = {
    "kafka_sticky_assignor_user_data": (
        struct.pack(">ih6siii", 1, 6, b"orders", 2, 0, 5),
        struct.pack(">ih6siiii", 1, 6, b"orders", 2, 0, 5, 7),
        struct.pack(">i", 1),
    ),
    "kafka_cooperative_sticky_assignor_user_data": (struct.pack(">i", 7),),
}


class Job(NamedTuple):
    """A file to parse, the id of its spec, and the spec's parameters."""

    spec: str
    path: Path
    arguments: tuple[int, ...] = ()


def golden_jobs(golden: Path) -> list[Job]:
    """Choose golden files: at most two different ones of each kind in each directory, damaged ones included."""
    jobs: list[Job] = []
    seen: set[bytes] = set()
    per_directory: dict[tuple[Path, str], int] = {}
    for path in sorted(golden.glob("*/*/log-dir/**/*")):
        kind = kind_by_extension(path.name)
        spec = None if kind is None else kind.spec
        if spec is None or not path.is_file() or path.stat().st_size > LARGEST_FILE:
            continue
        digest = hashlib.sha256(spec.encode() + path.read_bytes()).digest()
        chosen = per_directory.get((path.parent, spec), 0)
        if digest not in seen and chosen < FILES_PER_DIRECTORY:
            seen.add(digest)
            per_directory[path.parent, spec] = chosen + 1
            jobs.append(Job(spec, path))
    return jobs


def piece_jobs(segments: list[Path], directory: Path) -> list[Job]:
    """Cut pieces out of segments for specs that no file on disk has on its own, and write them to a directory."""
    jobs: list[Job] = []
    counts: dict[str, int] = {}
    seen: set[tuple[str, bytes]] = set()
    for segment in segments:
        for spec, data in _pieces(segment.read_bytes()):
            if (spec, data) not in seen and counts.get(spec, 0) < PIECES_PER_SPEC:
                seen.add((spec, data))
                counts[spec] = counts.get(spec, 0) + 1
                path = directory / f"{spec}-{counts[spec]}"
                path.write_bytes(data)
                jobs.append(Job(spec, path))
    return jobs


def control_value_jobs(golden: Path, directory: Path) -> list[Job]:
    """Write the values of KRaft's control records to a directory, in bytes that Kafka itself wrote.

    Args:
        golden: directory of the golden data.
        directory: directory for the new files.

    Returns:
        for each type of control record a job for each different value, and for each prefix of the longest one.
    """
    values: dict[str, set[bytes]] = {}
    for spec, value in _control_values(golden):
        values.setdefault(spec, set()).add(value)
    jobs: list[Job] = []
    for spec, whole in values.items():
        longest = max(whole, key=lambda value: (len(value), value))
        truncated = {longest[:size] for size in range(len(longest))}
        control_type = list(SPEC_OF_CONTROL_TYPE.values()).index(spec) + FIRST_CONTROL_TYPE
        for number, data in enumerate(sorted(whole | truncated), 1):
            path = directory / f"{spec}-{number}"
            path.write_bytes(data)
            jobs += [Job(spec, path), Job("kafka_control_record_value", path, (control_type,))]
    return jobs


def _control_values(golden: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(golden.glob("modern/*/expected/records.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for line in lines:
                if b'"controlType"' not in line:  # most records are no control records, and JSON is slow
                    continue
                record = json.loads(line)
                spec = SPEC_OF_CONTROL_TYPE.get(record.get("controlType"))
                if spec is not None:
                    yield spec, base64.b64decode(record["value"])


def varint_jobs(directory: Path) -> list[Job]:
    """Write numbers of variable length to a directory: of every length, with few and many bits, some too large."""
    jobs = []
    for spec, size in (("kafka_varint", 5), ("kafka_unsigned_varint", 5), ("kafka_varlong", 10)):
        for length in range(1, size + 1):
            for first, middle, last in itertools.product((1, 126), (0, 127), (0, 1, 7, 8, 127)):
                groups = [*([first, *[middle] * (length - 2)] if length > 1 else []), last]
                data = bytes([*(group | 128 for group in groups[:-1]), groups[-1]])
                path = directory / f"edge-{spec}-{data.hex()}"
                if not path.exists():
                    path.write_bytes(data)
                    jobs.append(Job(spec, path))
    return jobs


def protocol_jobs(golden: Path) -> list[Job]:
    """List the recorded requests and responses: a file for each API, whose spec imports all others."""
    return [Job("kafka_exchanges", path) for path in sorted(golden.glob("protocol/*.exchanges"))]


def tier_jobs(golden: Path, directory: Path) -> list[Job]:
    """Write the binary parts of manifests, and custom metadata, to a directory, in bytes that Aiven's plugin wrote.

    Args:
        golden: directory of the golden data.
        directory: directory for the new files.
    """
    parts = set()
    for path in sorted(golden.glob("tiered/*/tier/**/*.rsm-manifest")):
        sizes = json.loads(path.read_text("utf-8"))["chunkIndex"].get("transformedChunks")
        if sizes is not None:
            parts.add(("aiven_chunk_sizes", zstandard.decompress(base64.b64decode(sizes))))
    for path in sorted(golden.glob("tiered/*/expected/segments.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            told = [json.loads(line).get("customMetadata") for line in lines]
        parts |= {("aiven_custom_metadata", base64.b64decode(each)) for each in told if each}
    jobs = []
    for number, (spec, data) in enumerate(sorted(parts)):
        path = directory / f"tier-{number}"
        path.write_bytes(data)
        jobs.append(Job(spec, path))
    return jobs


def message_jobs(golden: Path, vectors: Path, directory: Path) -> list[Job]:
    """Write keys and values of internal topics to a directory.

    Args:
        golden: directory of the golden data.
        vectors: messages that Kafka's classes wrote, for kinds and versions without a golden record.
        directory: directory for the new files.

    Returns:
        jobs for golden records, a few of each kind and version, with the specs that select the message; and for the
        vectors, with these specs and with the message's own spec if that needs no parameters.
    """
    jobs: list[Job] = []
    counts: dict[tuple[object, ...], int] = {}
    for spec, data, arguments in (*_golden_messages(golden), *_vector_messages(vectors)):
        # The first bytes contain kind and version.
        kind = (spec, arguments, data[:3] if spec == "kafka_metadata_record" else data[:2])
        if counts.get(kind, 0) < RECORDS_PER_KIND:
            counts[kind] = counts.get(kind, 0) + 1
            path = directory / f"message-{len(jobs)}"
            path.write_bytes(data)
            jobs.append(Job(spec, path, arguments))
    return jobs


def _golden_messages(golden: Path) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
    for path in sorted(golden.glob("*/*/expected/records.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for line in lines:
                if b"__" not in line:  # most records are not of an internal topic, and JSON is slow
                    continue
                record = json.loads(line)
                topic = Path(record.get("file", "/-")).parent.name.rpartition("-")[0]
                if topic not in SPECS_OF_TOPIC or record.get("value") is None or "controlType" in record:
                    continue
                of_key, of_value = SPECS_OF_TOPIC[topic]
                value = base64.b64decode(record["value"])
                if of_key is None:
                    yield of_value, value, ()
                else:
                    key = base64.b64decode(record["key"])
                    yield of_key, key, ()
                    yield of_value, value, (int.from_bytes(key[:2], "big"),)


def _vector_messages(vectors: Path) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
    topics = dict(zip(("group", "transaction", "share"), SPECS_OF_TOPIC.values(), strict=False))
    types: dict[str, int] = {}
    for spec, examples in USER_DATA.items():
        yield from ((spec, data, ()) for data in examples)
    with gzip.open(vectors) as lines:
        next(lines)
        messages = [json.loads(line)[:5] for line in lines]
    for name, _, form, module, encoded in messages:
        data = base64.b64decode(encoded)
        specs = topics.get(module.partition("-")[0])
        own = MESSAGES[name]["spec"]
        if form == "framed":
            yield "kafka_metadata_record" if module == "metadata" else "kafka_remote_log_metadata", data, ()
        elif form == "typed" and specs is not None:
            types[name.removesuffix("Key")] = int.from_bytes(data[:2], "big")
            yield str(specs[0]), data, ()
            yield own, data[2:], ()
        else:
            if specs is not None:
                yield specs[1], data, (types[name.removesuffix("Value")],)
            yield own, data, ()


def _pieces(data: bytes) -> Iterator[tuple[str, bytes]]:
    io = KaitaiStream(BytesIO(data))
    while not io.is_eof():
        try:
            entry = KafkaLogSegment.Entry(io.pos(), io)
            if not entry.is_complete:
                return
            yield from _pieces_of_batch(entry) if entry.magic == 2 else _pieces_of_message(entry)
        except (KaitaiStructError, KafkafmtError):
            return


def _pieces_of_message(entry: KafkaLogSegment.Entry) -> Iterator[tuple[str, bytes]]:
    message = entry.body
    yield "kafka_message", entry._raw_body  # noqa: SLF001 (the generated parser keeps the bytes of a body here)
    codec = message.attributes.compression
    if codec in CODECS and message.magic in (0, 1) and hasattr(message, "value"):
        yield "kafka_log_segment", decompress(Compression(codec), message.value, magic=message.magic, limits=Limits())


def _pieces_of_batch(entry: KafkaLogSegment.Entry) -> Iterator[tuple[str, bytes]]:
    batch = entry.body
    raw = entry._raw_body  # noqa: SLF001
    yield "kafka_record_batch", raw
    codec = batch.attributes.compression
    if batch.records is not None:
        yield "kafka_records", raw[RECORDS_IN_BATCH:]
        for record in batch.records:
            yield from _pieces_of_record(record, is_control=batch.attributes.is_control)
    elif codec in CODECS:
        yield "kafka_records", decompress(Compression(codec), batch.compressed_records, magic=2, limits=Limits())


def _pieces_of_record(record: KafkaRecord, *, is_control: bool) -> Iterator[tuple[str, bytes]]:
    raw = record._raw_body  # noqa: SLF001
    yield "kafka_record", _varint(len(raw)) + raw
    yield "kafka_varint", _varint(len(raw))
    yield "kafka_varlong", raw[1:]
    if record.body.headers:
        yield "kafka_header", raw[-_size_of_header(record.body.headers[-1]) :]
    if is_control:
        yield "kafka_control_record_key", record.body.key
        if record.body.key[2:4] in TRANSACTION_MARKERS:
            yield "kafka_end_transaction_marker", record.body.value


def _size_of_header(header: KafkaHeader) -> int:
    value = getattr(header, "value", b"")
    return len(_varint(header.len_key.value) + header.key + _varint(header.len_value.value) + value)


def _varint(number: int) -> bytes:
    zigzag = number << 1 if number >= 0 else ~(number << 1)
    encoded = bytearray()
    while zigzag >= 0x80:
        encoded.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    return bytes([*encoded, zigzag])
