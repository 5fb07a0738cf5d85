"""Reading: the records of a metadata log, or of one snapshot of it, as Python objects."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt.limits import Limits
from kafkafmt.logdir.sources import Found
from kafkafmt.topics.internal_log import InternalRecord, records_of, scan_of, slices

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.segment_reader import OnDamage

# Below this many bytes the reference engine is done before numba's kernels are loaded.
_SMALL = 512 * 1024


def entries(
    found: Found,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    on_damage: "OnDamage",
    limits: Limits,
    damage: "list[Damage]",
) -> Iterator[InternalRecord]:
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
    size = sum(segment.size for segment in found.segments)
    reader = scan_of(
        [found],
        on_damage,
        limits,
        start_offset=start_offset,
        end_offset=end_offset,
        engine="reference" if size <= _SMALL else "columnar",
    ).to_reader()
    try:
        for batch in reader:
            for part in slices(batch):
                yield from records_of(part, 0)
    finally:
        damage += reader.damage
