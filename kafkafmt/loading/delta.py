"""A Delta table as the target of a load.

The rows are written as Parquet files, and one commit adds them. The same commit stores where the next load begins, as
transactions of applications (the action `txn`), which checkpoints keep and the cleaning of the log does not touch:

    kafkafmt                    number of the commit among those of loads; concurrent loads conflict on it
    kafkafmt/orders/0           next offset of a partition
    kafkafmt/orders/id/0, /1    both halves of the topic's id

The commit's information also has the text of `Offsets.to_json`, for people, and for partitions that are absent now.
"""

import base64
import os
import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.fs

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import SourceError
from kafkafmt.io.uri import scheme_of, shown
from kafkafmt.loading.delta_statistics import statistics_of
from kafkafmt.loading.dividing import NULL, HiveDivision, columns_of
from kafkafmt.loading.parquet_files import PartitionedOutput
from kafkafmt.loading.table_types import TableTypes, for_delta
from kafkafmt.loading.target import (
    OFFSETS,
    START_OFFSETS,
    LoadChoices,
    TableCommit,
    changed_meanwhile,
    check_dividers,
    divided_otherwise,
    text_of,
)
from kafkafmt.scanning import Offsets
from kafkafmt.writing.durable import sync
from kafkafmt.writing.target import check_place, local_path

if TYPE_CHECKING:
    from pathlib import Path

    from deltalake import DeltaTable

    from kafkafmt.loading.parquet_files import Values, WrittenFile
    from kafkafmt.scanning.offsets import TopicPartition

_APPLICATION: Final = "kafkafmt"
_COMMIT: Final = "kafkafmt.commit"
_TYPES = TableTypes(for_delta)
_DIVIDED_TYPES: Final = {"day": pa.date32(), "hour": pa.int32()}
_LOG: Final = "_delta_log"
_COMMITTED: Final = re.compile(r"\d{20}\.json")
_TRIES: Final = 5
_NEWEST: Final = 100
"""Number of newest commits in which the information of the last load is searched first."""

_EXPIRES: Final = "delta.setTransactionRetentionDuration"

_KEPT_FROM_US: Final = ("delta.constraints.", "delta.enableIcebergCompat", "delta.enableRowTracking")
_CALCULATED: Final = ("delta.generationExpression", "delta.identity.start", "delta.invariants")


