"""Replicas: a partition found more than once, as in the copies of several brokers, and which copy is the best."""

from collections import defaultdict
from collections.abc import Callable

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import Found


def best(found: list[Found], broken: Callable[[KafkafmtError], None]) -> tuple[list[Found], list[Partition]]:
    """Keep of each partition the replica with the newest last leader epoch, then the highest log end, then path order.

    Files named by themselves, and directories without a topic and partition in their name, are kept always.

    Args:
        found: what the sources hold.
        broken: called with what is wrong with a leader-epoch-checkpoint; if it returns, the last batch's epoch counts.

    Returns:
        What to read, and the partition directories left out.

    Raises:
        SourceError: a leader-epoch-checkpoint or a last segment of one of several replicas cannot be read.
    """
    replicas: dict[tuple[str, int], list[Found]] = defaultdict(list)
    kept = []
    for each in found:
        partition = each.partition
        if each.file is not None or partition.topic is None or partition.partition is None:
            kept.append(each)
        else:
            replicas[partition.topic, partition.partition].append(each)
    skipped = []
    for group in replicas.values():
        chosen = min(group, key=lambda each: _rank(each, broken)) if len(group) > 1 else group[0]
        kept.append(chosen)
        skipped += [each.partition for each in group if each is not chosen]
    skipped.sort(key=lambda partition: (partition.topic or "", partition.partition or 0, partition.path))
    return kept, skipped


def standing(partition: Partition, broken: Callable[[KafkafmtError], None]) -> tuple[int, int]:
    """What decides between replicas: the newest last leader epoch, then the log end offset; -1 for what is unknown.

    Args:
        partition: one replica.
        broken: as for `best`.

    Raises:
        SourceError: the leader-epoch-checkpoint or the last segment cannot be read.
    """
    try:
        epoch = partition.last_leader_epoch
    except SourceError:
        raise
    except KafkafmtError as error:
        broken(error)
        epoch = partition.last_batch_epoch
    segments = partition.segments
    end = segments[-1].next_offset() if segments else None
    return epoch, -1 if end is None else end


def _rank(found: Found, broken: Callable[[KafkafmtError], None]) -> tuple[int, int, str]:
    epoch, end = standing(found.partition, broken)
    return -epoch, -end, found.path
