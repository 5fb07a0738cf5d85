"""Compares the answers of two servers field by field, and knows the intended differences."""

import base64
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from serve_proof.asking import Answer, Partition, Server
from serve_proof.questions import Question

Path = tuple[str, ...]
Facts = dict[Path, object]

# The keys that identify list elements, by the name of the list; elements of other lists are numbered.
_IDENTITY = {
    "abortedTransactions": ("producerId", "firstOffset"),
    "acls": ("principal", "host", "operation", "permissionType"),
    "activeProducers": ("producerId",),
    "apiKeys": ("apiKey",),
    "brokers": ("nodeId", "brokerId"),
    "configResources": ("resourceType", "resourceName"),
    "configs": ("name",),
    "coordinators": ("key",),
    "credentialInfos": ("mechanism",),
    "currentVoters": ("replicaId",),
    "entity": ("entityType",),
    "entries": ("entity",),
    "finalizedFeatures": ("name",),
    "groups": ("groupId",),
    "listeners": ("name",),
    "members": ("memberId",),
    "nodeEndpoints": ("nodeId",),
    "nodes": ("nodeId",),
    "observers": ("replicaId",),
    "partitions": ("partitionIndex", "partition"),
    "resources": ("resourceType", "resourceName", "patternType"),
    "responses": ("topic", "topicId"),
    "results": ("resourceType", "resourceName", "logDir", "user"),
    "supportedFeatures": ("name",),
    "topicPartitions": ("topicName", "topicId"),
    "topics": ("name", "topic", "topicName", "topicId"),
    "transactionStates": ("transactionalId",),
    "values": ("key",),
}
_NUMBERED = ("synonyms", "elements", "assignments")
_ANY_ORDER = {"partitions", "subscribedTopicNames"}
_NOT_ASKED = -(2**31)
NOT_THERE = "(not there)"
_ELEMENT = "(is there)"
_STABLE = "lastStableOffset"
_STATIC = 4  # ConfigSource.STATIC_BROKER_CONFIG
_IN_A_FILE = "a broker has configs from server.properties, which is not on its disk"
_CLOSED = "a broker closes the connection; kafkafmt answers with an error"
_LATE = "kafkafmt answers a Fetch of many partitions after 0.1 s, without the records of the last ones"
_SIZE_AT = 8  # in a batch, after its base offset
_OVERHEAD = 12  # base offset and length
_MAGIC_AT = 16
_LAST_AT = 23  # lastOffsetDelta


@dataclass(frozen=True)
class Difference:
    """A field that differs between two answers.

    Attributes:
        question: the request.
        version: version of the request.
        path: path of the field.
        theirs, ours: values of the broker and of kafkafmt, or `NOT_THERE`.
    """

    question: Question
    version: int
    path: Path
    theirs: object
    ours: object

    @property
    def field(self) -> str:
        """The path as one string."""
        return "/".join(self.path)

    @property
    def kind(self) -> str:
        """The path without the keys of list elements."""
        lists = {*_IDENTITY, *_NUMBERED}
        kept = [each for each, before in zip(self.path, ("", *self.path), strict=False) if before not in lists]
        return f"{self.question.api} {'/'.join(kept)}"

    @property
    def partition(self) -> Partition | None:
        """The topic, by name or id, and the partition of the field."""
        names = dict(zip(self.path, self.path[1:], strict=False))
        topic = names.get("topics", names.get("responses", "")).split(" ")[0]
        return (topic, int(names["partitions"])) if topic and names.get("partitions", "").isdigit() else None


@dataclass(frozen=True)
class Meant:
    """Fields with an intended difference.

    Attributes:
        api: regular expression for the name in Kafka's ApiKeys.
        fields: regular expression for the whole path.
        reason: why the fields differ.
        holds: condition that such a difference must still meet.
    """

    api: str
    fields: str
    reason: str
    holds: Callable[[Difference, Server, Server], bool] = lambda *_: True

    def covers(self, difference: Difference, broker: Server, ours: Server) -> bool:
        """Whether a difference is one of these intended ones."""
        return (
            re.fullmatch(self.api, difference.question.api) is not None
            and re.fullmatch(self.fields, difference.field) is not None
            and self.holds(difference, broker, ours)
        )


def _current(difference: Difference, server: Server) -> int | None:
    """The leader epoch of the field's partition in a server's Metadata."""
    if difference.partition is None:
        return None
    topic, number = difference.partition
    names = {each: name for name, each in server.topic_ids.items()}
    return server.epochs.get((names.get(topic, topic), number))


def _both_current(difference: Difference, broker: Server, ours: Server) -> bool:
    """Whether each gives its own current leader epoch: the broker began a new one when it started."""
    current = _current(difference, broker), _current(difference, ours)
    return None not in current and (difference.theirs, difference.ours) == current


def _is_capped(difference: Difference, _: Server, ours: Server) -> bool:
    """Whether kafkafmt gives its current leader epoch, and the broker the later one of the record."""
    return difference.ours == _current(difference, ours) and _number(difference.theirs) > _number(difference.ours)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_part(difference: Difference, *_: Server) -> bool:
    theirs, ours = difference.theirs, difference.ours
    return isinstance(theirs, int) and isinstance(ours, int) and (ours == _NOT_ASKED or theirs | ours == theirs > 0)