class DeltaTarget:
    """A Delta table; a `LoadTarget`.

    Args:
        place: path or URI of the table.
        chosen: the choices of the load.

    Raises:
        ImportError: deltalake is not installed.
        SourceError: the table is among Kafka's files, or cannot be read.
    """

    def __init__(self, place: str, chosen: LoadChoices) -> None:
        try:
            import deltalake  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError("loading into Delta tables needs deltalake: pip install 'kafkafmt[delta]'") from error
        self._library = deltalake
        self._local = None if scheme_of(place) not in (None, "file") else local_path(place)
        self._uri = place if self._local is None else str(self._local)
        self.name = shown(place)
        self._chosen = chosen
        self._dividers: tuple[str, ...] = ()
        self._schema: pa.Schema | None = None
        self._table: DeltaTable | None = None
        self._loads = 0
        self._prepared: tuple[object, ...] | None = None
        if self._local is not None:
            check_place(self._local, chosen.sources)
        with self._errors("cannot be read"):
            if deltalake.DeltaTable.is_deltatable(self._uri):
                self._table = deltalake.DeltaTable(self._uri)
                self._refuse_features(self._table)
        if self._table is None and self._local is not None and _has_entries(self._local):
            raise SourceError("exists already, is not empty, and is not a Delta table", file=str(self._local))

    def offsets(self, names: "Collection[TopicPartition]") -> Offsets | None:
        """Where the next load begins; None if no load has written the table.

        Raises:
            SourceError: the table was restored to an earlier version since, or offsets in it may have expired.
        """
        table = self._table
        if table is None:
            return None
        number = table.transaction_version(_APPLICATION)
        if number is None:
            return None
        self._loads = number
        noted = self._noted(table, number)
        offsets, ids = dict(noted), dict(noted.topic_ids)
        for topic in {topic for topic, _ in names} - ids.keys():
            halves = [table.transaction_version(f"{_APPLICATION}/{topic}/id/{half}") for half in range(2)]
            if halves[0] is not None and halves[1] is not None:
                ids[topic] = format_uuid(
                    b"".join(each.to_bytes(8, "big", signed=True) for each in halves if each is not None)
                )
        for name in set(names) - offsets.keys():
            offset = table.transaction_version(_partition_id(name))
            if offset:
                offsets[name] = offset
        return Offsets(offsets, {topic: each for topic, each in ids.items() if any(topic == one for one, _ in offsets)})

    @property
    def has_rows(self) -> bool:
        """Whether the table has files."""
        return self._table is not None and bool(self._table.file_uris())

    @property
    def has_days(self) -> bool:
        """Whether the table is divided by days, which its library reads as dates."""
        return "day" in self._dividers

    def divide(self, dividers: Sequence[str] | None) -> list[str]:
        """Set and check the columns by which files are divided; returns the record columns that this needs."""
        there = None if self._table is None else tuple(self._table.metadata().partition_columns)
        try:
            self._dividers = check_dividers(there or () if dividers is None else dividers)
        except ValueError as error:
            if dividers is not None:
                raise
            raise SourceError(
                f"is partitioned by a column that records do not have: {error}", file=self.name
            ) from error
        if there is not None and there != self._dividers:
            raise divided_otherwise(self.name, there, self._dividers)
        return columns_of(self._dividers)

    def prepare(self, rows: pa.Schema) -> pa.Schema:
        """Create the table, or add columns to it; returns the columns of its files."""
        from kafkafmt.columns import SCHEMA  # noqa: PLC0415 - it is loaded by now

        divided = [pa.field(name, _DIVIDED_TYPES.get(name) or SCHEMA.field(name).type) for name in self._dividers]
        wanted = pa.schema([*(each for each in rows if each.name not in self._dividers), *divided])
        if self._table is None:
            schema = _TYPES.schema(wanted)
            with self._errors("cannot be created"):
                try:
                    self._table = self._library.DeltaTable.create(
                        self._uri, schema, partition_by=list(self._dividers) or None
                    )
                except self._library.exceptions.DeltaError:
                    if not self._library.DeltaTable.is_deltatable(self._uri):
                        raise
                    self._table = self._library.DeltaTable(self._uri)  # created by another load at the same time
        there = pa.schema(self._table.schema())
        joined = _TYPES.joined(there, wanted, self.name)
        if joined != there:
            self._add_columns(self._table, joined)
        self._schema = pa.schema([each for each in joined if each.name not in self._dividers])
        self._prepared = _form(self._table)
        return self._schema

    @contextmanager
    def appending(self, appended: TableCommit) -> Iterator[PartitionedOutput]:
        """Take the rows of one commit."""
        if self._table is None:
            raise SourceError("does not exist", file=self.name)
        table, load_id, division = self._table, uuid.uuid4(), HiveDivision(self._dividers)
        storage: Any = None if self._local is not None else _file_system(table)

        def create(values: "Values", number: int) -> tuple[str, pa.NativeFile]:
            folder = division.folder(values)
            path = f"{folder}{'/' if folder else ''}part-{number:05}-{load_id}.zstd.parquet"
            if self._local is None:
                return path, storage.open_output_stream(path)
            place = os.path.join(self._local, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            return path, pa.OSFile(place, "wb")

        schema = self._schema if self._schema is not None else pa.schema([])
        output = PartitionedOutput(schema, division, create, self._chosen.max_file_bytes)
        try:
            with self._errors("cannot be written"):
                yield output
                output.finish()
            if self._local is not None:
                for each in output.files:
                    sync(self._local / each.path)
        except BaseException:
            output.abandon()
            for each in output.files:
                with suppress(OSError, pa.ArrowException):
                    if self._local is not None:
                        os.unlink(self._local / each.path)
                    elif storage is not None:
                        storage.delete_file(each.path)
            raise
        # From here on files are not removed after an error, as a commit that seems to have failed may exist.
        if appended.end is not None:
            self._commit(table, output.files, appended, appended.end)

    def close(self) -> None:
        """Do nothing, as no lock is held: commits of concurrent loads conflict."""

    def _commit(self, table: "DeltaTable", files: "Sequence[WrittenFile]", appended: TableCommit, end: Offsets) -> None:
        from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction  # noqa: PLC0415 - an extra

        # This table object may be newer than the offsets at which the rows begin, so another load may have committed
        # since.
        if not self._is_unloaded(table):
            raise changed_meanwhile(self.name, by_load=True)
        form = _form(table)
        if files and form != self._prepared:
            raise changed_meanwhile(self.name, by_load=False)
        number = self._loads + 1
        actions: list[AddAction | RemoveAction] = [
            AddAction(each.path, each.size, self._partition_values(each), 0, True, statistics_of(each))  # noqa: FBT003
            for each in files
        ]
        versions = {_APPLICATION: number}
        changed = {name for name, offset in end.items() if appended.start.get(name) != offset}
        for name in sorted(changed):
            versions[_partition_id(name)] = end[name]
        # Offsets of a recreated topic's old partitions are reset, as a partition with the same name may appear again.
        versions |= dict.fromkeys(map(_partition_id, appended.start.keys() - end.keys()), 0)
        for topic in sorted({topic for topic, _ in changed} & end.topic_ids.keys()):
            whole = base64.urlsafe_b64decode(f"{end.topic_ids[topic]}==")
            for half in range(2):
                part = int.from_bytes(whole[8 * half : 8 * half + 8], "big", signed=True)
                versions[f"{_APPLICATION}/{topic}/id/{half}"] = part
        properties = CommitProperties(
            custom_metadata={
                OFFSETS: text_of(end),
                START_OFFSETS: text_of(appended.start),
                _COMMIT: number,
            },
            app_transactions=[Transaction(name, version) for name, version in versions.items()],
        )
        for attempt in range(_TRIES):
            try:
                with self._errors("cannot be written", but=self._library.exceptions.CommitFailedError):
                    table.create_write_transaction(
                        actions, "append", table.schema(), list(self._dividers), commit_properties=properties
                    )
                break
            except self._library.exceptions.CommitFailedError as error:
                with self._errors("cannot be read"):
                    table.update_incremental()
                is_unloaded = self._is_unloaded(table)
                if attempt == _TRIES - 1 or _form(table) != form or not is_unloaded:
                    raise changed_meanwhile(self.name, by_load=not is_unloaded) from error
        self._loads = number
        with self._errors("cannot be read"):
            table.update_incremental()
        appended.name = f"version {table.version()}"

    def _is_unloaded(self, table: "DeltaTable") -> bool:
        """Whether no other load has committed since this one read its offsets."""
        return (table.transaction_version(_APPLICATION) or 0) == self._loads

    def _partition_values(self, file: "WrittenFile") -> dict[str, str | None]:
        return {
            name: None if value == NULL else str(value) for name, value in zip(self._dividers, file.values, strict=True)
        }

    def _add_columns(self, table: "DeltaTable", joined: pa.Schema) -> None:
        fields = list(self._library.Schema.from_arrow(joined).fields)
        with self._errors("cannot be given new columns"):
            features = table.protocol().writer_features or ()
            if _has_local_times(joined) and "timestampNtz" not in features:
                feature = self._library.TableFeatures.TimestampWithoutTimezone
                table.alter.add_feature(feature, allow_protocol_versions_increase=True)
            table.alter.add_columns(fields)
            table.update_incremental()

    def _noted(self, table: "DeltaTable", number: int) -> Offsets:
        """The offsets in the information of the last load's commit; none if the log no longer has that commit.

        Raises:
            SourceError: as for `offsets`.
        """
        for each in self._history(table):
            if each.get("operation") == "RESTORE":
                text = (
                    f"was restored to an earlier version (in version {each.get('version')}) after the last load: it is "
                    "unknown which records it has. Load into another table"
                )
                raise SourceError(text, file=self.name)
            if each.get(_COMMIT) == number:
                with suppress(ValueError, TypeError):
                    return Offsets.from_json(each.get(OFFSETS, ""))
        if _EXPIRES in table.metadata().configuration:
            text = (
                f"its log no longer has the last load's commit, and by {_EXPIRES} offsets of partitions may have "
                "expired: it is unknown which records it has. Load into another table"
            )
            raise SourceError(text, file=self.name)
        return Offsets({})

    def _history(self, table: "DeltaTable") -> "Iterator[dict[str, Any]]":
        """The information of the commits in the log, newest first."""
        with self._errors("cannot be read"):
            newest = table.history(_NEWEST)
        yield from newest
        if len(newest) == _NEWEST:
            with self._errors("cannot be read"):
                older = table.history()[_NEWEST:]
            yield from older

    def _refuse_features(self, table: "DeltaTable") -> None:
        """Refuse a table with features that files written here would violate.

        Raises:
            SourceError: the table has such a feature.
        """
        configuration = table.metadata().configuration
        found = [name for name in configuration if name.startswith(_KEPT_FROM_US)]
        if configuration.get("delta.columnMapping.mode", "none") != "none":
            found.append("delta.columnMapping.mode")
        found += [
            f"{name} of {each.name}" for each in table.schema().fields for name in each.metadata if name in _CALCULATED
        ]
        if found:
            raise SourceError(f"has properties that load does not follow: {', '.join(found)}", file=self.name)

    @contextmanager
    def _errors(self, failed: str, but: tuple[type[Exception], ...] | type[Exception] = ()) -> Iterator[None]:
        """Raise errors of the library as SourceError."""
        try:
            yield
        except but:
            raise
        except (self._library.exceptions.DeltaError, OSError) as error:
            raise SourceError(f"{failed}: {error}", file=self.name) from error


def _form(table: "DeltaTable") -> tuple[object, ...]:
    """The properties that decide how files of the table are written."""
    metadata = table.metadata()
    return table.schema(), metadata.id, metadata.partition_columns, metadata.configuration


def _partition_id(name: "TopicPartition") -> str:
    return f"{_APPLICATION}/{name[0]}/{name[1]}"


def _has_entries(path: "Path") -> bool:
    """Whether a directory has more than the log of a table whose making was interrupted, without a commit."""
    with suppress(OSError):
        names = os.listdir(path)
        is_log = names == [_LOG] and not any(_COMMITTED.fullmatch(each) for each in os.listdir(path / _LOG))
        return bool(names) and not is_log
    return os.path.lexists(path)


def _file_system(table: "DeltaTable") -> Any:  # noqa: ANN401 - pyarrow has no types
    from deltalake.fs import DeltaStorageHandler  # noqa: PLC0415 - an extra

    return pyarrow.fs.PyFileSystem(DeltaStorageHandler(table.table_uri))


def _has_local_times(schema: pa.Schema) -> bool:
    """Whether the schema has a timestamp without a zone."""

    def has_one(kind: pa.DataType) -> bool:
        if pa.types.is_timestamp(kind):
            return kind.tz is None
        return any(has_one(kind.field(number).type) for number in range(kind.num_fields))

    return any(map(has_one, schema.types))
