"""A stream without Spark: calls the reader as Spark's engine does, passing offsets as JSON between calls."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StructType

from pyspark_kafkafmt.options import default_schema
from pyspark_kafkafmt.stream_options import StreamOptions
from pyspark_kafkafmt.streaming import KafkafmtStreamReader

Offsets = dict[str, dict[str, int]]
Rows = list[dict[str, Any]]


class Stream:
    """A query; `restarted` gives another one with the same checkpoint.

    Attributes:
        reader: the reader of this run.
        start: where the next batch starts; None before the first.
    """

    def __init__(
        self, path: Path | list[str], start: Offsets | None = None, *, schema: StructType | None = None, **options: Any
    ) -> None:
        paths = {"paths": json.dumps(path)} if isinstance(path, list) else {"path": str(path)}
        given = {"startingOffsets": "earliest", **paths, **{name: str(value) for name, value in options.items()}}
        self._again = path, schema, options
        parsed = StreamOptions.parse(given)
        self.reader = KafkafmtStreamReader(parsed, schema or default_schema(parsed.source))
        self.start = start

    def restarted(self) -> "Stream":
        path, schema, options = self._again
        return Stream(path, self.start, schema=schema, **options)

    def end(self, *, takes_all: bool = False) -> Offsets:
        """The end offset of the next batch."""
        if self.start is None:
            self.start = _through_json(self.reader.initialOffset())
        limit = ReadAllAvailable() if takes_all else self.reader.getDefaultReadLimit()
        return _through_json(self.reader.latestOffset(self.start, limit))

    def rows(self) -> Rows:
        """The rows of the next batch."""
        end = self.end()
        found = self.read(self.start or {}, end)
        self.start = end
        return found

    def offsets(self) -> list[int]:
        return [row["offset"] for row in self.rows()]

    def read(self, start: Offsets, end: Offsets) -> Rows:
        """The rows of a batch, each split read separately."""
        return self._rows_of(self.reader.partitions(start, end))

    def planned(self) -> Sequence[InputPartition]:
        """The tasks of the next batch, without reading it."""
        end = self.end()
        return self.reader.partitions(self.start or {}, end)

    def offsets_of(self, tasks: Sequence[InputPartition]) -> list[int]:
        return [row["offset"] for row in self._rows_of(tasks)]

    def _rows_of(self, tasks: Sequence[InputPartition]) -> Rows:
        found: Rows = []
        for task in tasks:
            for batch in self.reader.read(task):
                found += batch.to_pylist()
        return found


def _through_json(offset: Any) -> Offsets:
    found: Offsets = json.loads(json.dumps(offset))
    return found
