"""Random groups for the assignors, and the lines that AssignmentJudge.java reads."""

import base64
import hashlib
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from random import Random

from kafkafmt.topics.assignment import COORDINATOR_ASSIGNORS, PROTOCOLS, Assignment, Subscriber, TopicPartition

_RACKS = ("east", "west", "north")
_WORDS = ("orders", "clicks", "audit.log", "payments", "users", "events", "metrics", "a", "b-1", "0", "__x", "trace")
_DASH = "-"

COORDINATOR = "coordinator-"
ASSIGNORS = (*PROTOCOLS, *(f"{COORDINATOR}{name}" for name in COORDINATOR_ASSIGNORS))


@dataclass(frozen=True)
class Question:
    """A group and the partitions to assign, as arguments of `kafkafmt.topics.assignment.assign`.

    For assignors of Kafka's coordinator, `protocol` is `COORDINATOR` and the assignor's name.
    """

    protocol: str
    partitions: dict[str, int]
    racks: dict[TopicPartition, list[str]]
    members: list[Subscriber]

    @property
    def topic_ids(self) -> dict[str, str]:
        """Topic ids, made from the names as TargetAssignment.java makes them."""
        digests = {topic: hashlib.md5(topic.encode()).digest() for topic in self.partitions}
        return {topic: base64.urlsafe_b64encode(digest).decode().rstrip("=") for topic, digest in digests.items()}

    def line(self) -> str:
        """The group as a line for AssignmentJudge.java."""
        fields: list[object] = [self.protocol, len(self.partitions)]
        for topic, count in self.partitions.items():
            fields += [topic, count]
            fields += [",".join(self.racks.get((topic, partition), [])) for partition in range(count)]
        fields.append(len(self.members))
        for member in self.members:
            generation = -1 if member.generation is None else member.generation
            fields += [member.member_id, member.group_instance_id or _DASH, member.rack or _DASH, generation]
            fields += [len(member.topics), *member.topics, len(member.owned_partitions)]
            fields += [field for partition in member.owned_partitions for field in partition]
            fields.append(_DASH if (data := _base64(member.user_data)) is None else data)
        return "\t".join(map(str, fields))

    def as_json(self) -> dict[str, object]:
        """The group for the tests, with the names of the arguments."""
        return {
            "protocol": self.protocol,
            "partitions": self.partitions,
            "racks": [[topic, partition, racks] for (topic, partition), racks in self.racks.items()],
            "members": [asdict(member) | {"user_data": _base64(member.user_data)} for member in self.members],
            "topic_ids": self.topic_ids,
        }


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def answer_of(line: str) -> Assignment | None:
    """Read an answer of AssignmentJudge.java; None where the assignor failed."""
    if line.startswith("!"):
        return None
    fields = iter(line.split("\t"))
    return {member_id: [(next(fields), int(next(fields))) for _ in range(int(next(fields)))] for member_id in fields}


def questions(seed: int, count: int, most_members: int = 20, most_partitions: int = 20) -> Iterator[Question]:
    """Make random groups, equally many for each protocol; some with equal subscriptions, racks, static ids, a past."""
    random = Random(seed)
    for number in range(count):
        protocol = ASSIGNORS[number % len(ASSIGNORS)]
        topics = random.sample(_WORDS, random.randint(1, 10))
        same_count = random.randint(1, most_partitions)
        partitions = {
            topic: same_count if random.random() < 0.3 else random.randint(0, most_partitions) for topic in topics
        }
        racks = _racks(random, partitions)
        size = random.randint(1, most_members)
        subscriptions = _subscriptions(random, topics, size)
        past = _past(random, partitions, subscriptions, may_dispute=protocol in PROTOCOLS)
        latest = random.randint(0, 50)
        with_racks, with_static_ids = random.random() < 0.5, random.random() < 0.3
        members = []
        for index, (subscribed, owned) in enumerate(zip(subscriptions, past, strict=True)):
            name = random.choice(("consumer-{}", "ünï-{}", "c{}", "\U0001f600{}", "\uff61{}")) if size < 6 else "c{}"
            generation = random.choice((latest, latest, latest, latest, -1, latest - 1, latest + 1))
            members.append(
                Subscriber(
                    f"{name.format(index)}-{random.getrandbits(64):016x}",
                    subscribed,
                    f"i{random.randrange(100)}-{index}" if with_static_ids and random.random() < 0.7 else None,
                    random.choice(_RACKS[: random.randint(1, 3)]) if with_racks and random.random() < 0.9 else None,
                    owned if protocol != "sticky" else (),
                    generation,
                    _user_data(random, protocol, owned, latest),
                )
            )
        yield Question(protocol, partitions, racks, members)


