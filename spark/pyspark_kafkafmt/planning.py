"""Planning: the splits that become tasks, and lines on stderr if it takes long."""

import logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import kafkafmt
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.uri import shown
from kafkafmt.record_columns import Origin
from pyspark_kafkafmt import option_errors
from pyspark_kafkafmt.offsets import resolve
from pyspark_kafkafmt.paths import expand

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.planning import Plan
    from pyspark_kafkafmt.options import SourceOptions
    from pyspark_kafkafmt.typed_values import TypedColumns

PATIENCE_SECONDS: Final = 2.0
"""Seconds until the first line is written."""

_SLOWER: Final = 2.0
_SLOWEST_SECONDS: Final = 60.0
_GB: Final = 10**9
_REMEMBERED: Final = 10_000


class PlanningProgress:
    """Reports progress from its own thread, at increasing intervals.

    Attributes:
        now: the current step.
    """

    def __init__(self) -> None:
        self.now = ""
        self._begun = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._report, name="kafkafmt-progress", daemon=True)

    def planned(self, partitions: int, files: int, size: int) -> None:
        """Update the numbers of partitions, files and bytes planned so far."""
        self.now = f"planned {partitions:,} partitions, {files:,} segments, {size / _GB:,.1f} GB"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _report(self) -> None:
        wait = PATIENCE_SECONDS
        while not self._done.wait(wait):
            seconds = time.monotonic() - self._begun
            sys.stderr.write(f"kafkafmt: {self.now} ({seconds:.0f} s)\n")
            sys.stderr.flush()
            wait = min(wait * _SLOWER, _SLOWEST_SECONDS)


_LOG: Final = logging.getLogger(__package__)


def plan(options: "SourceOptions", columns: Sequence[str]) -> "Plan":
    """List the files in the paths, look up where to start and end in each partition, and split the part between.

    Args:
        options: options of the data source.
        columns: kafkafmt's columns to read.

    Raises:
        OptionError: an option does not fit the data that was found.
        SourceError: a path matches nothing, or cannot be read.
        KafkafmtError: there is damage, in mode FAILFAST.
    """
    for note in options.notes:
        warn(note)
    with PlanningProgress() as progress:
        progress.now = f"listing {', '.join(map(shown, options.paths))}"
        scan = _scan(options, columns)
        progress.now = "looking up offsets"
        scan = _bounded(scan, options)
        planned = scan.without_warnings().plan(
            max_split_bytes=options.max_partition_bytes,
            min_splits=options.min_partitions,
            max_records_per_split=options.max_records_per_partition,
            progress=progress.planned,
        )
    for note in planned.notes:
        warn(note)
    return planned


def typed_columns(options: "SourceOptions") -> "TypedColumns | None":
    """The columns of decoded keys and values, according to the first records of the topics; None if they stay bytes.

    Raises:
        OptionError: topics have keys or values of different types, or an option does not fit the data that was found.
        KafkafmtError: as for `plan`, and for the schemas.
    """
    if not options.is_typed:
        return None
    from kafkafmt.values.decode_arguments import AdvisedArguments, DecodeArguments
    from pyspark_kafkafmt.typed_values import TypedColumns, schemas_of

    scan = _bounded(_scan(options, ["offset"]), options)
    arguments = DecodeArguments(
        options.value_format or "bytes",
        options.key_format or "bytes",
        schemas_of(options.schemas),
        record=options.record,
        on_damage="raise" if options.mode == "FAILFAST" else "skip",
        advised=AdvisedArguments("the option schemas", None, "the option record", None),
    )
    try:
        return TypedColumns.of(scan, arguments)
    except ValueError as error:
        raise option_errors.no_common_type(options.value_format or options.key_format or "", str(error)) from error


def _scan(options: "SourceOptions", columns: Sequence[str]) -> "Scan":
    return kafkafmt.scan(
        expand(options.paths),
        decryption_keys=options.decryption_keys,
        columns=columns,
        isolation_level=options.isolation_level,
        replica=options.replica,
        on_damage="raise" if options.mode == "FAILFAST" else "skip",
        limits=limits_of(options),
    )


def origin_of(damage: "Damage") -> Origin:
    """Origin of damage that planning found, according to the names in its path."""
    file = damage.file or ""
    parent = parse_partition_name(os.path.basename(os.path.dirname(file)))
    return Origin(parent.topic, parent.partition, file)


def _bounded(scan: "Scan", options: "SourceOptions") -> "Scan":
    """The scan, limited to the topics, partitions and offsets that the options select."""
    is_bounded = options.bounds.starting is not None or options.bounds.ending is not None
    partitions = scan.best_partitions() if is_bounded else scan.partitions
    resolution = resolve(options, partitions)
    for warning in resolution.warnings:
        warn(warning)
    if resolution.is_everything:
        return scan
    # Also topics of which nothing is read: without any the scan would note, in words of its own, that it reads nothing.
    topics: dict[str, list[int]] = {each.topic: [] for each in partitions if each.topic is not None}
    starts, ends = {}, {}
    for (topic, partition), (start, end) in resolution.ranges.items():
        if start is not None and end is not None and start >= end:
            continue
        topics[topic].append(partition)
        if start is not None:
            starts[topic, partition] = start
        if end is not None:
            ends[topic, partition] = end
    return scan.narrowed(topics, starts or None, ends or None)


def limits_of(options: "SourceOptions") -> kafkafmt.Limits:
    """Bounds of decoding."""
    if options.max_decompressed_bytes is None:
        return kafkafmt.Limits()
    return kafkafmt.Limits(max_decompressed_bytes=options.max_decompressed_bytes)


def warn(text: str) -> None:
    """Log a warning on the driver."""
    _LOG.warning("kafkafmt: %s", text)


class RecentTexts:
    """The last texts of a query that runs for months, so that each is logged once."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def is_new(self, text: str) -> bool:
        """Whether a text is not among the last ones; it is added to them."""
        is_new = text not in self._texts
        self._texts.pop(text, None)
        self._texts[text] = None
        if len(self._texts) > _REMEMBERED:
            del self._texts[next(iter(self._texts))]
        return is_new
