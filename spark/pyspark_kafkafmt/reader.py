"""The reader: what Spark pickles on the driver, after it has planned a read, and calls in each task."""

import logging
from typing import TYPE_CHECKING, Final

import pyspark
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkafmt.errors import KafkafmtError, UnsupportedError
from pyspark_kafkafmt.arrow_batches import SparkBatches
from pyspark_kafkafmt.damaged_rows import DamagedRows
from pyspark_kafkafmt.functions import require_spark
from pyspark_kafkafmt.narrowing import Narrowing
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.plain_errors import plainly
from pyspark_kafkafmt.record_schema import check_schema, corrupt_column
from pyspark_kafkafmt.worker_upkeep import lighten_upkeep

_PUSHES_FILTERS_SINCE: Final = (4, 1)
# Until then Spark keeps what one query pushed with the DataFrame, for whatever else is made of that.
_KEEPS_THEM_APART_SINCE: Final = (5, 0)
_LOG: Final = logging.getLogger(__package__)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql.datasource import Filter

    from kafkafmt.columns import Origin
    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning.splits import Split, SplitReader
    from pyspark_kafkafmt.options import SourceOptions


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
        self._narrowing = Narrowing()

    def partitions(self) -> list[InputPartition]:
        """List and split what there is to read; the splits come in the order of topic, partition and offset.

        Raises:
            KafkafmtError: what `pyspark_kafkafmt.planning.plan` raises.
        """
        from pyspark_kafkafmt.planning import origin_of, plan

        try:
            planned = plan(self._options, self._batches().source_columns, self._narrowing)
        except (KafkafmtError, OptionError) as error:
            raise plainly(error) from None
        finally:
            lighten_upkeep()
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
                lighten_upkeep()

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
        self._narrowing = self._narrowing.by(filters)
        if self._narrowing != Narrowing() and require_spark() < _KEEPS_THEM_APART_SINCE:
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
