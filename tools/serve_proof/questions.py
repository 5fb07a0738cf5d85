"""A request of the proof, and the content of a disk, on which all requests depend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serve_proof.asking import Json, Partition, Server

MISSING = "no-such-topic"


@dataclass(frozen=True)
class Question:
    """A request, in each version that both servers know.

    Attributes:
        api: as in Kafka's ApiKeys.
        id: of the API.
        name: what is asked, for people.
        make: makes the request for a server; a version leaves out the fields that it does not have.
        is_in: whether a version can have it.
        few: whether the oldest and the newest version are enough.
    """

    api: str
    id: int
    name: str
    make: Callable[[Server], Json]
    is_in: Callable[[int], bool] = lambda _: True
    few: bool = False

    def versions(self, oldest: int, newest: int, *, quick: bool) -> list[int]:
        """The versions to ask in, among those that both servers know; fewer in a quick run."""
        found = [version for version in range(oldest, newest + 1) if self.is_in(version)]
        return sorted({found[0], found[-1]}) if (self.few or quick) and found else found


@dataclass(frozen=True)
class Content:
    """The content of a disk, as far as questions depend on it.

    Attributes:
        starts, ends: log start and end offset of each partition.
        epochs: the last leader epoch that its files know; later ones are those of servers.
        led_first: partitions that kafkafmt leads in epoch 0, before which there is none.
        offsets: of some records of each partition.
        times: timestamps of some records of each partition.
        groups: ids.
        transactional_ids: all.
        producer_ids: some.
        has_metadata_log: whether the disk has one; a broker that starts makes one.
        users: with credentials, quotas or ACLs.
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
        """The content with only some of the topics."""

        def chosen(values: Mapping[Partition, Any]) -> dict[Partition, Any]:
            return {key: value for key, value in values.items() if wanted(key[0])}

        names = ("starts", "ends", "epochs", "offsets", "times")
        parts: dict[str, Any] = {name: chosen(getattr(self, name)) for name in names}
        return replace(self, **parts)

    def leader_epoch(self, server: Server, key: Partition, ahead: int | None) -> int:
        """The leader epoch that a client of a server knows: some after the current one; -1 for none."""
        is_before_all = ahead is not None and ahead < 0 and key in self.led_first
        return -1 if ahead is None or is_before_all else server.epoch(*key) + ahead

    @property
    def topics(self) -> dict[str, list[int]]:
        """The numbers of partitions by topic."""
        found: dict[str, list[int]] = {}
        for topic, number in sorted(self.ends):
            found.setdefault(topic, []).append(number)
        return found


def same(request: Json) -> Callable[[Server], Json]:
    """Make the same request for all servers."""
    return lambda _: request


def needs(oldest: int) -> Callable[[int], bool]:
    """Leave out the versions before one."""
    return lambda version: version >= oldest
