"""`.rsm-manifest`: golden files, chunk sizes in both forms, and rejected content."""

import base64
import copy
import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from kafkafmt_specs.aiven_custom_metadata import AivenCustomMetadata

import kafkafmt
from kafkafmt import CorruptError, KafkafmtError, LimitExceededError, UnsupportedError
from kafkafmt.files import rsm_manifest
from kafkafmt.files.rsm_manifest import MAX_CHUNK_BYTES, MAX_CHUNKS, RsmManifest
from kafkafmt.reference.streams import stream
from tests.golden_cases import TierCase, tier_case, tier_cases

MOST = 2**31 - 1
SLICES = {"offset": 7, "timestamp": 11, "producerSnapshot": 13, "leaderEpoch": 17}
AAD = bytes(range(32))
MANIFESTS = [(case, path) for case in tier_cases() for path in sorted(case.tier.rglob("*.rsm-manifest"))]


def manifest(**changes: Any) -> dict[str, Any]:
    """The manifest of a segment of 2,500 bytes that is neither compressed nor encrypted."""
    begin = 0
    slices: dict[str, Any] = {"transaction": None}
    for name, size in SLICES.items():
        slices[name] = {"position": begin, "size": size}
        begin += size
    fixed = {"type": "fixed", "originalChunkSize": 1000, "originalFileSize": 2500}
    whole: dict[str, Any] = {
        "version": "1",
        "chunkIndex": {**fixed, "transformedChunkSize": 1000, "finalTransformedChunkSize": 500},
        "segmentIndexes": slices,
        "compression": False,
        "remoteLogSegmentMetadata": {
            "remoteLogSegmentId": {
                "topicIdPartition": {
                    "topicId": "q1l6u2ThR9WXiL82ZtBgkg",
                    "topicPartition": {"topic": "orders", "partition": 3},
                },
                "id": "-_mzCAsJQbGUcZMHXcQkVw",
            },
            "startOffset": 100,
            "endOffset": 199,
            "maxTimestampMs": 1_700_000_000_000,
            "brokerId": 2,
            "eventTimestampMs": 1_700_000_001_000,
            "segmentLeaderEpochs": {"10": 150, "9": 100},
            "txnIdxEmpty": True,
        },
    }
    return whole | changes


def parse(fields: Any) -> RsmManifest:
    return rsm_manifest.parse(json.dumps(fields).encode(), file="m")


def refusal(fields: Any) -> KafkafmtError:
    with pytest.raises(KafkafmtError) as caught:
        parse(fields)
    assert caught.value.file == "m"
    return caught.value


def packed(sizes: list[int]) -> bytes:
    """Chunk sizes as the plugin's ChunkSizesBinaryCodec writes them."""
    if len(sizes) < 2:
        return struct.pack(f">{len(sizes) + 1}i", len(sizes), *sizes)
    base = min(sizes[:-1])
    width = max(1, *((size - base).bit_length() + 7 >> 3 for size in sizes[:-1]))
    start = struct.pack(">iib", len(sizes), base, width)
    return start + b"".join((size - base).to_bytes(width, "big") for size in sizes[:-1]) + struct.pack(">i", sizes[-1])


def variable(chunk_size: int, size: int, content: bytes, *, frame: bytes | None = None) -> dict[str, Any]:
    frame = zstandard.compress(content) if frame is None else frame
    return {
        "type": "variable",
        "originalChunkSize": chunk_size,
        "originalFileSize": size,
        "transformedChunks": base64.b64encode(frame).decode(),
    }


def encrypted(data_key: str = "key 1:c2VjcmV0", aad: str = base64.b64encode(AAD).decode()) -> dict[str, str]:
    return {"dataKey": data_key, "aad": aad}


def compressed(chunk_size: int, size: int, content: bytes, **more: Any) -> dict[str, Any]:
    return manifest(compression=True, chunkIndex=variable(chunk_size, size, content, **more))


