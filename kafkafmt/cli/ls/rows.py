"""`ls --rows LEVEL`: what a survey found as rows, in any form that `--output` knows."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.cli.output import Output, open_output
from kafkafmt.survey.rows import SCHEMAS, Level, Row, rows_of_findings, rows_of_log_dir, rows_of_partition

if TYPE_CHECKING:
    from kafkafmt.cli.ls.run import Request, Sink
    from kafkafmt.survey import Finding, LogDirSurvey, PartitionSurvey

_FIRST = {
    "log-dirs": ("path", "nodeId", "partitions", "sizeInBytes", "cleanShutdown"),
    "partitions": ("topic", "partition", "sizeInBytes", "records", "logStartOffset", "logEndOffset", "maxTimestamp"),
    "segments": ("path", "topic", "partition", "nextOffset", "sizeInBytes", "records", "maxTimestamp", "findings"),
    "findings": ("path", "message", "level", "position"),
    "left-out": ("path", "kind", "reason", "sizeInBytes"),
}
_ROWS = 1024


def write_rows(request: "Request", feed: "Callable[[Sink], None]") -> None:
    """Write the rows of one level while the survey goes on.

    Raises:
        click.UsageError: the file to write lies in a log directory, or cannot be created.
    """
    schema = SCHEMAS[request.level or "partitions"]
    with open_output(
        request.kind,
        request.out,
        schema,
        bytes_as=request.bytes_as,
        header=request.header,
        sources=(*request.paths, *request.metadata),
        first=_FIRST[request.level or "partitions"],
    ) as output:
        rows = _Rows(request.level or "partitions", schema, output)
        feed(rows)
        rows.flush()


class _Rows:
    """Takes what is found, and writes the rows of one level, a batch at a time."""

    def __init__(self, level: Level, schema: pa.Schema, output: Output) -> None:
        self._level = level
        self._schema = schema
        self._output = output
        self._waiting: list[Row] = []

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Write what there is about the log directory itself."""
        self._add(rows_of_log_dir(self._level, found))

    def partition(self, found: "PartitionSurvey") -> None:
        """Write what there is about a partition."""
        self._add(rows_of_partition(self._level, found))

    def end_log_dir(self) -> None:
        """Write what waits: whoever reads the rows should not wait for the next directory."""
        self.flush()

    def replicas(self, findings: "Sequence[Finding]") -> None:
        """Write what is wrong between replicas."""
        self._add(rows_of_findings(self._level, findings))

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._output.write(pa.RecordBatch.from_pylist(self._waiting, schema=self._schema))
            self._waiting.clear()

    def _add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._waiting.append(row)
            if len(self._waiting) >= _ROWS:
                self.flush()
