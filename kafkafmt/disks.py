"""Disks: the result of `kafkafmt.open`, a source that is listed once and answers every question."""

import importlib
from collections.abc import Callable
from contextlib import suppress
from types import MethodType
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar, Unpack, overload

from kafkafmt.cached import cached_property
from kafkafmt.errors import SourceError
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.keywords import CompareKeywords, ExtractKeywords, GrepKeywords, ScanKeywords, SpaceKeywords, SqlKeywords
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import KEYS_TOO_LATE, Sources
from kafkafmt.phrases import counted
from kafkafmt.public import Public, short

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from pyarrow.fs import FileSystem

    from kafkafmt.io.source import Source
    from kafkafmt.loading.load import load
    from kafkafmt.logdir.readable import Readable
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.operations import ComparedCopies, compaction, retention
    from kafkafmt.querying.session import Parameters
    from kafkafmt.repairing.repair import repair
    from kafkafmt.replaying.replay import replay
    from kafkafmt.scanning import Reader, scan
    from kafkafmt.searching import Matches
    from kafkafmt.searching.everywhere import grep_everywhere
    from kafkafmt.serving.serve import serve
    from kafkafmt.sizing import SpaceUse, disk_use
    from kafkafmt.sizing.what_if import WhatIf
    from kafkafmt.startup.verify import verify
    from kafkafmt.survey import Inspection
    from kafkafmt.tiering import tiers
    from kafkafmt.topics import groups, metadata, producers, transactions
    from kafkafmt.writing.log_dir import Written

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class AsMethod(Generic[P, R_co]):
    """A function of a source as a method of `Disks`, with the function's other arguments.

    The function is loaded when it is first used, so that a tree is listed without Arrow.

    Args:
        module: name of the function's module.
        function: a callable that returns the function; it only gives type checkers the signature.
    """

    def __init__(self, module: str, function: "Callable[[], Callable[Concatenate[Disks, P], R_co]]") -> None:  # noqa: ARG002 - as said
        self._module = module

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, disks: None, _: type) -> "Callable[Concatenate[Disks, P], R_co]": ...

    @overload
    def __get__(self, disks: "Disks", _: type) -> Callable[P, R_co]: ...

    def __get__(self, disks: "Disks | None", _: type) -> Callable[..., R_co]:
        """The function, or a method of these disks."""
        function = getattr(importlib.import_module(self._module), self._name)
        return function if disks is None else MethodType(function, disks)


