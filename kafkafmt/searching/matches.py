"""Matches: the records of a scan that match, as an Arrow stream."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt import scanning
from kafkafmt.arrays import array
from kafkafmt.errors import KafkafmtError
from kafkafmt.notebook import html, of_columns
from kafkafmt.public import short
from kafkafmt.scanning import Reader
from kafkafmt.scanning.decoded_scan import first_rows
from kafkafmt.searching.record_search import MATCHED_IN, RecordSearch, record_search

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.topics.tables import KindDecoder
    from kafkafmt.values.decoding import ValueDecoder

SCHEMA: Final = pa.schema([*record_columns.SCHEMA, MATCHED_IN])
"""All columns: a scan's, and `MATCHED_IN`."""

COUNTS: Final = pa.schema([SCHEMA.field("topic"), SCHEMA.field("partition"), pa.field("records", pa.int64())])
"""Columns of `Matches.counts` and `count_matches`."""

COUNTED: Final = ("topic", "partition")
"""Columns by which `count_matches` counts."""

_OF_PARTITION = (*COUNTED, "file")


def grep(
    source: "Searchable",
    pattern: str | bytes | None = None,
    *,
    fixed: bool = False,
    ignore_case: bool = False,
    parts: Iterable[str] | None = None,
    json_path: str | None = None,
    columns: Sequence[str] | None = None,
    **as_scan: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> "Matches":
    r"""Search a text, bytes or an expression in keys, values and headers.

        >>> import kafkafmt
        >>> disks = kafkafmt.open("/var/lib/kafka/data")
        >>> disks.grep("customer-4711", fixed=True).to_table()
        >>> disks.grep(json_path="$.customer.id=4711", topics="orders").counts()

    Args:
        source: as for `kafkafmt.scan`.
        pattern: a regular expression of RE2, of characters; of bytes if it is bytes, or has an escape such as `\xff`.
            None if `json_path` compares.
        fixed: whether the pattern is a string in which no character has a special meaning.
        ignore_case: whether upper and lower case are the same.
        parts: the parts to search: "key", "value", "headers" (names and values). None for all, or with `json_path` for
            the value.
        json_path: a place in JSON values: `$.customer.id`, `$.items[*].price`. The pattern is searched there, or the
            value is compared: `$.customer.id=4711`, with =, !=, <, <=, > or >=. Numbers are compared as numbers,
            strings as strings. Values that are not JSON do not match; `Matches.decode_values` searches decoded ones.
        columns: names of columns, in this order; None for all of a scan and `matchedIn`.
        **as_scan: other arguments of `kafkafmt.scan`.

    Raises:
        SourceError: as for `kafkafmt.scan`.
        TypeError, ValueError: an argument is invalid.
    """
    search = record_search(pattern, fixed=fixed, ignore_case=ignore_case, parts=parts, json_path=json_path)
    return Matches(scanning.scan(source, **as_scan), search, record_columns.select(columns, SCHEMA))


@dataclass(eq=False, repr=False)
class Matches:
    """Records that match, as an Arrow stream. Made by `grep`, which describes the arguments.

    As with `Scan`, each consumer starts a fresh pass.

    Attributes:
        scan: the records to search.
        search: the search.
        schema: Arrow schema of the stream.
    """

    scan: "Scan"
    search: RecordSearch
    schema: pa.Schema
    _read: "Scan" = field(init=False)

    def __post_init__(self) -> None:
        self._read = self.scan

    @property
    def damage(self) -> "list[Damage]":
        """The damage of the last pass, as in `Scan.damage`: damaged parts were not searched."""
        return self._read.damage

    @property
    def notes(self) -> "tuple[Note, ...]":
        """As `Scan.notes`."""
        return self._read.notes

    @property
    def absent(self) -> "tuple[Note, ...]":
        """As `Scan.absent`."""
        return self._read.absent

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass skipped in favour of a better replica."""
        return self._read.skipped_replicas

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories to search, of all replicas."""
        return self._read.partitions

    def path_of(self, file: str | None) -> str | None:
        """As `Scan.path_of`."""
        return self._read.path_of(file)

    def watch(self, advance: Callable[[int], None]) -> None:
        """As `Scan.watch`, even for a pass that has been started but has not read yet."""
        self._read.watch(advance)

    def size_in_bytes(self) -> int:
        """As `Scan.size_in_bytes`."""
        return self._read.size_in_bytes()

    def select(self, columns: Sequence[str] | None) -> "Matches":
        """The same matches with other columns, in this order.

        Args:
            columns: names of columns of a scan, and `matchedIn`; None for all.

        Raises:
            TypeError, ValueError: names are unknown or repeated, or there are none.
        """
        return Matches(self.scan, self.search, record_columns.select(columns, SCHEMA))

    def decode(self, kind: str, *, columns: Sequence[str] | None = None) -> "DecodedScan[KindDecoder]":
        """Decode the matches of one kind, or of an internal topic, as `kafkafmt.topics.decode` does for a scan.

        The stored bytes of keys and values are searched.

            >>> disks.grep("group-1", fixed=True).decode("OffsetCommit").to_table()

        Args:
            kind: as for `kafkafmt.topics.read`.
            columns: names of the columns to build, in this order; None for those of `kafkafmt.topics.read` and
                `matchedIn`.

        Raises:
            TypeError, ValueError: an argument is invalid, or the kind is unknown.
        """
        from kafkafmt.scanning.decoded_scan import DecodedScan  # noqa: PLC0415 - few searches decode
        from kafkafmt.topics import tables  # noqa: PLC0415 - few searches decode
        from kafkafmt.topics.decoding import kind_of  # noqa: PLC0415 - few searches decode
        from kafkafmt.topics.internal_log import of_topic  # noqa: PLC0415 - few searches decode

        wanted = kind_of(kind)
        decoder = tables.KindDecoder(wanted, tables.schema_of(wanted, columns, [MATCHED_IN]))
        scan = self.scan.of(partial(of_topic, topic=decoder.topic), decoder.scanned)
        matches = Matches(scan, self.search, record_columns.select([*decoder.scanned, MATCHED_IN.name], SCHEMA))
        return DecodedScan(matches.candidates, decoder, matches.among)

    def decode_values(self, **arguments: Any) -> "DecodedScan[Any]":  # noqa: ANN401 - those of Scan.decode
        """Decode keys and values as `Scan.decode` does, and search by a JSON path in the decoded values.

        Values of Avro, Protobuf and JSON Schema are searched as documents, in the form of `cat --value-format`: times
        as ISO 8601, bytes as text. A pattern without a path is searched in the stored bytes.

            >>> found = disks.grep(json_path="$.customer.city=Graz", topics="orders").decode_values(value="avro")
            >>> found.to_table()

        Args:
            **arguments: those of `Scan.decode`; the columns also have `matchedIn`.

        Raises:
            KafkafmtError, TypeError, ValueError: as for `Scan.decode`.
        """
        from kafkafmt.searching.decoded_matches import matching  # noqa: PLC0415 - few searches decode

        decoded = cast("DecodedScan[ValueDecoder]", self.scan.decode(**arguments))
        return matching(decoded, self.search)

    def to_reader(self) -> Reader:
        """Start a pass; returns a reader that gives its record batches one by one, in bounded memory.

        Raises:
            KafkafmtError: from the reader, at damage (`on_damage="raise"`) or when a file cannot be read.
        """
        return self._reader(self.schema)

    def head(self, count: int) -> Reader:
        """Start a pass that ends after the first `count` matches.

        Args:
            count: most records.

        Raises:
            KafkafmtError: from the reader, as for `to_reader`.
        """
        reader = self.to_reader()
        return Reader(self.schema, first_rows(reader, count), reader.damage)

    @property
    def candidates(self) -> "Scan":
        """A scan of the records that may match, for a pass or for a search that follows the log."""
        return self._candidates(self.schema)

    def among(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The matching rows of a record batch of `candidates`; nothing if there are none.

        >>> for batch in matches.candidates.follow(last=0):
        ...     print([rows.to_pylist() for rows in matches.among(batch)])
        """
        return self._matching([batch], self.schema)

    def to_table(self) -> pa.Table:
        """Read all matches into one table.

        Raises:
            KafkafmtError: as for `to_reader`.
        """
        return self.to_reader().read_all()

    def tail(self, count: int) -> Reader:
        """Start a pass for the last `count` matches of each partition directory; the whole directory is searched.

        Args:
            count: most records of a partition directory.

        Raises:
            KafkafmtError: from the reader, as for `to_reader`.
        """
        names = [*self.schema.names, *(name for name in _OF_PARTITION if name not in self.schema.names)]
        reader = self._reader(record_columns.select(names, SCHEMA))
        return Reader(self.schema, self._last(reader, count), reader.damage)

    def counts(self) -> pa.Table:
        """Start a pass that counts the matches of each topic and partition; those without matches are left out.

        Raises:
            KafkafmtError: as for `to_reader`.
        """
        return pa.Table.from_batches(self.count_batches(), schema=COUNTS)

    def count_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of `counts`; at damage (`on_damage="raise"`) the counts up to it come first.

        Raises:
            KafkafmtError: from the iterator, as for `to_reader`.
        """
        return count_matches(self._reader(record_columns.select(COUNTED, SCHEMA)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a fresh pass by the Arrow C stream interface."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return short(f"<Matches in {self._read!r}>")

    def _repr_html_(self) -> str:
        return html(repr(self)[1:-1], of_columns(self.schema), ["to_table() searches, and gives the rows"])

    def _reader(self, schema: pa.Schema) -> Reader:
        """Start a pass whose rows have these columns."""
        self._read = self._candidates(schema)
        reader = self._read.to_reader()
        return Reader(schema, self._batches(reader, schema), reader.damage)

    def _candidates(self, schema: pa.Schema) -> "Scan":
        """A scan of the records that may match, with the columns of the search and of the result."""
        wanted = [name for name in schema.names if name != MATCHED_IN.name]
        matcher = self.search.matcher
        scan = self.scan.select([*wanted, *(part for part in self.search.parts if part not in wanted)])
        scan = scan.with_stored_names()
        return scan.containing(matcher.literals, ignore_case=matcher.ignore_case) if matcher.literals else scan

    def _batches(self, reader: Reader, schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        with reader:
            yield from self._matching(reader, schema)

    def _matching(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows, matched_in = self.search.matching(batch)
            if not len(rows):
                continue
            columns = [
                matched_in if each.name == MATCHED_IN.name else batch.column(each.name).take(rows) for each in schema
            ]
            columns = [
                column if column.type == each.type else record_columns.with_text_names(column)
                for column, each in zip(columns, schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _last(self, reader: Reader, count: int) -> Generator[pa.RecordBatch, None, None]:
        kept: deque[pa.RecordBatch] = deque()
        place: tuple[object, ...] | None = None
        with reader:
            for batch in _by_directory(reader):
                if batch.place != place:
                    yield from self._of(kept)
                    kept.clear()
                    place = batch.place
                kept.append(batch.rows)
                surplus = sum(each.num_rows for each in kept) - count
                while kept and surplus >= kept[0].num_rows:
                    surplus -= kept.popleft().num_rows
                if surplus > 0:
                    kept[0] = kept[0].slice(surplus)
        yield from self._of(kept)

    def _of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (batch.select(self.schema.names) for batch in batches)


def count_matches(reader: Reader) -> Iterator[pa.RecordBatch]:
    """Count the rows of a pass by topic and partition; at damage the counts up to it come first.

    Args:
        reader: rows with the columns `COUNTED`, and only these.

    Raises:
        KafkafmtError: from the iterator, as from the reader.
    """
    counted: Counter[tuple[str | None, int | None]] = Counter()
    error: KafkafmtError | None = None
    try:
        with reader:
            for batch in reader:
                counted.update(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    except KafkafmtError as damage:
        error = damage
    rows = [(*place, number) for place, number in counted.items()]
    columns = [
        array(list(values), each.type) for values, each in zip(zip(*rows, strict=True), COUNTS, strict=bool(rows))
    ]
    if rows:
        yield pa.RecordBatch.from_arrays(columns, schema=COUNTS)
    if error is not None:
        raise error


@dataclass(frozen=True)
class _OfDirectory:
    """Rows of one partition directory."""

    place: tuple[object, ...]
    rows: pa.RecordBatch


def _by_directory(batches: Iterable[pa.RecordBatch]) -> Iterator[_OfDirectory]:
    for batch in batches:
        topics, partitions, files = (batch.column(name).to_pylist() for name in _OF_PARTITION)
        places = [
            (topic, partition, file.rpartition("/")[0])
            for topic, partition, file in zip(topics, partitions, files, strict=True)
        ]
        begin = 0
        for row in range(1, len(places) + 1):
            if row == len(places) or places[row] != places[begin]:
                yield _OfDirectory(places[begin], batch.slice(begin, row - begin))
                begin = row
