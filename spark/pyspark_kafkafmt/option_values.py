"""Values of single options: converts text to a checked Python value, and is as strict as Spark."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark_kafkafmt import option_errors
from pyspark_kafkafmt.option_errors import TopicPartition

INT_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1
LONG_MIN: Final = -(2**63)

COUNTS_EXAMPLE: Final = '{"topicA":6,"topicB":1}'
TEXTS_EXAMPLE: Final = '{"topicA":"x8vK1pq5SWeBkqHXFyy4Kw"}'
PARTITIONS_EXAMPLE: Final = '{"topicA":[0,1],"topicB":[0,1]}'

# Digits of a number of 64 bits, and its sign.
_MOST_DIGITS: Final = 20
_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")
_SIZE = re.compile(r"([0-9]{1,19})([a-z]*)")
_UNITS: Final[dict[str, int]] = {
    "": 0,
    "b": 0,
    **{unit + suffix: power for power, unit in enumerate("kmgtp", start=1) for suffix in ("", "b")},
}

_US_OF_UNITS: Final = {
    "": 1000,
    "us": 1,
    "ms": 1000,
    "s": 10**6,
    "m": 60 * 10**6,
    "min": 60 * 10**6,
    "h": 3600 * 10**6,
    "d": 86400 * 10**6,
}


class _FormError(ValueError):
    """The option needs JSON of another form; the text of the error says why."""


def boolean(option: str, value: str) -> bool:
    """Read `true` or `false`, in any case.

    Raises:
        OptionError: the value is anything else.
    """
    lowered = value.lower()
    if lowered not in ("true", "false"):
        raise option_errors.not_one_of(option, value, ("true", "false"))
    return lowered == "true"


def choice(option: str, value: str, choices: Sequence[str], *, any_case: bool = True) -> str:
    """Read one of some words; returns it in the spelling of `choices`.

    Raises:
        OptionError: the value is another word.
    """
    for word in choices:
        if value == word or (any_case and value.lower() == word.lower()):
            return word
    raise option_errors.not_one_of(option, value, choices)


def whole_number(option: str, value: str, least: int, most: int) -> int:
    """Read digits, perhaps with a sign, as Java does.

    Raises:
        OptionError: the value is not a number, or is out of range.
    """
    if _NUMBER.fullmatch(value) is None or not least <= int(value) <= most:
        raise option_errors.no_whole_number(option, value, least, most)
    return int(value)


def size(option: str, value: str) -> int:
    """Read a number of bytes, with Spark's units: b, k, kb, m, mb, ... up to pb, each 1024 of the one before.

    Raises:
        OptionError: the value is anything else, 0, or more than fits in a Java long.
    """
    matched = _SIZE.fullmatch(value.strip().lower())
    if matched is None or matched[2] not in _UNITS:
        raise option_errors.no_size(option, value)
    number: int = int(matched[1]) << 10 * _UNITS[matched[2]]
    if not 0 < number <= LONG_MAX:
        raise option_errors.no_size(option, value)
    return number


def duration(option: str, value: str) -> int:
    """Read a length of time in ms, with Spark's units: us, ms, s, m, min, h, d; the default is ms.

    Raises:
        OptionError: the value is anything else.
    """
    matched = _SIZE.fullmatch(value.strip().lower())
    if matched is None or matched[2] not in _US_OF_UNITS:
        raise option_errors.no_duration(option, value)
    return int(matched[1]) * _US_OF_UNITS[matched[2]] // 1000


def timestamp(option: str, value: str) -> int:
    """Read a time in ms since 1970-01-01 UTC.

    Raises:
        OptionError: the value is not a number of 64 bits, or is negative.
    """
    digits = value.strip()
    if _NUMBER.fullmatch(digits) is None or int(digits) > LONG_MAX:
        raise option_errors.no_timestamp(option, value)
    if int(digits) < 0:
        raise option_errors.negative_timestamp(option, value)
    return int(digits)


def strings(option: str, value: str) -> tuple[str, ...]:
    """Read a JSON array of strings.

    Raises:
        OptionError: the value is anything else.
    """
    try:
        return tuple(_string(item) for item in _array(_parse(value), "the whole"))
    except _FormError as error:
        raise option_errors.no_json(option, value, str(error), '["/data/a","/data/b"]') from None


def partitions(option: str, value: str) -> dict[str, tuple[int, ...]]:
    """Read JSON with the partition numbers of each topic: `{"topicA":[0,1]}`.

    Raises:
        OptionError: the value is anything else.
    """
    try:
        return {
            topic: tuple(dict.fromkeys(_partition(number, topic) for number in _array(numbers, f"topic {topic}")))
            for topic, numbers in _object(_parse(value), "the whole").items()
        }
    except _FormError as error:
        raise option_errors.no_json(option, value, str(error), PARTITIONS_EXAMPLE) from None


def counts(option: str, value: str) -> int | dict[str, int]:
    """Read a number of partitions, for all topics or by topic: `6` or `{"topicA":6,"topicB":1}`.

    Raises:
        OptionError: the value is anything else.
    """
    if _NUMBER.fullmatch(value) is not None:
        return whole_number(option, value, 1, INT_MAX)
    try:
        found = {topic: _partition(count, topic) for topic, count in _object(_parse(value), "the whole").items()}
    except _FormError as error:
        raise option_errors.no_json(option, value, str(error), f"6 or {COUNTS_EXAMPLE}") from None
    return found


def texts(option: str, value: str) -> dict[str, str]:
    """Read a JSON object of strings.

    Raises:
        OptionError: the value is anything else.
    """
    try:
        return {name: _string(text) for name, text in _object(_parse(value), "the whole").items()}
    except _FormError as error:
        raise option_errors.no_json(option, value, str(error), TEXTS_EXAMPLE) from None


def longs_by_partition(value: str) -> dict[TopicPartition, int]:
    """Read JSON with a number for each partition of each topic: `{"topicA":{"0":23,"1":-1}}`.

    Raises:
        ValueError: the value is anything else; the text of the error says why.
    """
    found: dict[TopicPartition, int] = {}
    for topic, by_partition in _object(_parse(value), "the whole").items():
        for name, number in _object(by_partition, f"topic {topic}").items():
            partition = _named_partition(name, topic)
            if (topic, partition) in found:
                raise _FormError(f"partition {partition} of topic {topic} is given twice")
            found[topic, partition] = _long(number, f"{topic}-{partition}")
    return found


def _parse(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_int=_parse_int, parse_constant=_no_constant)
    except _FormError:
        raise
    except RecursionError:
        raise _FormError("not JSON: nested too deeply") from None
    except ValueError as error:
        raise _FormError(f"not JSON: {error}") from None


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _FormError(f"{next(name for name in names if names.count(name) > 1)} is given twice")
    return found


def _parse_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _FormError(f"a number of {len(digits)} digits")
    return int(digits)


def _no_constant(name: str) -> None:
    raise _FormError(f"not JSON: {name}")


def _object(parsed: object, what: str) -> Mapping[str, object]:
    if not isinstance(parsed, dict):
        raise _FormError(f"{what} is not a JSON object")
    return parsed


def _array(parsed: object, what: str) -> Sequence[object]:
    if not isinstance(parsed, list):
        raise _FormError(f"{what} is not a JSON array")
    return parsed


def _string(parsed: object) -> str:
    if not isinstance(parsed, str):
        raise _FormError(f"not a string: {_shown(parsed)}")
    return parsed


def _partition(given: object, topic: str) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= INT_MAX:
        return given
    raise _FormError(f"not a partition number in topic {topic}: {_shown(given)}")


def _named_partition(name: str, topic: str) -> int:
    return _partition(int(name) if _NUMBER.fullmatch(name) else name, topic)


def _long(given: object, of: str) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and LONG_MIN <= given <= LONG_MAX:
        return given
    raise _FormError(f"not a 64-bit integer for {of}: {_shown(given)}")


def _shown(parsed: object) -> str:
    if isinstance(parsed, dict):
        return "an object"
    return "an array" if isinstance(parsed, list) else json.dumps(parsed, ensure_ascii=False)
