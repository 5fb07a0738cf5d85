"""Everywhere: finds all traces of a text on the disks, also outside live records, to prove that it was erased.

Each file below the sources is read once: logs as records, whether in use or left out, damaged parts as bytes and as
batches that can be decompressed, everything else as bytes. Parts that cannot be read prove nothing, and are listed.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt import scanning
from kafkafmt.arrays import array
from kafkafmt.cached import cached_property
from kafkafmt.columns import SCHEMA as RECORDS
from kafkafmt.columns import STORED_HEADERS
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files.damage import ZERO_TAIL, Damage
from kafkafmt.files.wrapped import wrapper_of
from kafkafmt.io.base import File, MemoryFile
from kafkafmt.limits import Limits
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import search as find_sources
from kafkafmt.logdir.tier_segment import TierFile
from kafkafmt.public import short
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.record import stored_name
from kafkafmt.searching.hits import (
    BELOW_LOG_START,
    BYTES,
    DAMAGE,
    HITS,
    OTHER_REPLICA,
    Hit,
    SearchedFile,
    Unread,
    hits_batch,
)
from kafkafmt.searching.json_path import JsonMatcher
from kafkafmt.searching.matches import Matches
from kafkafmt.searching.pattern import Pattern
from kafkafmt.searching.places import LOG, FilePlace, places
from kafkafmt.searching.raw_bytes import has_anchors, is_a_log, spans_in
from kafkafmt.searching.raw_log import RawFind, RawLog
from kafkafmt.searching.record_search import MATCHED_IN, RecordSearch, record_search

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Searchable, Sources
    from kafkafmt.reference.record import Record

Verdict = Literal["found", "not found", "not proved"]

_OF_HITS = ("offset", "timestamp", "position", "matchedIn")
_ROWS_AT_ONCE: Final = 500_000
_ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")


def grep_everywhere(
    source: "Searchable",
    pattern: str | bytes,
    *,
    fixed: bool = False,
    ignore_case: bool = False,
    parts: Iterable[str] | None = None,
    limits: Limits | None = None,
) -> "Everywhere":
    """Search for all traces of a text, also outside logs, to prove that it was erased.

        >>> found = kafkafmt.open("/var/lib/kafka/data").grep_everywhere("customer-4711", fixed=True)
        >>> found.to_table()
        >>> found.verdict, found.unread

    Args:
        source: as for `kafkafmt.scan`.
        pattern: as for `kafkafmt.searching.grep`; without ^, $ and the like, which mean nothing in raw bytes.
        fixed: as for `kafkafmt.searching.grep`.
        ignore_case: as for `kafkafmt.searching.grep`.
        parts: the parts of records to search; raw bytes are always searched.
        limits: bounds of decoding.

    Raises:
        SourceError: as for `kafkafmt.scan`.
        TypeError, ValueError: an argument is invalid.
    """
    search = record_search(pattern, fixed=fixed, ignore_case=ignore_case, parts=parts)
    return Everywhere(find_sources(source), search, limits or Limits())


@dataclass(eq=False, repr=False)
class Everywhere:
    """All traces of a text. Made by `grep_everywhere`; `hits` reads everything, and fills the other attributes.

    Attributes:
        sources: the disks to search.
        search: the text, bytes or expression.
        limits: bounds of decoding.
        files: the files searched by the last pass.
        unread: the parts that the last pass could not search.
        found: number of hits of the last pass.

    Raises:
        ValueError: the pattern is empty, or has anchors.
    """

    sources: "Sources"
    search: RecordSearch
    limits: Limits
    files: list[SearchedFile] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    found: int = 0
    _best: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.search.matcher, JsonMatcher):
            raise ValueError("a JSON path finds nothing in raw bytes: search for the text")  # noqa: TRY004
        pattern = self.pattern
        text = pattern.text if isinstance(pattern.text, str) else pattern.text.decode("latin-1")
        if not text or pattern.matches(pa.array([b""]))[0].as_py():
            raise ValueError(f"{text!r} is found in everything")
        if not pattern.fixed and has_anchors(text):
            raise ValueError(
                f"{text!r}: ^, $, \\A, \\z and \\b mean nothing in raw bytes, where a value may begin anywhere"
            )

    def __repr__(self) -> str:
        return short(f"<Everywhere: {self.pattern.text!r} in {', '.join(map(str, self.sources))}>")

    @property
    def pattern(self) -> Pattern:
        """The text, bytes or expression to search for."""
        return cast("Pattern", self.search.matcher)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the last pass: "found"; else "not proved" if a part could not be read, or "not found"."""
        return "found" if self.found else "not proved" if self.unread else "not found"

    @cached_property
    def places(self) -> list[FilePlace | SourceError]:
        """The files to search, and directories that cannot be listed."""
        return list(places(self.sources))

    def hits(self, advance: Callable[[int], None] = lambda _: None) -> Iterator[Hit]:
        """Search everything; gives one hit for each matching record, or for each match in bytes.

        Args:
            advance: called with the size in bytes of each searched file.
        """
        self.files, self.unread, self.found = [], [], 0
        for place in self.places:
            if isinstance(place, SourceError):
                self._miss(place)
                continue
            searched = SearchedFile(place)
            self.files.append(searched)
            for hit in self._hits_in(place):
                searched.hits += 1
                self.found += 1
                yield hit
            advance(place.size or 0)

    def to_batches(self, advance: Callable[[int], None] = lambda _: None) -> Iterator[pa.RecordBatch]:
        """Search everything; gives the hits as rows with the columns `HITS`."""
        waiting: list[Hit] = []
        for hit in self.hits(advance):
            waiting.append(hit)
            if len(waiting) == 1024:
                yield hits_batch(waiting)
                waiting = []
        if waiting:
            yield hits_batch(waiting)

    def to_table(self) -> pa.Table:
        """Search everything; returns all hits as one table."""
        return pa.Table.from_batches(self.to_batches(), schema=HITS)

    def _hits_in(self, place: FilePlace) -> Iterator[Hit]:
        try:
            if place.log is not None:
                yield from self._hits_in_log(place)
            elif place.indexes is not None:
                yield from self._hits_in_indexes(place)
            else:
                with place.location.open() as file:
                    if is_a_log(file):
                        log = Segment(place.location, size=file.size)
                        place = replace(place, partition=Partition(log.location.parent), log=log)
                    else:
                        packed = wrapper_of(file)
                        if packed is not None:
                            raise packed.refusal(place.path)
                        yield from self._hits_in_bytes(place, file, 0, file.size, place.part_of)
                if place.log is not None:
                    yield from self._hits_in_log(place)
        except KafkafmtError as error:
            self._miss(error, place.path)

    def _hits_in_indexes(self, place: FilePlace) -> Iterator[Hit]:
        upload = place.indexes
        if upload is None or upload.manifest is None:
            return
        for ending in upload.manifest.indexes:
            data = upload.read_index(ending)
            yield from self._hits_in_bytes(place, MemoryFile(place.path, data), 0, len(data), place.part_of)

    def _hits_in_bytes(self, place: FilePlace, file: File, begin: int, end: int, part_of: str) -> Iterator[Hit]:
        topic, partition = place.topic_partition
        for first, _ in spans_in(file, begin, end, self.pattern):
            yield Hit(topic, partition, place.path, first, None, None, (BYTES,), part_of)

    def _hits_in_log(self, place: FilePlace) -> Iterator[Hit]:
        """Matching records of a log, and matches in its bytes outside all records."""
        if place.log is None:
            return
        found_before = self.found
        scan = scanning.scan(
            place.log, control_records=True, below_log_start=True, on_damage="skip", limits=self.limits
        ).without_warnings()
        reader = Matches(scan, self.search, pa.schema([_field(name) for name in _OF_HITS])).to_reader()
        found_in: set[int] = set()
        for found in _joined(reader):
            found_in.update(found.column("position").to_pylist())
            yield from self._record_hits(place, found)
        with place.log.open() as file:
            damage = list(_merged(reader.damage))
            raw = RawLog(file, self.pattern, self.search.parts, found_in, damage, self.limits)
            for each in raw.finds():
                if isinstance(each, DataError):
                    self._miss(each, place.path)
                else:
                    yield from self._raw_hits(place, each)
        if self.found == found_before and _is_packed(place.log):
            # The raw object is searched as well as the decoded chunks, since compression may leave a text as it is.
            with place.location.open() as stored:
                yield from self._hits_in_bytes(place, stored, 0, stored.size, place.part_of)

    def _raw_hits(self, place: FilePlace, found: RawFind) -> Iterator[Hit]:
        part_of = DAMAGE if found.in_damage and place.part_of == LOG else place.part_of
        offset = timestamp = None
        matched_in: tuple[str, ...] = (BYTES,)
        if found.record is not None:
            rows, names = self.search.matching(_batch_of(found.record))
            if not len(rows):
                return
            offset, timestamp, matched_in = found.record.offset, found.record.timestamp, tuple(names[0].as_py())
        yield Hit(*place.topic_partition, place.path, found.position, offset, timestamp, matched_in, part_of)

    def _record_hits(self, place: FilePlace, batch: pa.Table) -> Iterator[Hit]:
        """Hits for matching records, with the consumers that see them."""
        offsets = batch.column("offset").to_numpy()
        seen = [self._seen(place, offsets, level) for level in _ISOLATION_LEVELS]
        topic, partition = place.topic_partition
        start = self._log_start(place)
        left_out = OTHER_REPLICA if place.part_of == LOG and not self._is_best(place) else place.part_of
        times = batch.column("timestamp").cast(pa.int64()).to_pylist()
        rest = (batch.column(name).to_pylist() for name in ("position", "matchedIn"))
        rows = zip(offsets.tolist(), times, *rest, *seen, strict=True)
        for offset, time, position, matched_in, visible, committed in rows:
            part_of = left_out
            if part_of == LOG and start is not None and offset < start:
                part_of = BELOW_LOG_START
            yield Hit(
                topic, partition, place.path, position, offset, time, tuple(matched_in), part_of, visible, committed
            )

    def _seen(
        self, place: FilePlace, offsets: "np.ndarray[tuple[int], np.dtype[np.int64]]", level: str
    ) -> list[bool | None]:
        """Whether a default scan gives each record of a file at these offsets; None if it fails."""
        if place.part_of != LOG or place.partition is None:
            return [False] * len(offsets)
        identity = place.partition.location.identity
        # Negative offsets come from damaged headers: no consumer fetches at them.
        first, last = max(int(offsets.min()), 0), max(int(offsets.max()), 0)
        end = None if last == INT64_MAX else last + 1
        try:
            scan = scanning.scan(
                self.sources,
                start_offset=first,
                end_offset=end,
                isolation_level=level,  # type: ignore[arg-type]
                on_damage="skip",
                limits=self.limits,
            ).without_warnings()
            if place.partition.topic is not None and place.partition.partition is not None:
                scan = scan.narrowed(
                    {place.partition.topic: (place.partition.partition,)},
                    first,
                    end,
                ).select(["offset", "file"])
            else:
                scan = scan.of(
                    lambda found: [each for each in found if each.partition.location.identity == identity],
                    ["offset", "file"],
                )
            seen = [np.empty(0, np.int64)]
            for batch in scan.to_reader():
                files = batch.column("file")
                here = [file for file in pc.unique(files).to_pylist() if scan.path_of(file) == place.path]
                seen += [batch.filter(pc.equal(files, file)).column("offset").to_numpy() for file in here]
        except KafkafmtError:
            return [None] * len(offsets)
        return [*np.isin(offsets, np.concatenate(seen)).tolist()]

    def _is_best(self, place: FilePlace) -> bool:
        partition = place.partition
        if partition is None or partition.topic is None or partition.partition is None:
            return True
        name = partition.topic, partition.partition
        if name not in self._best:
            best = scanning.scan(self.sources).narrowed({partition.topic: (partition.partition,)}).best_partitions()
            self._best[name] = {each.location.identity for each in best}
        return partition.location.identity in self._best[name]

    def _log_start(self, place: FilePlace) -> int | None:
        with suppress(KafkafmtError):
            return None if place.partition is None else place.partition.log_start_offset
        return None

    def _miss(self, error: KafkafmtError, path: str | None = None) -> None:
        missed = Unread(path or error.file or "", error.position, _reason(error))
        # A dangling link is found both as a directory and as a file.
        if all((each.file, each.position) != (missed.file, missed.position) for each in self.unread):
            self.unread.append(missed)


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Merge batches into few tables, as finding the consumers that see a record reads the log once for each table."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _merged(damage: Iterable[Damage]) -> Iterator[tuple[int, int, bool]]:
    """Damaged ranges in order of position, with adjacent ones joined; and whether they contain only zeros."""
    begin = end = 0
    is_zero = True
    for each in sorted(damage, key=lambda each: each.position):
        if each.position > end or not end:
            if end > begin:
                yield begin, end, is_zero
            begin, is_zero = each.position, True
        end = max(end, each.position + each.length)
        is_zero = is_zero and each.reason == ZERO_TAIL
    if end > begin:
        yield begin, end, is_zero


def _batch_of(record: "Record") -> pa.RecordBatch:
    schema = pa.schema([RECORDS.field("key"), RECORDS.field("value"), STORED_HEADERS])
    headers = [{"key": stored_name(name), "value": value} for name, value in record.headers] or None
    values = (record.key, record.value, headers)
    return pa.RecordBatch.from_arrays(
        [array([value], each.type) for value, each in zip(values, schema, strict=True)], schema=schema
    )


def _is_packed(log: Segment) -> bool:
    """Whether a log is an object in remote storage whose chunks are compressed or encrypted."""
    manifest = log.location.upload.manifest if isinstance(log.location, TierFile) else None
    return manifest is not None and (manifest.is_compressed or manifest.encryption is not None)


def _field(name: str) -> pa.Field:
    return MATCHED_IN if name == MATCHED_IN.name else RECORDS.field(name)


def _reason(error: KafkafmtError) -> str:
    placed = type(error)(error.message, expected=error.expected, found=error.found)
    return str(placed)
