"""Appended directories: Parquet files that several runs write to one directory.

The runs are those of `kafkafmt.load`, and of `kafkafmt cat --partition-by` with `--state`.

    lake/topic=orders/day=2026-11-21/part-0.parquet       of the first run
    lake/topic=orders/day=2026-11-22/part-2-0.parquet     of the second one
    lake/_kafkafmt/00000001.json                          a record of each run: its files, and where the next one begins
    lake/_kafkafmt/00000002.json

A run writes its files to `_kafkafmt/<run>.writing`, under names that readers do not take as data. It is complete when
its record has its final name; only then are its files moved to where readers look, and the state is written after that.
A run that is killed before its record exists has therefore written nothing, and the next run removes its files. A run
that is killed later is finished by the next one, which begins where the record says, whatever the state says. Each
file, the record and the directories are synced before the step that relies on them.
"""

import base64
import fcntl
import itertools
import json
import os
import re
import shutil
import stat
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kafkafmt.errors import SourceError
from kafkafmt.loading.dividing import HiveDivision
from kafkafmt.loading.parquet_files import PartitionedOutput
from kafkafmt.scanning import Offsets
from kafkafmt.writing.durable import Tree, sync
from kafkafmt.writing.target import PRIVATE_DIRECTORY, PRIVATE_FILE, check_place, left_of, new_directory, share

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source
    from kafkafmt.loading.parquet_files import Values, WrittenFile

RECORDS: Final = "_kafkafmt"
"""The directory of the runs' records; readers skip names that begin with an underscore."""

_LOCK: Final = "lock"
_RECORD = re.compile(r"([0-9]{8})\.json")
_WRITING = re.compile(r"([0-9]{8})\.writing")
# Files get the permissions of their directory, but without the bits to execute.
_READ_AND_WRITE = 0o666
_ALL = 0o777


@dataclass(frozen=True)
class _Run:
    """The record of a run.

    Attributes:
        number: number of the run, from 1 on.
        dividers: columns that directories are named after.
        columns: names of the files' columns.
        schema: the files' columns with their types; None in records of earlier releases.
        files: paths of the files, relative to the directory.
        offsets: where the next run begins.
    """

    number: int
    dividers: tuple[str, ...]
    columns: tuple[str, ...]
    schema: pa.Schema | None
    files: tuple[str, ...]
    offsets: Offsets


