"""The requests of the proof about topics and their logs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, zip_longest

from serve_proof.asking import UNKNOWN_ID, Json, Partition, Server, metadata_request
from serve_proof.questions import MISSING, Content, Question, needs, same

NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
LIMITS = (0, 1, 150, 1000, 1 << 20)
_SOME = 20
SPECIAL_TIMES = (-1, -2, -3, -4, -5, -6, -7, -100, -(2**63), 2**63 - 1)


def about_logs(content: Content) -> Iterator[Question]:
    """Requests about offsets, epochs, producers and records."""
    if content.ends:
        yield from _producers(content)
        yield from _about_offsets(content)
        yield from _fetches(content)
        yield from _about_epochs(content)


def about_topics(content: Content) -> Iterator[Question]:
    """Metadata requests, and requests for topics page by page."""
    for operations in (False, True):
        everything: list[tuple[str, list[Json] | None]] = [("all", None), ("none", [])]
        for name, topics in everything:
            yield Question("METADATA", 3, name, same(metadata_request(topics, operations=operations)), needs(1))
        named = [{"topicId": NO_ID, "name": name} for name in [*content.topics, MISSING, "not a name", ".", ""]]
        yield Question("METADATA", 3, "by name", same(metadata_request(named, operations=operations)))

        def by_id(server: Server, operations: bool = operations) -> Json:
            ids = [server.topic_ids.get(name, UNKNOWN_ID) for name in content.topics]
            topics = [{"topicId": each, "name": None} for each in [*ids, UNKNOWN_ID]]
            return metadata_request(topics, operations=operations)

        yield Question("METADATA", 3, "by id", by_id, needs(10))
    yield Question("METADATA", 3, "all", same(metadata_request([])), lambda version: version == 0)
    yield from _about_pages(content)


def _about_pages(content: Content) -> Iterator[Question]:
    names = [{"name": name} for name in [*content.topics, MISSING, "not a name"]]
    places = [*sorted(content.ends)[:6], (first_of(content.ends), 99), (first_of(content.ends), -1), ("zzz", 0)]
    cursors = [{"topicName": name, "partitionIndex": number} for name, number in places]
    wanted: list[list[Json]] = [[], names, names[::-1], names[-2:-1]]
    for topics in wanted:
        for limit in (2000, 3, 1, 0, -1):
            for cursor in (None, *cursors):
                body = {"topics": topics, "responsePartitionLimit": limit, "cursor": cursor}
                what = f"{len(topics)} topics, limit {limit}, cursor {cursor}"
                yield Question("DESCRIBE_TOPIC_PARTITIONS", 75, what, same(body))


def _about_offsets(content: Content) -> Iterator[Question]:
    def question(
        name: str, times: Mapping[Partition, int], isolation: int, ahead: int | None, replica: int
    ) -> Question:
        def make(server: Server) -> Json:
            topics: dict[str, list[Json]] = {}
            for (topic, number), time in times.items():
                epoch = content.leader_epoch(server, (topic, number), ahead)
                one = {"partitionIndex": number, "currentLeaderEpoch": epoch, "timestamp": time}
                topics.setdefault(topic, []).append(one)
            return {
                "replicaId": replica,
                "isolationLevel": isolation,
                "topics": [{"name": name, "partitions": each} for name, each in topics.items()],
                "timeoutMs": 1000,
            }

        return Question("LIST_OFFSETS", 2, name, make, needs(2 * isolation))

    places = [*content.ends, (first_of(content.ends), 99), (MISSING, 0)]
    for isolation in (0, 1):
        for time in SPECIAL_TIMES:
            for ahead in (None, 0, 1, -1):
                what = f"{time}, isolation {isolation}, epoch {ahead}"
                yield question(what, dict.fromkeys(places, time), isolation, ahead, -1)
        for times in _columns(content.times):
            yield replace(question(f"by time, isolation {isolation}", times, isolation, None, -1), few=True)
    yield question("of a debugging consumer", dict.fromkeys(places, -1), 0, None, -2)


def _about_epochs(content: Content) -> Iterator[Question]:
    def question(epoch: int, ahead: int | None, *, current: bool) -> Question:
        def make(server: Server) -> Json:
            topics = []
            for topic, numbers in [*content.topics.items(), (MISSING, [0])]:
                partitions = [
                    {
                        "partition": number,
                        "currentLeaderEpoch": content.leader_epoch(server, (topic, number), ahead),
                        "leaderEpoch": _epoch(content, server, (topic, number), epoch, current=current),
                    }
                    for number in [*numbers, 99]
                ]
                topics.append({"topic": topic, "partitions": partitions})
            return {"replicaId": -1, "topics": topics}

        what = f"{'current epoch and ' * current}{epoch}, epoch {ahead}"
        return Question("OFFSET_FOR_LEADER_EPOCH", 23, what, make)

    for ahead in (None, 0, 1, -1):
        for epoch in range(-1, max(content.epochs.values()) + 1):
            yield question(epoch, ahead, current=False)
        for after in (0, 1, 5):
            yield question(after, ahead, current=True)


def _epoch(content: Content, server: Server, key: Partition, epoch: int, *, current: bool) -> int:
    """A leader epoch that both servers know or that neither knows, or one relative to each server's current epoch."""
    return server.epoch(*key) + epoch if current else min(epoch, content.epochs.get(key, 0))