class Disks(Sources, Public):
    """A source that is listed once for all answers. Made by `kafkafmt.open`.

    Files are read when an answer needs them, up to the size they had when they were listed.
    """

    _INNER = frozenset(name for name in dir(Sources) if not name.startswith("_")) - {"log_dirs"} | {
        "missing",
        "unreadable",
        "was_missed",
        "was_read",
    }

    @cached_property
    def partitions(self) -> list[Partition]:
        """Live partition directories, every copy, by topic, partition and path in each log directory.

        A file given on its own stands for its directory.
        """
        return list({each.partition.location.identity: each.partition for each in self.found}.values())

    def partition(self, topic: str, partition: int) -> Partition:
        """The best replica of a partition, as `kafkafmt.scan` chooses it.

        Raises:
            NotFoundError: there is no such partition.
            SourceError: a directory with its name cannot be listed.
        """
        return self.scan(topics={topic: partition}).best_partitions()[0]

    scan = AsMethod("kafkafmt.scanning", lambda: scan)
    grep_everywhere = AsMethod("kafkafmt.searching.everywhere", lambda: grep_everywhere)
    groups = AsMethod("kafkafmt.topics", lambda: groups)
    transactions = AsMethod("kafkafmt.topics", lambda: transactions)
    producers = AsMethod("kafkafmt.topics", lambda: producers)
    metadata = AsMethod("kafkafmt.topics", lambda: metadata)
    verify = AsMethod("kafkafmt.startup.verify", lambda: verify)
    tiers = AsMethod("kafkafmt.tiering", lambda: tiers)
    retention = AsMethod("kafkafmt.operations", lambda: retention)
    compaction = AsMethod("kafkafmt.operations", lambda: compaction)
    disk_use = AsMethod("kafkafmt.sizing", lambda: disk_use)
    repair = AsMethod("kafkafmt.repairing.repair", lambda: repair)
    serve = AsMethod("kafkafmt.serving.serve", lambda: serve)
    load = AsMethod("kafkafmt.loading.load", lambda: load)
    replay = AsMethod("kafkafmt.replaying.replay", lambda: replay)

    def grep(self, pattern: str | bytes | None = None, **arguments: Unpack[GrepKeywords]) -> "Matches":
        """Search records for text, bytes or an expression: `kafkafmt.searching.grep`, without the source.

        Raises:
            KafkafmtError, TypeError, ValueError: as in `grep`.
        """
        from kafkafmt.searching import grep  # noqa: PLC0415 - a tree is listed without Arrow

        return grep(self, pattern, **arguments)

    @property
    def inspect(self) -> "Inspection":
        """The rows of `kafkafmt ls --rows`, as Arrow tables: `inspect.partitions()`, `inspect.findings()`, ..."""
        from kafkafmt.survey import Inspection  # noqa: PLC0415 - a tree is listed without Arrow

        return Inspection(self)

    def compare(self, *others: "Searchable", **arguments: Unpack[CompareKeywords]) -> "ComparedCopies":
        """Compare with other copies of these partitions: `kafkafmt.operations.compare`, with these disks as the source.

        Raises:
            KafkafmtError, TypeError, ValueError: as in `compare`.
        """
        from kafkafmt.operations import compare  # noqa: PLC0415 - a tree is listed without Arrow

        return compare(self, *others, **arguments)

    def space(self, by: "str | Iterable[str]" = "topic", **arguments: Unpack[SpaceKeywords]) -> "SpaceUse":
        """Disk space by topic, codec, hour, key ..: `kafkafmt.sizing.space`, without the source.

        Raises:
            KafkafmtError, TypeError, ValueError: as in `space`.
        """
        from kafkafmt.sizing import space  # noqa: PLC0415 - a tree is listed without Arrow

        return space(self, by, **arguments)

    def what_if(
        self,
        settings: "str | Mapping[str, object]",
        *,
        sample_records: int | None = None,
        **arguments: Unpack[ScanKeywords],
    ) -> "WhatIf":
        """The batches of each topic under other producer settings: `kafkafmt.sizing.what_if`.

        Args:
            settings: such as "batch.size=65536,linger.ms=20,compression.type=zstd:3", or a mapping.
            sample_records: as in `what_if`; None for 100,000.
            arguments: arguments of `kafkafmt.scan` that choose records.

        Raises:
            KafkafmtError, TypeError, ValueError: as in `what_if`.
        """
        from kafkafmt.sizing.what_if import SAMPLE_RECORDS, what_if  # noqa: PLC0415 - a tree is listed without Arrow

        most = SAMPLE_RECORDS if sample_records is None else sample_records
        return what_if(self.scan(**arguments), settings, sample_records=most, limits=arguments.get("limits"))

    def sql(
        self,
        query: str,
        parameters: "Parameters" = None,
        **arguments: Unpack[SqlKeywords],
    ) -> "Reader":
        """Query the disks in SQL, through DuckDB: the relations are those of `kafkafmt sql` (docs/sql.md).

            >>> disks.sql("select topic, count(*) from records where value like '%4711%' group by 1").read_all()

        `topic.orders` has the records of the topic orders with typed keys and values, as `Scan.decode` makes them; a
        key or value that cannot be decoded is null, and `valueError` says why.

        Only relations that the query names are read, and only the columns and batches of records that it needs;
        `count(*)` reads headers alone, with CRCs unchecked. Keys and values are bytes: `as_text(value)`. After the last
        row a `KafkafmtWarning` names the faults of the data read, as passes of a `Scan` do.

        Args:
            query: one or more statements; the rows are those of the last one.
            parameters: values for `?`, or by name for `$name`, in the last statement.
            **arguments: those of `kafkafmt.scan`, for the relation `records`; `on_damage` and `limits` apply to the
                other relations too. Also, for all typed relations that the query names, those of `Scan.decode`:
                `schemas`, `schema`, `record`, `resolve`, `unwrap`, and its formats as `value_format` and `key_format`.

        Raises:
            ImportError: DuckDB is not installed (`pip install 'kafkafmt[sql]'`).
            NotFoundError: the topic of a typed relation, or a topic or partition of the arguments, does not exist.
            KafkafmtError: a named relation cannot be read; raised here or by the reader.
            kafkafmt.querying.session.QueryError: DuckDB cannot run the query; raised here or by the reader. A
                ValueError.
            TypeError, ValueError: as for `kafkafmt.scan` and `Scan.decode`.
        """
        from kafkafmt.querying.session import ask  # noqa: PLC0415 - a tree is listed without Arrow

        return ask(self, query, parameters, **arguments)

    def extract(self, out: "str | os.PathLike[str]", **arguments: Unpack[ExtractKeywords]) -> "Written":
        """Write some records as a small log directory: `kafkafmt.extract`, with its arguments except the source.

        Raises:
            KafkafmtError, TypeError, ValueError: as in `kafkafmt.extract`.
        """
        from kafkafmt.repairing.extract import extract  # noqa: PLC0415 - a tree is listed without Arrow

        return extract(self, out, **arguments)

    def __repr__(self) -> str:
        return short(f"<Disks: {', '.join(map(str, self))}>")

    def _repr_html_(self) -> str:
        import pyarrow as pa  # noqa: PLC0415 - a tree is listed without Arrow

        from kafkafmt.notebook import html  # noqa: PLC0415 - a tree is listed without Arrow

        sizes: dict[str, list[int]] = {}
        lines: list[object] = [*self.unreadable]
        for each in self.partitions:
            try:
                size = sum(segment.size for segment in each.segments)
            except SourceError as error:
                lines.append(error)
                continue
            sizes.setdefault(each.topic or each.name, []).append(size)
        rows = [
            {"topic": topic, "partitions": len(of_topic), "sizeInBytes": sum(of_topic)}
            for topic, of_topic in sorted(sizes.items())
        ]
        counts = (
            counted(len(self.log_dirs), "log directory", "log directories"),
            counted(len(sizes), "topic"),
            counted(len(self.partitions), "partition"),
        )
        return html(f"{short(repr(self))[1:-1]}: {', '.join(counts)}", pa.Table.from_pylist(rows), lines, of=len(rows))


