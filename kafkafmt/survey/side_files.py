"""The files beside a log, compared with its batches: leader epochs, producer snapshots and transaction indexes.

Leader epochs also show which replicas have diverged.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.findings import FINDING, NOTE, Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir.epoch_check import EpochCheck, EpochDoubt, EpochRun, runs_of
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.replicas import Divergence, best
from kafkafmt.logdir.transaction_plan import TransactionPlanner
from kafkafmt.phrases import are, named
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.survey.advice import INDEX, SNAPSHOT
from kafkafmt.survey.segment_findings import MAX_FINDINGS

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.transaction_index import AbortedTransaction
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

# Bytes of a snapshot without producers: version, CRC and the number of producers.
_NO_PRODUCERS = 10


def diverged(directories: Iterable[Partition]) -> list[Finding]:
    """Find replicas whose leader epochs show that they diverged from the best replica of their partition.

    Args:
        directories: partition directories of any number of log directories; repeated ones are allowed. Unreadable files
            are findings of the partition's own survey.
    """
    found_apart: list[Divergence] = []
    groups: dict[tuple[str | None, int | None], list[Partition]] = defaultdict(list)
    for each in directories:
        groups[each.topic, each.partition].append(each)
    for group in groups.values():
        if len(group) > 1:
            found = {each.location.identity: Found(each) for each in group}
            with suppress(SourceError):
                best([*found.values()], lambda _: None, found_apart.append)
    return [each.finding for each in found_apart]


class EpochFindings:
    """Findings on leader epochs that cannot be right, at most `MAX_FINDINGS`.

    Args:
        partition: partition of the batches.
        check: check that compares their epochs.
        may_lag: whether the checkpoint may be older than the log, as in a copy of a running broker.
    """

    def __init__(self, partition: Partition, check: EpochCheck, *, may_lag: bool = True) -> None:
        self._partition = partition
        self._check = check
        self._may_lag = may_lag
        self._found: list[Finding] = []
        self._count = 0

    def see(self, path: str, header: "BatchHeader") -> None:
        """Observe the next batch of the log, in the file at `path`."""
        first = header.last_offset if header.base_offset is None else header.base_offset
        if header.error is None and first is not None and header.magic >= CURRENT_MAGIC:
            last = first if header.last_offset is None else header.last_offset
            run = EpochRun(header.partition_leader_epoch, first, last, header.position, header.size_in_bytes, path)
            self._add(self._check.see(run))

    def see_batches(self, path: str, batches: "Batches") -> None:
        """Observe the next batches of the log, all sound, in the file at `path`; the same as `see` for each batch."""
        for run in runs_of(batches, path):
            self._add(self._check.see(run))

    def end(self) -> list[Finding]:
        """All findings, after the last batch."""
        self._add(self._check.end())
        if self._count > len(self._found):
            more = f"{self._count - len(self._found)} more leader epochs that cannot be right"
            self._found.append(
                replace(self._found[-1], message=more, position=None, length=None, first_offset=None, last_offset=None)
            )
        return self._found

    def _add(self, doubts: Iterable[EpochDoubt]) -> None:
        for doubt in doubts:
            self._count += 1
            if self._count > MAX_FINDINGS:
                continue
            is_note = not doubt.is_fault or (doubt.is_ahead and self._may_lag)
            advice = "no CRC covers leader epochs: compare with leader-epoch-checkpoint and with a replica"
            if doubt.is_ahead:
                advice = "the checkpoint lost its end, or was copied earlier than the log"
            run = doubt.run
            self._found.append(
                Finding(
                    NOTE if is_note else FINDING,
                    "leader epoch",
                    run.file or self._partition.path,
                    str(doubt),
                    advice,
                    run.position,
                    run.size_in_bytes if run.batches == 1 else None,
                    self._partition.topic,
                    self._partition.partition,
                    run.first_offset,
                    run.last_offset,
                )
            )


def has_producers(listing: "Iterable[DirectoryEntry]") -> bool:
    """Whether a partition directory has a snapshot with producers or a transaction index with entries."""
    return any(
        entry.is_file
        and (
            (entry.name.endswith(".snapshot") and (entry.size or 0) > _NO_PRODUCERS)
            or (entry.name.endswith(".txnindex") and bool(entry.size))
        )
        for entry in listing
    )


def compare_producers(partitions: Iterable[Partition], limits: Limits | None = None) -> Iterator[Finding]:
    """Compare the producers in snapshots and transaction indexes with the batches of these logs.

    Args:
        partitions: live partitions for which `has_producers` is true.
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
        if finding.path.endswith(".log"):
            continue  # the survey of the segment reports offsets out of order
        producer = "" if finding.producer_id is None else f"producer {finding.producer_id}: "
        yield replace(finding, kind="snapshot", message=f"{producer}{finding.message}", advice=SNAPSHOT)
    for partition in partitions:
        yield from _compare_indexes(partition, limits)


def _compare_indexes(partition: Partition, limits: Limits | None) -> Iterator[Finding]:
    """Compare each transaction index entry with the markers of the log, and each abort marker with an entry."""
    segments = partition.segments
    plan = TransactionPlanner(segments, on_damage="skip", limits=limits or Limits()).plan()
    if plan.damage or plan.error is not None:
        return  # markers may be lost in the damage
    found = {(producer, last): first for producer, first, last in plan.transactions.aborted}
    try:
        start = partition.log_start_offset or 0
        # Below this offset the cleaner may have removed data of aborted transactions that the index still lists.
        cleaned = partition.cleaner_offset or 0
    except DataError:
        start = cleaned = 0  # the survey reports a broken checkpoint
    bases = [segment.base_offset or 0 for segment in segments]
    aborted: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for (producer, last), first in found.items():
        aborted[bisect_right(bases, last) - 1][producer, last] = first
    # Kafka recovers a segment without an offset index, and rewrites both indexes.
    indexed = {entry.name for entry in partition.listing if entry.name.endswith(".index")} if found else frozenset()
    for number, segment in enumerate(segments):
        end = bases[number + 1] if number + 1 < len(bases) else None
        try:
            index = segment.transaction_index
        except DataError:
            continue  # the survey of the segment reports it
        entries = index.entries if index is not None and index.file is not None else ()
        cut = {
            (each.producer_id, each.last_offset): each.first_offset
            for each in entries
            if 0 <= each.first_offset < cleaned
            and bases[number] <= each.last_offset
            and (end is None or each.last_offset < end)
        }
        has_index = f"{segment.name.removesuffix('.log')}.index" in indexed
        yield from _of_segment(partition, segment, entries, aborted[number] | cut, start, has_index=has_index)


def _of_segment(
    partition: Partition,
    segment: "Segment",
    entries: "Iterable[AbortedTransaction]",
    expected: dict[tuple[int, int], int],
    start: int,
    *,
    has_index: bool,
) -> Iterator[Finding]:
    path = segment.path.removesuffix(".log") + ".txnindex"

    def finding(message: str, number: int | None, first: int, last: int) -> Finding:
        return Finding(
            FINDING,
            "index",
            path,
            message,
            INDEX,
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
    lacking = {key: first for key, first in expected.items() if key not in found}
    if lacking and has_index:
        producers = sorted({producer for producer, _ in lacking})
        count = "an aborted transaction" if len(lacking) == 1 else f"{len(lacking)} aborted transactions"
        message = (
            f"{count} of {named('producer', producers, 3)} {are(len(lacking))} missing from the transaction index: "
            "read_committed consumers get aborted records"
        )
        found_now = finding(message, None, min(lacking.values()), max(last for _, last in lacking))
        yield replace(found_now, recovery_mends=True)
