"""`kafkafmt.extract`: some records of log directories, as a small log directory for a bug report."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import DataError, UnsupportedError
from kafkafmt.files.damage import NORMAL_END, Note, cost_text
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.sources import Sources, search
from kafkafmt.phrases import counted, listed, sized
from kafkafmt.reference.entry import Entry
from kafkafmt.repairing.redaction import DISTINCT_FROM, Redaction
from kafkafmt.repairing.wanted_batches import COLUMNS, LogFiles, WantedBatch, batch_of, check_offsets, wanted_batches
from kafkafmt.scanning import scan
from kafkafmt.topics.answers import name_filter
from kafkafmt.values.registry_topic import topic_of
from kafkafmt.values.schema_sources import schemas
from kafkafmt.writing.log_dir import Written, WrittenPartition, close_log_dir, new_id
from kafkafmt.writing.log_writer import LogWriter
from kafkafmt.writing.target import left_of, new_directory, share

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.reference.header import BatchHeader

# For `segment_ms`: all batches go to one segment, regardless of timestamps.
_NEVER = 1 << 62


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
    columns = COLUMNS if key is None else (*COLUMNS, "key")
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
    with new_directory(out, sources) as work, LogFiles(records.partitions) as files:
        outputs = _Outputs(work, found, redaction, limits, notes, skips=filters.get("on_damage", "raise") == "skip")
        for wanted in wanted_batches(records.to_batches(), key):
            outputs.add(wanted, files.entry(wanted))
        # With `key`, a partition of which only markers were selected has no record with that key.
        done = outputs.close(only_with_data=key is not None)
        written = [found[each.topic, each.partition] for each in done]
        owners = list(_owners(_log_dirs(written or found.values())))
        properties = owners[0] if owners else {"cluster_id": new_id(), "node_id": 0, "directory_id": new_id()}
        table = close_log_dir(work, done, **properties, has_gaps=True)
        notes += share(work, _log_dirs(found.values()))
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

    def add(self, wanted: WantedBatch, entry: Entry) -> None:
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
            check_offsets(entry.header(), output.log.log_end_offset if output else 0)
            self._redaction.topic = wanted.topic
            data, header = batch_of(entry, wanted, self._redaction, self._limits)
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


def _log_dirs(partitions: "Iterable[Partition]") -> "Collection[Location]":
    return {each.location.parent.identity: each.location.parent for each in partitions}.values()


def _owners(log_dirs: "Iterable[Location]") -> Iterator[dict[str, Any]]:
    """Owners of log directories, by meta.properties."""
    for place in log_dirs:
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