def _racks(random: Random, partitions: dict[str, int]) -> dict[TopicPartition, list[str]]:
    if random.random() < 0.4:
        return {}
    replicas, racks = random.randint(1, 3), random.choice((_RACKS, _RACKS[:2], ("south",)))
    everywhere = random.random() < 0.1
    by_number: dict[int, list[str]] = {}
    found = {}
    for topic, count in partitions.items():
        for partition in range(count):
            chosen = sorted(racks) if everywhere else random.sample(racks, min(replicas, len(racks)))
            found[topic, partition] = by_number.setdefault(partition, chosen) if random.random() < 0.7 else chosen
    return found


def _subscriptions(random: Random, topics: list[str], size: int) -> list[list[str]]:
    kind = random.random()
    if kind < 0.45:
        subscribed = random.sample(topics, random.randint(1, len(topics)))
        return [random.sample(subscribed, len(subscribed)) for _ in range(size)]
    if kind < 0.55:
        topics = [*topics, "not-there"]
    subscriptions = [random.sample(topics, random.randint(0, len(topics))) for _ in range(size)]
    if kind > 0.98:
        subscriptions[0] += subscriptions[0][:1]
    return subscriptions


def _past(
    random: Random, partitions: dict[str, int], subscriptions: list[list[str]], *, may_dispute: bool
) -> list[list[TopicPartition]]:
    """The partitions each member owned: none, or a sound, lopsided or disputed assignment, or deleted partitions."""
    past: list[list[TopicPartition]] = [[] for _ in subscriptions]
    kind = random.choice(("none", "sound", "sound", "lopsided", "lopsided", "disputed", "odd"))
    if kind == "none":
        return past
    few = range(min(len(past), random.randint(1, 3))) if kind == "lopsided" else range(len(past))
    for topic, count in partitions.items():
        for partition in range(count + (random.randint(0, 1) if kind == "odd" else 0)):
            if random.random() < 0.1:
                continue
            holders = [index for index in few if topic in subscriptions[index]]
            if not holders or (kind == "odd" and random.random() < 0.3):
                holders = list(few)
            for _ in range(2 if kind == "disputed" and may_dispute and random.random() < 0.2 else 1):
                past[random.choice(holders)].append((topic, partition))
    for owned in past:
        random.shuffle(owned)
    return past


def _user_data(random: Random, protocol: str, owned: list[TopicPartition], latest: int) -> bytes | None:
    """The user data that an assignor adds to a subscription; sometimes broken."""
    if protocol not in {"sticky", "cooperative-sticky"} or random.random() < 0.05:
        return None
    generation = random.choice((latest, latest, latest, latest, -1, latest - 1))
    if protocol == "cooperative-sticky":
        data = struct.pack(">i", generation)
    else:
        by_topic: dict[str, list[int]] = {}
        for topic, partition in owned:
            by_topic.setdefault(topic, []).append(partition)
        data = struct.pack(">i", len(by_topic))
        for topic, numbers in by_topic.items():
            data += struct.pack(f">h{len(topic)}si{len(numbers)}i", len(topic), topic.encode(), len(numbers), *numbers)
        if random.random() < 0.8:
            data += struct.pack(">i", generation)
    return data[: random.randrange(len(data))] if random.random() < 0.03 else data
