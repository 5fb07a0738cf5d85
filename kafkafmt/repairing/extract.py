"""`kafkafmt.extract`: some records of log directories, as a small log directory for a bug report."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import DataError, KafkafmtError, SourceError, UnsupportedError
from kafkafmt.files.damage import NORMAL_END, Note, cost_text
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.sources import Sources, search
from kafkafmt.phrases import counted, listed, sized
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC
from kafkafmt.repairing.redaction import DISTINCT_FROM, Redaction
from kafkafmt.scanning import scan
from kafkafmt.topics.answers import name_filter
from kafkafmt.values.registry_topic import topic_of
from kafkafmt.values.schema_sources import schemas
from kafkafmt.writing.batch_builder import BatchBuilder
from kafkafmt.writing.log_dir import Written, WrittenPartition, close_log_dir, new_id
from kafkafmt.writing.log_writer import LogWriter
from kafkafmt.writing.target import left_of, new_directory, share

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File, Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record

_COLUMNS = ("topic", "partition", "offset", "isControl", "position", "file")
# For `segment_ms`: all batches go to one segment, regardless of timestamps.
_NEVER = 1 << 62


class _Wanted(NamedTuple):
    """The wanted records of one batch."""

    topic: str
    partition: int
    file: str
    position: int
    offsets: npt.NDArray[np.int64]


@dataclass
class _Output:
    """One partition of the output."""

    log: LogWriter
    start_offset: int
    records: int = 0
    size: int = 0
    has_data: bool = False


def extract(
    source: "Searchable",
    out: str | os.PathLike[str],
    *,
    redact: str | Collection[str] = (),
    salt: str | bytes | None = None,
    filesystem: "FileSystem | None" = None,
    advance: Callable[[int], None] = lambda _: None,
    **filters: Any,  # noqa: ANN401 - those of scan
) -> Written:
    """Write some records as a small log directory in their own formats, for a bug report.

    A batch whose records are all wanted is copied byte for byte; of the others the wanted records are encoded
    again, with their offsets, timestamps, producer fields and compression. Control records are wanted wherever records
    are. Internal topics are left out unless they are named.

    Args:
        source: as for `kafkafmt.scan`.
        out: the log directory, which must not exist, nor be inside a source; it appears once everything is written.
        redact: "keys", "values", "headers" (their values), or several: their bytes are replaced by others of the same
            length. Equal ones stay equal, null and empty ones unchanged, and distinct ones distinct from 8 bytes on. Or
            fields of JSON, Avro and Protobuf values and keys, as in "value:customer.email": the bytes around them stay
            unchanged. Avro and Protobuf are read by the schemas of `_schemas` in the source.
        salt: makes the replacement the same in each run; None for a new random one.
        filesystem: as for `kafkafmt.scan`.
        advance: called with numbers of bytes of the log files as they are read; `Scan.size_in_bytes` is their sum.
        **filters: arguments of `kafkafmt.scan` that choose records, except `columns` and `control_records`.

    Returns:
        The result; `notes` name differences from the source.

    Raises:
        ValueError: an invalid argument, or records of an internal topic are to be redacted.
        KafkafmtError: the source is damaged; a key or value with a field to be redacted is neither JSON nor of
            a known schema; or the output cannot be written. After any error nothing is left behind.
    """
    for name in ("columns", "control_records", "filter"):
        if name in filters:
            raise ValueError(f"{name} is not an argument of extract")
    if salt is not None and not redact:
        raise ValueError("salt without redact replaces nothing: say what to redact")
    redaction = Redaction((redact,) if isinstance(redact, str) else redact, salt)
    sources = search(source, filesystem)
    key = filters.pop("key", None)
    topics = _topics(sources, filters.pop("topics", None))
    columns = _COLUMNS if key is None else (*_COLUMNS, "key")
    records = scan(sources, columns=columns, control_records=True, topics=topics, **filters).without_warnings()
    records.watch(advance)
    if redaction and any(each.topic in INTERNAL_TOPICS for each in records.partitions):
        raise ValueError("records of internal topics cannot be redacted: Kafka's own code must be able to read them")
    registry, left_out = topic_of(each.partition for each in sources.found) if redaction.reads_fields else ([], ())
    if registry:
        redaction.read_by(schemas(registry))
    limits = filters.get("limits") or Limits()
    copies = Counter((each.topic, each.partition) for each in records.partitions)
    (topic, number), count = max(copies.items(), key=lambda each: each[1], default=((None, None), 0))
    if count > 1 and filters.get("replica") == "all":
        raise ValueError(
            f"an extract has one log of a partition, and {topic}-{number} has {count} copies: name the directory of "
            "one of them, or leave out --replica all"
        )
    found = {(each.topic, each.partition): each for each in reversed(records.best_partitions())}
    notes = left_of(out)
    with new_directory(out, sources) as work, _Files(records.partitions) as files:
        outputs = _Outputs(work, found, redaction, limits, notes, skips=filters.get("on_damage", "raise") == "skip")
        for wanted in _wanted(records.to_batches(), key):
            outputs.add(wanted, files.entry(wanted))
        # With `key`, a partition of which only markers were selected has no record with that key.
        done = outputs.close(only_with_data=key is not None)
        written = [found[each.topic, each.partition] for each in done]
        owners = list(_owners(written or list(found.values())))
        properties = owners[0] if owners else {"cluster_id": new_id(), "node_id": 0, "directory_id": new_id()}
        table = close_log_dir(work, done, **properties, has_gaps=True)
        notes += share(work, {each.location.parent.identity: each.location.parent for each in found.values()}.values())
    ids = {each.topic: _topic_id(found[each.topic, each.partition]) for each in done}
    notes += [_note_of(each, records.path_of(each.file)) for each in records.damage]
    notes += records.notes
    if records.skipped_replicas:
        others = listed([each.path for each in records.skipped_replicas])
        notes.append(Note(f"other copies of these partitions were not read: {others}", is_finding=False))
    notes += [Note(f"a copy of the schemas was left out: {each}") for each in left_out]
    if not done:
        notes.append(Note("nothing is selected: the extract has no partition", is_finding=False))
    notes += _notes_on_owners(owners)
    notes += [Note(f"no record has {field}, so it redacted nothing") for field in redaction.unmet if done]
    notes += [
        Note(f"nothing was redacted in {counted(count, part)} without {field}", is_finding=False)
        for field, count in redaction.without
        for part in (field.partition(":")[0],)
    ]
    if redaction.met_short:
        text = f"values shorter than {DISTINCT_FROM} bytes may have become equal"
        notes.append(Note(text, is_finding=False))
    known = {topic: topic_id for topic, topic_id in ids.items() if topic_id is not None}
    return Written(os.fspath(out), **properties, topic_ids=known, partitions=table, notes=tuple(dict.fromkeys(notes)))


class _Outputs:
    """The partitions of the output.

    Args:
        work: the log directory that is written.
        found: the source partitions, by topic and number.
        redaction: replaces bytes of records.
        limits: bounds of a decode.
        notes: list that collects a note for each batch that is left out.
        skips: whether batches that no log can contain are left out; otherwise they are errors.
    """

    def __init__(
        self,
        work: Path,
        found: "Mapping[tuple[str | None, int | None], Partition]",
        redaction: Redaction,
        limits: Limits,
        notes: list[Note],
        *,
        skips: bool,
    ) -> None:
        self._work = work
        self._found = found
        self._redaction = redaction
        self._limits = limits
        self._notes = notes
        self._skips = skips
        self._outputs: dict[tuple[str, int], _Output] = {}

    def add(self, wanted: _Wanted, entry: Entry) -> None:
        """Append the wanted records of a batch to their partition.

        Raises:
            ValueError: the topic of the file is unknown.
            KafkafmtError: the batch is damaged, or no log can contain it and it is not skipped.
        """
        if wanted.topic is None:
            raise ValueError(f"{wanted.file}: its topic is unknown; name its partition directory")
        place = (wanted.topic, wanted.partition)
        output = self._outputs.get(place)
        try:
            _check_offsets(entry.header(), output.log.log_end_offset if output else 0)
            self._redaction.topic = wanted.topic
            data, header = _batch(entry, wanted, self._redaction, self._limits)
            if output is None:
                output = self._outputs[place] = _new_output(self._work, place, self._found[place], header)
            output.log.append(data)
        except ValueError as error:
            refused = UnsupportedError(str(error), file=wanted.file, position=wanted.position)
            if not self._skips:
                raise refused from error
            self._notes.append(Note.of(finding_of(refused)))
            return
        output.records += len(wanted.offsets)
        output.has_data |= not header.is_control_batch
        output.size += len(data)

    def close(self, *, only_with_data: bool) -> list[WrittenPartition]:
        """Complete the partitions, in order; `only_with_data` removes those without data records."""
        done = []
        for (topic, number), output in sorted(self._outputs.items()):
            output.log.close()
            if only_with_data and not output.has_data:
                shutil.rmtree(output.log.directory)
                continue
            end = output.log.log_end_offset
            done.append(WrittenPartition(topic, number, output.records, output.size, output.start_offset, end))
            self._notes += share(output.log.directory, _places(self._found[topic, number]))
        return done


def _topics(sources: Sources, topics: Any) -> Any:  # noqa: ANN401 - as for scan
    """The wanted topics: all except internal ones that are not named."""
    if topics is not None and not hasattr(topics, "fullmatch"):
        return topics
    takes = name_filter(topics, "topics")
    names = {each.partition.topic for each in sources.found if each.partition.topic is not None} - INTERNAL_TOPICS
    return sorted(name for name in names if takes(name))


class _Files(ExitStack):
    """The log files that batches are read from; the last file used stays open."""

    def __init__(self, partitions: "Sequence[Partition]") -> None:
        super().__init__()
        segments = (segment for partition in partitions for segment in partition.segments)
        self._segments: dict[str, Segment] = {segment.file: segment for segment in segments}
        self._open: tuple[str, File] | None = None

    def entry(self, wanted: _Wanted) -> Entry:
        """Read a batch.

        Raises:
            SourceError: the batch cannot be read, or is no longer there.
        """
        if self._open is None or self._open[0] != wanted.file:
            self.close()
            self._open = (wanted.file, self.enter_context(self._segments[wanted.file].open()))
        file = self._open[1]
        head = file.read_at(wanted.position, HEADER_SIZE_UP_TO_MAGIC)
        size = Entry(head, wanted.file, wanted.position).frame.size_in_bytes
        data = file.read_at(wanted.position, size)
        if len(data) < size:
            raise SourceError("became shorter while it was read", file=file.name, position=wanted.position)
        return Entry(data, wanted.file, wanted.position)


def _wanted(batches: "Iterator[pa.RecordBatch]", key: bytes | None) -> Iterator[_Wanted]:
    """Group the rows of a scan by batch; with a key, take its records and all control records."""
    last: _Wanted | None = None
    for rows in batches:
        chosen = rows
        if key is not None:
            has_key = pc.fill_null(pc.equal(rows.column("key"), pa.scalar(key, pa.binary())), fill_value=False)
            chosen = rows.filter(pc.or_(rows.column("isControl"), has_key))
        for found in _groups(chosen):
            if last is not None and last[:4] == found[:4]:
                last = last._replace(offsets=np.concatenate([last.offsets, found.offsets]))
            else:
                if last is not None:
                    yield last
                last = found
    if last is not None:
        yield last


def _groups(rows: pa.RecordBatch) -> Iterator[_Wanted]:
    if not rows.num_rows:
        return
    columns = {name: rows.column(name) for name in _COLUMNS}
    for name in ("topic", "file"):
        columns[name] = columns[name].dictionary_encode() if pa.types.is_string(columns[name].type) else columns[name]
    offsets, positions = columns["offset"].to_numpy(), columns["position"].to_numpy()
    parts = [columns["topic"].indices.to_numpy(), columns["file"].indices.to_numpy(), columns["partition"].to_numpy()]
    changes = np.zeros(len(offsets), np.bool_)
    changes[0] = True
    for each in (*parts, positions):
        changes[1:] |= each[1:] != each[:-1]
    starts = np.flatnonzero(changes).tolist()
    for start, end in zip(starts, [*starts[1:], len(offsets)], strict=True):
        topic, file = columns["topic"][start].as_py(), columns["file"][start].as_py()
        yield _Wanted(topic, int(parts[2][start]), file, int(positions[start]), offsets[start:end])


def _batch(
    entry: Entry, asked: _Wanted, redaction: Redaction, limits: Limits
) -> "tuple[bytes | memoryview, BatchHeader]":
    """Bytes of a batch with the wanted records: the original ones, or encoded again."""
    header, offsets = entry.header(), asked.offsets
    if header.is_control_batch or (not redaction and header.magic >= CURRENT_MAGIC and header.count == len(offsets)):
        return entry.data, header
    records = list(entry.records(limits, header))
    if not redaction and len(records) == len(offsets):
        return entry.data, header
    wanted = set(offsets.tolist())
    chosen = [record for record in records if record.offset in wanted]
    return _encoded(header, chosen, redaction, f"{asked.topic}-{asked.partition}"), header


def _encoded(header: "BatchHeader", records: "Sequence[Record]", redaction: Redaction, place: str) -> bytes:
    """A batch with some of its records, as Kafka's cleaner leaves it (`MemoryRecords.filterTo`)."""
    is_batch = header.magic >= CURRENT_MAGIC
    builder = BatchBuilder(
        message_format=header.magic,
        compression=header.compression or "none",
        timestamp_type=header.timestamp_type or "CreateTime",
        log_append_time=-1 if header.max_timestamp is None else header.max_timestamp,
        base_offset=header.base_offset if is_batch and header.base_offset is not None else records[0].offset,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        is_transactional=header.is_transactional,
        is_control=header.is_control_batch,
        partition_leader_epoch=header.partition_leader_epoch,
        delete_horizon_ms=header.delete_horizon_ms,
    )
    for record in records:
        try:
            key, value = redaction.key(record.key, record.headers), redaction.value(record.value, record.headers)
        except KafkafmtError as error:
            error.message = f"{place}, offset {record.offset}: {error.message}"
            raise
        builder.append(record.timestamp, key, value, redaction.headers(record.headers), offset=record.offset)
    return builder.build(header.last_offset if is_batch else None)


