"""The options of one run, and Kafka's decoder classes for keys and values."""

from collections.abc import Callable
from dataclasses import dataclass

import click

from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.record import Record

Decoder = Callable[[bytes], str]
"""Makes text from bytes.

Raises:
    ValueError: there are too few bytes.
"""

_PACKAGES = ("org.apache.kafka.tools.api.", "kafka.serializer.")
"""Packages of Kafka's decoders: since 3.5 (KIP-810), and before."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The text of a record's key and value.

    Attributes:
        key: text after `key: `; None prints nothing.
        payload: text after `payload: `; None prints nothing.
        error: why the record could not be decoded, without a place; None if it could.
    """

    key: str | None
    payload: str | None
    error: KafkafmtError | None = None


TopicDecoder = Callable[[Record], Contents]
"""Makes text from a data record, whatever its bytes. Never raises."""

decode_string: Decoder = decode_utf8


def decode_integer(data: bytes) -> str:
    """The first 4 bytes as a signed big-endian number; like Kafka's class it ignores further bytes."""
    return _number(data, 4)


def decode_long(data: bytes) -> str:
    """The first 8 bytes as a signed big-endian number."""
    return _number(data, 8)


def decode_bytes(data: bytes) -> str:
    """Hexadecimal digits; Kafka's DefaultDecoder prints a memory address of Java instead."""
    return data.hex()


_DECODERS: dict[str, Decoder] = {
    "String": decode_string,
    "Integer": decode_integer,
    "Long": decode_long,
    "Bytes": decode_bytes,
    "Default": decode_bytes,
}


def decoder_named(name: str, option: str) -> Decoder:
    """Find a decoder by a short name, or by the name of Kafka's class, with or without its package.

    Args:
        name: the name that the user gave.
        option: the option that had the name, for the error.

    Raises:
        click.BadParameter: there is no such decoder here.
    """
    short = name
    for package in _PACKAGES:
        short = short.removeprefix(package)
    if short != "Decoder":
        short = short.removesuffix("Decoder")
    if short not in _DECODERS:
        raise click.BadParameter(
            f"{name!r} is not a known decoder. Choose String, Integer, Long or Bytes, or one of Kafka's own: "
            f"{', '.join(f'{_PACKAGES[0]}{name}Decoder' for name in ('String', 'Integer', 'Long', 'Default'))}",
            param_hint=option,
        )
    return _DECODERS[short]


def _number(data: bytes, size: int) -> str:
    if len(data) < size:
        raise ValueError(f"{len(data)} bytes are too few for a number of {size}")
    return str(int.from_bytes(data[:size], "big", signed=True))


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """The options of a dump.

    Attributes:
        print_data_log: whether to print keys and values.
        deep_iteration: whether to print records, not only batches.
        skip_record_metadata: whether to print only the key and value of a record.
        verify_index_only: whether to check indexes without printing their entries.
        index_sanity_check: whether to check indexes only as a broker does when it loads them.
        max_bytes: number of bytes at the beginning of a log to which batches are limited; None for all.
        key_decoder: function that makes text from keys.
        value_decoder: function that makes text from values.
        topic_decoder: function that makes text from records of an internal topic, instead of the other two; None for
            other logs.
    """

    print_data_log: bool = False
    deep_iteration: bool = False
    skip_record_metadata: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    max_bytes: int | None = None
    key_decoder: Decoder = decode_string
    value_decoder: Decoder = decode_string
    topic_decoder: TopicDecoder | None = None
