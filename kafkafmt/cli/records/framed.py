"""Records that are shown as they are stored although they name schemas: a note says which option decodes them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from kafkafmt.cli.messages import say
from kafkafmt.cli.records.request import RecordRequest, ShownRecords
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    import pyarrow as pa

_PARTS: Final = ("value", "key")
_LOOKED_AT: Final = 20
"""Rows of a topic that are looked at in each batch."""

_ID_BYTES: Final = 5
_LONG_BYTES: Final = 8


class StoredRecords(ShownRecords):
    """The rows of a table, as they are stored."""

    def batches(self, request: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass; a note after its rows says whether --value-format or --key-format decodes them."""
        framed: set[str] = set()
        for batch in super().batches(request):
            framed |= {part for part in _PARTS if part not in framed and _names_schemas(batch, part)}
            yield batch
        if framed:
            parts = " and ".join(f"{part}s" for part in _PARTS if part in framed)
            options = " ".join(f"--{part}-format auto" for part in _PARTS if part in framed)
            say(f"note: the {parts} name schemas of a registry: decode them by {options}")


class JsonMatches(ShownRecords):
    """The records of a search by `--json-path` in values as they are stored."""

    def batches(self, request: RecordRequest) -> "Iterator[pa.RecordBatch]":
        """Start a pass; where nothing matches, a note says what was searched."""
        rows = 0
        for batch in super().batches(request):
            rows += len(batch)
            yield batch
        if not rows:
            say("note: no match in values as they are stored; add --value-format auto to search Avro and Protobuf")


def _names_schemas(batch: "pa.RecordBatch", part: str) -> bool:
    """Whether first keys or values of a topic have an id before them, as Confluent's serializers write them."""
    if part not in batch.schema.names:
        return False
    numbers: defaultdict[str | None, list[int]] = defaultdict(list)
    topics = batch.column("topic").to_pylist() if "topic" in batch.schema.names else [None] * len(batch)
    for number, topic in enumerate(topics):
        if len(numbers[topic]) < _LOOKED_AT and topic not in INTERNAL_TOPICS:
            numbers[topic].append(number)
    column = batch.column(part)
    return any(_are_framed([column[number].as_py() for number in of_topic]) for of_topic in numbers.values())


def _are_framed(stored: Sequence[bytes | None]) -> bool:
    found = [data for data in stored if data]
    # A long of eight bytes may begin in the same way, and no registry gives the id 0.
    return bool(found) and all(
        data[0] == 0 and any(data[1:_ID_BYTES]) and len(data) > _ID_BYTES and len(data) != _LONG_BYTES for data in found
    )
