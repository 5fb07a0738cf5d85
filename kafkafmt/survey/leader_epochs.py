"""What is wrong with leader epochs: batches whose epoch nothing confirms, and replicas that diverged."""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.logdir.leader_epochs import EpochCheck, EpochDoubt, EpochRun, runs_of
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.replicas import Divergence, best
from kafkafmt.logdir.sources import Found
from kafkafmt.survey.facts import FINDING, NOTE, Finding
from kafkafmt.survey.segments import MAX_FINDINGS

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.reference.header import BatchHeader


def diverged(directories: Iterable[Partition]) -> list[Finding]:
    """Find replicas whose leader epochs show that they diverged from the best replica of their partition.

    Args:
        directories: partition directories of any number of log directories, also repeated. Files that cannot be read
            are findings of the partition's own survey.
    """
    found = {each.location.identity: Found(each) for each in directories}
    findings: list[Finding] = []

    def add(divergence: Divergence) -> None:
        other = divergence.other
        advice = (
            f"the replicas hold different records from offset {divergence.offset} on, and Kafka would cut one of them"
            " there: compare both before you delete or start either"
        )
        path, message = other.path, str(divergence)
        findings.append(
            Finding(
                FINDING,
                "diverged",
                path,
                message,
                advice,
                topic=other.topic,
                partition=other.partition,
                first_offset=divergence.offset,
            )
        )

    groups: dict[tuple[str | None, int | None], list[Found]] = defaultdict(list)
    for each in found.values():
        groups[each.partition.topic, each.partition.partition].append(each)
    for group in groups.values():
        with suppress(SourceError):
            best(group, lambda _: None, add)
    return findings


class EpochFindings:
    """Findings of leader epochs that cannot be right, at most `MAX_FINDINGS`.

    Args:
        partition: of the batches.
        check: compares their epochs.
        may_lag: whether the checkpoint may be older than the log, as in a copy of a running broker.
    """

    def __init__(self, partition: Partition, check: EpochCheck, *, may_lag: bool = True) -> None:
        self._partition = partition
        self._check = check
        self._may_lag = may_lag
        self._found: list[Finding] = []
        self._count = 0

    def see(self, path: str, header: "BatchHeader") -> None:
        """Take in the next batch of the log, in the file at `path`."""
        first = header.last_offset if header.base_offset is None else header.base_offset
        if header.error is None and first is not None:
            last = first if header.last_offset is None else header.last_offset
            run = EpochRun(header.partition_leader_epoch, first, last, header.position, header.size_in_bytes, path)
            self._add(self._check.see(run))

    def see_batches(self, path: str, batches: "Batches") -> None:
        """Take in the next batches of the log, all sound, in the file at `path`; the same as `see` of each."""
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
