"""A scan whose records are decoded: what the decoders of internal topics and of values have in common."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.files.damage import Note, warning_at_end
from kafkafmt.scanning.batching import Reader

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.stream import Scan


class DecodingAccount(Protocol):
    """Counts what a pass could not decode."""

    def notes(self, topic: str) -> Sequence[str]:
        """Sentences for the user on it; those that are no `Note` are findings.

        Args:
            topic: name of the topic.
        """


class RecordDecoder(Protocol):
    """Decodes record batches of a scan; can be pickled, for workers in other processes."""

    @property
    def schema(self) -> pa.Schema:
        """Columns that it builds."""

    @property
    def topic(self) -> str:
        """Name of the topic, or of several, for notes."""

    @property
    def label(self) -> str:
        """Name of what it decodes, for its repr."""

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that it needs."""

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""

    def new_account(self) -> Any:  # noqa: ANN401 - a `DecodingAccount` of its own
        """An account of nothing yet."""

    def decode(self, batch: pa.RecordBatch, account: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        """Decode rows, in batches of bounded size.

        Args:
            batch: has the columns `scanned`.
            account: counts what cannot be decoded.
        """


D = TypeVar("D", bound=RecordDecoder)


@dataclass(eq=False, repr=False)
class DecodedScan(Generic[D]):
    """Decoded records as an Arrow stream, made by `kafkafmt.topics.read` and `decode`, and by `Scan.decode`.

    As with `Scan`, each consumer starts a fresh pass: `to_reader()`, `to_table()` and the Arrow C stream interface.

    Attributes:
        scan: the scan that is decoded; its `plan` can be used with `decoder`.
        decoder: decodes its record batches.
        among: gives the rows of a record batch of `scan` that are wanted; all if None.
        account: what the last pass could not decode.
    """

    scan: "Scan"
    decoder: D
    among: Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]] | None = None
    account: Any = field(init=False)

    def __post_init__(self) -> None:
        """Begin with an empty account."""
        self.account = self.decoder.new_account()

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema of the stream."""
        return self.decoder.schema

    @property
    def damage(self) -> "list[Damage]":
        """What the last pass did not deliver, as `Scan.damage`."""
        return self.scan.damage

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass left to a better replica."""
        return self.scan.skipped_replicas

    @property
    def notes(self) -> "tuple[Note, ...]":
        """Notes of the last pass, as `Scan.notes`, and what it could not decode."""
        return (*self.scan.notes, *self._undecoded())

    @property
    def absent(self) -> tuple[Note, ...]:
        """As `Scan.absent`."""
        return self.scan.absent

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories of the topic in the source; of a file that is a source itself, its directory."""
        return self.scan.partitions

    def path_of(self, file: str | None) -> str | None:
        """As `Scan.path_of`."""
        return self.scan.path_of(file)

    def to_reader(self) -> Reader:
        """Start a pass, which reads its record batches one by one in bounded memory.

        Raises:
            KafkafmtError: from the reader, at damage of the log (`on_damage="raise"`), or if a file cannot be read.
        """
        return self._decoded(self.scan.to_reader())

    def head(self, count: int) -> Reader:
        """Start a pass that ends with the first records, as `Scan.head` does."""
        return self._decoded(self.scan.head(count))

    def tail(self, count: int) -> Reader:
        """Start a pass for the last records of each partition, as `Scan.tail` does."""
        return self._decoded(self.scan.tail(count))

    def select(self, columns: Sequence[str]) -> Self:
        """The same records with some of their columns, in this order.

        Raises:
            TypeError, ValueError: unknown or repeated names, or none.
        """
        decoder = self.decoder.with_schema(record_columns.select(columns, self.schema))
        return replace(self, scan=self.scan.select(decoder.scanned), decoder=decoder)

    def to_table(self) -> pa.Table:
        """Read everything into one table.

        Raises:
            KafkafmtError: as for `to_reader`.
        """
        return self.to_reader().read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a fresh pass by the Arrow C stream interface; consumers raise their own errors with our messages."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<DecodedScan of {self.decoder.label}: {', '.join(self.schema.names)}>"

    def decode_batch(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Decode a record batch of `scan`, as one of `Scan.follow`; `account` counts what cannot be decoded."""
        for rows in [batch] if self.among is None else self.among(batch):
            yield from self.decoder.decode(rows, self.account)

    def _decoded(self, reader: Reader) -> Reader:
        return Reader(self.schema, self._batches(reader), reader.damage)

    def _batches(self, reader: Reader) -> Generator[pa.RecordBatch, None, None]:
        self.account = self.decoder.new_account()
        with warning_at_end(self._undecoded()) if self.scan.warns else nullcontext(), reader:
            for batch in reader:
                yield from self.decode_batch(batch)

    def _undecoded(self) -> Iterator[Note]:
        for note in self.account.notes(self.decoder.topic):
            yield note if isinstance(note, Note) else Note(note)


class SelectedRows(DecodedScan[D]):
    """Decoded records of which the decoder leaves some out: a number of rows takes more records."""

    def head(self, count: int) -> Reader:
        """Start a pass that ends with the first rows."""
        reader = self.to_reader()
        return Reader(self.schema, first_rows(reader, count), reader.damage)

    def tail(self, count: int) -> Reader:
        """Not there.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"the last {count} rows are known only once all are decoded")


def first_rows(reader: Reader, count: int) -> Generator[pa.RecordBatch, None, None]:
    """The first rows of a pass, which ends with them."""
    with reader:
        for batch in reader if count > 0 else ():
            yield batch.slice(0, count)
            count -= batch.num_rows
            if count <= 0:
                return
