"""Arguments of a scan: their types, and what they are made of before anything is read."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeGuard

from kafkafmt.scanning.offsets import Offsets, TopicPartition

Topics = Collection[str] | Mapping[str, Collection[int]] | re.Pattern[str]
OffsetBound = int | Mapping[TopicPartition, int]
EndOffset = OffsetBound | Literal["high_watermark"]
GivenOffset = OffsetBound | Mapping[str, Mapping[int, int]]
GivenEndOffset = GivenOffset | Literal["high_watermark"]
Time = int | datetime
Bound = OffsetBound | str | None
IsolationLevel = Literal["read_uncommitted", "read_committed"]

HIGH_WATERMARK: Literal["high_watermark"] = "high_watermark"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def check_offsets(start: Bound, end: Bound) -> Iterator[str]:
    """Check bounds of offsets as `check_range` does.

    Raises:
        ValueError: an offset below 0, or a start after its end.
    """
    names = ("start_offset", "end_offset")
    for name, bound in zip(names, (start, end), strict=True):
        negative = [each for each in (bound.values() if isinstance(bound, Mapping) else (bound,)) if _is_negative(each)]
        if negative:
            raise ValueError(f"{name} must be 0 or more, not {negative[0]}")
    if not isinstance(start, Offsets):  # where the last load ended may be beyond any end: then nothing is new
        yield from check_range(start, end, names)


def check_range(start: Bound, end: Bound, names: tuple[str, str]) -> Iterator[str]:
    """Check bounds of offsets, or of times: the end is not included. Tell which ranges are empty.

    Args:
        start: an int for every partition, or by partition; or None.
        end: likewise.
        names: what the caller calls them, for messages.

    Raises:
        ValueError: a start after its end.
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
    """Names of topics, with or without partition numbers of each, or a pattern that the whole name must match.

    Raises:
        TypeError: none of these.
    """
    if wanted is None or (isinstance(wanted, re.Pattern) and isinstance(wanted.pattern, str)):
        return wanted
    if isinstance(wanted, re.Pattern):
        raise TypeError(f"the pattern for topics must be one of str, not {wanted!r}")
    names = frozenset([wanted] if isinstance(wanted, str) else wanted)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"topics must be names, a mapping of names to partitions, or a pattern, not {wanted!r}")
    if isinstance(wanted, Mapping):
        return {name: _numbers(f"partitions of {name}", numbers) for name, numbers in wanted.items()}
    return names


def partitions(wanted: int | Iterable[int] | None) -> Collection[int] | None:
    """Partition numbers.

    Raises:
        TypeError: no ints.
    """
    return None if wanted is None else _numbers("partitions", wanted)


def end_bound(bound: GivenEndOffset | None, name: str) -> EndOffset | None:
    """The high watermark, or what `offset_bound` takes.

    Raises:
        TypeError, ValueError: anything else.
    """
    return HIGH_WATERMARK if bound == HIGH_WATERMARK else offset_bound(bound, name)


def offset_bound(bound: GivenOffset | str | None, name: str) -> OffsetBound | None:
    """An offset for every partition, or one for each of some, by topic and partition: `("t", 0): 5` or `"t": {0: 5}`.

    Raises:
        TypeError, ValueError: anything else.
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
    raise wrong(f"{name} must be an int or a mapping of (topic, partition) to int, not {bound!r}")


def _by_partition(bound: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Offsets by partition, also of those that are given by topic."""
    for key, offset in bound.items():
        if isinstance(key, str) and isinstance(offset, Mapping):
            for partition, each in offset.items():
                yield (key, partition), each
        else:
            yield key, offset


def milliseconds(time: Time | None, name: str) -> int | None:
    """A time as ms since the epoch; a datetime without a zone is UTC, and is rounded up to the next whole ms.

    Raises:
        TypeError: neither an int nor a datetime.
    """
    if time is None or _is_int(time):
        return time
    if not isinstance(time, datetime):
        raise TypeError(f"{name} must be ms since the epoch or a datetime, not {time!r}")
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return -((_EPOCH - aware) // _MILLISECOND)


def record_key(key: bytes | None) -> bytes | None:
    """A key to look for.

    Raises:
        TypeError: not bytes.
    """
    if key is None or isinstance(key, bytes):
        return key
    if isinstance(key, (bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"key must be bytes, not {key!r}")


def _numbers(name: str, wanted: int | Iterable[int]) -> Collection[int]:
    numbers = frozenset([wanted] if isinstance(wanted, int) else wanted)
    if not all(_is_int(number) for number in numbers):
        raise TypeError(f"{name} must be ints, not {wanted!r}")
    return numbers


def _is_negative(number: object) -> bool:
    return _is_int(number) and number < 0


def _is_int(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)