class AppendedDirectory:
    """A directory that runs append to. No other run can until it is closed or this object is gone.

    A run that was killed is finished or undone first.

    Args:
        target: the directory.
        sources: the paths read, which must lie outside the directory.
        say: takes sentences about runs that were killed.

    Raises:
        SourceError: the place is not such a directory, is among Kafka's files, is in use, or cannot be read or written.
    """

    def __init__(self, target: str, sources: "Sequence[Source | Location]", say: Callable[[str], object]) -> None:
        self.target = target
        self._say = say
        self.path = Path(os.path.realpath(target))
        check_place(self.path, sources)
        if not is_appended(target):
            text = "exists already, and was not written by --partition-by with --state; nothing is added to it"
            raise SourceError(text, file=target)
        self._records = self.path / RECORDS
        try:
            self._lock()
            self._last = self._read_last()
            self._recover()
        except OSError as error:
            raise _cannot_be_written(target, error) from error

    @property
    def offsets(self) -> Offsets:
        """Where the last run ended, in the partitions that runs have read."""
        return Offsets({}) if self._last is None else self._last.offsets

    @property
    def number(self) -> int:
        """The number of the last run, from 1 on; 0 before the first."""
        return 0 if self._last is None else self._last.number

    @property
    def dividers(self) -> tuple[str, ...] | None:
        """The columns by which files are divided; None before the first run."""
        return None if self._last is None else self._last.dividers

    @property
    def schema(self) -> pa.Schema | None:
        """Columns of the last run's files; None before the first run, or if its record has no types."""
        return None if self._last is None else self._last.schema

    def close(self) -> None:
        """Let other runs append."""
        self._unlock()

    def check(self, dividers: Sequence[str], columns: Sequence[str]) -> None:
        """Check that files are divided as before, and have the same columns.

        Raises:
            SourceError: they differ: readers of the directory would fail, or confuse columns.
        """
        last = self._last
        if last is not None and last.dividers != tuple(dividers):
            found, expected = ",".join(dividers), ",".join(last.dividers)
            raise SourceError("its files are partitioned differently", file=self.target, expected=expected, found=found)
        if last is not None and last.columns != tuple(columns):
            found, expected = ",".join(columns), ",".join(last.columns)
            raise SourceError("its files have other columns", file=self.target, expected=expected, found=found)

    @contextmanager
    def appending(
        self,
        schema: pa.Schema,
        dividers: Sequence[str],
        sources: "Sequence[Source | Location]",
        max_file_bytes: int | None,
        complete: Callable[[], Offsets | None],
    ) -> Iterator[PartitionedOutput]:
        """Open the directory for a run whose files appear when the context ends without an exception.

        Args:
            schema: columns of the files.
            dividers: columns that directories are named after.
            sources: the paths read, whose permissions the files get.
            max_file_bytes: as for `PartitionedOutput`.
            complete: called at the end; gives the offsets where this run has ended, or None to add nothing.

        Raises:
            SourceError: the directory cannot be written.
        """
        number = self.number + 1
        work = self._records / _name(number, "writing")
        try:
            work.mkdir(PRIVATE_DIRECTORY)
            with Tree(work) as tree:
                output = _output_of(number, work, schema, dividers, max_file_bytes)
                try:
                    yield output
                    output.finish()
                except BaseException:
                    output.abandon()
                    raise
                offsets = complete()
                if offsets is None:
                    return
                # Merged, so that partitions that this run did not read keep their offsets.
                run = _Run(
                    number,
                    tuple(dividers),
                    tuple(schema.names),
                    schema,
                    tuple(each.path for each in output.files),
                    self.offsets | offsets,
                )
                share(work, sources, below=True)
                self._commit(run, tree, work, output.files)
                self._last = run
                self._finish(run, work)
        except OSError as error:
            raise _cannot_be_written(self.target, error) from error
        finally:
            # Once its record exists the run counts, even if a later step fails: the next run finishes it.
            if self.number != number and not os.path.lexists(self._records / _name(number, "json")):
                self._undo(work)

    def _undo(self, work: Path) -> None:
        """Remove the files of a run, and after a first run the directory."""
        shutil.rmtree(work, ignore_errors=True)
        if self._last is None:
            with suppress(OSError):
                self._records.rmdir()
                self.path.rmdir()

    def _commit(self, run: _Run, tree: Tree, work: Path, files: "Sequence[WrittenFile]") -> None:
        """Write the record of a run after its files have been synced: from here on the run counts."""
        for each in files:
            if os.path.lexists(self.path / each.path):
                raise SourceError("exists already; not overwritten", file=str(self.path / each.path))
        tree.sync()
        sync(self._records)
        content = {
            "version": 1,
            "partitionBy": list(run.dividers),
            "columns": list(run.columns),
            "schema": "" if run.schema is None else base64.b64encode(run.schema.serialize()).decode(),
            "files": [{"path": each.path, "rows": each.rows} for each in files],
            **{name: value for name, value in json.loads(run.offsets.to_json()).items() if name != "version"},
        }
        part = work / "record"
        with open(part, "xb") as file:
            file.write(json.dumps(content, indent=1).encode() + b"\n")
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(work.stat().st_mode) & _READ_AND_WRITE)
            os.fsync(file.fileno())
        part.rename(self._records / _name(run.number, "json"))
        sync(self._records)

    def _finish(self, run: _Run, work: Path) -> None:
        """Move the files of a run with a record to where readers look."""
        mode = stat.S_IMODE(work.stat().st_mode) & _ALL
        touched = {self.path: None}
        if run.number == 1:
            _open_folder(self.path, mode)
            _open_folder(self._records, mode)
        for number, name in enumerate(run.files):
            written, target = work / f"{number}.part", self.path / name
            if not written.exists():
                continue  # moved already, before a kill
            for folder in reversed(target.relative_to(self.path).parents):
                directory = self.path / folder
                if not directory.is_dir():
                    directory.mkdir(PRIVATE_DIRECTORY)
                    _open_folder(directory, mode)
                touched[directory] = None
            written.rename(target)
        for directory in touched:
            sync(directory)
        shutil.rmtree(work)

    def _recover(self) -> None:
        """Finish or undo runs that were killed."""
        for entry in sorted(os.listdir(self._records)):
            found = _WRITING.fullmatch(entry)
            if found is None:
                continue
            work = self._records / entry
            if self._last is not None and int(found[1]) == self._last.number:
                self._finish(self._last, work)
                self._say(f"{self.target}: the last run was interrupted when complete; its files are in place now")
            else:
                shutil.rmtree(work)
                self._say(f"{self.target}: the files of an interrupted run were removed; no reader has seen them")

    def _read_last(self) -> _Run | None:
        """The record of the last run, or None before the first."""
        numbers = [int(found[1]) for name in os.listdir(self._records) if (found := _RECORD.fullmatch(name))]
        if not numbers:
            return None
        return _run_of(max(numbers), self._records / _name(max(numbers), "json"))

    def _lock(self) -> None:
        """Exclude other runs until `_unlock`, or until this object is gone.

        Raises:
            SourceError: another run is in progress.
            OSError: the directory cannot be opened.
        """
        for name, flags in (("", os.O_RDONLY), (_LOCK, os.O_RDWR | os.O_CREAT)):
            file = os.open(self._records / name, flags | os.O_CLOEXEC, PRIVATE_FILE)
            self._unlock = weakref.finalize(self, os.close, file)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                text = "another run is writing to it; try again when that has ended"
                raise SourceError(text, file=self.target) from error
            except OSError:
                self._unlock()  # NFS locks only files that are open for writing, not directories
            else:
                return
        self._say(f"{self.target}: this file system has no locks: no other run may write to it now")


