"""Repeated content: records of a partition with the key and value of an earlier one, of about the same time.

A producer without idempotence writes a batch again if the answer is lost, and an application that sends a message again
gives it a new sequence number: nothing but the records themselves shows that.
"""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt import columns as record_columns
from kafkafmt.logdir.producer_runs import DATA
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.stream import Scan
from kafkafmt.topics.internal_log import slices, values_of
from kafkafmt.topics.producer_state.sequences import SequencedBatch

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.sources import Found
    from kafkafmt.topics.producer_state.choice import PartitionChoice

REMEMBERED_RECORDS: Final = 500_000
"""Records of a partition that a later one is compared with at least; at most twice as many are kept, in 260 MB."""

_DIGEST: Final = 16
_SCHEMA = record_columns.select(("offset", "timestamp", "key", "value", "producerId", "producerEpoch", "sequence"))


class RepeatedRecord(NamedTuple):
    """A record whose key and value an earlier one has.

    Attributes:
        batch: the record, as a batch of its own.
        earlier: offset of the earlier record.
    """

    batch: SequencedBatch
    earlier: int


class SeenRecords:
    """Remembers the records of a partition by their keys and values, the last ones of them.

    Args:
        window: how far apart timestamps of equal records may be, in ms.
        most: how many records are remembered at least.
    """

    def __init__(self, window: int, most: int = REMEMBERED_RECORDS) -> None:
        self._window = window
        self._most = max(most, 1)
        self._newer: dict[bytes, tuple[int, int]] = {}
        self._older: dict[bytes, tuple[int, int]] = {}

    def see(self, offset: int, timestamp: int, key: bytes | None, value: bytes | None) -> int | None:
        """Add the next record.

        Returns:
            The offset of the last equal record before it, if that is within the window.
        """
        start = b"\0" if key is None else b"\1" + len(key).to_bytes(4) + key
        digest = blake2b(start + (b"\0" if value is None else b"\1" + value), digest_size=_DIGEST).digest()
        earlier = self._newer.get(digest) or self._older.get(digest)
        if len(self._newer) >= self._most:
            self._older, self._newer = self._newer, {}
        self._newer[digest] = timestamp, offset
        return earlier[1] if earlier is not None and abs(timestamp - earlier[0]) <= self._window else None


def repeated_records(
    found: "Found", window: int, end: int | None, choice: "PartitionChoice", damage: "list[Damage]"
) -> Iterator[RepeatedRecord]:
    """Find the records of a partition that repeat an earlier one, as a read_committed consumer sees them.

    Args:
        found: the partition directory, or a file of it.
        window: as for `SeenRecords`.
        end: end offset (exclusive); None for the log end.
        choice: how it is read.
        damage: takes what is skipped.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`.
        SourceError: a file cannot be read.
    """
    wanted = Selection(end_offset=end, isolation_level="read_committed")
    on_damage, limits = choice.on_damage, choice.limits
    scan = Scan(
        _found=[found],
        _selection=wanted,
        schema=_SCHEMA,
        _replica="all",
        _on_damage=on_damage,
        _verify_checksums=True,
        _limits=limits,
        _engine="columnar",
        _threads=1,
        _sources=choice.searched,
    )
    seen = SeenRecords(window)
    try:
        with scan.to_reader() as reader:
            for part in chain.from_iterable(map(slices, reader)):
                rows = zip(*map(values_of, part.columns), strict=False)
                for offset, timestamp, key, value, producer_id, epoch, sequence in rows:
                    earlier = seen.see(offset, timestamp, key, value)
                    if earlier is not None:
                        place = (offset, offset, sequence, sequence, timestamp, timestamp, 0, DATA)
                        yield RepeatedRecord(SequencedBatch(producer_id, epoch, *place), earlier)
    finally:
        damage += scan.damage
