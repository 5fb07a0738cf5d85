"""Metadata logs made for one test: records encoded by the schemas, batches, snapshots."""

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crc32c import crc32c

from kafkafmt.reference.messages import Field, message
from kafkafmt.topics.cluster_metadata import ClusterMetadata
from tests.logdir.builders import CONTROL, sized, varint

Make = Callable[..., ClusterMetadata]

TOPIC_ID = "UlFkquSvQEuUehI8BJ5E7A"
OTHER_ID = "PkEujrNDRge-NUPjNPPF9Q"
DIRECTORIES = ["AAAAAAAAAAAAAAAAAAAAZQ", "AAAAAAAAAAAAAAAAAAAAyQ", "AAAAAAAAAAAAAAAAAAABLQ"]
ENDPOINT = {"name": "PLAINTEXT", "host": "host", "port": 9092, "securityProtocol": 0}
SALT, STORED_KEY, SERVER_KEY = b"a-salt-of-bob", b"a-stored-key-of-bob", b"a-server-key-of-bob"
API_KEYS = {
    "RegisterBrokerRecord": 0,
    "UnregisterBrokerRecord": 1,
    "TopicRecord": 2,
    "PartitionRecord": 3,
    "ConfigRecord": 4,
    "PartitionChangeRecord": 5,
    "FenceBrokerRecord": 7,
    "UnfenceBrokerRecord": 8,
    "RemoveTopicRecord": 9,
    "DelegationTokenRecord": 10,
    "UserScramCredentialRecord": 11,
    "FeatureLevelRecord": 12,
    "ClientQuotaRecord": 14,
    "ProducerIdsRecord": 15,
    "BrokerRegistrationChangeRecord": 17,
    "AccessControlEntryRecord": 18,
    "RemoveAccessControlEntryRecord": 19,
    "NoOpRecord": 20,
    "ZkMigrationStateRecord": 21,
    "RemoveUserScramCredentialRecord": 22,
    "BeginTransactionRecord": 23,
    "EndTransactionRecord": 24,
    "AbortTransactionRecord": 25,
    "RemoveDelegationTokenRecord": 26,
    "RegisterControllerRecord": 27,
    "ClearElrRecord": 28,
    "UnregisterControllerRecord": 29,
}
"""Kafka's MetadataRecordType."""

_NUMBERS = {
    "bool": ">?",
    "int8": ">b",
    "int16": ">h",
    "uint16": ">H",
    "int32": ">i",
    "uint32": ">I",
    "int64": ">q",
    "float64": ">d",
}


def uvarint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def record(name: str, version: int = 0, /, **data: Any) -> bytes:
    """The value of a metadata record."""
    fields = _fields(message(name).fields, version, data)
    return uvarint(1) + uvarint(API_KEYS[name]) + uvarint(version) + fields


def topic(name: str = "orders", topic_id: str = TOPIC_ID) -> bytes:
    return record("TopicRecord", name=name, topicId=topic_id)


def partition(number: int = 0, topic_id: str = TOPIC_ID, **changed: Any) -> bytes:
    fields = {
        "partitionId": number,
        "topicId": topic_id,
        "replicas": [1, 2, 3],
        "isr": [1, 2, 3],
        "removingReplicas": [],
        "addingReplicas": [],
        "leader": 1,
        "leaderEpoch": 5,
        "partitionEpoch": 7,
        "directories": [],
    }
    return record("PartitionRecord", 2, **{**fields, **changed})


def change(number: int = 0, topic_id: str = TOPIC_ID, **changed: Any) -> bytes:
    return record("PartitionChangeRecord", 2, partitionId=number, topicId=topic_id, **changed)


def broker(number: int = 1, epoch: int = 10, **changed: Any) -> bytes:
    fields = {
        "brokerId": number,
        "isMigratingZkBroker": False,
        "incarnationId": OTHER_ID,
        "brokerEpoch": epoch,
        "endPoints": [ENDPOINT],
        "features": [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 30}],
        "rack": None,
        "fenced": True,
        "inControlledShutdown": False,
    }
    return record("RegisterBrokerRecord", 4, **{**fields, **changed})


def config(name: str, value: str | None, kind: int = 2, resource: str = "orders") -> bytes:
    return record("ConfigRecord", resourceType=kind, resourceName=resource, name=name, value=value)


def credential(user: str = "bob", mechanism: int = 1) -> bytes:
    return record(
        "UserScramCredentialRecord",
        name=user,
        mechanism=mechanism,
        salt=SALT,
        storedKey=STORED_KEY,
        serverKey=SERVER_KEY,
        iterations=4096,
    )


