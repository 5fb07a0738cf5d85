"""Producer snapshots and transaction indexes, compared with the batches of their log."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.limits import Limits
from kafkafmt.logdir.transactions import TransactionPlanner
from kafkafmt.survey.facts import FINDING, Finding

if TYPE_CHECKING:
    from kafkafmt.files.transaction_index import AbortedTransaction
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment

# Version, CRC and number of producers: a snapshot without any.
_NO_PRODUCERS = 10
_INDEX_ADVICE = "delete the .index beside it while the broker is stopped: Kafka then makes both anew"
_SNAPSHOT_ADVICE = "delete the snapshot while the broker is stopped: Kafka reads the log instead"


def has_producers(listing: "Iterable[DirectoryEntry]") -> bool:
    """Whether a partition directory has a snapshot with producers, or a transaction index with entries."""
    return any(
        entry.is_file
        and (
            (entry.name.endswith(".snapshot") and (entry.size or 0) > _NO_PRODUCERS)
            or (entry.name.endswith(".txnindex") and bool(entry.size))
        )
        for entry in listing
    )


def compare(partitions: "Iterable[Partition]", limits: Limits | None = None) -> Iterator[Finding]:
    """Compare what files say of producers with the batches of these logs.

    Args:
        partitions: live ones, those for which `has_producers` is true.
        limits: bounds of a decode.

    Raises:
        SourceError: a file cannot be read.
    """
    from kafkafmt.topics.producer_state import producers  # noqa: PLC0415 - few disks need it

    partitions = list(partitions)
    if not partitions:
        return
    answer = producers(partitions, replica="all", on_damage="skip", limits=limits)
    for finding in answer.findings:
        producer = "" if finding.producer_id is None else f"producer {finding.producer_id}: "
        yield Finding(
            FINDING,
            "snapshot",
            finding.file,
            f"{producer}{finding.message}",
            _SNAPSHOT_ADVICE,
            topic=finding.topic,
            partition=finding.partition,
        )
    for partition in partitions:
        yield from _compare_indexes(partition, limits)


def _compare_indexes(partition: "Partition", limits: Limits | None) -> Iterator[Finding]:
    """Hold each entry of the transaction indexes to the markers of the log, and each abort to an entry."""
    segments = partition.segments
    plan = TransactionPlanner(segments, on_damage="skip", limits=limits or Limits()).plan()
    if plan.damage or plan.error is not None:
        return  # markers may be lost with it
    found = {(producer, last): first for producer, first, last in plan.transactions.aborted}
    try:
        start = partition.log_start_offset or 0
        # Below it the cleaner may have taken the data of aborted transactions, which its index still names.
        cleaned = partition.cleaner_offset or 0
    except DataError:
        start = cleaned = 0  # of a broken checkpoint the survey tells
    bases = [segment.base_offset or 0 for segment in segments]
    for number, segment in enumerate(segments):
        end = bases[number + 1] if number + 1 < len(bases) else None
        try:
            index = segment.transaction_index
        except DataError:
            continue  # the survey of the segment tells of it
        entries = index.entries if index is not None and index.file is not None else ()
        cut = {
            (each.producer_id, each.last_offset): each.first_offset
            for each in entries
            if 0 <= each.first_offset < cleaned
        }
        aborted = found | cut
        expected = {
            key: first for key, first in aborted.items() if bases[number] <= key[1] and (end is None or key[1] < end)
        }
        yield from _of_segment(partition, segment, entries, expected, start)


def _of_segment(
    partition: "Partition",
    segment: "Segment",
    entries: "Iterable[AbortedTransaction]",
    expected: dict[tuple[int, int], int],
    start: int,
) -> Iterator[Finding]:
    path = segment.path.removesuffix(".log") + ".txnindex"

    def finding(message: str, number: int | None, first: int, last: int) -> Finding:
        return Finding(
            FINDING,
            "index",
            path,
            message,
            _INDEX_ADVICE,
            None if number is None else number * LAYOUTS["txnindex"].size,
            topic=partition.topic,
            partition=partition.partition,
            first_offset=first,
            last_offset=last,
        )

    found = set()
    for number, entry in enumerate(entries):
        key = (entry.producer_id, entry.last_offset)
        found.add(key)
        first = expected.get(key)
        if first is None and not 0 <= entry.first_offset < start:
            message = f"the log has no such aborted transaction of producer {entry.producer_id}"
            yield finding(message, number, entry.first_offset, entry.last_offset)
        elif first is not None and first != entry.first_offset and not 0 <= entry.first_offset < start:
            message = f"the aborted transaction of producer {entry.producer_id} begins at offset {first} in the log"
            yield finding(message, number, entry.first_offset, entry.last_offset)
        elif not 0 <= entry.last_stable_offset <= entry.last_offset + 1:
            message = f"the last stable offset {entry.last_stable_offset} is beyond the marker of the transaction"
            yield finding(message, number, entry.first_offset, entry.last_offset)
    for (producer, last), first in expected.items():
        if (producer, last) not in found:
            message = f"the transaction index lacks an aborted transaction of producer {producer}"
            yield finding(message, None, first, last)
