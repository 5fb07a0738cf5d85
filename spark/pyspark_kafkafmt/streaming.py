"""The stream reader, which Spark keeps in a process of the driver for a whole query and calls at each trigger.

One class serves Spark 4.0 to 4.3. From 4.2 on, the engine has admission control: it sees that `latestOffset` takes
arguments, and passes where the batch starts and how much may be read (SPARK-55304). Earlier versions pass nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from kafkafmt.errors import KafkafmtError
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.reader import SplitPartition, SplitsReader
from pyspark_kafkafmt.worker import freeze, plainly

try:
    from pyspark.sql.streaming import datasource as _limits
except ImportError:  # Spark 4.0 and 4.1
    _limits = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from pyspark_kafkafmt.stream_offsets import StreamOffsets
    from pyspark_kafkafmt.stream_options import StreamOptions

T = TypeVar("T")
Offset = Mapping[str, Any]

HAS_LIMITS = _limits is not None
"""Whether this Spark has admission control for Python sources."""

_AvailableNow: type = object if _limits is None else _limits.SupportsTriggerAvailableNow


class KafkafmtStreamReader(SplitsReader, DataSourceStreamReader, _AvailableNow):  # type: ignore[misc]
    """Finds new records at each trigger, plans and reads them.

    Args:
        options: options of the stream.
        schema: the columns to read.

    Raises:
        ValueError: a column of `schema` is invalid.
        KafkafmtError: with `valueFormat` or `keyFormat`, as for `kafkafmt.Scan.decode`.
    """

    def __init__(self, options: "StreamOptions", schema: StructType) -> None:
        super().__init__(options.source, schema)
        self._stream = options
        self._offsets: StreamOffsets | None = None
        self._is_available_now = False

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's
        """Where a query without a checkpoint starts."""
        return self._json(lambda offsets: offsets.starts())

    def latestOffset(self, start: Offset | None = None, limit: object = None) -> dict[str, Any]:  # noqa: N802
        """Where the next batch ends.

        Args:
            start: where it starts; None before Spark 4.2.
            limit: how much it may read: everything, or what the options allow.
        """
        from pyspark_kafkafmt.stream_offsets import from_json

        is_limited = _limits is not None and limit is not None and not isinstance(limit, _limits.ReadAllAvailable)

        def end(offsets: "StreamOffsets") -> "dict[Any, int]":
            begin = None if start is None else from_json(start)
            # With Trigger.AvailableNow only the first look counts, as in Spark's kafka source.
            if not (self._is_available_now and offsets.latest):
                offsets.look(begin or {})
            return offsets.ends(begin, is_limited=is_limited)

        return self._json(end)

    def getDefaultReadLimit(self) -> object:  # type: ignore[override]  # noqa: N802 - Spark's
        """Everything, or one limit that represents all limits of the options."""
        if _limits is None:
            return None
        options = self._stream
        if options.max_offsets is not None:
            return _limits.ReadMaxRows(options.max_offsets)
        if options.max_bytes is not None:
            return _limits.ReadMaxBytes(options.max_bytes)
        return _limits.ReadAllAvailable() if options.min_offsets is None else _limits.ReadMinRows(options.min_offsets)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802 - Spark's
        """Where the logs ended at the last look, for the query's progress; None if there are no logs."""
        from pyspark_kafkafmt.stream_offsets import to_json

        return to_json(self._offsets.latest) or None if self._offsets is not None else None

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """Make the query end where the logs end at its first look."""
        self._is_available_now = True

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Divide a batch into splits.

        Args:
            start: where it starts.
            end: where it ends.
        """
        from pyspark_kafkafmt.stream_offsets import from_json

        if start == end:
            return []

        def splits(offsets: "StreamOffsets") -> list[InputPartition]:
            from pyspark_kafkafmt.planning import origin_of, warn
            from pyspark_kafkafmt.stream_plan import plan
            from pyspark_kafkafmt.stream_tasks import stream_partitions

            ranges = offsets.ranges(from_json(start), from_json(end))
            if not ranges:
                return []
            planned = plan(self._options, self._batches().scanned, offsets.logs, ranges)
            for note in planned.notes:
                warn(str(note))
            met = [(damage, origin_of(damage)) for damage in planned.damage]
            found: list[InputPartition] = [*stream_partitions(planned, offsets.logs, self._options)]
            return [*found, SplitPartition(planned.reading, None, met)] if met else found

        return self._ask(splits)

    def commit(self, end: Offset) -> None:
        """Do nothing: Spark's checkpoint has the offsets."""

    def stop(self) -> None:
        """Do nothing: no file is open between two calls."""

    def _json(self, ask: "Callable[[StreamOffsets], dict[Any, int]]") -> dict[str, Any]:
        from pyspark_kafkafmt.stream_offsets import to_json

        return to_json(self._ask(ask))

    def _ask(self, ask: "Callable[[StreamOffsets], T]") -> T:
        """Call `ask` with the offsets of this query, which are kept between calls; errors have no traceback."""
        from pyspark_kafkafmt.planning import warn
        from pyspark_kafkafmt.stream_offsets import StreamOffsets

        try:
            if self._offsets is None:
                for note in self._options.notes:
                    warn(note)
                self._offsets = StreamOffsets(self._stream)
            return ask(self._offsets)
        except (KafkafmtError, OptionError) as error:
            raise plainly(error) from None
        finally:
            freeze()
