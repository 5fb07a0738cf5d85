"""Reading: the records of a metadata log, or of one snapshot of it, as Python objects."""

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.limits import Limits
from kafkafmt.logdir.sources import Found
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.stream import Scan
from kafkafmt.topics.internal_log import slices

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.scanning.scan_pass import Engine

# Below this many bytes the reference engine is done before numba's kernels are loaded.
_SMALL = 512 * 1024

_COLUMNS = ("offset", "timestamp", "value", "controlType", "partitionLeaderEpoch", "file", "position")


class MetadataEntry(NamedTuple):
    """One record.

    Attributes:
        offset: of the record; in a snapshot they begin at 0.
        timestamp: ms since the epoch.
        value: as stored.
        control_type: "LEADER_CHANGE", .. of a control record, as the `controlType` column has it, else None.
        leader_epoch: of its batch.
        file: where it stands.
        position: of its batch in that file, in bytes.
    """

    offset: int
    timestamp: int
    value: bytes | None
    control_type: str | None
    leader_epoch: int
    file: str
    position: int


def entries(
    found: Found,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    on_damage: "OnDamage",
    limits: Limits,
    damage: "list[Damage]",
) -> Iterator[MetadataEntry]:
    """Read records in their order, control records included.

    Args:
        found: a metadata partition, or one snapshot in it.
        start_offset: first offset wanted, or None.
        end_offset: first offset not wanted, or None.
        on_damage: "raise", or "skip".
        limits: bounds of memory.
        damage: takes what was not delivered.

    Raises:
        KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
    """
    wanted = Selection(control_records=True, start_offset=start_offset, end_offset=end_offset)
    schema = record_columns.select(_COLUMNS)
    size = sum(segment.size for segment in found.segments)
    engine: Engine = "reference" if size <= _SMALL else "columnar"
    scan = Scan([found], wanted, schema, "all", on_damage, True, limits, engine, 1)  # noqa: FBT003
    try:
        for batch in scan.to_reader():
            for part in slices(batch):
                yield from map(MetadataEntry, *map(_values, part.columns))
    finally:
        damage += scan.damage


def _values(column: pa.Array) -> Iterable[Any]:
    """The values of a column as Python objects; through numpy, for Arrow makes a scalar of each one first."""
    if column.null_count == len(column):
        return repeat(None, len(column))
    if pa.types.is_timestamp(column.type):
        column = column.view(pa.int64())
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values
