"""The reader: the object that Spark pickles on the driver, after it has planned a read, and calls in each task."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkafmt.errors import KafkafmtError
from pyspark_kafkafmt.arrow_batches import SparkBatches
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import check_schema, corrupt_column
from pyspark_kafkafmt.worker import freeze, plainly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.record_columns import Origin
    from kafkafmt.scanning.splits import Report, Split, SplitReader, TakeNote
    from pyspark_kafkafmt.options import SourceOptions
    from pyspark_kafkafmt.typed_values import TypedColumns

# Without a handler a warning goes to stderr: of the executor, or of the program in local mode.
_LOG: Final = logging.getLogger(__package__)


@dataclass
class DamagedRows:
    """Handles the damage and the notes of a task.

    The open end that a running broker leaves in a log is not damage, and is not reported.

    Attributes:
        schema: Arrow schema of the DataFrame.
        corrupt: name of the column that describes damage; None if the mode has none.
        mode: mode of the data source; garbage at the end of a log is left out even in FAILFAST.
    """

    schema: pa.Schema
    corrupt: str | None
    mode: str
    _ranges: int = 0
    _bytes: int = 0
    _first: str = ""
    _notes: "dict[Note, None]" = field(default_factory=dict)
    _waiting: list[dict[str, object]] = field(default_factory=list)

    def take(self, damage: "Damage", origin: "Origin") -> None:
        """Record damage."""
        if damage.is_open_end:
            return
        if self.corrupt is not None and self.corrupt in self.schema.names:
            described = {
                "file": damage.file,
                "position": damage.position,
                "length": damage.length,
                "reason": damage.reason,
                "firstOffset": damage.first_offset,
                "lastOffset": damage.last_offset,
                "records": damage.records,
            }
            row: dict[str, object] = {
                "topic": origin.topic,
                "partition": origin.partition,
                self.corrupt: json.dumps(described),
            }
            self._waiting.append(row)
            return
        self._ranges += 1
        self._bytes += damage.length
        self._first = self._first or str(damage.error)

    def note(self, note: "Note") -> None:
        """Record a note, once."""
        self._notes.setdefault(note)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Give the rows that describe the damage recorded since the last call."""
        if self._waiting:
            yield pa.RecordBatch.from_pylist(self._waiting, schema=self.schema)
            self._waiting.clear()

    def warn(self) -> None:
        """Log the notes, and how much was left out, if anything was."""
        for note in self._notes:
            _LOG.warning("kafkafmt: %s", note)
        if not self._ranges:
            return
        ranges = "1 damaged range" if self._ranges == 1 else f"{self._ranges} damaged ranges"
        why = f"mode {self.mode}" if self.corrupt is None else f"the schema has no column {self.corrupt}"
        _LOG.warning("kafkafmt: left out %s of %d bytes (%s); the first: %s", ranges, self._bytes, why, self._first)


class SplitPartition(InputPartition):
    """The part of one task.

    Attributes:
        reading: reads the split. Each partition has it, because Spark pickles the reader before it has planned.
        split: the ranges of files; None for none.
        damage: damage found by planning that no split will report, with its origin.
    """

    def __init__(
        self, reading: "SplitReader", split: "Split | None", damage: "Sequence[tuple[Damage, Origin]]" = ()
    ) -> None:
        super().__init__(None)
        self.reading = reading
        self.split = split
        self.damage = damage

    def batches(self, report: "Report", note: "TakeNote") -> "Iterator[pa.RecordBatch]":
        """The records of the split; nothing without a split.

        Args:
            report: as for `SplitReader.read`.
            note: as for `SplitReader.read`.

        Raises:
            KafkafmtError: as for `SplitReader.read`.
        """
        if self.split is not None:
            yield from self.reading.read(self.split, report, note)


class SplitsReader:
    """Reads splits: the part of a reader that Spark pickles for its tasks, in batches and in streams.

    Args:
        options: options of the data source.
        schema: the columns to read.

    Raises:
        ValueError: a column of `schema` is invalid.
        KafkafmtError: with `valueFormat` or `keyFormat`, as for `kafkafmt.Scan.decode`.
    """

    def __init__(self, options: "SourceOptions", schema: StructType) -> None:
        self._typed: TypedColumns | None = None
        if options.is_typed:
            from pyspark_kafkafmt.planning import typed_columns

            self._typed = typed_columns(options)
        check_schema(schema, options, None if self._typed is None else self._typed.types)
        self._options = options
        self._names = tuple(schema.names)
        self._corrupt = corrupt_column(options)

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Read a split.

        Raises:
            KafkafmtError: in mode FAILFAST, there is damage; in any mode, a file cannot be read, or has changed since
                the read was planned.
        """
        # Spark creates an empty partition itself if `partitions` returns none.
        if isinstance(partition, SplitPartition):
            try:
                yield from self._read(partition)
            except (KafkafmtError, OptionError) as error:
                raise plainly(error) from None
            finally:
                freeze()

    def _read(self, partition: SplitPartition) -> "Iterator[pa.RecordBatch]":
        batches = self._batches()
        damaged = DamagedRows(batches.schema, self._corrupt, self._options.mode)
        for damage, origin in partition.damage:
            damaged.take(damage, origin)
        try:
            for batch in partition.batches(damaged.take, damaged.note):
                yield from batches.convert(batch)
                yield from damaged.rows()
            yield from damaged.rows()
            for note in batches.notes():
                damaged.note(note)
        finally:
            damaged.warn()

    def _batches(self) -> SparkBatches:
        return SparkBatches(self._names, self._corrupt, self._typed)


class KafkafmtReader(SplitsReader, DataSourceReader):
    """Plans a read and reads its splits."""

    def partitions(self) -> list[InputPartition]:
        """List and split the files to read; the splits are in the order of topic, partition and offset.

        Raises:
            KafkafmtError: as for `pyspark_kafkafmt.planning.plan`.
        """
        from pyspark_kafkafmt.planning import origin_of, plan

        try:
            planned = plan(self._options, self._batches().scanned)
        except (KafkafmtError, OptionError) as error:
            raise plainly(error) from None
        finally:
            freeze()
        partitions: list[InputPartition] = [SplitPartition(planned.reading, split) for split in planned.splits]
        if planned.damage:
            met = [(damage, origin_of(damage)) for damage in planned.damage]
            partitions.append(SplitPartition(planned.reading, None, met))
        return partitions
