"""A directory of Parquet files as the target of a load."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.libraries import pa
from kafkafmt.loading.appended import RECORDS, AppendedDirectory, begin_appended, is_appended
from kafkafmt.loading.dividing import columns_of
from kafkafmt.loading.table_types import TableTypes, identical
from kafkafmt.loading.target import LoadChoices, TableCommit, check_dividers, divided_otherwise
from kafkafmt.writing.target import PRIVATE_DIRECTORY, check_place, local_path

if TYPE_CHECKING:
    from kafkafmt.loading.parquet_files import PartitionedOutput
    from kafkafmt.scanning import Offsets
    from kafkafmt.scanning.offsets import TopicPartition

_TYPES = TableTypes(identical)


class DirectoryTarget:
    """A directory of Parquet files, with a record of each load; a `LoadTarget`.

    Args:
        name: path of the directory.
        chosen: the choices of the load.

    Raises:
        SourceError: the directory has other files, is in use, or cannot be read or written.
    """

    def __init__(self, name: str, chosen: LoadChoices) -> None:
        self.name = str(local_path(name))
        self._chosen = chosen
        self._directory: AppendedDirectory | None = None
        self._dividers: tuple[str, ...] = ()
        self._schema: pa.Schema | None = None
        if _is_empty(self.name):
            check_place(local_path(name), chosen.sources)
            try:
                os.makedirs(os.path.join(self.name, RECORDS), PRIVATE_DIRECTORY, exist_ok=True)
            except OSError as error:
                raise SourceError(f"cannot be written: {error.strerror}", file=self.name) from error
        if os.path.lexists(self.name):
            if not is_appended(self.name):
                advice = f"; delta:{name} loads into a Delta table" if os.path.isdir(f"{self.name}/_delta_log") else ""
                text = f"exists already, and no load has written it: nothing is added to it{advice}"
                raise SourceError(text, file=self.name)
            self._directory = AppendedDirectory(self.name, chosen.sources, chosen.say)

    def offsets(self, _: "Collection[TopicPartition]") -> "Offsets | None":
        """Where the next load begins; None before the first load."""
        return None if self._directory is None or self._directory.number == 0 else self._directory.offsets

    @property
    def has_rows(self) -> bool:
        """False: a directory without a record of a load is refused."""
        return False

    @property
    def has_days(self) -> bool:
        """False: a directory can be named after any day."""
        return False

    def divide(self, dividers: Sequence[str] | None) -> list[str]:
        """Set and check the columns by which files are divided; returns the record columns that this needs."""
        there = None if self._directory is None else self._directory.dividers
        self._dividers = check_dividers(there or () if dividers is None else dividers)
        if there is not None and there != self._dividers:
            raise divided_otherwise(self.name, there, self._dividers)
        return columns_of(self._dividers)

    def prepare(self, rows: "pa.Schema") -> "pa.Schema":
        """The columns of the files; earlier files need not have new columns."""
        import pyarrow as pa  # noqa: PLC0415 - it is loaded by now

        wanted = pa.schema([each for each in rows if each.name not in self._dividers])
        there = None if self._directory is None else self._directory.schema
        if self._directory is not None and self._directory.number and there is None:
            self._directory.check(self._dividers, wanted.names)  # a record of an earlier release
        if not len(wanted):
            raise SourceError("--partition-by leaves no column for the files", file=self.name)
        self._schema = _TYPES.schema(wanted) if there is None else _TYPES.joined(there, wanted, self.name)
        return self._schema

    @contextmanager
    def appending(self, appended: TableCommit) -> "Iterator[PartitionedOutput]":
        """Take the rows of one commit, which is a record of a run with its files."""
        if self._directory is None:
            self._directory = begin_appended(self.name, self._chosen.sources, self._chosen.say)
        sources, directory = self._chosen.sources, self._directory
        schema = self._schema if self._schema is not None else directory.schema
        if schema is None:
            raise SourceError("has no record of the types of its columns", file=self.name)
        with directory.appending(
            schema, self._dividers, sources, self._chosen.max_file_bytes, lambda: appended.end
        ) as output:
            yield output
        if appended.end is not None:
            appended.name = f"run {directory.number}"

    def close(self) -> None:
        """Let other loads write."""
        if self._directory is not None:
            self._directory.close()


def _is_empty(path: str) -> bool:
    with suppress(OSError):
        return os.path.isdir(path) and not os.listdir(path)
    return False
