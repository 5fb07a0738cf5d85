"""The outcome of a scan in a form in which two engines can be compared."""

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
    """The whole outcome of a pass: rows, the error that ended it, and reported damage."""

    table: pa.Table
    error: Shown
    damage: list[tuple[object, ...]]


def shown(error: KafkafmtError | None) -> Shown:
    """The content of an error as a comparable value: errors are equal to themselves only."""
    if error is None:
        return None
    return (type(error), error.message, error.file, error.position, error.expected, error.found)


def shown_damage(damage: Iterable[Damage]) -> list[tuple[object, ...]]:
    return [
        (each.file, each.position, each.length, each.reason, each.is_open_end, shown(each.error)) for each in damage
    ]


def shown_headers(headers: Iterable[BatchHeader]) -> Iterator[tuple[object, ...]]:
    """All fields of headers, in order and with their types."""
    for header in headers:
        fields = [getattr(header, name) for name in BatchHeader.__slots__ if name != "error"]
        yield (*fields, *map(type, fields), shown(header.error))


def outcome(scan: kafkafmt.Scan, read: Callable[[kafkafmt.Scan], Any] = kafkafmt.Scan.to_reader) -> Outcome:
    """The outcome of a pass that gives record batches, each of which must pass Arrow's validation."""
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
"""The result or error of a pass without rows, and the damage that it reported."""


def counted(scan: kafkafmt.Scan, *, verify: bool) -> Answer:
    """Count the records."""
    return _answer(scan, lambda: scan.count(verify))


def described(scan: kafkafmt.Scan, *, deep: bool, verify: bool) -> Answer:
    """Describe batch headers with all their fields."""
    return _answer(scan, lambda: list(shown_headers(scan.batches(deep, verify))))


def _answer(scan: kafkafmt.Scan, ask: Callable[[], object]) -> Answer:
    try:
        given = ask()
    except KafkafmtError as caught:
        return None, shown(caught), shown_damage(scan.damage)
    return given, None, shown_damage(scan.damage)


@cache
def load_kernels() -> None:
    """Make the columnar engine decode whatever it can.

    Until its kernels are loaded, which takes longer than reading a few records, it leaves small files to the reference
    engine.
    """
    import kafkafmt.columnar.decoder  # noqa: F401

    content = batch() + message() + wrapper(3, message(), codec=Compression.GZIP)
    # There are separate kernels for all columns and for a subset.
    for columns in (None, ["offset"]):
        assert scan_bytes(content, file="a.log", columns=columns).num_rows == 3
