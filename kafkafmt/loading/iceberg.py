"""An Iceberg table as the target of a load.

The rows are written as Parquet files with the table's field ids, and one snapshot adds them. The snapshot's summary
stores where the next load begins, so that a table that is rolled back is loaded from its position at that snapshot.
Snapshots of other programs may follow, and old ones expire: therefore the table's properties have the same, for a table
whose whole history is newer than the last load.
"""

import sys
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from kafkafmt.errors import NotFoundError, SourceError
from kafkafmt.io.uri import scheme_of
from kafkafmt.loading.dividing import columns_of
from kafkafmt.loading.iceberg_partitions import SpecDivision, dividers_of, transform_of, without_coarser
from kafkafmt.loading.parquet_files import PartitionedOutput, without_bounds, without_statistics
from kafkafmt.loading.table_types import TableTypes, for_iceberg
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
from kafkafmt.writing.target import check_place, local_path

if TYPE_CHECKING:
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

    from kafkafmt.loading.parquet_files import Values, WrittenFile
    from kafkafmt.scanning.offsets import TopicPartition

_TYPES = TableTypes(for_iceberg, promotes=True)
_SEQUENCE: Final = "kafkafmt.sequence-number"
"""The property with the sequence number of the last load's snapshot; an older history was rolled back."""

_RETRIES: Final = "commit.retry.num-retries"
_TRIES: Final = 5


