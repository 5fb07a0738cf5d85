"""Packing: pieces in order become splits that are filled up to a size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kafkafmt.scanning.record_cuts import Part
from kafkafmt.scanning.splits import Split, SplitPiece


def pack(parts: Iterable[Part], most: int, most_records: int | None, most_splits: int) -> list[Split]:
    """Put parts together, in order, up to a size.

    Args:
        parts: none of them too large, but for those that cannot be cut.
        most: bytes that a split holds at most.
        most_records: records that it gives at most; None for no bound.
        most_splits: how many splits there are at most; where there are more, they hold more bytes.
    """
    splits = list(_packed(parts, most, most_records))
    total = sum(part.piece.size_in_bytes for split in splits for part in split)
    while len(splits) > most_splits and most < total:
        most = _larger(most, len(splits), most_splits)
        splits = list(_packed((part for split in splits for part in split), most, most_records))
    return [Split(tuple(_joined(part.piece for part in split))) for split in splits]


def size_of_splits(pieces: Sequence[SplitPiece], most: int, most_splits: int) -> int:
    """How large splits must be for so many of them to hold all pieces, which may be cut anywhere; at least `most`."""
    sizes = [piece.size_in_bytes for piece in pieces]
    most = max(most, -(-sum(sizes) // most_splits))
    while (count := _count(sizes, most)) > most_splits:
        most = _larger(most, count, most_splits)
    return most


def _packed(parts: Iterable[Part], most: int, most_records: int | None) -> Iterator[list[Part]]:
    held: list[Part] = []
    size = records = 0
    for part in parts:
        size += part.piece.size_in_bytes
        records += part.records
        if held and (size > most or (most_records is not None and records > most_records)):
            yield held
            held = []
            size, records = part.piece.size_in_bytes, part.records
        held.append(part)
    if held:
        yield held


def _joined(pieces: Iterable[SplitPiece]) -> Iterator[SplitPiece]:
    """The same with those in one that follow each other in one file."""
    held: SplitPiece | None = None
    for piece in pieces:
        if held is not None and _goes_on(held, piece):
            held = replace(held, end=piece.end, damage=held.damage + piece.damage)
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held


def _goes_on(piece: SplitPiece, following: SplitPiece) -> bool:
    return (
        piece.location is following.location
        and piece.end == following.begin
        and piece.offsets is following.offsets
        and not following.is_reported
    )


def _count(sizes: list[int], most: int) -> int:
    """How many splits of at most this size there would be."""
    count = held = 0
    for size in sizes:
        parts = -(-size // most) or 1
        part = -(-size // parts)
        if count and held + part <= most:
            held += part
            count += parts - 1
        else:
            held = part
            count += parts
        if parts > 1:
            held = part
    return count


def _larger(most: int, count: int, most_splits: int) -> int:
    """A size with which there are fewer splits: at least by one part in twenty."""
    return max(most + most // 20 + 1, most * count // most_splits)
