"""Offsets of records that earlier starts of a run have sent, read back from the target, so that no file is needed.

A lane keeps the order of its records, so the n-th record of the source is the n-th record that the run has committed.
"""

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.phrases import listed
from kafkafmt.protocol.codec import Value
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, TRANSACTIONAL
from kafkafmt.replaying.cluster import TargetCluster
from kafkafmt.replaying.errors import RefusedError, RetriableError, TargetError, check, understanding
from kafkafmt.replaying.lanes import Int64s, Lane, Progress, WantedRecords, pieces

if TYPE_CHECKING:
    from kafkafmt.disks import Disks

_HEADER: Final = Struct(">qiibiHiqqqhii")
"""Fields of a batch of format 2, from the base offset to the number of records."""

# Size of the base offset and the length field at the start of a batch, which the length does not count.
_OVERHEAD: Final = 12
_MOST_BYTES: Final = 16 * 2**20
_WAIT_MS: Final = 500
_COMMITTED: Final = 1
_ABORT: Final = 0
_MARKER: Final = Struct(">hh")
# After the 61 bytes of the batch header and five fields of a byte each: length, attributes, two deltas, key length.
_MARKER_KEY_AT: Final = 66


class EarlierRecords:
    """The records that earlier starts of a run have sent.

    Args:
        disks: the source.
        cluster: the target.
        choice: the wanted records, as for the earlier starts.

    Attributes:
        offsets: offsets in source and target, for lanes with such records.
    """

    def __init__(self, disks: "Disks", cluster: TargetCluster, choice: WantedRecords) -> None:
        self.offsets: dict[Lane, tuple[Int64s, Int64s]] = {}
        self._of = disks, cluster, choice
        self._records: dict[Lane, int] = {}

    def find(self, positions: Mapping[Lane, Progress]) -> None:
        """Find the offsets for these positions, unless they were found before.

        Raises:
            RefusedError: records in the target do not belong to the source.
            TargetError: as for `earlier_offsets`.
            KafkafmtError: as for `earlier_offsets`.
        """
        unknown = []
        for lane, each in positions.items():
            if self._records.get(lane, 0) == each.records:
                continue
            found = earlier_offsets(*self._of, lane, each)
            if found is None:
                unknown.append(str(lane))
            else:
                self.offsets[lane], self._records[lane] = found, each.records
        if unknown:
            raise RefusedError([_unknown(unknown)])


def _unknown(lanes: list[str]) -> str:
    return (
        f"earlier starts of this run have filled the target of {listed(lanes)}, which has other records too by now, "
        "or others are chosen now: so --groups and --offset-map cannot know their offsets (kafkafmt groups "
        "SOURCE --translate-to TARGET-DISK compares records)"
    )


def earlier_offsets(
    disks: "Disks", cluster: TargetCluster, choice: WantedRecords, lane: Lane, progress: Progress
) -> tuple[Int64s, Int64s] | None:
    """Offsets, in source and target, of the records that a lane's earlier starts have sent.

    Args:
        disks: the source.
        cluster: the target.
        choice: the wanted records, as for the earlier starts.
        lane: the lane.
        progress: the lane's committed position.

    Returns:
        Offsets in the source and in the target; None if they do not correspond: the target has lost records, others
        have written there, or other records of the source were chosen.

    Raises:
        TargetError: the target refuses a request.
        KafkafmtError: the source is damaged or cannot be read.
    """
    offsets = [piece.rows.offsets for piece in pieces(disks, choice, lane, lane.start, progress.offset)]
    source: Int64s = np.concatenate([np.empty(0, np.int64), *offsets])
    target: Int64s = cluster.patiently(
        lambda: np.concatenate([np.empty(0, np.int64), *_committed(cluster, lane, progress)])
    )
    return (source, target) if len(source) == len(target) == progress.records else None


def _committed(cluster: TargetCluster, lane: Lane, progress: Progress) -> Iterator[Int64s]:
    """The offsets of committed records in the target, starting at the lane's start."""
    topic, number = lane.target
    found = cluster.metadata([topic]).get(topic, {"Partitions": ()})
    leader = next((each["LeaderId"] for each in found["Partitions"] if each["PartitionIndex"] == number), -1)
    if leader < 0:
        raise RetriableError(f"{topic}-{number} has no leader")
    offset = progress.start
    while offset < progress.target:
        asked: Value = {
            "ReplicaId": -1,
            "MaxWaitMs": _WAIT_MS,
            "MinBytes": 1,
            "MaxBytes": _MOST_BYTES,
            "IsolationLevel": _COMMITTED,
            "Topics": [
                {
                    "Topic": topic,
                    "Partitions": [{"Partition": number, "FetchOffset": offset, "PartitionMaxBytes": _MOST_BYTES}],
                }
            ],
        }
        answer = cluster.node(leader).call("Fetch", asked)
        check(answer.get("ErrorCode", 0), f"{topic}-{number}: Fetch")
        with understanding(f"{topic}-{number}: Fetch"):
            ((each,),) = (one["Partitions"] for one in answer["Responses"])
        check(each["ErrorCode"], f"{topic}-{number}: Fetch at offset {offset}")
        before = offset
        for first, count, end, is_visible in _batches(each["Records"] or b"", each["AbortedTransactions"] or ()):
            if is_visible and first >= progress.start and first < progress.target:
                yield np.arange(first, first + count)
            offset = max(offset, end)
        if offset == before:
            raise TargetError(f"{topic}-{number}: nothing can be read at offset {offset}")


def _batches(data: "memoryview | bytes", aborted: Sequence[Value]) -> Iterator[tuple[int, int, int, bool]]:
    """First offset, number of records, offset after it, and visibility to read_committed, of each whole batch."""
    waiting = sorted(aborted, key=lambda each: int(each["FirstOffset"]))
    open_ids: set[int] = set()
    position = 0
    while len(data) - position >= _HEADER.size:
        fields = _HEADER.unpack_from(data, position)
        base, size, _, magic, _, attributes, delta, _, _, producer_id, _, _, count = fields
        if magic != CURRENT_MAGIC or not _HEADER.size <= size + _OVERHEAD <= len(data) - position:
            return
        if not 0 <= count <= min(size, delta + 1):  # no record is smaller than a byte
            return
        last = base + delta
        while waiting and waiting[0]["FirstOffset"] <= last:
            open_ids.add(waiting.pop(0)["ProducerId"])
        is_control = bool(attributes & CONTROL)
        is_marker = is_control and count and size + _OVERHEAD >= _MARKER_KEY_AT + _MARKER.size
        if is_marker and _MARKER.unpack_from(data, position + _MARKER_KEY_AT)[1] == _ABORT:
            open_ids.discard(producer_id)
        is_aborted = bool(attributes & TRANSACTIONAL) and producer_id in open_ids
        yield base, count, last + 1, not is_control and not is_aborted
        position += size + _OVERHEAD