class IcebergTarget:
    """An Iceberg table; a `LoadTarget`.

    Args:
        name: the catalog in pyiceberg's configuration, the namespace and the table: "prod.db.orders".
        chosen: the choices of the load.

    Raises:
        ImportError: pyiceberg is not installed.
        NotFoundError: there is no such catalog.
        SourceError: the table cannot be read.
        ValueError: the name has another form.
    """

    def __init__(self, name: str, chosen: LoadChoices) -> None:
        try:
            from pyiceberg.catalog import load_catalog  # noqa: PLC0415 - an extra
            from pyiceberg.exceptions import NoSuchTableError  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError("loading into Iceberg tables needs pyiceberg: pip install 'kafkafmt[iceberg]'") from error
        catalog, _, self._identifier = name.partition(".")
        self.name = f"iceberg:{name}"
        if not catalog or "." not in self._identifier or not all(self._identifier.split(".")):
            raise ValueError(f"{self.name} must name a catalog, a namespace and a table: iceberg:prod.db.orders")
        self._chosen = chosen
        self._dividers: tuple[str, ...] = ()
        self._file_schema: pa.Schema | None = None
        self._table: Table | None = None
        self._known: Offsets | None = None
        self._prepared: tuple[int, int | None] | None = None
        with self._errors("cannot be read"):
            try:
                self._catalog = load_catalog(catalog)
            except ValueError as error:
                raise NotFoundError(f"pyiceberg has no catalog {catalog!r}: {error}") from error
            with suppress(NoSuchTableError):
                self._table = self._catalog.load_table(self._identifier)
        if self._table is not None:
            self._check_place(self._table.location())

    def offsets(self, _: "Collection[TopicPartition]") -> Offsets | None:
        """Where the next load begins; None if no load has written the table.

        Raises:
            SourceError: the offsets in the table were not written by a load.
        """
        self._known = None if self._table is None else _offsets_of(self._table, self.name)
        return self._known

    @property
    def has_rows(self) -> bool:
        """Whether the table has files."""
        snapshot = None if self._table is None else self._table.current_snapshot()
        if snapshot is None:
            return False
        return snapshot.summary is None or snapshot.summary.get("total-data-files") != "0"

    @property
    def has_days(self) -> bool:
        """Whether the table is divided by days or hours of `timestamp`, which its library names after dates."""
        return not {"day", "hour"}.isdisjoint(self._dividers if self._table is None else dividers_of(self._table))

    def divide(self, dividers: Sequence[str] | None) -> list[str]:
        """Set and check the columns by which files are divided; returns the record columns that this needs."""
        if self._table is None:
            self._dividers = check_dividers(dividers or ())
            return columns_of(self._dividers)
        there = dividers_of(self._table)
        if dividers is not None and set(without_coarser(check_dividers(dividers))) != set(there):
            raise divided_otherwise(self.name, there, dividers)
        return []

    def prepare(self, rows: pa.Schema) -> pa.Schema:
        """Create the table, or add columns to it; returns the columns of its files."""
        from pyiceberg.io.pyarrow import schema_to_pyarrow  # noqa: PLC0415 - an extra

        missing = [name for name in columns_of(self._dividers) if name not in rows.names]
        if missing:
            raise ValueError(f"an Iceberg table can only be divided by its own columns: add {missing[0]} to columns")
        with self._errors("cannot be created"):
            table = self._table or self._made(_TYPES.schema(rows))
        self._table = table
        there = schema_to_pyarrow(table.schema(), include_field_ids=False)
        joined = _TYPES.joined(there, rows, self.name)
        known = {name.lower() for name in rows.names}
        absent = [each.name for each in there if not each.nullable and each.name.lower() not in known]
        if absent:
            raise SourceError(f"needs the column {absent[0]}, which records do not have", file=self.name)
        if joined != there:
            with self._errors("cannot be given new columns"), table.update_schema() as update:
                update.union_by_name(joined)
        self._file_schema = schema_to_pyarrow(table.schema(), include_field_ids=True)
        self._prepared = _form(table)
        return self._file_schema

    @contextmanager
    def appending(self, appended: TableCommit) -> Iterator[PartitionedOutput]:
        """Take the rows of one commit."""
        if self._table is None:
            raise SourceError("does not exist", file=self.name)
        table, load_id, spec, schema = self._table, uuid.uuid4(), self._table.spec(), self._table.schema()
        if self._prepared is not None and _form(table) != self._prepared:
            raise changed_meanwhile(self.name, by_load=False)
        division = SpecDivision(spec, schema)
        provider, numbers = table.location_provider(), iter(range(10**9))

        def create(values: "Values", _: int) -> tuple[str, pa.NativeFile]:
            key = None if spec.is_unpartitioned() else division.key(values)
            place = provider.new_data_location(f"{next(numbers):05}-{load_id}.parquet", key)
            return place, pa.PythonFile(table.io.new_output(place).create(), mode="w")

        file_schema = self._file_schema if self._file_schema is not None else pa.schema([])
        output = PartitionedOutput(file_schema, division, create, self._chosen.max_file_bytes)
        try:
            with self._errors("cannot be written"):
                yield output
                output.finish()
        except BaseException:
            output.abandon()
            for each in output.files:
                with suppress(OSError):
                    table.io.delete(each.path)
            raise
        # From here on files are not removed after an error, as a commit that seems to have failed may exist.
        if appended.end is not None:
            self._commit(table, [self._data_file(table, each) for each in output.files], appended)

    def close(self) -> None:
        """Do nothing, as no lock is held: commits of concurrent loads conflict."""

    def _check_place(self, location: str) -> None:
        """Check that the table does not lie among Kafka's files.

        Raises:
            SourceError: it does.
        """
        if scheme_of(location) in (None, "file"):
            check_place(local_path(location), self._chosen.sources)

    def _made(self, rows: pa.Schema) -> "Table":
        from pyiceberg.exceptions import (  # noqa: PLC0415 - an extra
            CommitFailedException,
            NamespaceAlreadyExistsError,
            TableAlreadyExistsError,
        )

        namespace, _, _ = self._identifier.rpartition(".")
        with suppress(NamespaceAlreadyExistsError):
            self._catalog.create_namespace(namespace)
        try:
            with self._catalog.create_table_transaction(self._identifier, rows) as making, making.update_spec() as spec:
                self._check_place(making.table_metadata.location)
                for name in without_coarser(self._dividers):
                    source, transform = transform_of(name)
                    spec.add_field(source, transform, name)
            return self._catalog.load_table(self._identifier)
        except (TableAlreadyExistsError, CommitFailedException):
            if not self._catalog.table_exists(self._identifier):
                raise
            return self._catalog.load_table(self._identifier)  # created by another load at the same time

    def _data_file(self, table: "Table", file: "WrittenFile") -> Any:  # noqa: ANN401 - of an extra
        from pyiceberg.io.pyarrow import (  # noqa: PLC0415 - an extra
            MetricModeTypes,
            MetricsMode,
            compute_statistics_plan,
            data_file_statistics_from_parquet_metadata,
            parquet_path_to_id_mapping,
        )
        from pyiceberg.manifest import DataFile, DataFileContent, FileFormat  # noqa: PLC0415 - an extra
        from pyiceberg.typedef import Record  # noqa: PLC0415 - an extra

        ids = parquet_path_to_id_mapping(table.schema())
        plan = compute_statistics_plan(table.schema(), table.properties)
        for path in without_statistics(file):
            plan[ids[path]] = replace(plan[ids[path]], mode=MetricsMode(MetricModeTypes.NONE))
        for path in without_bounds(file):
            plan[ids[path]] = replace(plan[ids[path]], mode=MetricsMode(MetricModeTypes.COUNTS))
        statistics = data_file_statistics_from_parquet_metadata(
            parquet_metadata=file.metadata, stats_columns=plan, parquet_column_mapping=ids
        )
        return DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=file.path,
            file_format=FileFormat.PARQUET,
            partition=Record(*file.values),
            file_size_in_bytes=file.size,
            sort_order_id=None,
            spec_id=table.spec().spec_id,
            equality_ids=None,
            key_metadata=None,
            **statistics.to_serialized_dict(),
        )

    def _commit(self, table: "Table", files: Sequence[Any], appended: TableCommit) -> None:
        """Add files in a snapshot, unless another load has written meanwhile; other programs may have."""
        from pyiceberg.exceptions import CommitFailedException  # noqa: PLC0415 - an extra

        end = appended.end
        if end is None:
            return
        # This table object may be newer than the offsets at which the rows begin, so another load may have committed
        # since.
        if _offsets_of(table, self.name) != self._known:
            raise changed_meanwhile(self.name, by_load=True)
        form = _form(table)
        noted = {OFFSETS: text_of(end), START_OFFSETS: text_of(appended.start)}
        for attempt in range(_TRIES):
            # The library would retry the commit on top of any other snapshot, even that of another load.
            once = {**table.metadata.properties, _RETRIES: "0"}
            table.metadata = table.metadata.model_copy(update={"properties": once})
            try:
                with self._errors("cannot be written", but=CommitFailedException), table.transaction() as transaction:
                    sequence = getattr(table.metadata, "last_sequence_number", 0) + 1
                    transaction.set_properties({OFFSETS: noted[OFFSETS], _SEQUENCE: str(sequence)})
                    with transaction.update_snapshot(snapshot_properties=noted).fast_append() as append:
                        for each in files:
                            append.append_data_file(each)
                break
            except CommitFailedException as error:
                with self._errors("cannot be read"):
                    table.refresh()
                is_loaded = _offsets_of(table, self.name) != self._known
                if attempt == _TRIES - 1 or _form(table) != form or is_loaded:
                    raise changed_meanwhile(self.name, by_load=is_loaded) from error
        self._known = end
        snapshot = table.current_snapshot()
        appended.name = f"snapshot {snapshot.snapshot_id}" if snapshot is not None else ""

    @contextmanager
    def _errors(self, failed: str, but: type[Exception] | None = None) -> Iterator[None]:
        """Raise errors of the library as SourceError."""
        try:
            yield
        except _library_errors() as error:
            if but is not None and isinstance(error, but):
                raise
            raise SourceError(f"{failed}: {error}", file=self.name) from error


