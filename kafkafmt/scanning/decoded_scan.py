"""A scan whose records are decoded: the common part of decoders of internal topics and of values."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, Self, TypeVar

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note, warning_at_end
from kafkafmt.notebook import html
from kafkafmt.public import short
from kafkafmt.scanning.arrow_records import ArrowRecords, require_a_count
from kafkafmt.scanning.batching import Reader

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.scanning.decoded_following import DecodedFollower
    from kafkafmt.scanning.explaining import ExplainedScan
    from kafkafmt.scanning.offsets import Offsets
    from kafkafmt.scanning.stream import Scan

_SHOWN_ROWS: Final = 5
_OF_SCAN: Final[Mapping[str, str]] = {
    "batches": "record batches are not decoded: use scan.batches()",
    "decode": "the records are already decoded: call scan.decode() with other arguments",
    "plan": "use scan.plan(), and decoder.decode() for the record batches of each split",
    "resumed": "decode a scan from Offsets",
}
"""Methods of a scan that a decoded scan lacks, with the advice in the error."""


class DecodingAccount(Protocol):
    """Counts records of a pass that could not be decoded."""

    def notes(self, topic: str) -> Sequence[Note]:
        """Notes for the user about these records."""


class RecordDecoder(Protocol):
    """Decodes record batches of a scan; can be pickled, for workers in other processes."""

    @property
    def schema(self) -> pa.Schema:
        """Columns that it builds."""

    @property
    def topic(self) -> str:
        """Name of the topic, or names of several, for notes."""

    @property
    def label(self) -> str:
        """Name of the decoded records, for its repr."""

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that it needs."""

    @property
    def stored(self) -> pa.Schema:
        """Columns that it can take from the scan unchanged."""

    @property
    def on_request(self) -> pa.Schema:
        """Columns that it builds only when they are selected."""

    @property
    def keeps_rows(self) -> bool:
        """Whether each record becomes a row."""

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""

    def new_account(self) -> Any:  # noqa: ANN401 - a `DecodingAccount` of its own
        """Make an empty account."""

    def decode(self, batch: pa.RecordBatch, account: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        """Decode rows, in batches of bounded size.

        Args:
            batch: record batch with the columns `scanned`.
            account: counts what cannot be decoded.
        """


D = TypeVar("D", bound=RecordDecoder)


@dataclass(eq=False, repr=False)
class DecodedScan(ArrowRecords, Generic[D]):
    """Decoded records as an Arrow stream, made by `kafkafmt.topics.read` and `decode`, and by `Scan.decode`.

    As with `Scan`, each consumer starts a fresh pass: `to_reader()`, `to_table()` and the Arrow C stream interface.
    `filter()` and `select()` make other streams of the same files.

    Attributes:
        scan: the scan to decode; its `plan` can be used with `decoder`.
        decoder: decodes the scan's record batches.
        among: gives the wanted rows of a record batch of `scan`; None for all.
        account: account of records that the last pass could not decode.
    """

    scan: "Scan"
    decoder: D
    among: Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]] | None = None
    account: Any = field(init=False)

    _INNER = frozenset({"account", "among", "decode_batch", "path_of", "absent", "undecoded"})

    def __post_init__(self) -> None:
        """Start with an empty account."""
        self.account = self.decoder.new_account()

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema of the stream."""
        return self.decoder.schema

    @property
    def damage(self) -> "list[Damage]":
        """Ranges of files that the last pass did not deliver, as `Scan.damage`."""
        return self.scan.damage

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass skipped in favour of a better replica."""
        return self.scan.skipped_replicas

    @property
    def notes(self) -> "tuple[Note, ...]":
        """Notes of the last pass, as `Scan.notes`, and notes on records that could not be decoded."""
        return (*self.scan.notes, *self.undecoded())

    @property
    def absent(self) -> tuple[Note, ...]:
        """Requested names that were not found, as `Scan.absent`."""
        return self.scan.absent

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories of the topic in the source; for a file given alone, its directory."""
        return self.scan.partitions

    def path_of(self, file: str | None) -> str | None:
        """Path or URI of a file, as `Scan.path_of`."""
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
        """The same records with some of their columns, in this order; values also have `keyBytes` and `valueBytes`.

        Raises:
            TypeError, ValueError: unknown or repeated names, or none.
        """
        more = [each for each in self.decoder.on_request if each.name not in self.schema.names]
        decoder = self.decoder.with_schema(record_columns.select(columns, pa.schema([*self.schema, *more])))
        return replace(self, scan=self.scan.select(decoder.scanned), decoder=decoder)

    def filter(self, expression: "Expression") -> "DecodedScan[Any]":
        """The same records, restricted to those for which an expression is true.

            >>> import pyarrow.compute as pc
            >>> orders = kafkafmt.scan("/var/lib/kafka/data", topics="orders").decode()
            >>> large = orders.filter((pc.field("value", "id") > 1000) & (pc.field("partition") == 3))

        An expression over columns that are not decoded (offset, timestamp, headers, ..) works like `Scan.filter`: no
        other record is decoded. Any other expression is applied to decoded records; its conditions on offsets,
        timestamps and partitions decide which are read. A record that is not read is not decoded, so it has no error;
        in others, a key or value that cannot be decoded is an error (`on_damage="raise"`), or null, so that a condition
        on it is not true. To filter by stored bytes, filter the scan before decoding it.

        Args:
            expression: expression of `pyarrow.compute` and type bool, over columns of this stream, or of a scan.
                Records for which it is null are dropped.

        Raises:
            TypeError, ValueError: the argument is not such an expression, or names an unknown column.
        """
        from kafkafmt.scanning import decoded_filter  # noqa: PLC0415 - few filter decoded records
        from kafkafmt.scanning.row_expression import row_expression  # noqa: PLC0415 - as above

        own = self.schema
        more = [] if self.among is not None else [each for each in self.decoder.stored if each.name not in own.names]
        available = pa.schema([*own, *more])
        row_expression(expression, available)
        scan = self.scan
        if self.among is None and len(self.decoder.stored):
            if decoded_filter.fits(expression, self.decoder.stored):
                return replace(self, scan=scan.filter(expression))
            scan = decoded_filter.bounded(scan, expression, available)
        decoder = decoded_filter.FilteringDecoder.of(self.decoder, expression, available)
        return SelectedRows(scan.select(decoder.scanned), decoder, self.among)

    def count(self, verify_checksums: bool = False) -> int:
        """Count the rows.

        If each record becomes a row, they are counted as in `Scan.count`, mostly from batch headers, without decoding;
        so values that cannot be decoded count too. Otherwise as few columns as possible are decoded.

        Args:
            verify_checksums: as for `Scan.count`; where records are decoded, the scan's setting for CRCs applies.

        Raises:
            KafkafmtError: as for `Scan.count`, or `to_table`.
        """
        if self.decoder.keeps_rows and self.among is None:
            return self.scan.count(verify_checksums)
        names = self.schema.names
        cheapest = next((name for name in names if name in self.decoder.stored.names), names[0])
        narrow = self.select([cheapest])
        with narrow.to_reader() as reader:
            rows: int = sum(batch.num_rows for batch in reader)
        self.account = narrow.account
        return rows

    def follow(self, *, last: int | None = None) -> "DecodedFollower":
        """Decode the present records, and then new ones as they are written; see `Scan.follow`.

        Keys and values are decoded to this stream's types, by the schemas that were known when it was made.

        Args:
            last: begin with the last N records of each partition; None for all.

        Raises:
            SourceError, ValueError: as for `Scan.follow`.
        """
        from kafkafmt.scanning.decoded_following import DecodedFollower  # noqa: PLC0415 - rarely needed

        return DecodedFollower(self, self.scan.follow(last=last))

    def as_of(self, time: "Time") -> Self:
        """The same records up to a point in time, as `Scan.as_of`."""
        return replace(self, scan=self.scan.as_of(time))

    def explain(self, *, count: bool = False) -> "ExplainedScan":
        """Explain which segments a pass reads, as `Scan.explain`; `count` counts the records that are decoded."""
        return self.scan.explain(count=count)

    def end_offsets(self) -> "Offsets":
        """The end of a pass over each partition, as `Scan.end_offsets`."""
        return self.scan.end_offsets()

    def size_in_bytes(self) -> int:
        """Size of the log files that a pass reads, as `Scan.size_in_bytes`."""
        return self.scan.size_in_bytes()

    def without_warnings(self) -> Self:
        """The same records, without warnings at the end of passes."""
        return replace(self, scan=self.scan.without_warnings())

    @property
    def warns(self) -> bool:
        """Whether passes warn of findings."""
        return self.scan.warns

    @property
    def is_compacted(self) -> bool:
        """Whether only the latest record of each key is decoded."""
        return self.scan.is_compacted

    @property
    def limits(self) -> "Limits":
        """Bounds of decoding."""
        return self.scan.limits

    def __getattr__(self, name: str) -> NoReturn:
        advice = _OF_SCAN.get(name)
        raise AttributeError(f"{type(self).__name__} has no {name}" + (f": {advice}" if advice else ""))

    def __repr__(self) -> str:
        return short(f"<DecodedScan of {self.decoder.label}: {', '.join(self.schema.names)}>")

    def _repr_html_(self) -> str:
        lines: list[object] = []
        rows, quiet = self.schema.empty_table(), self.without_warnings()
        try:
            rows = quiet.head(_SHOWN_ROWS).read_all()
        except KafkafmtError as error:
            lines.append(error)
        return html(repr(self)[1:-1], rows, [*lines, *quiet.damage, *quiet.notes])

    def decode_batch(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Decode a record batch of `scan` or `Scan.follow`; `account` counts what cannot be decoded."""
        for rows in [batch] if self.among is None else self.among(batch):
            yield from self.decoder.decode(rows, self.account)

    def _decoded(self, reader: Reader) -> Reader:
        return Reader(self.schema, self._batches(reader), reader.damage)

    def _batches(self, reader: Reader) -> Generator[pa.RecordBatch, None, None]:
        self.account = self.decoder.new_account()
        with warning_at_end(self.undecoded()) if self.scan.warns else nullcontext(), reader:
            for batch in reader:
                yield from self.decode_batch(batch)

    def undecoded(self) -> Iterator[Note]:
        """Notes on records that the last pass could not decode."""
        yield from self.account.notes(self.decoder.topic)


class SelectedRows(DecodedScan[D]):
    """A decoded scan whose decoder drops some records, so that the first N rows take more than N records."""

    def head(self, count: int) -> Reader:
        """Start a pass that ends with the first rows.

        Raises:
            ValueError: `count` is negative.
        """
        require_a_count(count)
        reader = self.to_reader()
        return Reader(self.schema, first_rows(reader, count), reader.damage)

    def tail(self, count: int) -> Reader:
        """Refuse: not available for these records.

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
