"""The benchmark of tiers: scans of a tier and of a disk, and reading a tier's chunks with and without kafkafmt.

`python -m benchmark.tiers` is the worker: each line of its input is a question, "scan", "chunks" or "alone" and a path;
each line of its output is the number of records or bytes that were read.
"""

import base64
import hashlib
import json
import os
import struct
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmark import goals, readers
from benchmark.readings import Figure, Reading, compare
from benchmark.scans import Program, Say
from benchmark.segments import Segment
from benchmark.worker import Cost, Worker

DISK, TIER, CHUNKS, ALONE = "disk", "tier", "chunks", "alone"
PROGRAMS = (
    Program(DISK, "scan of the disk"),
    Program(TIER, "scan of the tier"),
    Program(CHUNKS, "its chunks, kafkafmt"),
    Program(ALONE, "its chunks, zstandard and AES-GCM alone"),
)
KINDS = {
    "plain": (False, False),
    "compressed": (True, False),
    "encrypted": (False, True),
    "compressed and encrypted": (True, True),
}
"""How chunks are stored: whether they are compressed, and whether encrypted."""

CHUNK_BYTES = 4 << 20
_ID = "AQAAAAAAAAAAAAAAAAAAAQ"
_KEY = "key"
_READ = 8 << 20


def read_all(
    variables: Mapping[str, str], segment: Segment, rounds: int, restarts: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Read a segment from a disk and from tiers; returns readings as `scans.read_all` does."""
    found: dict[str, dict[str, Reading]] = {}
    size = segment.path.stat().st_size
    with tempfile.TemporaryDirectory(dir=segment.path.parent) as scratch:
        key, wrapped = _key_pair(Path(scratch))
        places = {kind: _tier(segment.path, Path(scratch, kind), *of, wrapped) for kind, of in KINDS.items()}
        keys = {**variables, "KAFKAFMT_DECRYPTION_KEYS": f"{_KEY}={key}"}
        for restart in range(restarts):
            with ExitStack() as stack:
                workers = {each.key: stack.enter_context(_worker(keys)) for each in PROGRAMS}
                for kind, place in places.items():
                    say(f"{kind} ({restart + 1} of {restarts})")
                    questions = {DISK: f"scan {segment.path}", TIER: f"scan {place}"}
                    if kind != "plain":
                        questions |= {CHUNKS: f"chunks {place}", ALONE: f"alone {place}"}
                    if kind not in found:
                        found[kind] = {key: Reading(segment.records, size) for key in questions}
                    jobs = {key: partial(_cost, workers[key], asked) for key, asked in questions.items()}
                    compare(jobs, found[kind], rounds, warming=1)
    return found


def tier_goals(readings: goals.Readings) -> list[Figure]:
    """Goals for tiers."""
    plain = goals.ratio(readings, ["plain"], DISK, TIER, text="plain tier, speed against the disk", at_least=0.95)
    return [plain] + [
        goals.ratio(readings, [kind], CHUNKS, ALONE, text=f"chunks, {kind} / zstandard and AES-GCM alone", at_most=1.3)
        for kind in KINDS
        if kind != "plain"
    ]


def main() -> None:
    """Answer each line of standard input until it ends."""
    for line in sys.stdin:
        question, _, path = line.rstrip("\n").partition(" ")
        print(readers.answer({"scan": readers.reader("kafkafmt"), "chunks": _chunks, "alone": _alone}[question], path))
        sys.stdout.flush()


def _cost(worker: Worker, question: str) -> Cost:
    return worker.measure(question, passes=3)[0]


def _worker(variables: Mapping[str, str]) -> Worker:
    return Worker([sys.executable, "-m", "benchmark.tiers"], variables)


def _chunks(path: str) -> int:
    import kafkafmt

    done = 0
    [partition] = kafkafmt.open(path).partitions
    buffer = memoryview(bytearray(_READ))
    with partition.segments[0].open() as file:
        while count := file.readinto_at(done, buffer):
            done += count
    return done


def _alone(path: str) -> int:
    import zstandard
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    [log] = Path(path).glob("*.log")
    sizes = json.loads(log.with_suffix(".sizes").read_text())
    is_compressed, is_encrypted = KINDS[log.parents[2].name]
    cipher, zstd = AESGCM(_data_key()), zstandard.ZstdDecompressor()
    done = 0
    with log.open("rb") as file:
        for size in sizes:
            piece = file.read(size)
            if is_encrypted:
                piece = cipher.decrypt(piece[:12], memoryview(piece)[12:], b"")
            if is_compressed:
                piece = zstd.decompress(piece)
            done += len(piece)
    return done


def _tier(segment: Path, root: Path, is_compressed: bool, is_encrypted: bool, wrapped: bytes) -> Path:
    """Write a segment as Aiven's plugin does; returns the directory of its objects."""
    import zstandard
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    place = root / f"typical-{_ID}" / "0"
    place.mkdir(parents=True)
    name = place / f"{0:020d}-{_ID}"
    size, sizes = segment.stat().st_size, []
    cipher = AESGCM(_data_key())
    with segment.open("rb") as file, open(f"{name}.log", "wb") as out:
        while piece := file.read(CHUNK_BYTES):
            if is_compressed:
                piece = zstandard.compress(piece)
            if is_encrypted:
                iv = os.urandom(12)
                piece = iv + cipher.encrypt(iv, piece, b"")
            sizes.append(out.write(piece))
    Path(f"{name}.sizes").write_text(json.dumps(sizes))
    index: dict[str, object] = {"originalChunkSize": CHUNK_BYTES, "originalFileSize": size}
    if is_compressed:
        data = struct.pack(">i", len(sizes))
        if len(sizes) > 1:
            least = min(sizes[:-1])
            data += struct.pack(">iB", least, 4) + b"".join(struct.pack(">I", each - least) for each in sizes[:-1])
        packed = zstandard.compress(data + struct.pack(">i", sizes[-1]))
        index |= {"type": "variable", "transformedChunks": base64.b64encode(packed).decode()}
    else:
        index |= {"type": "fixed", "transformedChunkSize": sizes[0], "finalTransformedChunkSize": sizes[-1]}
    none = {"position": 0, "size": 0}
    manifest = {
        "version": "1",
        "chunkIndex": index,
        "segmentIndexes": {**dict.fromkeys(("offset", "timestamp", "producerSnapshot", "leaderEpoch"), none)},
        "compression": is_compressed,
        "remoteLogSegmentMetadata": {
            "remoteLogSegmentId": {
                "topicIdPartition": {"topicId": _ID, "topicPartition": {"topic": "typical", "partition": 0}},
                "id": _ID,
            },
            "startOffset": 0,
            "endOffset": 2**40,
            "maxTimestampMs": 2**62,
            "brokerId": 1,
            "eventTimestampMs": 0,
            "segmentLeaderEpochs": {"0": 0},
        },
    }
    if is_encrypted:
        manifest["encryption"] = {"dataKey": f"{_KEY}:{base64.b64encode(wrapped).decode()}", "aad": ""}
    Path(f"{name}.rsm-manifest").write_text(json.dumps(manifest))
    Path(f"{name}.indexes").write_bytes(b"")
    return place


def _data_key() -> bytes:
    return bytes(range(32))


def _key_pair(directory: Path) -> tuple[Path, bytes]:
    """A private key in PEM, and the data key encrypted for it: RSA with OAEP, SHA3-512 (RFC 8017, 7.1.1)."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(65537, 2048)
    path = directory / "key.pem"
    pkcs8, no_password = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(private.private_bytes(serialization.Encoding.PEM, pkcs8, no_password))
    numbers = private.public_key().public_numbers()
    size, seed = numbers.n.bit_length() // 8, os.urandom(64)
    block = hashlib.sha3_512(b"").digest().ljust(size - 66 - 32, b"\0") + b"\1" + _data_key()
    masked = _xor(block, _mask(seed, len(block)))
    padded = _xor(seed, _mask(masked, 64)) + masked
    return path, pow(int.from_bytes(padded, "big"), numbers.e, numbers.n).to_bytes(size, "big")


def _mask(seed: bytes, size: int) -> bytes:
    blocks = (hashlib.sha3_512(seed + number.to_bytes(4, "big")).digest() for number in range(size // 64 + 1))
    return b"".join(blocks)[:size]


def _xor(one: bytes, two: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, two, strict=True))


if __name__ == "__main__":
    main()