def _check_offsets(header: "BatchHeader", end: int) -> None:
    """Check that a log can contain a batch after the present ones.

    Raises:
        ValueError: a log cannot contain the batch there.
    """
    last = header.last_offset or 0
    first = header.base_offset if header.magic >= CURRENT_MAGIC and header.base_offset is not None else last
    if first < 0 or not first <= last < INT64_MAX:
        raise ValueError(f"no log has offsets {first} to {last}")
    if first < end:
        raise ValueError(f"the offsets go back to {first}: no log has both")


def _new_output(work: Path, place: tuple[str, int], partition: "Partition", header: "BatchHeader") -> _Output:
    start = header.base_offset if header.base_offset is not None else header.last_offset or 0
    topic_id = _topic_id(partition)
    log = LogWriter(work / f"{place[0]}-{place[1]}", start_offset=start, segment_ms=_NEVER, topic_id=topic_id)
    return _Output(log, start)


def _places(partition: "Partition") -> "list[Location]":
    return [partition.location, *(segment.location for segment in partition.segments)]


def _topic_id(partition: "Partition") -> str | None:
    try:
        return partition.topic_id
    except DataError:
        return None


def _note_of(damage: "Damage", path: str | None) -> Note:
    """The note on what was left out at a damaged place, with its cost; an open end is not a loss."""
    error = damage.error
    placed = type(error)(error.message, file=path, position=error.position, expected=error.expected, found=error.found)
    if damage.is_open_end:
        text = f"{placed}: {NORMAL_END}"
    else:
        cost = cost_text(damage.first_offset, damage.last_offset, damage.records)
        text = f"{placed}: {damage.reason}, {sized(damage.length)} left out{cost and f' ({cost})'}"
    return Note(text, is_finding=not damage.is_open_end, path=path, topic=damage.topic, partition=damage.partition)


def _notes_on_owners(owners: "Sequence[Mapping[str, Any]]") -> Iterator[Note]:
    if not owners:
        yield Note("no source has a sound meta.properties: the ids in this one are made up", is_finding=False)
    elif len({(each["cluster_id"], each["node_id"]) for each in owners}) > 1:
        text = f"the sources are of several nodes: meta.properties is that of node {owners[0]['node_id']}"
        yield Note(text, is_finding=False)


def _owners(partitions: "Sequence[Partition]") -> Iterator[dict[str, Any]]:
    """Owners of the partitions' log directories, by meta.properties."""
    for place in {each.location.parent.identity: each.location.parent for each in partitions}.values():
        try:
            properties = properties_of(place)
        except DataError:
            continue
        if properties is not None and properties.cluster_id is not None:
            yield {
                "cluster_id": properties.cluster_id,
                "node_id": properties.node_id or 0,
                "directory_id": properties.directory_id or new_id(),
            }