def test_all_that_a_manifest_says() -> None:
    found = parse(manifest())
    assert (found.chunks.chunk_size, found.chunks.size, list(found.chunks.stored_sizes)) == (
        1000,
        2500,
        [1000, 1000, 500],
    )
    assert (found.is_compressed, found.encryption, found.file) == (False, None, "m")
    assert found.indexes == {
        "index": (0, 7),
        "timeindex": (7, 11),
        "snapshot": (18, 13),
        "leader-epoch-checkpoint": (31, 17),
    }
    assert found.segment is not None
    assert found.segment.leader_epochs == ((9, 100), (10, 150))
    assert found.to_table().to_pylist() == [
        {
            "topic": "orders",
            "topicId": "q1l6u2ThR9WXiL82ZtBgkg",
            "partition": 3,
            "segmentId": "-_mzCAsJQbGUcZMHXcQkVw",
            "startOffset": 100,
            "endOffset": 199,
            "maxTimestampMs": pa.scalar(1_700_000_000_000, pa.timestamp("ms", "UTC")).as_py(),
            "eventTimestampMs": pa.scalar(1_700_000_001_000, pa.timestamp("ms", "UTC")).as_py(),
            "brokerId": 2,
            "chunkSize": 1000,
            "chunks": 3,
            "sizeInBytes": 2500,
            "storedBytes": 2500,
            "compression": False,
            "keyId": None,
        }
    ]
    assert dict(found.entries) == manifest()


def test_what_may_be_missing() -> None:
    fields = manifest()
    del fields["remoteLogSegmentMetadata"]
    del fields["segmentIndexes"]["transaction"]
    found = parse(fields)
    assert found.segment is None
    assert "txnindex" not in found.indexes
    row = found.to_table().to_pylist()[0]
    assert (row["topic"], row["startOffset"], row["chunks"]) == (None, None, 3)


def test_an_encrypted_one_and_its_transaction_index() -> None:
    fields = manifest(encryption=encrypted())
    fields["chunkIndex"] |= {"transformedChunkSize": 1028, "finalTransformedChunkSize": 528}
    fields["segmentIndexes"]["transaction"] = {"position": 48, "size": 62}
    found = parse(fields)
    assert found.encryption == rsm_manifest.Encryption("key 1", b"secret", AAD)
    assert found.indexes["txnindex"] == (48, 62)
    assert found.chunks.stored_size == 2584
    assert found.to_table().column("keyId").to_pylist() == ["key 1"]


@pytest.mark.parametrize(
    ("case", "path"), MANIFESTS, ids=[f"{case.name[:2]}-{path.stem[21:]}" for case, path in MANIFESTS]
)
def test_golden_manifests_fit_their_objects(case: TierCase, path: Path) -> None:
    found = rsm_manifest.read(path)
    raw = json.loads(path.read_text())
    log, indexes = path.with_suffix(".log"), path.with_suffix(".indexes")
    if log.exists():
        assert found.chunks.stored_size == log.stat().st_size
    assert max(begin + size for begin, size in found.indexes.values()) == indexes.stat().st_size
    assert found.is_compressed == raw["compression"]
    assert (found.encryption is None) == (not case.keys)
    assert found.segment is not None
    told = raw["remoteLogSegmentMetadata"]
    assert path.name == f"{found.segment.start_offset:020d}-{found.segment.segment_id}.rsm-manifest" or "byHand" in (
        json.loads((case.path / "case.json").read_text())
    )
    assert (found.segment.end_offset, found.segment.broker_id) == (told["endOffset"], told["brokerId"])
    assert dict(found.segment.leader_epochs) == {int(each): at for each, at in told["segmentLeaderEpochs"].items()}


@pytest.mark.parametrize("number", [2, 7])
def test_custom_metadata_say_how_much_is_stored_and_where(number: int) -> None:
    case = tier_case(number)
    seen = 0
    for row in case.jsonl("segments.jsonl"):
        data = base64.b64decode(row["customMetadata"])
        parsed = AivenCustomMetadata(stream(data))
        fields = {each.tag.value: each.value for each in parsed.fields}
        assert len(fields) == parsed.num_fields.value
        tail = f"{row['topic']}-{row['topicId']}/{row['partition']}/{row['startOffset']:020d}-{row['segmentId']}"
        if 2 in fields:
            assert fields[2].value.decode() == tail
        objects = list(case.tier.rglob(f"*-{row['segmentId']}.*"))
        if objects and 0 in fields:
            assert fields[0].value == sum(path.stat().st_size for path in objects)
        seen += len(fields)
    assert seen


