"""Values of options: how they are parsed, and their errors.

Functions that take a context and a parameter are callbacks that click calls.
"""

import base64
import os
import re
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from kafkafmt.cli import human

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

TYPED: Final = "kafkafmt.typed."
"""Prefix of keys in a command's context under which times are kept as typed; the name of the option follows."""

_KEYS: Final = "kafkafmt.keys"

# At most the digits of a 64-bit number: Python refuses to parse thousands of digits.
_INT = re.compile(r"[+-]?[0-9]{1,20}")
COUNT: Final = re.compile(r"[0-9]{1,20}")
"""A number without sign, such as an offset."""

# Numbers of ten digits: as seconds they are in 2001 to 2286, as ms early in 1970, before any log existed.
_LIKE_SECONDS: Final = range(10**9, 10**10)
_SIZE = re.compile(r"([0-9]{1,20})(KiB|MiB|GiB)?", re.IGNORECASE)
_OF_URLS: Final = str.maketrans("-_", "+/")
_UNITS: Final = {"": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def names_of(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """Parse names separated by commas."""
    return None if text is None else tuple(name.strip() for name in text.split(","))


def row_count(_: click.Context, __: click.Parameter, number: int | None) -> int | None:
    """Limit a number of rows to Python's largest count, which no answer exceeds."""
    return None if number is None else min(number, sys.maxsize)


def key_of(_: click.Context, __: click.Parameter, text: str | None) -> bytes | None:
    """Parse a record's key, as `bytes_or_text` does.

    Raises:
        click.BadParameter: as in `bytes_or_text`.
    """
    key = None if text is None else bytes_or_text(text)
    return os.fsencode(key) if isinstance(key, str) else key


def bytes_or_text(text: str, name: str | None = None) -> bytes | str:
    """Parse text; or bytes as `hex:..` or `base64:..`; or `text:..` for a text that begins like those.

    Args:
        text: the text as typed. Base64 may lack padding and use either alphabet, as Kafka prints ids without padding.
        name: name of an argument, for its errors.

    Raises:
        click.BadParameter: the bytes do not match their prefix.
    """
    form, colon, rest = text.partition(":")
    try:
        if colon and form == "hex":
            return bytes.fromhex(rest)
        if colon and form == "base64":
            digits = rest.translate(_OF_URLS)
            return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} is not valid {form} after {form}:. If it is meant as text, write text:{text}", param_hint=name
        ) from error
    return rest if colon and form == "text" else text


def regex_of(_: click.Context, __: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    """Parse a regular expression.

    Raises:
        click.BadParameter: it is invalid.
    """
    try:
        return None if text is None else re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}.") from error


def time_of(context: click.Context, parameter: click.Parameter, text: str | None) -> int | datetime | None:
    """Parse a time: ms since 1970, or ISO 8601; errors show it as typed.

    Raises:
        click.BadParameter: it is neither, or a number that is in 1970 as ms, but in 2001 to 2286 as seconds.
    """
    context.meta[f"{TYPED}{parameter.name}"] = text
    if text is None:
        return None
    if _INT.fullmatch(text):
        number = int(text)
        if number in _LIKE_SECONDS:
            as_ms, as_seconds = human.time(number), human.time(number * 1000)
            raise click.BadParameter(
                f"{text} is {as_ms} in ms since 1970, and {as_seconds} in seconds. "
                f"Write {as_ms} or {number * 1000}, whichever is meant."
            )
        return number
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither ms since 1970 nor a time like 2026-11-21T09:30:00Z.") from error


def end_offset_of(_: click.Context, __: click.Parameter, text: str | None) -> int | str | None:
    """Parse an offset, or `high-watermark`.

    Raises:
        click.BadParameter: it is neither.
    """
    if text in ("high-watermark", "high_watermark"):
        return "high_watermark"
    if text is not None and COUNT.fullmatch(text) is None:
        raise click.BadParameter(f"{text!r} is neither an offset nor high-watermark.")
    return None if text is None else int(text)


def as_of_offset(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> int | dict[int, int] | None:
    """Parse OFFSET, or any number of PARTITION:OFFSET.

    Raises:
        click.BadParameter: it is neither, OFFSET is given with others, or a partition is repeated.
    """
    offsets: dict[int | None, int] = {}
    for text in texts:
        partition, colon, offset = text.rpartition(":")
        number = int(partition) if colon and COUNT.fullmatch(partition) else None
        if COUNT.fullmatch(offset) is None or (colon and number is None):
            raise click.BadParameter(f"{text!r} is neither an offset nor PARTITION:OFFSET.")
        if number in offsets:
            twice = "all partitions" if number is None else f"partition {number}"
            raise click.BadParameter(f"an offset for {twice} is given twice.")
        offsets[number] = int(offset)
    if None in offsets and len(offsets) > 1:
        raise click.BadParameter("an offset for all partitions and one for a partition exclude each other.")
    return offsets.get(None, {key: value for key, value in offsets.items() if key is not None} or None)


def limits_of(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> "Limits | None":
    """Parse NAME=VALUE, with the names of the fields of Limits.

    Raises:
        click.BadParameter: a name does not exist or is repeated, or a value is invalid.
    """
    if not texts:
        return None
    from dataclasses import fields

    from kafkafmt.limits import Limits, option_name

    names = {option_name(field.name): field.name for field in fields(Limits)}
    values: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        field = names.get(option_name(name))
        if not equals or field is None:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE with one of the names {', '.join(names)}.")
        size = _size(value)
        if field in values:
            raise click.BadParameter(f"{name} is given twice.")
        values[field] = size
    try:
        return Limits(**values)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def config_of(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    """Parse NAME=VALUE.

    Raises:
        click.BadParameter: a config does not exist or is repeated, or a value is invalid.
    """
    if not texts:
        return None
    from kafkafmt.operations.known_configs import ConfigError, checked_config

    config: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, as in retention.ms=3600000.")
        if name in config:
            raise click.BadParameter(f"{name} is given twice.")
        config[name] = value
    try:
        return checked_config(config)
    except ConfigError as error:
        raise click.BadParameter(f"{error}.") from error


def size_of(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Parse a number of bytes: 4096, or 10MiB.

    Raises:
        click.BadParameter: it is neither.
    """
    return None if text is None else _size(text)


def _size(text: str) -> int:
    size = _SIZE.fullmatch(text)
    if size is None:
        raise click.BadParameter(f"{text!r} is neither a number nor a size like 256MiB.")
    return int(size[1]) * _UNITS[(size[2] or "").lower()]


def some_of(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The values of an option that can be repeated; None if it is not given."""
    return values or None


def keep_keys(context: click.Context, _: click.Parameter, named: tuple[str, ...]) -> None:
    """Keep the keys for `keys_of_command`: only the part of a command that opens its paths needs them.

    Raises:
        click.BadParameter: it is not a name and a path.
        click.UsageError: the keys in the environment are malformed.
    """
    if not context.resilient_parsing:
        from kafkafmt.io.keys import keys_of_environment  # not at the top, as it loads the readers of files

        try:
            keys_of_environment()
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
    keys = {}
    for each in named:
        name, _equals, path = each.partition("=")
        if not name or not path:
            raise click.BadParameter(f"{each!r} is not ID=PATH, as in key1=/etc/keys/key1.pem.")
        keys[name] = path
    context.meta[_KEYS] = keys


def keys_of_command() -> dict[str, str] | None:
    """Paths of the private keys that the command line names; None if it names none."""
    context = click.get_current_context(silent=True)
    return (context.meta.get(_KEYS) or None) if context is not None else None