def _form(table: "Table") -> tuple[int, int | None]:
    """The properties that decide how files of the table are written."""
    return table.spec().spec_id, table.schema().schema_id


def _offsets_of(table: "Table", name: str) -> Offsets | None:
    """The offsets in the newest snapshot of a load, or in the properties if all snapshots are newer than that load."""
    snapshot: Snapshot | None = table.current_snapshot()
    by_id = {each.snapshot_id: each for each in table.snapshots()}
    oldest, kept = 0, None
    while snapshot is not None and kept is None:
        kept = None if snapshot.summary is None else snapshot.summary.get(OFFSETS)
        oldest = snapshot.sequence_number or 0
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else by_id.pop(parent, None)  # popped, so that a cyclic history ends
    try:
        if kept is None and oldest > int(table.properties.get(_SEQUENCE, sys.maxsize)):
            kept = table.properties.get(OFFSETS)
        return None if kept is None else Offsets.from_json(kept)
    except ValueError as error:
        raise SourceError(f"has offsets that no load has written: {error}", file=name) from error


def _library_errors() -> tuple[type[Exception], ...]:
    """Errors of the library, of catalogs and of storage."""
    import pyiceberg.exceptions  # noqa: PLC0415 - an extra

    named = vars(pyiceberg.exceptions).values()
    databases = getattr(sys.modules.get("sqlalchemy.exc"), "SQLAlchemyError", OSError)
    known = [each for each in named if isinstance(each, type) and issubclass(each, Exception)]
    # OverflowError is raised for a partition named after a date beyond the year 9999, such as one of a value's field.
    return (*known, databases, OSError, OverflowError, pa.ArrowException)
