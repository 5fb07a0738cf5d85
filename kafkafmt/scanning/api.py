"""The functions `scan` and `scan_bytes`, and the check of their arguments."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.choices import check_choice
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.errors import Missing, OnDamage
from kafkafmt.files.damage import Damage, Note, warning_at_end
from kafkafmt.files.names import parse_partition_name
from kafkafmt.limits import Limits
from kafkafmt.logdir import sources
from kafkafmt.moments import milliseconds
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset, IsolationLevel, Time
from kafkafmt.scanning.batching import record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.row_expression import row_expression, with_one_of
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.stream import Scan
from kafkafmt.scanning.tasks import Replica, ScanTask, SegmentInMemory

if TYPE_CHECKING:
    from pyarrow.compute import Expression
    from pyarrow.fs import FileSystem

    from kafkafmt.io.source import Source
    from kafkafmt.logdir.sources import Searchable


def scan(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    decryption_keys: "Mapping[str, Source] | None" = None,
    topics: str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None = None,
    partitions: int | Iterable[int] | None = None,
    start_offset: GivenOffset | None = None,
    end_offset: GivenEndOffset | None = None,
    start_timestamp: Time | None = None,
    end_timestamp: Time | None = None,
    key: bytes | Iterable[bytes] | None = None,
    filter: "Expression | None" = None,  # noqa: A002 - as in pyarrow.dataset
    columns: Sequence[str] | None = None,
    isolation_level: IsolationLevel = "read_uncommitted",
    control_records: bool = False,
    below_log_start: bool = False,
    compacted: bool = False,
    replica: Replica = "best",
    on_damage: OnDamage = "raise",
    verify_checksums: bool = True,
    limits: Limits | None = None,
    engine: Engine = "columnar",
    threads: int | None = 1,
    missing: Missing = "raise",
) -> Scan:
    """Read the records in a broker's files.

    Reads the log as Kafka defines it: live partitions and segments, as they are after an interrupted compaction has
    been completed, from the log start offset to the log end. Rows are ordered by topic, partition, path of the replica,
    base offset of the segment and position; directories without a name of Kafka's come last.

        >>> import kafkafmt
        >>> table = kafkafmt.scan("/var/lib/kafka/data", topics="orders", columns=["offset", "value"]).to_table()

    Args:
        source: a segment file, a partition directory, a log directory, any directory above, or a list of these. A file
            or directory given here is read whatever its name is. Sources are paths, in which `~` and wildcards are
            expanded, `file://` URIs, and URIs of the file systems that pyarrow knows: `s3://bucket/key`,
            `gs://bucket/key`, `abfs://container@account.dfs.core.windows.net/..`, `hdfs://host:port/..`, with pyarrow's
            options after a `?` (for s3 `region=`, `endpoint_override=`, `scheme=http`). Options and access keys in a
            URI apply to everything below it and are never shown. A source can also be an object that is already open,
            which is not listed again, such as the result of `kafkafmt.open`: Disks, a LogDir, Partition or Segment.
        filesystem: any pyarrow file system; the sources are then its paths. Wrap one of fsspec's as
            `pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem))`.
        decryption_keys: as for `kafkafmt.open`.
        topics: names; or a mapping of names to the partitions to read, as in `{"orders": [0, 1], "payments": 0}`; or a
            compiled pattern for the whole name. None for all, including internal topics.
        partitions: numbers; None for all, or for those in `topics`.
        start_offset: first offset to read, of every partition or of some: `{("orders", 0): 5}`, `{"orders": {0: 5}}`;
            other partitions are read from their start. `Offsets`, the result of `Scan.end_offsets`, continue the last
            load: a topic with another id was recreated and is read from its start; `Scan.notes` says so, and names
            offsets that were truncated or deleted in between.
        end_offset: first offset not to read, in the form of `start_offset`; or "high_watermark", from the
            replication-offset-checkpoint.
        start_timestamp: keep records with this timestamp or a later one; ms since the epoch, a datetime, or ISO 8601
            text such as "2026-11-21T09:30" (UTC without a zone).
        end_timestamp: keep records with a timestamp before this one, in the form of `start_timestamp`.
        key: keep records with this key, or with one of several.
        filter: keep records for which an expression of `pyarrow.compute` over the columns is true, whether these are in
            `columns` or not; see `Scan.filter`.
        columns: names of the columns to build, in this order; None for all.
        isolation_level: "read_uncommitted" to include records of open and aborted transactions; or "read_committed", as
            in Kafka's consumer, see below.
        control_records: also give transaction markers and other control records; with "read_committed" those below the
            last stable offset.
        below_log_start: also give records below the log start offset.
        compacted: give only the latest record of each key, see below.
        replica: if a partition is found several times, read the "best" copy or "all".
        on_damage: "raise" an error at the first damage, or "skip" damage and list it in `Scan.damage`.
        verify_checksums: check the CRC of each batch that is read, and of messages inside wrappers (v0, v1).
        limits: bounds on memory; `kafkafmt.Limits()` if None.
        engine: "columnar" for kernels compiled by numba, about a hundred times as fast; or "reference" for the parsers
            compiled from the specs, one record after another. Rows, errors and damage are the same.
        threads: number of threads that decompress and read ahead; each needs up to 150 MB more. None for the number of
            cores.
        missing: "raise" an error if a topic or partition named in `topics`, `partitions`, or bounds of offsets does not
            exist; or "note" it in `Scan.notes`, and read the others.

    Raises:
        NotFoundError: a named topic or partition does not exist (`missing="raise"`). A LookupError.
        SourceError: a source is missing, unreadable or without Kafka's files, or is a packed backup (gzip, tar); or a
            directory cannot be listed that is named like a requested partition. Other directories that cannot be listed
            are in `Scan.notes`.
        ImportError: from a pass, if numba cannot be loaded; small scans do not need it.
        TypeError, ValueError: an invalid argument, such as a start after its end.
        pyarrow.ArrowException: from a pass, if `filter` fails on a record.

    Issues a `KafkafmtWarning` at the end of a pass for each note that is a finding (offsets or leader epochs that go
    back, diverged replicas, directories that cannot be listed), and for damage that was skipped. Faults inside a batch
    that do not cost a record are only in `Scan.notes`. `Scan.without_warnings` is for callers that read `Scan.notes`
    and `Scan.damage`.

    Time filters use batch headers, never the time index: an index entry claims that no record up to an offset is later
    than a time, which only the headers can prove. `Partition.find_timestamp` uses the index, as Kafka does.

    With "read_committed" the scan leaves out records of aborted transactions, and everything from the last stable
    offset on, which is the first offset of the earliest open transaction. The markers in the log decide; with
    `end_offset="high_watermark"` only markers below it. So all batch headers of a partition are read once before its
    records, also outside the range (after `end_offset` while transactions are open there); for a segment given alone,
    also those of the other segments in its directory. If that pass finds damage, "raise" gives the records up to the
    first transaction open there, then the error; "skip" leaves out transactions open there, as their markers may be
    lost. `Scan.head`, `tail` and `count` count committed records only, and `batches` shows their batches.

    With `compacted` a log is shown as if it had been fully compacted: for each key of a partition the record with the
    highest offset, even if it is a tombstone, and no records without a key, as compaction deletes these (`Scan.notes`
    counts them). `end_offset` and `isolation_level` decide which record is the latest, so that both show a topic as of
    an offset; `filter` and the times choose among the latest records. Each log is read twice, the first time for its
    keys. Memory is bounded: hashes of more than a million keys go to temporary files, 24 bytes each.

    Bytes that the arguments exclude are not read, and so not verified: segments outside the offsets by their names;
    within a segment everything before the range by the offset index (if the index is right, else the segment is read
    from its start) and everything after the second consecutive batch past it; batches whose header puts them outside
    the offsets or times. Such a header is trusted without its CRC only if its fields agree, its offsets are in the
    segment, and they follow the previous batch; otherwise the batch is read and checked first, as control batches
    always are. A header that leads to damage or to an unclean end is checked afterwards. A flipped bit can still hide
    records from a filtered scan, never from one without bounds: in a maximum timestamp from `start_timestamp`, in the
    last offset delta of a compacted batch from `start_offset`, and in a size that happens to lead to another batch.
    """
    _check_choices(engine, isolation_level, replica, on_damage, missing)
    keys = arguments.record_keys(key)
    wanted = Selection(
        topics=arguments.topics(topics),
        partitions=arguments.partitions(partitions),
        start_offset=arguments.offset_bound(start_offset, "start_offset"),
        end_offset=arguments.end_bound(end_offset, "end_offset"),
        start_timestamp=milliseconds(start_timestamp, "start_timestamp"),
        end_timestamp=milliseconds(end_timestamp, "end_timestamp"),
        key=keys[0] if keys is not None and len(keys) == 1 else None,
        expression=None if filter is None else row_expression(filter),
        control_records=control_records,
        below_log_start=below_log_start,
        isolation_level=isolation_level,
    )
    if keys is not None and len(keys) != 1:
        wanted = _with_keys(wanted, keys)
    empty = [
        *arguments.check_offsets(wanted.start_offset, wanted.end_offset),
        *arguments.check_range(wanted.start_timestamp, wanted.end_timestamp, ("start_timestamp", "end_timestamp")),
    ]
    notes = tuple(Note(text, is_finding=False) for text in empty)
    schema = record_columns.select(columns)
    searched = sources.search(source, filesystem, decryption_keys)
    for error in searched.unlisted(wanted.takes_named):
        searched.report(error)
    made = Scan(
        _found=searched.found,
        _selection=wanted,
        schema=schema,
        _replica=replica,
        _on_damage=on_damage,
        _verify_checksums=verify_checksums,
        _limits=limits or Limits(),
        _engine=engine,
        _threads=arguments.thread_count(threads),
        _noted=notes,
        _sources=searched,
        _is_compacted=compacted,
        warns=not searched.are_reported,
    )
    searched.require_found(made.absent, missing)
    return made.resumed()


def _check_choices(engine: str, isolation_level: str, replica: str, on_damage: str, missing: str) -> None:
    """Check the arguments of `scan` that take one of a few words.

    Raises:
        ValueError: an argument is not one of its words.
    """
    check_choice("engine", engine, get_args(Engine))
    check_choice("isolation_level", isolation_level, get_args(IsolationLevel))
    check_choice("replica", replica, get_args(Replica))
    check_choice("on_damage", on_damage, get_args(OnDamage))
    check_choice("missing", missing, get_args(Missing))


def _with_keys(wanted: Selection, keys: tuple[bytes, ...]) -> Selection:
    """Restrict a selection to records with one of the keys; without keys no record is left."""
    return replace(
        wanted,
        expression=with_one_of(keys, wanted.expression),
        needles=Needles(keys) if keys and all(keys) else None,
    )


def scan_bytes(
    content: bytes,
    *,
    file: str,
    columns: Sequence[str] | None = None,
    on_damage: OnDamage = "raise",
    control_records: bool = False,
    limits: Limits | None = None,
    engine: Engine = "columnar",
    note: Callable[[Note], None] | None = None,
    report: Callable[[Damage], None] | None = None,
) -> pa.Table:
    """Read the records of one segment file that is in memory.

    Topic and partition come from the parent directory's name in `file`, the base offset from the file's name; the log
    start offset is unknown.

    Args:
        content: the whole file.
        file: its path or name, which the `file` column and errors show.
        columns: as for `scan`.
        on_damage: as for `scan`.
        control_records: as for `scan`.
        limits: as for `scan`.
        engine: as for `scan`.
        note: called with each entry of `Scan.notes`, perhaps repeatedly. None to issue a `KafkafmtWarning` for
            findings.
        report: called with each entry of `Scan.damage`; None to issue a `KafkafmtWarning` for it.

    Raises:
        KafkafmtError: at damage, with `on_damage="raise"`.
        TypeError, ValueError: an invalid argument.
    """
    check_choice("on_damage", on_damage, get_args(OnDamage))
    check_choice("engine", engine, get_args(Engine))
    schema = record_columns.select(columns)
    parent = parse_partition_name(os.path.basename(os.path.dirname(file)))
    task = ScanTask(parent.topic, parent.partition, SegmentInMemory(file, content))
    wanted = Selection(control_records=control_records)
    said: list[Damage | Note] = []
    take, hear = report or said.append, note or said.append
    reading = Pass(wanted, on_damage, True, limits or Limits(), take, hear, engine)  # noqa: FBT003
    with warning_at_end(said):
        return pa.Table.from_batches(record_batches(reading.decode([task], schema), schema), schema=schema)
