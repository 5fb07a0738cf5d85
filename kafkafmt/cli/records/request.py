"""A request: the records that `cat` or `grep` was asked for, and how their rows are written: whole, or divided."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.delivery import deliver, limited
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.messages import Passes
    from kafkafmt.cli.output import Output, TableShape
    from kafkafmt.cli.progress import WatchedPass
    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.cli.records.state import State
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.searching import Matches, RecordSearch


@dataclass(frozen=True)
class RecordRequest:
    """Values of the options of `record_options`.

    Attributes:
        paths: the paths that are read.
        search: the condition on the records; None for all.
        rows: columns and form of the rows.
        record_kind: `--kind`.
        limit: most rows to write; None for all.
        follow: whether to continue with new records.
        last: number of last records of each partition; None for all.
        partition_by: columns after which directories are named; None for one output.
        max_file_bytes: most bytes of a file in these directories.
        state: the file of `--state`.
        commit: whether the state is committed later.
        count: whether matches are only counted.
        at_time: the time at which a compacted log is shown, in ms; None for its end.
        wanted: the arguments of `kafkafmt.scan`.
    """

    paths: tuple[str, ...]
    search: "RecordSearch | None"
    rows: "RowOptions"
    record_kind: str | None
    limit: int | None
    follow: bool
    last: int | None
    partition_by: tuple[str, ...] | None
    max_file_bytes: int | None
    state: str | None
    commit: bool
    count: bool
    at_time: int | None
    wanted: dict[str, Any]

    @classmethod
    def of(
        cls,
        paths: tuple[str, ...],
        options: dict[str, Any],
        search: "RecordSearch | None" = None,
        *,
        count: bool = False,
    ) -> "RecordRequest":
        """Take a request from the options of a command: those of a scan, and those that `record_options` adds.

        Raises:
            click.UsageError: an option needs another one, or excludes it.
        """
        wanted = dict(options)
        own = {name: wanted.pop(name) for name in _OWN}
        request = cls(paths=paths, search=search, count=count, wanted=wanted, **own)
        request._check()
        return request

    def _check(self) -> None:
        """Check options that require or exclude others.

        Raises:
            click.UsageError: an option is missing or excluded.
        """
        if self.last == 0 and not self.follow:
            raise click.UsageError("--last 0 selects nothing, unless with --follow.")
        ending = {
            "--count": self.count,
            "--partition-by": self.partition_by,
            "--state": self.state,
            "--compacted": self.wanted["compacted"],
        }
        for other, is_given in ending.items():
            if self.follow and is_given:
                raise click.UsageError(f"--follow cannot be combined with {other}.")
        if self.at_time is not None:
            self._check_at_time()
        self._check_divided()
        self._check_state()
        if self.record_kind is not None and self.wanted["topics"] is not None:
            raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
        if self.record_kind is not None and self.last:
            raise click.UsageError(
                "--last cannot be combined with --kind: the kind of a record is known only once it is read."
            )

    def _check_at_time(self) -> None:
        if not self.wanted["compacted"]:
            raise click.UsageError("--at-time needs --compacted; for records up to a time use --end-time.")
        others = {"--end-offset": self.wanted["end_offset"], "--state": self.state, "--kind": self.record_kind}
        given = [name for name, value in others.items() if value is not None]
        if given:
            raise click.UsageError(f"--at-time cannot be combined with {given[0]}.")

    def _check_divided(self) -> None:
        if self.partition_by is None:
            if self.max_file_bytes is not None:
                raise click.UsageError("--max-file-bytes needs --partition-by.")
            return
        if self.count:
            raise click.UsageError("--partition-by cannot be combined with --count.")
        if self.rows.out is None:
            raise click.UsageError("--partition-by needs the directory to write: --out DIR.")
        if self.record_kind is not None or self.limit is not None or self.last is not None:
            raise click.UsageError("--partition-by cannot be combined with --kind, --limit and --last.")

    def _check_state(self) -> None:
        if self.state is not None:
            values = {"--limit": self.limit, "--last": self.last, "--start-offset": self.wanted["start_offset"]}
            given = [name for name, value in values.items() if value is not None]
            if self.wanted["replica"] == "all":
                given.append("--replica all")
            if given:
                raise click.UsageError(f"--state says where to begin and reads to the end: leave out {given[0]}.")
        elif self.commit:
            raise click.UsageError("--commit needs --state: it writes FILE.next, which `kafkafmt state commit` moves.")
        if self.commit and self.partition_by:
            raise click.UsageError(
                "--commit cannot be combined with --partition-by: the directory records complete runs."
            )

    def frame(self) -> "CommandFrame":
        """The frame of the command; with a kind, names are checked later, as its topic has other partitions."""
        topics, partitions = self.wanted["topics"], self.wanted["partitions"]
        if self.record_kind is not None:
            topics = partitions = None
        return CommandFrame(self.paths, topics=topics, partitions=partitions)

    @property
    def noun(self) -> str:
        """The name of the rows in messages."""
        return "partitions" if self.count else "records" if self.search is None else "matches"

    def deliver(
        self,
        passes: "Passes",
        watched: "WatchedPass",
        batches: "Iterable[pa.RecordBatch]",
        output: "AbstractContextManager[Output]",
        frame: "CommandFrame",
        kept: "State | None",
    ) -> int:
        """Write the rows of a pass as `delivery.deliver` does, and then where the next run begins."""
        status = deliver(
            passes,
            batches,
            output,
            frame=frame,
            rows=self.rows,
            noun=self.noun,
            on_damage=self.wanted["on_damage"],
            watched=watched,
            complete=None if kept is None else kept.write,
        )
        if kept is not None and not kept.was_written:
            say(f"{kept.path} not updated: the next run starts from the same place")
        return status

    def deliver_divided(
        self, shown: "ShownRecords", dividers: tuple[str, ...], frame: "CommandFrame", kept: "State | None"
    ) -> int:
        """Write records as a directory of Parquet files, without the columns after which directories are named."""
        from kafkafmt.cli.output.binary_forms import open_partitioned
        from kafkafmt.loading.dividing import columns_of

        records = shown.records
        names = [name for name in records.schema.names if name not in dividers]
        if not names:
            raise click.UsageError("--partition-by leaves no column for the files.")
        wanted = records.select(list(dict.fromkeys((*names, *columns_of(dividers)))))
        schema = wanted.schema.empty_table().select(names).schema
        if kept is None:
            output = open_partitioned(self.rows.out or "", schema, dividers, self.paths, self.max_file_bytes)
        else:
            output = kept.open_directory(schema, dividers, self.max_file_bytes)
        return self.deliver(wanted, shown.watched, wanted.to_reader(), output, frame, kept)


_OWN = {field.name for field in fields(RecordRequest)} - {"paths", "search", "count", "wanted"}


@dataclass(frozen=True)
class ShownRecords:
    """The rows that a request prints.

    Attributes:
        records: source of the rows.
        schema: columns that are printed.
        shape: shape of a table.
        show: function that makes the printed rows from those that are read.
    """

    records: "Scan | Matches | DecodedScan[Any]"
    schema: "pa.Schema"
    shape: "TableShape"
    show: "Callable[[pa.RecordBatch], pa.RecordBatch]"

    def batches(self, request: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass over as many records as are wanted."""
        if request.last:
            reader = self.records.tail(request.last)
        elif request.limit is not None:
            reader = self.records.head(request.limit)
        else:
            reader = self.records.to_reader()
        return map(self.show, limited(reader, request.limit))

    @property
    def watched(self) -> "WatchedPass":
        """The scan or search whose passes the rows come from."""
        from kafkafmt.scanning.decoded_scan import DecodedScan

        return self.records.scan if isinstance(self.records, DecodedScan) else self.records

    @property
    def followed(self) -> "FollowedRows":
        """The same rows, followed as brokers append them."""
        from kafkafmt.scanning import Scan
        from kafkafmt.scanning.decoded_scan import DecodedScan

        matches = self.records
        if isinstance(matches, DecodedScan):
            return matches.scan, self.schema, self.shape, lambda batch: map(self.show, matches.decode_batch(batch))
        if isinstance(matches, Scan):
            return matches, self.schema, self.shape, lambda batch: [self.show(batch)]
        return matches.candidates, self.schema, self.shape, lambda batch: map(self.show, matches.among(batch))
