"""Survey: the number, sizes and timestamps of the records to send, before a byte is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kafkafmt.replaying.lanes import Lane, WantedRecords, pieces

if TYPE_CHECKING:
    from kafkafmt.disks import Disks

_ROOM: Final = 2
_NO_TIMESTAMP: Final = -1


@dataclass(frozen=True, slots=True)
class Survey:
    """Sums over the batch headers of a lane.

    Attributes:
        records: number of records to send.
        stored: size of the records on disk, in bytes.
        oldest: smallest timestamp in ms; None without any. -1, which means no timestamp, does not count: brokers do not
            check it.
        newest: largest timestamp in ms; None without any.
        largest_batch: upper bound of the size of a batch, in bytes.
    """

    records: int = 0
    stored: int = 0
    oldest: int | None = None
    newest: int | None = None
    largest_batch: int = 0


def survey(disks: "Disks", choice: WantedRecords, starts: Mapping[Lane, int]) -> dict[Lane, Survey]:
    """Survey the records of lanes from offsets on, by batch headers.

    Args:
        disks: the source.
        choice: the wanted records.
        starts: first offset of each lane.

    Raises:
        KafkafmtError: the source is damaged, or a file cannot be read.
    """
    from kafkafmt.sizing import space  # noqa: PLC0415 - kernels take a while

    committed = {lane: start for lane, start in starts.items() if lane.aborted is None}
    topics: dict[str, list[int]] = {}
    for lane in committed:
        topics.setdefault(lane.topic, []).append(lane.partition)
    answer = space(
        disks,
        ["topic", "partition", "batch-size"],
        topics=topics,
        start_offset={(lane.topic, lane.partition): start for lane, start in committed.items()},
        start_timestamp=choice.start_timestamp,
        end_timestamp=choice.end_timestamp,
        isolation_level="read_committed",
        control_records=False,
        on_damage=choice.on_damage,
        limits=choice.limits,
    )
    choice.skipped.take(answer)
    table = answer.to_table()
    lane_of = {(lane.topic, lane.partition): lane for lane in committed}
    found = dict.fromkeys(starts, Survey())
    columns = ["topic", "partition", "batchSize", "records", "storedBytes", "minTimestamp", "maxTimestamp"]
    times = [table[name].cast(pa.int64()) for name in columns[5:]]
    rows = zip(*(column.to_pylist() for column in (*(table[name] for name in columns[:5]), *times)), strict=True)
    for topic, partition, size, records, stored, oldest, newest in rows:
        lane = lane_of[topic, partition]
        before = found[lane]
        found[lane] = Survey(
            before.records + records,
            before.stored + stored,
            min((each for each in (before.oldest, oldest) if each is not None), default=None),
            max((each for each in (before.newest, newest) if each is not None), default=None),
            max(before.largest_batch, _ROOM * size),
        )
    timed = {lane: _timed(disks, choice, lane, starts[lane], each) for lane, each in found.items()}
    return timed | {lane: _read(disks, choice, lane, start) for lane, start in starts.items() if lane not in committed}


def _timed(disks: "Disks", choice: WantedRecords, lane: Lane, start: int, found: Survey) -> Survey:
    """The survey of a lane without timestamps of -1; next to these, headers do not show the smallest other one."""
    if found.oldest != _NO_TIMESTAMP:
        return found
    if found.newest == _NO_TIMESTAMP:
        return replace(found, oldest=None, newest=None)
    return replace(found, oldest=_read(disks, choice, lane, start).oldest)


def _read(disks: "Disks", choice: WantedRecords, lane: Lane, start: int) -> Survey:
    """The survey of a lane whose headers do not show which records are left out."""
    found = Survey()
    for piece in pieces(disks, choice, lane, start):
        times = piece.rows.timestamps[piece.rows.timestamps != _NO_TIMESTAMP]
        bounds = [int(times.min()), int(times.max())] if len(times) else []
        found = Survey(
            found.records + len(piece),
            found.stored + piece.rows.nbytes,
            min((each for each in (found.oldest, *bounds) if each is not None), default=None),
            max((each for each in (found.newest, *bounds) if each is not None), default=None),
            max(found.largest_batch, piece.rows.nbytes),
        )
    return found