def is_appended(target: str) -> bool:
    """Whether a directory has records of runs that append to it."""
    return (Path(target) / RECORDS).is_dir()


def begin_appended(
    target: str, sources: "Sequence[Source | Location]", say: Callable[[str], object]
) -> AppendedDirectory:
    """Create a directory that runs append to.

    Args:
        target: the directory, which must not exist.
        sources: the paths read, which must lie outside the directory.
        say: takes sentences about runs that were killed.

    Raises:
        SourceError: as for `AppendedDirectory`.
    """
    for note in left_of(target):
        say(note)
    with new_directory(target, sources) as work:
        (work / RECORDS).mkdir(PRIVATE_DIRECTORY)
    return AppendedDirectory(target, sources, say)


def _output_of(
    run: int, work: Path, schema: pa.Schema, dividers: Sequence[str], max_file_bytes: int | None
) -> PartitionedOutput:
    """The output of a run, whose files have numbers until they are moved to their final names."""
    division, of_run, numbers = HiveDivision(tuple(dividers)), "" if run == 1 else f"{run}-", itertools.count()

    def create(values: "Values", number: int) -> tuple[str, pa.NativeFile]:
        path = PurePosixPath(division.folder(values)) / f"part-{of_run}{number}.parquet"
        return str(path), pa.OSFile(str(work / f"{next(numbers)}.part"), "wb")

    return PartitionedOutput(schema, division, create, max_file_bytes)


def _name(number: int, suffix: str) -> str:
    return f"{number:08}.{suffix}"


def _run_of(number: int, record: Path) -> _Run:
    """Read the record of a run.

    Raises:
        SourceError: the file is not a record of a run.
    """
    try:
        content = json.loads(record.read_bytes())
        files = tuple(str(each["path"]) for each in content["files"])
        dividers, columns = tuple(map(str, content["partitionBy"])), tuple(map(str, content["columns"]))
        offsets = Offsets.from_json(json.dumps(content))
        kept = content.get("schema")
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(kept))) if kept else None
    except (KeyError, TypeError, ValueError, RecursionError, pa.ArrowException, OSError) as error:
        raise SourceError(f"is not the record of a run: {error}", file=str(record)) from error
    if any(PurePosixPath(each).is_absolute() or ".." in PurePosixPath(each).parts for each in files):
        raise SourceError("is not the record of a run: it names files outside of the directory", file=str(record))
    return _Run(number, dividers, columns, schema, files, offsets)


def _open_folder(directory: Path, mode: int) -> None:
    directory.chmod(mode | directory.stat().st_mode & stat.S_ISGID)


def _cannot_be_written(target: str, error: OSError) -> SourceError:
    return SourceError(f"cannot be written: {error.strerror}", file=target)