MEANT: tuple[Meant, ...] = (
    Meant(".*", "(.*/)?throttleTimeMs", "throttle times"),
    Meant(".*", "(.*/)?port", "addresses"),
    Meant("FETCH", "sessionId", "kafkafmt keeps no fetch sessions"),
    Meant(
        "FETCH",
        ".*/part of a batch",
        "a broker cuts the last batch at a limit; kafkafmt sends whole ones",
        lambda difference, *_: difference.ours == 0,
    ),
    Meant(
        "FETCH",
        ".*/aborted transactions after them",
        "a broker names aborted transactions after the records of an answer, as its index is sparse",
        lambda difference, *_: difference.ours == 0,
    ),
    Meant(
        "METADATA|DESCRIBE_TOPIC_PARTITIONS",
        "topics/.*|nextCursor.*",
        "kafkafmt has the topics of its disks, a broker those of the whole cluster",
        lambda difference, broker, ours: (
            not broker.topic_ids.keys() <= ours.topic_ids.keys()
            and (difference.ours == NOT_THERE or difference.question.name.startswith("0 topics"))
        ),
    ),
    Meant(
        "LIST_OFFSETS",
        "topics/.*/(offset|timestamp|leaderEpoch)",
        "a broker gives up on some times for which a compacted log has a later record; kafkafmt finds it",
        lambda difference, *_: difference.theirs == -1 and re.search("co?mp", str(difference.partition)) is not None,
    ),
    Meant(
        "LIST_OFFSETS",
        "topics/(m[01]|mixed|upgrade|converted|retention-crafted|producers-gaps)-.*/(offset|timestamp|leaderEpoch)",
        "without a whole time index a broker takes the times of files for those of records; kafkafmt reads the records",
        lambda difference, *_: difference.question.name.startswith(("by time", "-3")),
    ),
    Meant(
        "LIST_OFFSETS|OFFSET_FETCH",
        "(groups/.*/)?topics/.*/(leaderEpoch|committedLeaderEpoch)",
        "a broker names leader epochs of records and commits above that in its Metadata: consumers wait for them",
        _is_capped,
    ),
    Meant(
        "DESCRIBE_PRODUCERS",
        "topics/.*/activeProducers/[0-9]*",
        "a broker forgets producers that were idle for longer than producer.id.expiration.ms can say, 24 days",
        lambda difference, *_: difference.theirs == NOT_THERE,
    ),
    Meant(
        "DESCRIBE_CLUSTER|LIST_CONFIG_RESOURCES",
        "brokers/.*|configResources/[248] .*",
        "kafkafmt is the only node of its cluster, with the topics of its disks",
        lambda difference, *_: difference.ours == NOT_THERE,
    ),
    Meant(
        "DESCRIBE_ACLS",
        "errorCode|errorMessage",
        "server.properties says whether a broker has an authorizer; kafkafmt has one where there is an ACL",
        lambda difference, *_: difference.ours in (54, "No Authorizer is configured on the broker"),
    ),
    Meant(
        "DESCRIBE_CONFIGS",
        "results/4 [0-9]*/configs/.*",
        "kafkafmt names the configs of a node that the metadata log has, a broker all of its process",
        lambda difference, *_: difference.ours == NOT_THERE,
    ),
    Meant("DESCRIBE_CONFIGS", "results/8 .*/configs/.*", "only a process has loggers"),
    Meant(
        "LIST_GROUPS",
        "groups/grp",
        "Kafka 0.9 deleted this group and not its offsets: a broker does not list it, kafkafmt does",
        lambda difference, *_: difference.theirs == NOT_THERE,
    ),
    Meant(
        "CONSUMER_GROUP_DESCRIBE",
        "groups/.*/(errorCode|errorMessage)",
        "a cluster older than the consumer protocol refuses it; kafkafmt supports it anyway",
        lambda difference, *_: difference.theirs in (None, 35),
    ),
    Meant("DESCRIBE_LOG_DIRS", "results/.*/(usable|total)Bytes", "free space of the file system changes"),
    Meant(
        "DESCRIBE_LOG_DIRS",
        ".*/partitionSize",
        "a broker that recovers cuts what follows the last sound batch",
        lambda difference, *_: _number(difference.theirs) < _number(difference.ours),
    ),
    Meant("DESCRIBE_QUORUM", "nodes/.*", "a controller tells its listeners when it starts"),
    Meant(
        "DESCRIBE_QUORUM",
        ".*/(leaderEpoch|highWatermark|logEndOffset|lastFetchTimestamp|lastCaughtUpTimestamp)",
        "a starting broker appends to the metadata log",
        lambda difference, *_: _number(difference.theirs) > _number(difference.ours) > 0,
    ),
    Meant(
        ".*",
        "(.*/)?([a-z]+A|a)uthorizedOperations",
        "no client may write, so kafkafmt names fewer operations",
        _is_part,
    ),
    Meant(
        ".*",
        ".*/([cC]urrent)?[lL]eaderEpoch",
        "current leader epochs: a broker begins one when it starts",
        _both_current,
    ),
)


