"""Compacted scans: the latest record of each key, as full compaction would leave the log."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from kafkafmt.arrays import flags, numbers, of_numpy
from kafkafmt.columnar.offset_map import HASHED, Hashed, OffsetMap, hash_keys
from kafkafmt.columns import SCHEMA
from kafkafmt.files.damage import Damage, Note
from kafkafmt.libraries import np, pa
from kafkafmt.scanning.batching import Part, last_of, record_batches, rows_of
from kafkafmt.scanning.execution import Pass

if TYPE_CHECKING:
    from kafkafmt.columnar.figures import Int64s
    from kafkafmt.columnar.headers import Mask
    from kafkafmt.scanning.tasks import ScanTask

MOST_KEYS: Final = 1 << 20
"""Keys in memory at once, of about 100 bytes each; further keys go to temporary files."""

_OFFSET: Final = SCHEMA.field("offset")
_KEYS: Final = pa.schema([_OFFSET, SCHEMA.field("key")])
# Keys are divided into this many files (as a power of 2), by bits of their hashes that do not select a slot of a map.
_BITS: Final = 6
# How often a 64-bit hash can be divided by new bits; further divisions would repeat them.
_DIVISIONS: Final = 64 // _BITS
_READ_AT_ONCE: Final = 1 << 16


class CompactedPass(Pass):
    """A pass that reads each log twice: for the latest offset of each key, then for the records at these offsets.

    A filter chooses among the latest records; the bounds of the log (its ends, committed or not) decide which these
    are.
    """

    def decode_logs(
        self, logs: "Iterable[Sequence[ScanTask]]", schema: "pa.Schema", *, to_the_end: bool = True
    ) -> Iterator[Part]:
        """The wanted ones of the latest records of each log; see `Pass.decode_logs`.

        Raises:
            OSError: a temporary file cannot be written.
        """
        for tasks in logs:
            yield from self._decode_log(tasks, schema, to_the_end=to_the_end)

    def count_logs(self, logs: "Iterable[Sequence[ScanTask]]", *, verify_decoded: bool = False) -> int:
        """The number of these records, all of which are decoded."""
        reading = replace(self, verify_checksums=self.verify_checksums or verify_decoded)
        return sum(map(rows_of, reading.decode_logs(logs, pa.schema([_OFFSET]))))

    def tail(self, tasks: "Sequence[ScanTask]", count: int, schema: "pa.Schema") -> "list[Part]":
        """The last of these records of one log; the whole log is read."""
        return last_of(self._decode_log(tasks, schema, to_the_end=True), count)

    def _decode_log(
        self, tasks: "Sequence[ScanTask]", schema: "pa.Schema", *, to_the_end: bool
    ) -> "Iterator[pa.RecordBatch]":
        expression = self.selection.expression
        wanted = schema if expression is None else expression.reads(schema)
        also = ["offset", "isControl"] if self.selection.control_records else ["offset"]
        read = pa.schema([*wanted, *(SCHEMA.field(name) for name in also if name not in wanted.names)])
        said: set[tuple[Any, ...]] = set()

        def report(damage: Damage) -> None:
            if (place := (damage.file, damage.position, damage.reason)) not in said:
                said.add(place)
                self.report(damage)

        with LatestOffsets() as latest:
            self._search(replace(self, report=report), tasks, latest)
            again = replace(self, selection=replace(self.selection, expression=None), report=report)
            parts = (
                batch.filter(of_numpy(_are_wanted(batch, latest)))
                for batch in record_batches(again.decode(tasks, read, to_the_end=to_the_end), read)
            )
            kept = (batch for batch in parts if batch.num_rows)
            yield from (
                (batch.select(schema.names) for batch in kept)
                if expression is None
                else expression.keep((batch.select(wanted.names) for batch in kept), schema)
            )

    def _search(self, reading: Pass, tasks: "Sequence[ScanTask]", latest: "LatestOffsets") -> None:
        """Read the keys of a log; a note counts records without a key."""
        searching = replace(reading, selection=self.selection.of_log())
        keyless = 0
        for batch in record_batches(searching.decode(tasks, _KEYS), _KEYS):
            latest.add(hash_keys(batch.column("key"), numbers(batch.column("offset"))))
            keyless += batch.column("key").null_count
        latest.settle()
        if keyless:
            first = tasks[0]
            place = first.segment.location.parent
            text = f"{place.name}: records without a key are left out, as compaction deletes them: {keyless:,}"
            note = Note(text, is_finding=False, path=str(place), topic=first.topic, partition=first.partition)
            self.note(note)


class LatestOffsets:
    """The offset of the latest record of each key of a log, in bounded memory for any number of keys.

    Hashes and offsets of keys that do not fit are divided into temporary files, each of which has all offsets of its
    keys.

    Args:
        most_keys: number of keys held in memory at once.
        divided: how many times these keys have been divided; selects the bits of the hash to divide by.
    """

    def __init__(self, most_keys: int = MOST_KEYS, divided: int = 0) -> None:
        self._keys = OffsetMap(most_keys)
        self._divided = divided
        self._files: list[Path] = []
        self._latest: list[Int64s] = []
        self._held = ExitStack()

    def add(self, hashed: Hashed) -> None:
        """Take records of the log.

        Args:
            hashed: hashes of the records' keys, with the offsets.

        Raises:
            OSError: a temporary file cannot be written.
        """
        while (taken := self._keys.put(hashed)) < hashed.size:
            self._divide()
            hashed = hashed[taken:]

    def settle(self) -> None:
        """Find the latest offsets, once all records have been added.

        Raises:
            OSError: a temporary file cannot be written or read.
        """
        if not self._files:
            self._latest = [np.sort(self._keys.entries()["offset"])]
            self._keys.clear()
            return
        self._divide()
        for path in self._files:
            with LatestOffsets(self._keys.capacity, self._divided + 1) as part:
                with path.open("rb") as file:
                    while (hashed := np.fromfile(file, HASHED, _READ_AT_ONCE)).size:
                        part.add(hashed)
                path.unlink()
                part.settle()
                for number, offsets in enumerate(part._latest):
                    kept = path.with_name(f"{path.name}-{number}")
                    offsets.tofile(kept)
                    if offsets.size:
                        self._latest.append(np.memmap(kept, np.int64, "r"))

    def holds(self, offsets: "Int64s") -> "Mask":
        """Whether the records at some offsets are the latest of their keys, as a mask."""
        found = np.zeros(offsets.size, np.bool_)
        if offsets.size:
            lowest, highest = offsets.min(), offsets.max()
            for latest in self._latest:
                begin, end = np.searchsorted(latest, lowest), np.searchsorted(latest, highest, "right")
                found |= np.isin(offsets, latest[begin:end], assume_unique=False)
        return found

    def __len__(self) -> int:
        return sum(offsets.size for offsets in self._latest)

    def _divide(self) -> None:
        """Move the keys in memory to files."""
        if not self._files:
            directory = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="kafkafmt-")))
            self._files = [directory / str(number) for number in range(1 << _BITS)]
        entries = self._keys.entries()
        self._keys.clear()
        shift = np.uint64(_BITS * (self._divided % _DIVISIONS))
        numbers = (entries["high"] >> shift) & np.uint64(len(self._files) - 1)
        for number, path in enumerate(self._files):
            with path.open("ab") as file:
                entries[numbers == number].tofile(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._latest.clear()
        self._held.close()


def _are_wanted(batch: "pa.RecordBatch", latest: LatestOffsets) -> "Mask":
    found = latest.holds(numbers(batch.column("offset")))
    if "isControl" in batch.schema.names:
        found |= flags(batch.column("isControl"))
    return found