@pytest.mark.slow
@given(data=st.data())
def test_chunk_sizes_come_back(data: st.DataObject) -> None:
    chunk_size = data.draw(st.one_of(st.integers(1, 5000), st.sampled_from([1 << 16, 1 << 20, (1 << 26) - 1])))
    count = data.draw(st.integers(0, min(300, MOST // chunk_size)))
    last = data.draw(st.integers(1, chunk_size))
    size = (count - 1) * chunk_size + last if count else 0
    more = data.draw(st.sampled_from([0, 28]))
    lengths = [chunk_size] * (count - 1) + [last] * bool(count)
    sizes = [data.draw(st.integers(1, length + (length >> 7))) + more for length in lengths]
    fields = compressed(chunk_size, size, packed(sizes))
    if more:
        fields["encryption"] = encrypted()
    found = parse(fields).chunks
    assert list(found.stored_sizes) == sizes
    assert (found.count, found.size, found.stored_size) == (count, size, sum(sizes))
    assert sum(map(found.length, range(count))) == size


WIDE = [1, 1 << 25, 7, 3]
WRONG_SIZES = {
    "another number of chunks": packed([10, 10]),
    "more than it says": packed([10, 10, 10]) + b"\0",
    "less than it says": packed([10, 10, 10])[:-1],
    "no count": b"",
    "half a count": b"\0\0",
    "a negative count": struct.pack(">i", -1),
    "a huge count": struct.pack(">iib", MOST, 0, 1),
    "values of no bytes": struct.pack(">iib", 3, 10, 0) + struct.pack(">i", 10),
    "values of five bytes": struct.pack(">iib", 3, 10, 5) + bytes(10) + struct.pack(">i", 10),
    "values of 255 bytes": struct.pack(">iiB", 3, 10, 255) + bytes(510) + struct.pack(">i", 10),
    "a negative base": struct.pack(">iib", 3, -10, 1) + b"\x14\x14" + struct.pack(">i", 10),
    "a negative last one": struct.pack(">iib", 3, 10, 1) + b"\0\0" + struct.pack(">i", -10),
    "an empty chunk": packed([10, 0, 10]),
    "an empty last chunk": packed([10, 10, 0]),
    "a chunk larger than zstd makes it": packed([10, 1000 + 7 + 513, 10]),
    "a last chunk larger than zstd makes it": packed([10, 10, 500 + 3 + 513]),
}


@pytest.mark.parametrize("content", WRONG_SIZES.values(), ids=WRONG_SIZES.keys())
def test_chunk_sizes_that_cannot_be(content: bytes) -> None:
    assert isinstance(refusal(compressed(1000, 2500, content)), CorruptError)


def test_the_largest_chunks_that_zstd_makes() -> None:
    sizes = [1000 + 7 + 512, 1000 + 7 + 512, 500 + 3 + 512]
    assert list(parse(compressed(1000, 2500, packed(sizes))).chunks.stored_sizes) == sizes


def with_declared_size(frame: bytes, size: int) -> bytes:
    """The zstd frame with another 4-byte content size in its header."""
    at = 5 if frame[4] & 0x20 else 6
    assert frame[4] >> 6 == 2
    return frame[:at] + struct.pack("<I", size) + frame[at + 4 :]


def test_a_bomb_is_refused_by_what_its_header_says() -> None:
    bomb = refusal(compressed(1000, 2500, bytes(11 << 20)))
    assert isinstance(bomb, LimitExceededError)
    assert bomb.found == 11 << 20
    without_size = zstandard.ZstdCompressor(write_content_size=False).compress(packed([10, 10, 10]))
    assert isinstance(refusal(compressed(1000, 2500, b"", frame=without_size)), LimitExceededError)


@pytest.mark.parametrize("declared", [0, 1, 17, 10 << 20])
def test_a_bomb_that_says_it_were_small_is_refused(declared: int) -> None:
    frame = with_declared_size(zstandard.compress(bytes(11 << 20)), declared)
    assert isinstance(refusal(compressed(1000, 2500, b"", frame=frame)), CorruptError)


@pytest.mark.parametrize("frame", [b"", b"\x28\xb5\x2f\xfd", b"no zstd frame at all", b"\x50\x2a\x4d\x18\0\0\0\0"])
def test_chunk_sizes_in_no_frame_are_refused(frame: bytes) -> None:
    assert isinstance(refusal(compressed(1000, 2500, b"", frame=frame)), CorruptError)


def test_too_many_chunks() -> None:
    fixed = {"type": "fixed", "originalChunkSize": 1, "transformedChunkSize": 1, "finalTransformedChunkSize": 1}
    error = refusal(manifest(chunkIndex={**fixed, "originalFileSize": MAX_CHUNKS + 1}))
    assert isinstance(error, LimitExceededError)
    assert (error.expected, error.found) == (MAX_CHUNKS, MAX_CHUNKS + 1)


@pytest.mark.parametrize("how", [{"compression": True}, {"encryption": encrypted()}])
def test_chunks_that_must_be_held_have_a_bound(how: dict[str, Any]) -> None:
    large = {"type": "fixed", "originalChunkSize": MOST, "originalFileSize": MAX_CHUNK_BYTES + 1}
    sizes = {"transformedChunkSize": MAX_CHUNK_BYTES + 29, "finalTransformedChunkSize": MAX_CHUNK_BYTES + 29}
    assert isinstance(refusal(manifest(chunkIndex=large | sizes, **how)), LimitExceededError)
    # A chunk size above the segment size is common.
    size = {"originalFileSize": MAX_CHUNK_BYTES, "finalTransformedChunkSize": MAX_CHUNK_BYTES + 28}
    assert parse(manifest(chunkIndex=large | sizes | size, **how)).chunks.count == 1
    plain = {"transformedChunkSize": MOST, "originalFileSize": MOST, "finalTransformedChunkSize": MOST}
    assert parse(manifest(chunkIndex=large | plain)).chunks.stored_size == MOST


FIELDS = [
    ("version",),
    ("compression",),
    ("chunkIndex",),
    ("chunkIndex", "type"),
    ("chunkIndex", "originalChunkSize"),
    ("chunkIndex", "originalFileSize"),
    ("chunkIndex", "transformedChunkSize"),
    ("chunkIndex", "finalTransformedChunkSize"),
    ("segmentIndexes",),
    ("segmentIndexes", "offset"),
    ("segmentIndexes", "timestamp"),
    ("segmentIndexes", "producerSnapshot"),
    ("segmentIndexes", "leaderEpoch"),
    ("segmentIndexes", "offset", "position"),
    ("segmentIndexes", "leaderEpoch", "size"),
    ("encryption", "dataKey"),
    ("encryption", "aad"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId", "id"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId", "topicIdPartition"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId", "topicIdPartition", "topicId"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId", "topicIdPartition", "topicPartition", "topic"),
    ("remoteLogSegmentMetadata", "remoteLogSegmentId", "topicIdPartition", "topicPartition", "partition"),
    ("remoteLogSegmentMetadata", "startOffset"),
    ("remoteLogSegmentMetadata", "endOffset"),
    ("remoteLogSegmentMetadata", "maxTimestampMs"),
    ("remoteLogSegmentMetadata", "brokerId"),
    ("remoteLogSegmentMetadata", "eventTimestampMs"),
    ("remoteLogSegmentMetadata", "segmentLeaderEpochs"),
    ("remoteLogSegmentMetadata", "segmentLeaderEpochs", "9"),
]
TEXTS = {"version", "type", "dataKey", "aad", "id", "topicId", "topic"}
NUMBERS = {path for path in FIELDS if path[-1] not in TEXTS | {"compression", "9"}}


def whole() -> dict[str, Any]:
    fields = manifest(encryption=encrypted())
    fields["chunkIndex"] |= {"transformedChunkSize": 1028, "finalTransformedChunkSize": 528}
    return fields


def changed(path: tuple[str, ...], value: Any = None, *, removed: bool = False) -> dict[str, Any]:
    fields = copy.deepcopy(whole())
    inside = fields
    for name in path[:-1]:
        inside = inside[name]
    assert path[-1] in inside
    if removed:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return fields


@pytest.mark.parametrize("path", [path for path in FIELDS if path[-1] != "9"], ids=".".join)
def test_a_missing_field_is_named(path: tuple[str, ...]) -> None:
    error = refusal(changed(path, removed=True))
    assert isinstance(error, CorruptError)
    assert f"{'.'.join(path)!r} is missing" in error.message


@pytest.mark.parametrize("value", [None, True, 1.0, [], 10**30, "?", {"a": {}}], ids=str)
@pytest.mark.parametrize("path", FIELDS, ids=".".join)
def test_a_field_of_another_type_is_refused(path: tuple[str, ...], value: Any) -> None:
    if (path, value) == (("compression",), True) or (path[-1] == "topic" and value == "?"):
        return
    error = refusal(changed(path, value))
    unknown = {("version",): "version", ("chunkIndex", "type"): "chunk index"}
    if isinstance(value, str) and path in unknown:
        assert isinstance(error, UnsupportedError)
        assert unknown[path] in error.message
    else:
        assert isinstance(error, CorruptError)


@pytest.mark.parametrize("value", [-1, 2**31, -(2**63)], ids=str)
@pytest.mark.parametrize(
    "path",
    [path for path in FIELDS if path[0] in ("chunkIndex", "segmentIndexes") and path[-1] in ("position", "size")]
    + [path for path in FIELDS if path[-1].endswith("Size") or path[-1] == "partition"],
    ids=".".join,
)
def test_a_number_out_of_its_range_is_refused(path: tuple[str, ...], value: int) -> None:
    assert isinstance(refusal(changed(path, value)), CorruptError)


@pytest.mark.parametrize("version", ["2", "", "1.0", "01"])
def test_another_version_is_refused(version: str) -> None:
    error = refusal(manifest(version=version))
    assert isinstance(error, UnsupportedError)
    assert (error.expected, error.found) == ("1", version)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("originalChunkSize", 0),
        ("originalFileSize", 2000),
        ("originalFileSize", 2501),
        ("originalFileSize", MOST),
        ("transformedChunkSize", 1001),
        ("finalTransformedChunkSize", 499),
        ("finalTransformedChunkSize", 0),
    ],
)
def test_fixed_sizes_that_do_not_fit_together(field: str, value: int) -> None:
    fields = manifest()
    fields["chunkIndex"][field] = value
    assert isinstance(refusal(fields), KafkafmtError)


@pytest.mark.parametrize(
    "key", ["no colon", ":c2VjcmV0", "key:", "a:b:c2VjcmV0", "key:c2Vj cmV0", "key:c2Vjc", "key:\u00e9"]
)
def test_a_data_key_is_a_name_and_base64(key: str) -> None:
    fields = whole()
    fields["encryption"] = encrypted(key)
    assert isinstance(refusal(fields), CorruptError)


@pytest.mark.parametrize("offsets", [(-1, 5), (6, 5), (0, -1)])
def test_offsets_that_are_none(offsets: tuple[int, int]) -> None:
    fields = manifest()
    fields["remoteLogSegmentMetadata"] |= dict(zip(("startOffset", "endOffset"), offsets, strict=True))
    assert isinstance(refusal(fields), CorruptError)


@pytest.mark.parametrize("epoch", ["", "-1", "x", " 1", "2147483648", "\u0663", "9" * 30, "0" * 5000, "0" * 20 + "9"])
def test_leader_epochs_are_numbers(epoch: str) -> None:
    fields = manifest()
    fields["remoteLogSegmentMetadata"]["segmentLeaderEpochs"] = {epoch: 100}
    error = refusal(fields)
    assert isinstance(error, CorruptError)
    assert "leader epoch" in error.message


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b'{"version":"1"}{}', b"null", b"[" * 100_000])
def test_what_is_no_json_object(data: bytes) -> None:
    with pytest.raises(CorruptError):
        rsm_manifest.parse(data)


def test_a_manifest_above_its_bound_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000-q1l6u2ThR9WXiL82ZtBgkg.rsm-manifest"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(LimitExceededError):
        kafkafmt.files.rsm_manifest.read(path)
