"""A request of the proof, and the content of a disk, on which all requests depend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serve_proof.asking import Json, Partition, Server

MISSING = "no-such-topic"


@dataclass(frozen=True)
class Question:
    """A request, in every version that both servers support.

    Attributes:
        api: name in Kafka's ApiKeys.
        id: id of the API.
        name: description for messages.
        make: makes the request for a server; a version leaves out the fields that it does not have.
        is_in: whether a version can express the request.
        few: whether the oldest and the newest version are enough.
    """

    api: str
    id: int
    name: str
    make: Callable[[Server], Json]
    is_in: Callable[[int], bool] = lambda _: True
    few: bool = False

    def versions(self, oldest: int, newest: int, *, quick: bool) -> list[int]:
        """The versions to send, among those that both servers support; fewer in a quick run."""
        found = [version for version in range(oldest, newest + 1) if self.is_in(version)]
        return sorted({found[0], found[-1]}) if (self.few or quick) and found else found


@dataclass(frozen=True)
class Content:
    """The content of a disk that the requests depend on.

    Attributes:
        starts, ends: log start and end offset of each partition.
        epochs: last leader epoch in the files of each partition; servers may have later ones.
        led_first: partitions that kafkafmt leads in epoch 0, the first one possible.
        offsets: offsets of some records of each partition.
        times: timestamps of some records of each partition.
        groups: ids of all groups.
        transactional_ids: all transactional ids.
        producer_ids: some producer ids.
        has_metadata_log: whether the disk has a metadata log; a broker makes one when it starts.
        users: names of users with credentials, quotas or ACLs.
    """

    starts: Mapping[Partition, int]
    ends: Mapping[Partition, int]
    epochs: Mapping[Partition, int]
    led_first: frozenset[Partition]
    offsets: Mapping[Partition, Sequence[int]]
    times: Mapping[Partition, Sequence[int]]
    groups: Sequence[str]
    transactional_ids: Sequence[str]
    producer_ids: Sequence[int]
    has_metadata_log: bool
    users: Sequence[str] = field(default=("alice", "till", "nobody"))

    def only(self, wanted: Callable[[str], bool]) -> "Content":
        """The content for only some of the topics."""

        def chosen(values: Mapping[Partition, Any]) -> dict[Partition, Any]:
            return {key: value for key, value in values.items() if wanted(key[0])}

        names = ("starts", "ends", "epochs", "offsets", "times")
        parts: dict[str, Any] = {name: chosen(getattr(self, name)) for name in names}
        return replace(self, **parts)

    def leader_epoch(self, server: Server, key: Partition, ahead: int | None) -> int:
        """The leader epoch that a client sends: the server's current one plus `ahead`; -1 for none."""
        is_before_all = ahead is not None and ahead < 0 and key in self.led_first
        return -1 if ahead is None or is_before_all else server.epoch(*key) + ahead

    @property
    def topics(self) -> dict[str, list[int]]:
        """Partition numbers by topic."""
        found: dict[str, list[int]] = {}
        for topic, number in sorted(self.ends):
            found.setdefault(topic, []).append(number)
        return found


def same(request: Json) -> Callable[[Server], Json]:
    """Make the same request for both servers."""
    return lambda _: request


def needs(oldest: int) -> Callable[[int], bool]:
    """Only versions from `oldest`."""
    return lambda version: version >= oldest
