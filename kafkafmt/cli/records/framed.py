"""Records shown as they are stored although they name schemas: a note says which option decodes them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt.cli.messages import say
from kafkafmt.cli.records.request import RecordRequest, ShownRecords
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

_PARTS: Final = ("value", "key")
_LOOKED_AT: Final = 20
"""Number of rows of a topic that are looked at."""

_ID_BYTES: Final = 5
_LONG_BYTES: Final = 8
_INT_BYTES: Final = 4
_USES_OF_AN_ID: Final = 4
"""Fewest values of a topic for each id, if the registry lacks the id; or all of two or three."""


class _Start(NamedTuple):
    """The part of a key or value that is looked at.

    Attributes:
        data: its first bytes.
        size: its total length.
    """

    data: bytes
    size: int


class StoredRecords(ShownRecords):
    """The rows of a table of records as they are stored."""

    def batches(self, request: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass; a note after its rows names --value-format or --key-format if they would decode them."""
        seen: defaultdict[tuple[str, str | None], list[_Start]] = defaultdict(list)
        for batch in super().batches(request):
            for part in _PARTS:
                _look_at(batch, part, seen)
            yield batch
        if framed := self._framed({place: found for place, found in seen.items() if _look_framed(found)}):
            parts = " and ".join(f"{part}s" for part in _PARTS if part in framed)
            options = " ".join(f"--{part}-format auto" for part in _PARTS if part in framed)
            say(f"note: the {parts} name schemas of a registry: decode them with {options}")

    def _framed(self, seen: "Mapping[tuple[str, str | None], Sequence[_Start]]") -> set[str]:
        """The parts that name schemas, among those whose first bytes suggest it."""
        from kafkafmt.errors import KafkafmtError
        from kafkafmt.scanning import Scan

        if not seen or not isinstance(self.records, Scan):
            return set()
        from kafkafmt.values.registry_topic import NO_SCHEMAS, schemas_beside

        known = NO_SCHEMAS
        with suppress(KafkafmtError):  # decoding reports what is wrong with them
            known = schemas_beside(self.records.source_partitions)
        framed: set[str] = set()
        for (part, topic), stored in seen.items():
            ids = Counter(int.from_bytes(each.data[1:], "big", signed=True) for each in stored)
            named = [each for each in ids if known.by_id(each, f"{topic}-{part}") is not None]
            if named or (_repeat(ids) and not _are_numbers(stored)):
                framed.add(part)
        return framed


class JsonMatches(ShownRecords):
    """The records of a search by `--json-path` in values as they are stored."""

    def batches(self, request: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass; if nothing matches, a note says what was searched."""
        rows = 0
        for batch in super().batches(request):
            rows += len(batch)
            yield batch
        if not rows:
            say("note: no match in values as they are stored; add --value-format auto to search Avro and Protobuf")


def _look_at(batch: "pa.RecordBatch", part: str, seen: "defaultdict[tuple[str, str | None], list[_Start]]") -> None:
    """Add the first keys or values of each topic to those seen so far."""
    if part not in batch.schema.names:
        return
    numbers: defaultdict[str | None, list[int]] = defaultdict(list)
    topics = batch.column("topic").to_pylist() if "topic" in batch.schema.names else [None] * len(batch)
    for number, topic in enumerate(topics):
        if len(numbers[topic]) < _LOOKED_AT and topic not in INTERNAL_TOPICS:
            numbers[topic].append(number)
    column = batch.column(part)
    for topic, of_topic in numbers.items():
        found = seen[part, topic]
        # Views, as a value may have 100 MB.
        values = (column[number].as_buffer() for number in of_topic[: _LOOKED_AT - len(found)])
        found += [_Start(bytes(memoryview(value)[:_ID_BYTES]), value.size) for value in values if value]


def _look_framed(stored: Sequence[_Start]) -> bool:
    """Whether all begin with an id, as Confluent's serializers write it."""
    # Registries do not assign the id 0.
    have_ids = all(each.data[0] == 0 and any(each.data[1:]) and each.size > _ID_BYTES for each in stored)
    # Longs may begin in the same way, but all of them have eight bytes.
    return have_ids and any(each.size != _LONG_BYTES for each in stored)


def _repeat(ids: Counter[int]) -> bool:
    """Whether several values share the same few ids."""
    return ids.total() > 1 and len(ids) * min(_USES_OF_AN_ID, ids.total()) <= ids.total()


def _are_numbers(stored: Sequence[_Start]) -> bool:
    """Whether all may be the same few big-endian numbers, as in a key of two ids."""
    sizes = {each.size for each in stored}
    return len(sizes) == 1 and not any(size % _INT_BYTES for size in sizes)
