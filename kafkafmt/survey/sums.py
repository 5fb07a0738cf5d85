"""What the segments of a partition add up to."""

from collections.abc import Iterable

from kafkafmt.logdir.partition import Partition
from kafkafmt.survey.facts import FINDING, PartitionFacts, SegmentFacts, Share


def add_up(partition: Partition, log_dir: str, segments: list[SegmentFacts], size: int) -> PartitionFacts:
    """Add up what the segments tell; what only other files tell is None.

    Args:
        partition: whose segments they are.
        log_dir: path of its log directory.
        segments: in order.
        size: bytes of all files in its directory.
    """
    first, last = (segments[0], segments[-1]) if segments else (None, None)
    shares: dict[tuple[int, str], Share] = {}
    for segment in segments:
        for key, share in segment.shares.items():
            old = shares.get(key, Share(0, 0))
            shares[key] = Share(old.batches + share.batches, old.size + share.size)
    return PartitionFacts(
        path=partition.path,
        log_dir=log_dir,
        topic=partition.topic,
        partition=partition.partition,
        state=partition.state,
        topic_id=None,
        size=size,
        log_size=sum(segment.size for segment in segments),
        segments=len(segments),
        log_start_offset=first.base_offset if first else None,
        log_end_offset=last.next_offset if last else None,
        high_watermark=None,
        recovery_point=None,
        batches=_total(segment.batches for segment in segments),
        records=_total(segment.records for segment in segments),
        decompressed=sum(segment.decompressed for segment in segments),
        min_timestamp=min((each.min_timestamp for each in segments if each.min_timestamp is not None), default=None),
        max_timestamp=highest(*(segment.max_timestamp for segment in segments)),
        shares=dict(sorted(shares.items())),
        leader_epochs=(),
        max_leader_epoch=highest(*(segment.max_leader_epoch for segment in segments)),
        producer_snapshots=0,
        findings=sum(finding.level == FINDING for segment in segments for finding in segment.findings),
    )


def highest(*numbers: int | None) -> int | None:
    """The largest of the numbers that are known, or None."""
    return max((number for number in numbers if number is not None), default=None)


def _total(numbers: Iterable[int | None]) -> int | None:
    """The sum, or None if one of them is not known."""
    known = list(numbers)
    return None if None in known else sum(number for number in known if number is not None)
