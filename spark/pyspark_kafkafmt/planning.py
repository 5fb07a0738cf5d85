"""Planning, on the driver: what the options ask for becomes a scan, and that the splits of a job."""

import logging
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import kafkafmt
from kafkafmt.columns import Origin
from kafkafmt.files.names import parse_partition_name
from kafkafmt.files.uri import shown
from pyspark_kafkafmt.narrowing import Bounds, Narrowing
from pyspark_kafkafmt.offset_ranges import OffsetRange, resolve
from pyspark_kafkafmt.paths import expand
from pyspark_kafkafmt.progress import Progress

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.planning import Plan
    from pyspark_kafkafmt.options import SourceOptions

_LOG: Final = logging.getLogger(__package__)


def plan(options: "SourceOptions", columns: Sequence[str], narrowing: Narrowing) -> "Plan":
    """List what the paths hold, look up where to begin and end in each partition, and split what lies between.

    Args:
        options: of the data source.
        columns: kafkafmt's columns to read.
        narrowing: what filters leave of it.

    Raises:
        OptionError: an option that does not fit to what is there.
        SourceError: a path matches nothing, or cannot be read.
        KafkafmtError: damage, in mode FAILFAST.
    """
    for note in options.notes:
        _warn(note)
    # Filters may contradict each other, which selects nothing.
    times = narrowing.timestamps.in_order()
    with Progress() as progress:
        progress.now = f"listing {', '.join(map(shown, options.paths))}"
        scan = kafkafmt.scan(
            expand(options.paths),
            start_timestamp=times.start,
            end_timestamp=times.end,
            key=narrowing.key,
            columns=columns,
            isolation_level=options.isolation_level,
            replica=options.replica,
            on_damage="raise" if options.mode == "FAILFAST" else "skip",
            limits=_limits(options),
        )
        progress.now = "looking up offsets"
        scan = _bounded(scan, options, narrowing)
        planned = scan.plan(
            max_split_bytes=options.max_partition_bytes,
            min_splits=options.min_partitions,
            max_records_per_split=options.max_records_per_partition,
            progress=progress.planned,
        )
    for note in planned.notes:
        _warn(note)
    return planned


def origin_of(damage: "Damage") -> Origin:
    """Where damage is that planning met, by the names in its path."""
    file = damage.file or ""
    parent = parse_partition_name(os.path.basename(os.path.dirname(file)))
    return Origin(parent.topic, parent.partition, file)


def _bounded(scan: "Scan", options: "SourceOptions", narrowing: Narrowing) -> "Scan":
    """The scan with the topics, partitions and offsets that options and filters leave."""
    is_bounded = options.bounds.starting is not None or options.bounds.ending is not None
    resolution = resolve(options, scan.best_partitions() if is_bounded else scan.partitions)
    for warning in resolution.warnings:
        _warn(warning)
    offsets = narrowing.offsets
    if resolution.is_everything and narrowing.topics is None and narrowing.partitions is None:
        return scan.narrowed(start_offset=offsets.start, end_offset=offsets.end)
    ranges = {key: _within(offsets, asked) for key, asked in resolution.ranges.items() if narrowing.takes(*key)}
    topics: Mapping[str, list[int]] = defaultdict(list)
    for (topic, partition), (start, end) in ranges.items():
        if start is None or end is None or start < end:
            topics[topic].append(partition)
    starts = {key: start for key, (start, _) in ranges.items() if start is not None}
    ends = {key: end for key, (_, end) in ranges.items() if end is not None}
    return scan.narrowed(dict(topics), starts or None, ends or None)


def _within(bounds: Bounds, asked: OffsetRange) -> OffsetRange:
    both = bounds.within(*asked)
    return both.start, both.end


def _limits(options: "SourceOptions") -> kafkafmt.Limits:
    if options.max_decompressed_bytes is None:
        return kafkafmt.Limits()
    return kafkafmt.Limits(max_decompressed_bytes=options.max_decompressed_bytes)


def _warn(text: str) -> None:
    _LOG.warning("kafkafmt: %s", text)
