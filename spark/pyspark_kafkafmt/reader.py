"""The reader: what Spark pickles on the driver, after it has planned a read, and calls in each task."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyspark
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkafmt.errors import KafkafmtError, UnsupportedError
from pyspark_kafkafmt.arrow_batches import SparkBatches
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import check_schema, corrupt_column
from pyspark_kafkafmt.udfs import require_spark
from pyspark_kafkafmt.worker import freeze, plainly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql.datasource import Filter

    from kafkafmt.columns import Origin
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.scanning.splits import Split, SplitReader
    from pyspark_kafkafmt.options import SourceOptions

# A warning goes to stderr where there is no handler: that of an executor, or locally of the program.
_LOG: Final = logging.getLogger(__package__)


@dataclass
class DamagedRows:
    """Takes the damage and the notes of a task.

    What a running broker leaves at the end of a log is no damage, and passes unmentioned.

    Attributes:
        schema: Arrow's schema of the DataFrame.
        corrupt: name of the column that describes damage; None if the mode has none.
        mode: of the data source; also in FAILFAST the garbage at the end of a log is left out.
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
        """Note damage."""
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
        """Keep a note, once."""
        self._notes.setdefault(note)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Give the rows that describe what was noted since the last call."""
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


_PUSHES_FILTERS_SINCE: Final = (4, 1)
# Until then Spark keeps what one query pushed with the DataFrame, for whatever else is made of that.
_KEEPS_THEM_APART_SINCE: Final = (5, 0)


class SplitPartition(InputPartition):
    """What one task reads.

    Attributes:
        reading: reads the split. It goes with each, for Spark pickles a reader before that has planned.
        split: the stretches of files; None for none.
        damage: what planning met and no split will report, and where.
    """

    def __init__(
        self, reading: "SplitReader", split: "Split | None", damage: "Sequence[tuple[Damage, Origin]]" = ()
    ) -> None:
        super().__init__(None)
        self.reading = reading
        self.split = split
        self.damage = damage


class KafkafmtReader(DataSourceReader):
    """Plans a read and reads its splits.

    Args:
        options: of the data source.
        schema: the columns to read.
    """

    def __init__(self, options: "SourceOptions", schema: StructType) -> None:
        self._options = options
        self._names = tuple(schema.names)
        self._corrupt = corrupt_column(options)
        self._filters: tuple[Filter, ...] = ()

    def partitions(self) -> list[InputPartition]:
        """List and split what there is to read; the splits come in the order of topic, partition and offset.

        Raises:
            KafkafmtError: what `pyspark_kafkafmt.planning.plan` raises.
        """
        from pyspark_kafkafmt.planning import expression_of, origin_of, plan

        try:
            planned = plan(self._options, self._batches().source_columns, expression_of(self._filters))
        except (KafkafmtError, OptionError) as error:
            raise plainly(error) from None
        finally:
            freeze()
        partitions: list[InputPartition] = [SplitPartition(planned.reading, split) for split in planned.splits]
        if planned.damage:
            met = [(damage, origin_of(damage)) for damage in planned.damage]
            partitions.append(SplitPartition(planned.reading, None, met))
        return partitions

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Read a split.

        Raises:
            KafkafmtError: damage, in mode FAILFAST; a file that cannot be read, or is not what it was when the read was
                planned, in any.
        """
        # Spark makes a partition of its own where there is nothing to read.
        if isinstance(partition, SplitPartition):
            try:
                yield from self._read(partition)
            except KafkafmtError as error:
                raise plainly(error) from None
            finally:
                freeze()

    def _read(self, partition: SplitPartition) -> "Iterator[pa.RecordBatch]":
        batches = self._batches()
        damaged = DamagedRows(batches.schema, self._corrupt, self._options.mode)
        for damage, origin in partition.damage:
            damaged.take(damage, origin)
        try:
            if partition.split is not None:
                for batch in partition.reading.read(partition.split, damaged.take, damaged.note):
                    yield from batches.convert(batch)
                    yield from damaged.rows()
            yield from damaged.rows()
        finally:
            damaged.warn()

    def _batches(self) -> SparkBatches:
        return SparkBatches(self._names, self._corrupt)


class FilteringReader(KafkafmtReader):
    """A reader that takes filters, if Spark is set to push any: see the option `pushFilters`."""

    def pushFilters(self, filters: "list[Filter]") -> "Iterable[Filter]":  # noqa: N802 - Spark's interface
        """Read less where filters allow; all of them are left to Spark as well, which drops what remains."""
        from pyspark_kafkafmt.planning import expression_of

        self._filters += tuple(filters)
        if expression_of(filters) is not None and require_spark() < _KEEPS_THEM_APART_SINCE:
            _LOG.warning(
                "kafkafmt: pushFilters: this DataFrame now gives the rows of one filter only (%s). Spark before 5.0 "
                "plans other queries and branches of it with these: load a new one for each filter, or rows are lost",
                " and ".join(map(str, filters)),
            )
        return filters


def new_reader(options: "SourceOptions", schema: StructType) -> KafkafmtReader:
    """Make the reader that the options ask for.

    Raises:
        ValueError: a column of `schema` that makes no sense.
        UnsupportedError: `pushFilters` with a Spark that pushes none.
    """
    check_schema(schema, options)
    if not options.push_filters:
        return KafkafmtReader(options, schema)
    if require_spark() < _PUSHES_FILTERS_SINCE:
        raise UnsupportedError(
            "pushFilters: Spark 4.0 pushes no filters to a source in Python. Leave the option out, and say what to "
            "read by subscribe, startingOffsets or startingTimestamp",
            expected="pyspark 4.1 or later",
            found=pyspark.__version__,
        )
    return FilteringReader(options, schema)
