"""What an engine makes of a scan, in a form in which two engines can be compared."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pyarrow as pa

import kafkafmt
from kafkafmt import Damage, KafkafmtError
from kafkafmt.codec.compression import Compression
from kafkafmt.reference.header import BatchHeader
from kafkafmt.scanning import scan_bytes
from tests.reference.builder import batch, message, wrapper

Engine = Literal["columnar", "reference"]
ENGINES: tuple[Engine, ...] = ("columnar", "reference")

Shown = tuple[object, ...] | None


@dataclass(frozen=True)
class Outcome:
    """All that a pass gave: rows, what ended it, and the damage that it reported."""

    table: pa.Table
    error: Shown
    damage: list[tuple[object, ...]]


def shown(error: KafkafmtError | None) -> Shown:
    """All that an error says; errors are equal to themselves only."""
    if error is None:
        return None
    return (type(error), error.message, error.file, error.position, error.expected, error.found)


def shown_damage(damage: Iterable[Damage]) -> list[tuple[object, ...]]:
    return [
        (each.file, each.position, each.length, each.reason, each.is_open_end, shown(each.error)) for each in damage
    ]


def shown_headers(headers: Iterable[BatchHeader]) -> Iterator[tuple[object, ...]]:
    """All that headers say, in order and with its types."""
    for header in headers:
        fields = [getattr(header, name) for name in BatchHeader.__slots__ if name != "error"]
        yield (*fields, *map(type, fields), shown(header.error))


def outcome(scan: kafkafmt.Scan, read: Callable[[kafkafmt.Scan], Any] = kafkafmt.Scan.to_reader) -> Outcome:
    """The outcome of a pass that gives record batches, each of which Arrow finds in order."""
    batches: list[pa.RecordBatch] = []
    error: Shown = None
    try:
        for batch in read(scan):
            batch.validate(full=True)
            assert batch.schema.equals(scan.schema)
            batches.append(batch)
    except KafkafmtError as caught:
        error = shown(caught)
    return Outcome(pa.Table.from_batches(batches, schema=scan.schema), error, shown_damage(scan.damage))


Answer = tuple[object, Shown, list[tuple[object, ...]]]
"""What a pass answers that gives no rows, or its error, and the damage that it reported."""


def counted(scan: kafkafmt.Scan, *, verify: bool) -> Answer:
    """Number of records."""
    return _answer(scan, lambda: scan.count(verify))


def described(scan: kafkafmt.Scan, *, deep: bool, verify: bool) -> Answer:
    """Headers of batches, with all that they say."""
    return _answer(scan, lambda: list(shown_headers(scan.batches(deep, verify))))


def _answer(scan: kafkafmt.Scan, ask: Callable[[], object]) -> Answer:
    try:
        given = ask()
    except KafkafmtError as caught:
        return None, shown(caught), shown_damage(scan.damage)
    return given, None, shown_damage(scan.damage)


@cache
def load_kernels() -> None:
    """Let the columnar engine decode whatever it can.

    Before they are loaded, which takes longer than to read a few records, it leaves a small file to the other one.
    """
    import kafkafmt.columnar.decoder  # noqa: F401

    content = batch() + message() + wrapper(3, message(), codec=Compression.GZIP)
    # There are kernels for all columns and for some.
    for columns in (None, ["offset"]):
        assert scan_bytes(content, file="a.log", columns=columns).num_rows == 3
