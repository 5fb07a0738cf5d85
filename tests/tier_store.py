"""Uploads log directories to a tier as Aiven's plugin does, for sizes and layouts without a golden case."""

import base64
import json
import os
import struct
import uuid
from dataclasses import dataclass
from pathlib import Path

import zstandard
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from kafkafmt import Partition, Segment
from tests import oaep


@dataclass(frozen=True)
class Key:
    """A key pair, and the path of its private key."""

    name: str
    private: rsa.RSAPrivateKey
    path: Path

    @classmethod
    def make(cls, name: str, directory: Path) -> "Key":
        private = rsa.generate_private_key(65537, 2048)
        pem = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path = directory / f"{name}.pem"
        path.write_bytes(pem)
        return cls(name, private, path)

    def wrap(self, data_key: bytes) -> bytes:
        """Encrypt the data key of a segment with the public key."""
        return oaep.wrap(self.private, data_key, os.urandom(oaep.HASH))


@dataclass(frozen=True)
class Store:
    """The upload settings for segments.

    Attributes:
        chunk_size: size of a chunk in bytes.
        is_compressed: whether each chunk is compressed.
        key: the key pair to encrypt for, or None.
        prefix: prefix of each object key.
    """

    chunk_size: int = 4 * 1024 * 1024
    is_compressed: bool = False
    key: Key | None = None
    prefix: str = ""

    def put(self, directory: Path, out: Path, *, topic_id: str | None = None, all_but_last: bool = False) -> Path:
        """Upload the segments of a partition directory and return the directory of the objects."""
        partition = Partition(directory)
        topic_id = topic_id or partition.topic_id or _id()
        place = out / f"{self.prefix}{partition.topic}-{topic_id}" / str(partition.partition)
        place.mkdir(parents=True)
        for segment in partition.segments[: -1 if all_but_last else None]:
            self._put(partition, segment, place, topic_id)
        return place

    def _put(self, partition: Partition, segment: Segment, place: Path, topic_id: str) -> None:
        data_key, aad = os.urandom(32), os.urandom(32)
        log = Path(segment.path).read_bytes()
        pieces = [log[at : at + self.chunk_size] for at in range(0, len(log), self.chunk_size)]
        if self.is_compressed:
            pieces = [zstandard.compress(piece) for piece in pieces]
        pieces = [self._encrypted(piece, data_key, aad) for piece in pieces]
        end = segment.next_offset() or 0
        base = segment.base_offset or 0
        epochs = [(each.epoch, each.start_offset) for each in partition.leader_epochs] or [(0, 0)]
        epochs = [each for each in epochs if each[1] < end]
        files = {
            "offset": _beside(segment, ".index"),
            "timestamp": _beside(segment, ".timeindex"),
            "producerSnapshot": _snapshot(directory=Path(segment.path).parent, offset=end),
            "leaderEpoch": f"0\n{len(epochs)}\n{''.join(f'{a} {b}{chr(10)}' for a, b in epochs)}".encode(),
            "transaction": _beside(segment, ".txnindex"),
        }
        slices: dict[str, dict[str, int] | None] = {}
        indexes = b""
        for name, data in files.items():
            if name == "transaction" and not data:
                slices[name] = None
                continue
            stored = self._encrypted(data, data_key, aad) if data else b""
            slices[name] = {"position": len(indexes), "size": len(stored)}
            indexes += stored
        inside = {str(epoch): max(start, base) for epoch, start in epochs if start >= base}
        inside = {str(max((each for each in epochs if each[1] <= base), default=epochs[0])[0]): base, **inside}
        segment_id = _id()
        manifest = {
            "version": "1",
            "chunkIndex": self._chunk_index(len(log), [*map(len, pieces)]),
            "segmentIndexes": slices,
            "compression": self.is_compressed,
            **self._encryption(data_key, aad),
            "remoteLogSegmentMetadata": {
                "remoteLogSegmentId": {
                    "topicIdPartition": {
                        "topicId": topic_id,
                        "topicPartition": {"topic": partition.topic, "partition": partition.partition},
                    },
                    "id": segment_id,
                },
                "startOffset": base,
                "endOffset": end - 1,
                "maxTimestampMs": max((batch.max_timestamp or 0 for batch in segment.batches()), default=0),
                "brokerId": 1,
                "eventTimestampMs": 1_700_000_000_000 + base,
                "segmentLeaderEpochs": inside,
            },
        }
        name = f"{base:020d}-{segment_id}"
        (place / f"{name}.log").write_bytes(b"".join(pieces))
        (place / f"{name}.indexes").write_bytes(indexes)
        (place / f"{name}.rsm-manifest").write_text(json.dumps(manifest, separators=(",", ":")))

    def _encrypted(self, data: bytes, data_key: bytes, aad: bytes) -> bytes:
        if self.key is None:
            return data
        iv = os.urandom(12)
        return iv + AESGCM(data_key).encrypt(iv, data, aad)

    def _encryption(self, data_key: bytes, aad: bytes) -> dict[str, dict[str, str]]:
        if self.key is None:
            return {}
        wrapped = base64.b64encode(self.key.wrap(data_key)).decode()
        return {"encryption": {"dataKey": f"{self.key.name}:{wrapped}", "aad": base64.b64encode(aad).decode()}}

    def _chunk_index(self, size: int, sizes: list[int]) -> dict[str, object]:
        about: dict[str, object] = {"originalChunkSize": self.chunk_size, "originalFileSize": size}
        if not self.is_compressed:
            usual = self.chunk_size + (28 if self.key else 0)
            return {"type": "fixed", **about, "transformedChunkSize": usual, "finalTransformedChunkSize": sizes[-1]}
        packed = struct.pack(">i", len(sizes))
        if len(sizes) > 1:
            base = min(sizes[:-1])
            packed += struct.pack(">iB", base, 4) + b"".join(struct.pack(">I", each - base) for each in sizes[:-1])
        packed += struct.pack(">i", sizes[-1])
        compressed = base64.b64encode(zstandard.compress(packed)).decode()
        return {"type": "variable", **about, "transformedChunks": compressed}


def _beside(segment: Segment, ending: str) -> bytes:
    path = Path(segment.path).with_suffix(ending)
    return path.read_bytes() if path.exists() else b""


def _snapshot(directory: Path, offset: int) -> bytes:
    path = directory / f"{offset:020d}.snapshot"
    return path.read_bytes() if path.exists() else bytes.fromhex("000148674bc700000000")


def _id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
