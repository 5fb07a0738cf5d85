"""Random messages as Kafka's own classes wrote them, and what its JSON converters say of them.

Made by `tools/judge messages --vectors FILE`.
"""

import base64
import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kafkafmt import internal_topics
from kafkafmt.reference.messages import ApiMessage, coordinator_records, framed_records, message
from kafkafmt.reference.messages.decoding import decode_versioned, read_message
from kafkafmt.reference.messages.readers import MessageStream

FILE = Path(__file__).parent / "vectors.jsonl.gz"
TOPICS = {
    "group-coordinator": internal_topics.CONSUMER_OFFSETS,
    "transaction-coordinator": internal_topics.TRANSACTION_STATE,
    "share-coordinator": internal_topics.SHARE_GROUP_STATE,
}


@dataclass(frozen=True)
class Vector:
    """A message: its data is as in a record (`form`), with what precedes it there."""

    name: str
    version: int
    form: str
    module: str
    data: bytes
    kafkas_json: dict[str, Any]

    @property
    def payload(self) -> bytes:
        """The message alone; with the version in front if its spec begins with that."""
        return self.data[{"typed": 2, "framed": 3}.get(self.form, 0) :]

    @property
    def topic(self) -> str:
        return TOPICS[self.module]

    @property
    def type(self) -> int:
        kinds = coordinator_records.KINDS[self.topic]
        return next(number for number, kind in kinds.items() if self.name in {f"{kind}Key", f"{kind}Value"})

    def read(self, data: bytes) -> ApiMessage:
        """Read bytes as what this message is, by the way that leads to it."""
        if self.form == "typed":
            return ApiMessage(self.name, 0, coordinator_records.decode_key(self.topic, data).data)
        if self.module in TOPICS:
            decoded = coordinator_records.decode_value(self.topic, self.type, data)
            assert decoded is not None
            return decoded
        if self.form == "framed":
            is_metadata = self.module == "metadata"
            topic = internal_topics.CLUSTER_METADATA if is_metadata else internal_topics.REMOTE_LOG_METADATA
            return framed_records.decode(topic, data).message
        if self.name == "ConsumerProtocolSubscription":
            return coordinator_records.decode_subscription(data)
        if self.name == "ConsumerProtocolAssignment":
            return coordinator_records.decode_assignment(data)
        return decode_versioned(self.name, data)

    def read_payload(self, payload: bytes) -> dict[str, Any]:
        """Read bytes as a message of this version, without its frame."""
        return read_message(message(self.name), self.version, MessageStream(payload)).data


@cache
def vectors() -> list[Vector]:
    """All of them, by name and version."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        next(lines)
        return [_vector(*json.loads(line)) for line in lines]


def _vector(name: str, version: int, form: str, module: str, data: str, kafkas_json: str) -> Vector:
    return Vector(name, version, form, module, base64.b64decode(data), json.loads(kafkas_json))


@cache
def of(name: str) -> list[Vector]:
    """Those of one name."""
    return [vector for vector in vectors() if vector.name == name]


def typical(name: str) -> list[Vector]:
    """One of each version of a name: the one of the middle size, which is neither empty nor large."""
    by_version: dict[int, list[Vector]] = {}
    for vector in of(name):
        by_version.setdefault(vector.version, []).append(vector)
    return [sorted(group, key=lambda vector: len(vector.data))[len(group) // 2] for group in by_version.values()]


NAMES = sorted({vector.name for vector in vectors()})