def token(token_id: str = "a-token-id") -> bytes:
    return record(
        "DelegationTokenRecord",
        owner="User:alice",
        requester="User:bob",
        renewers=["User:carol"],
        issueTimestamp=1,
        maxTimestamp=3,
        expirationTimestamp=2,
        tokenId=token_id,
    )


def batch(offset: int, *values: bytes | None, epoch: int = 1, timestamp: int = 1000) -> bytes:
    """A batch of these records with one timestamp."""
    return _batch(offset, [(None, value) for value in values], epoch, timestamp, 0)


def control(offset: int, kind: int, value: bytes, *, epoch: int = 1, timestamp: int = 1000) -> bytes:
    """A control batch of one record."""
    return _batch(offset, [(struct.pack(">hh", 0, kind), value)], epoch, timestamp, CONTROL)


def leader_change(offset: int, leader: int, voters: Sequence[int] = (1, 2, 3), epoch: int = 1) -> bytes:
    ids = b"".join(struct.pack(">i", voter) + b"\0" for voter in voters)
    voted = uvarint(len(voters) + 1) + ids
    return control(offset, 2, struct.pack(">hi", 0, leader) + voted + voted + b"\0", epoch=epoch)


def snapshot(
    directory: Path, end_offset: int, epoch: int, *values: bytes, footer: bool = True, timestamp: int = 1
) -> Path:
    """A snapshot of these records."""
    header = control(0, 3, struct.pack(">hq", 0, timestamp) + b"\0")
    body = batch(1, *values) if values else b""
    end = control(1 + len(values), 4, struct.pack(">h", 0) + b"\0") if footer else b""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{end_offset:020d}-{epoch:010d}.checkpoint"
    path.write_bytes(header + body + end)
    return path


def log(directory: Path, *batches: bytes, base_offset: int = 0) -> Path:
    """A log file of these batches."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{base_offset:020d}.log"
    path.write_bytes(b"".join(batches))
    return path


def node(root: Path, node_id: int, *batches: bytes, cluster_id: str = "c", leader_epochs: str | None = None) -> Path:
    """Write a node's log directory with a metadata log of these batches; return the directory of the log."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "meta.properties").write_text(f"version=1\nnode.id={node_id}\ncluster.id={cluster_id}\n")
    directory = root / "__cluster_metadata-0"
    log(directory, *batches)
    if leader_epochs is not None:
        (directory / "leader-epoch-checkpoint").write_text(leader_epochs)
    return directory


def _batch(
    offset: int, records: Sequence[tuple[bytes | None, bytes | None]], epoch: int, timestamp: int, attributes: int
) -> bytes:
    body = b"".join(
        sized(b"\0" + varint(0) + varint(delta) + sized(key) + sized(value) + varint(0))
        for delta, (key, value) in enumerate(records)
    )
    last = len(records) - 1
    covered = struct.pack(">hiqqqhii", attributes, last, timestamp, timestamp, -1, -1, -1, len(records)) + body
    return struct.pack(">qiibI", offset, 9 + len(covered), epoch, 2, crc32c(covered)) + covered


def _fields(fields: Sequence[Field], version: int, data: Mapping[str, Any]) -> bytes:
    known = [field for field in fields if field.first_version <= version <= field.last_version]
    plain = b"".join(_value(field, version, data[field.name]) for field in known if field.tag is None)
    tagged = [
        (field.tag, _value(field, version, data[field.name]))
        for field in known
        if field.tag is not None and field.name in data
    ]
    tags = b"".join(uvarint(tag) + uvarint(len(value)) + value for tag, value in sorted(tagged))
    return plain + uvarint(len(tagged)) + tags


def _value(field: Field, version: int, value: Any) -> bytes:
    if field.is_array:
        if value is None:
            return uvarint(0)
        return uvarint(len(value) + 1) + b"".join(_one(field, version, each) for each in value)
    return _one(field, version, value)


def _one(field: Field, version: int, value: Any) -> bytes:
    from base64 import urlsafe_b64decode

    if field.type in _NUMBERS:
        return struct.pack(_NUMBERS[field.type], value)
    if field.type == "uuid":
        return urlsafe_b64decode(value + "==")
    if field.type == "struct":
        return _fields(field.fields, version, value)
    if value is None:
        return uvarint(0)
    data = value.encode() if isinstance(value, str) else value
    return uvarint(len(data) + 1) + data


def change_of_broker(**fields: Any) -> bytes:
    return record("BrokerRegistrationChangeRecord", 3, brokerId=1, brokerEpoch=10, **fields)