def _fetches(content: Content) -> Iterator[Question]:
    starts, ends = content.starts, content.ends
    for isolation in (0, 1):
        yield fetch("all from their starts", starts, isolation=isolation)
        for key, start in starts.items():  # a Fetch of all at once is not answered for every partition
            yield replace(fetch(f"{key} alone", {key: start}, isolation=isolation), few=True)
        yield fetch("all from their ends", ends, isolation=isolation)
        yield fetch("all with limits", starts, isolation=isolation, most=5000, most_each=300)
        yield fetch("all with a session", starts, isolation=isolation, session_epoch=0)
        yield fetch("before the starts", {key: start - 1 for key, start in starts.items()}, isolation=isolation)
        yield fetch("after the ends", {key: end + 1 for key, end in ends.items()}, isolation=isolation)
        for most in LIMITS:
            for most_each in LIMITS:
                yield fetch(f"limits {most} {most_each}", starts, isolation=isolation, most=most, most_each=most_each)
        for column in _columns(content.offsets):
            yield replace(fetch("by offset", column, isolation=isolation), few=True)
            yield replace(fetch("by offset with a limit", column, isolation=isolation, most_each=700), few=True)
    for ahead in (0, 1, -1):
        known = partial(content.leader_epoch, ahead=ahead)
        some = dict(islice(starts.items(), _SOME))
        yield fetch(f"current epoch {ahead}", some, known_epoch=known, oldest=9)
    newest = max(content.epochs.values())
    for epoch in range(-1, newest + 1):
        for name, offsets in (("starts", starts), ("ends", ends)):
            last = partial(_epoch, content, epoch=epoch, current=False)
            yield fetch(f"epoch {epoch} fetched last, {name}", offsets, last_epoch=last, oldest=12)
    for after in (0, 1):
        last = partial(_epoch, content, epoch=after, current=True)
        yield fetch(f"current epoch and {after} fetched last", starts, last_epoch=last, oldest=12)
        yield fetch(f"current epoch and {after} fetched last, ends", ends, last_epoch=last, oldest=12)
    for column in _columns({key: each[:6] for key, each in content.offsets.items()}):
        for epoch in range(newest + 1):
            last = partial(_epoch, content, epoch=epoch, current=False)
            yield replace(fetch(f"epoch {epoch} fetched last", column, last_epoch=last, oldest=12), few=True)
    unknown = {(MISSING, 0): 0, (first_of(ends), 99): 0, next(iter(ends)): 0}
    yield fetch("what is not there", unknown)
    yield fetch("a session that is not there", starts, session=123456, session_epoch=3, oldest=7)
    yield fetch("nothing", {})


def fetch(
    name: str,
    offsets: Mapping[Partition, int],
    *,
    isolation: int = 0,
    most: int = 50 << 20,
    most_each: int = 1 << 20,
    known_epoch: Callable[[Server, Partition], int] = lambda *_: -1,
    last_epoch: Callable[[Server, Partition], int] = lambda *_: -1,
    session: int = 0,
    session_epoch: int = -1,
    oldest: int = 4,
) -> Question:
    """A Fetch of partitions from the given offsets, without waiting."""

    def make(server: Server) -> Json:
        topics: dict[str, list[Json]] = {}
        for (topic, number), offset in offsets.items():
            topics.setdefault(topic, []).append(
                {
                    "partition": number,
                    "currentLeaderEpoch": known_epoch(server, (topic, number)),
                    "fetchOffset": offset,
                    "lastFetchedEpoch": last_epoch(server, (topic, number)),
                    "logStartOffset": -1,
                    "partitionMaxBytes": most_each,
                }
            )
        return {
            "replicaId": -1,
            "maxWaitMs": 0,
            "minBytes": 0,
            "maxBytes": most,
            "isolationLevel": isolation,
            "sessionId": session,
            "sessionEpoch": session_epoch,
            "topics": [
                {"topic": topic, "topicId": server.topic_ids.get(topic, UNKNOWN_ID), "partitions": partitions}
                for topic, partitions in topics.items()
            ],
            "forgottenTopicsData": [],
            "rackId": "",
        }

    return Question("FETCH", 1, f"{name}, isolation {isolation}", make, needs(oldest))


def _producers(content: Content) -> Iterator[Question]:
    topics = [
        {"name": name, "partitionIndexes": [*numbers, 99]}
        for name, numbers in [*content.topics.items(), (MISSING, [0])]
    ]
    yield Question("DESCRIBE_PRODUCERS", 61, "all", same({"topics": topics}))


def about_log_dirs(content: Content) -> Iterator[Question]:
    """Requests for the sizes of logs."""
    named = [{"topic": name, "partitions": [*numbers, 99]} for name, numbers in content.topics.items()]
    for what, topics in (
        ("all", None),
        ("none", []),
        ("some", named[:2]),
        ("unknown", [{"topic": MISSING, "partitions": [0]}]),
    ):
        yield Question("DESCRIBE_LOG_DIRS", 35, what, same({"topics": topics}))


def first_of(places: Mapping[Partition, int]) -> str:
    """The topic of the first partition."""
    return next(iter(places))[0]


def _columns(values: Mapping[Partition, Sequence[int]]) -> Iterator[dict[Partition, int]]:
    """The first values of all partitions, then the second ones, and so on: a request may name a partition only once."""
    for row in zip_longest(*values.values()):
        yield {key: value for key, value in zip(values, row, strict=True) if value is not None}