@dataclass
class Tally:
    """Counts of the comparison.

    Attributes:
        requests: requests sent to both servers, by API.
        versions: versions of these requests, by API.
        fields: compared fields, by API.
        unexpected: differences that are not intended.
        meant: number of fields with an intended difference, by reason.
    """

    requests: Counter[str] = field(default_factory=Counter)
    versions: dict[str, set[int]] = field(default_factory=dict)
    fields: Counter[str] = field(default_factory=Counter)
    unexpected: list[Difference] = field(default_factory=list)
    meant: Counter[str] = field(default_factory=Counter)

    def add(
        self, question: Question, version: int, theirs: Answer, ours: Answer, broker: Server, server: Server
    ) -> None:
        """Compare the answers to one question in one version."""
        self.requests[question.api] += 1
        self.versions.setdefault(question.api, set()).add(version)
        if theirs.content is None and ours.content is not None and ours.content.get("errorCode"):
            self.meant[_CLOSED] += 1
            return
        official, found = facts(theirs, broker), facts(ours, server)
        late = {path[:-1] for path, value in found.items() if path[-1] == _STABLE and value == -1} - {
            path[:-1] for path, value in found.items() if path[-1] == "errorCode" and value
        }
        self.meant[_LATE] += len(late)
        static = {path[:-1] for path, value in official.items() if path[-1] == "configSource" and value == _STATIC}
        self.meant[_IN_A_FILE] += len(static)
        apart = late | static
        names = {
            name
            for name in official.keys() | found.keys()
            if not any(name[:length] in apart for length in range(1, len(name)))
        }
        self.fields[question.api] += len(names)
        absent = {name for name in names if (name in official) != (name in found)}
        for name in names:
            value, own = official.get(name, NOT_THERE), found.get(name, NOT_THERE)
            if value != own and not any(name[:length] in absent for length in range(len(name))):
                difference = Difference(question, version, name, value, own)
                reason = next((each.reason for each in MEANT if each.covers(difference, broker, server)), None)
                if reason is None:
                    self.unexpected.append(difference)
                else:
                    self.meant[reason] += 1


def facts(answer: Answer, server: Server) -> Facts:
    """All single fields of an answer, by paths that are independent of the order of named elements."""
    if answer.content is None:
        return {("no answer",): answer.error}
    return {**dict(_facts((), "", answer.content, server)), ("isCanonical",): answer.is_canonical}


def _facts(path: Path, name: str, value: object, server: Server) -> Iterator[tuple[Path, object]]:
    if isinstance(value, Mapping):
        if "highWatermark" in value:
            value = {**value, **_records(value)}
        if "synonyms" in value:
            value = {**value, "synonyms": [each for each in value["synonyms"] if each["source"] != _STATIC]}
        for key, each in value.items():
            if key != "recordsSizeInBytes":
                yield from _facts((*path, key), key, each, server)
    elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value) and (value or name in _IDENTITY):
        yield path, "(a list)"
        taken: Counter[str] = Counter()
        for number, each in enumerate(value):
            fields = [field for field in _IDENTITY.get(name, ()) if field in each]
            key = (
                " ".join(str(each[field]) for field in fields).replace(server.home, "HOME") if fields else f"[{number}]"
            )
            taken[key] += 1
            if taken[key] > 1 and name != "responses":  # a Fetch answer may repeat a topic with other partitions
                key += f"#{taken[key]}"
            yield (*path, key), _ELEMENT
            yield from _facts((*path, key), "", each, server)
    elif isinstance(value, list):
        yield path, sorted(map(str, value)) if name in _ANY_ORDER else value
    elif isinstance(value, str):
        yield path, value.replace(server.home, "HOME")
    else:
        yield path, value


def _records(partition: Mapping[str, Any]) -> Mapping[str, Any]:
    """The whole batches of a Fetch answer with offsets, sizes and checksums, and the size of the incomplete last batch.

    Also the aborted transactions that begin within these batches; later ones have no effect on a consumer.
    """
    encoded = partition.get("records")
    content = base64.b64decode(encoded) if encoded is not None else b""
    batches, position, last = [], 0, -1
    while position + _OVERHEAD <= len(content):
        size = _OVERHEAD + int.from_bytes(content[position + _SIZE_AT : position + _OVERHEAD], "big")
        batch = content[position : position + size]
        if len(batch) < size:
            break
        base = int.from_bytes(batch[:_SIZE_AT], "big")
        last = base + (int.from_bytes(batch[_LAST_AT : _LAST_AT + 4], "big") if batch[_MAGIC_AT] == 2 else 0)
        batches.append(f"{base} ({size} bytes, {zlib.crc32(batch):08x})")
        position += size
    found: dict[str, Any] = {
        "records": "null" if encoded is None else batches,
        "part of a batch": len(content) - position,
    }
    aborted = partition.get("abortedTransactions")
    if aborted is not None:
        within = [each for each in aborted if each["firstOffset"] <= last]
        found |= {"abortedTransactions": within, "aborted transactions after them": len(aborted) - len(within)}
    return found
