"""Arguments of a scan: their types, and their conversion before anything is read."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeGuard

from kafkafmt import moments
from kafkafmt.scanning.offsets import Offsets, TopicPartition

Topics = Collection[str] | Mapping[str, Collection[int]] | re.Pattern[str]
OffsetBound = int | Mapping[TopicPartition, int]
EndOffset = OffsetBound | Literal["high_watermark"]
GivenOffset = OffsetBound | Mapping[str, Mapping[int, int]]
GivenEndOffset = GivenOffset | Literal["high_watermark"]
Time = moments.Time
Bound = OffsetBound | str | None
IsolationLevel = Literal["read_uncommitted", "read_committed"]

HIGH_WATERMARK: Literal["high_watermark"] = "high_watermark"


def check_offsets(start: Bound, end: Bound) -> Iterator[str]:
    """Check bounds of offsets as `check_range` does.

    Raises:
        ValueError: an offset is below 0, or a start is after its end.
    """
    names = ("start_offset", "end_offset")
    for name, bound in zip(names, (start, end), strict=True):
        negative = [each for each in (bound.values() if isinstance(bound, Mapping) else (bound,)) if _is_negative(each)]
        if negative:
            raise ValueError(f"{name} must be 0 or more, not {negative[0]}")
    if not isinstance(start, Offsets):  # the last load may have ended past any end; then there is nothing new
        yield from check_range(start, end, names)


def check_range(start: Bound, end: Bound, names: tuple[str, str]) -> Iterator[str]:
    """Check bounds of offsets or times, whose end is exclusive, and yield a sentence for each empty range.

    Args:
        start: an int for every partition, or a mapping by partition; or None.
        end: an int for every partition, or a mapping by partition; or None.
        names: the caller's names of both, for messages.

    Raises:
        ValueError: a start is after its end.
    """
    named = {key for bound in (start, end) if isinstance(bound, Mapping) for key in bound}
    keys: list[TopicPartition | None] = [*sorted(named)] or [None]
    for key in keys:
        first, last = (bound.get(key) if isinstance(bound, Mapping) and key else bound for bound in (start, end))
        if not _is_int(first) or not _is_int(last) or first < last:
            continue
        where = "" if key is None else f" of {key[0]}-{key[1]}"
        if first > last:
            raise ValueError(f"{names[0]} {first}{where} is after {names[1]} {last}")
        yield f"nothing is selected{where}: {names[0]} and {names[1]} are both {first}, and the end is not included."


def topics(
    wanted: str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None,
) -> Topics | None:
    """Names of topics, with or without partition numbers, or a pattern that the whole name must match.

    Raises:
        TypeError: another type.
    """
    if wanted is None or (isinstance(wanted, re.Pattern) and isinstance(wanted.pattern, str)):
        return wanted
    if isinstance(wanted, re.Pattern):
        raise TypeError(f"the pattern for topics must be a pattern of str, not {wanted!r}")
    names = frozenset(wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted])
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"topics must be names, a mapping of names to partitions, or a pattern, not {wanted!r}")
    if isinstance(wanted, Mapping):
        return {name: _numbers(f"partitions of {name}", numbers) for name, numbers in wanted.items()}
    return names


def partitions(wanted: int | Iterable[int] | None) -> Collection[int] | None:
    """Check partition numbers.

    Raises:
        TypeError: they are not ints.
    """
    return None if wanted is None else _numbers("partitions", wanted)


def end_bound(bound: GivenEndOffset | None, name: str) -> EndOffset | None:
    """Check the high watermark, or an argument of `offset_bound`.

    Raises:
        TypeError, ValueError: another type or text.
    """
    if bound == HIGH_WATERMARK:
        return HIGH_WATERMARK
    return offset_bound(bound, name, or_else=f", or {HIGH_WATERMARK!r}")


def offset_bound(bound: GivenOffset | str | None, name: str, *, or_else: str = "") -> OffsetBound | None:
    """Convert an offset for every partition, or offsets by topic and partition: `("t", 0): 5` or `"t": {0: 5}`.

    Raises:
        TypeError, ValueError: another type or an invalid offset.
    """
    if bound is None or _is_int(bound):
        return bound
    if isinstance(bound, Offsets):
        return bound
    if isinstance(bound, Mapping):
        offsets: dict[TopicPartition, int] = {}
        for key, offset in _by_partition(bound):
            if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and _is_int(key[1])):
                raise TypeError(
                    f"the keys of {name} must be (topic, partition), or topics of {{partition: offset}}, not {key!r}"
                )
            if not _is_int(offset):
                raise TypeError(f"the offsets of {name} must be ints, not {offset!r}")
            if key in offsets:
                raise ValueError(f"{name} has two offsets for {key[0]}-{key[1]}")
            offsets[key] = offset
        return offsets
    wrong = ValueError if isinstance(bound, str) else TypeError
    raise wrong(f"{name} must be an int or a mapping of (topic, partition) to int{or_else}, not {bound!r}")


def _by_partition(bound: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Offsets by (topic, partition), from a mapping that may be nested by topic."""
    for key, offset in bound.items():
        if isinstance(key, str) and isinstance(offset, Mapping):
            for partition, each in offset.items():
                yield (key, partition), each
        else:
            yield key, offset


def record_keys(key: bytes | Iterable[bytes] | None) -> tuple[bytes, ...] | None:
    """Keys to search for, without duplicates; None for all records.

    Raises:
        TypeError: neither bytes nor an iterable of bytes.
    """
    if key is None:
        return None
    keys = (key,) if isinstance(key, (bytes, bytearray, memoryview)) else key
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise TypeError(f"key must be bytes, not {key!r}")
    known: dict[bytes, None] = {}
    for each in keys:
        if not isinstance(each, (bytes, bytearray, memoryview)):
            raise TypeError(f"key must be bytes, not {each!r}")
        known[bytes(each)] = None
    return tuple(known)


def thread_count(threads: int | None) -> int:
    """The requested number of threads; None stands for the number of this process's cores.

    Raises:
        ValueError: it is not a positive int.
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not _is_int(threads) or threads < 1:
        raise ValueError(f"threads must be a positive int, or None for all cores, not {threads!r}")
    return threads


def _numbers(name: str, wanted: int | Iterable[int]) -> Collection[int]:
    numbers = frozenset(wanted if isinstance(wanted, Iterable) else [wanted])
    if not all(_is_int(number) for number in numbers):
        raise TypeError(f"{name} must be ints, not {wanted!r}")
    return numbers


def _is_negative(number: object) -> bool:
    return _is_int(number) and number < 0


def _is_int(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)