def opened(
    source: "Readable | Iterable[Readable | Sources] | Disks", decryption_keys: "Mapping[str, Source] | None" = None
) -> Disks:
    """The disks of a source: the given ones if they are open, or opened now.

    Raises:
        SourceError, ValueError: as in `open`.
        TypeError: keys are given for opened disks, or as in `open`.
    """
    if isinstance(source, Disks):
        if decryption_keys:
            raise TypeError(KEYS_TOO_LATE)
        return source
    return open(source, decryption_keys=decryption_keys)


def open(  # noqa: A001 - kafkafmt.open
    source: "Readable | Iterable[Readable | Sources]",
    *,
    filesystem: "FileSystem | None" = None,
    decryption_keys: "Mapping[str, Source] | None" = None,
) -> Disks:
    """Open a broker's disks: the source is listed once, now, and files are read when an answer needs them.

        >>> disks = kafkafmt.open(["/copies/broker-1", "/copies/broker-2"])
        >>> disks.partition("orders", 0).log_end_offset
        >>> disks.scan(topics="orders").count()
        >>> disks.groups().offsets.to_pandas()

    Args:
        source: as for `kafkafmt.scan`.
        filesystem: as for `kafkafmt.scan`.
        decryption_keys: paths of private keys by the names of their key pairs, for encrypted tiers (KIP-405); the keys
            of the environment variable KAFKAFMT_DECRYPTION_KEYS, as `key1=/path,key2=/path`, are added. A key that is
            missing or wrong is damage of the segments that need it.

    Raises:
        SourceError: a source is missing, unreadable or without Kafka's files.
        TypeError: a source or argument has another type.
        ValueError: a file of `decryption_keys` is missing, or not a private key.
    """
    if decryption_keys is not None:
        DecryptionKeys.of(decryption_keys).check()
    disks = Disks(source, filesystem, decryption_keys=decryption_keys).required()
    try:
        disks.found  # noqa: B018 - lists the source now
    except SourceError:
        # A source may also be a snapshot of the metadata log or a bootstrap.checkpoint: not a log, but it describes the
        # cluster.
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415

        found = False
        with suppress(SourceError):
            found = bool(find_copies(disks))
        if not found:
            raise
    return disks
