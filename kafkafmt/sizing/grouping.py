"""Grouping: the dimensions of space, as columns of the answer and as names of groups that decode to their values."""

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Self

from kafkafmt.answer_columns import TIME, columns_of
from kafkafmt.arrays import as_text
from kafkafmt.codec.compression import LABELS
from kafkafmt.libraries import pa
from kafkafmt.reference.header import INT64_MIN
from kafkafmt.sizing.value_fields import ValueField
from kafkafmt.values.decoding import PARTS

if TYPE_CHECKING:
    from kafkafmt.scanning import ScanTask

HOUR_MS: Final = 60 * 60 * 1000
DAY_MS: Final = 24 * HOUR_MS

DIMENSIONS: Final = (
    "topic",
    "partition",
    "segment",
    "codec",
    "format",
    "batch-size",
    "producer",
    "hour",
    "day",
    "key",
    "key-prefix:N",
    "header:NAME",
    "value:FIELD",
    "key:FIELD",
)
"""Dimensions of space, as `--by` names them."""

_ALL: Final = f"{', '.join(DIMENSIONS)}, kind (of files: alone, or with topic and partition)"

# A partition belongs to a topic, and a segment to a partition.
_COLUMNS: Final = {
    "topic": ("topic",),
    "partition": ("topic", "partition"),
    "segment": ("topic", "partition", "baseOffset"),
    "codec": ("compression",),
    "format": ("magic",),
    "batch-size": ("batchSize",),
    "producer": ("producerId",),
    "hour": ("hour",),
    "day": ("day",),
    "key": ("key",),
    "key-prefix": ("keyPrefix",),
    "header": ("headerValue",),
}
# Dimensions without a noun for a group of their records.
_UNNAMED: Final = ("format", "batch-size", "key-prefix", "header")
_OF_BATCH: Final = ("topic", "partition", "baseOffset", "compression", "magic", "batchSize")
_OF_RECORD: Final = frozenset({"hour", "day", "key", "keyPrefix", "headerValue"})
_LONGEST_PREFIX: Final = 1 << 20


class GroupColumns(NamedTuple):
    """Columns that identify a group.

    Attributes:
        topic: topic by the name of the directory, or None if it is not one of Kafka's names.
        partition: number of the partition, or None.
        base_offset: base offset in the name of the file, or None.
        compression: codec of the batch: "none", "gzip", "snappy", "lz4" or "zstd".
        magic: format of the batch: 0, 1 or 2.
        batch_size: bytes of the batch on disk, rounded down to a power of two.
        producer_id: id of the producer; -1 for producers that are not idempotent.
        hour: beginning of the hour, in ms since the epoch; None for a record without a timestamp.
        day: beginning of the day, in ms since the epoch; None for a record without a timestamp.
        key: key of the records; None for a record without one.
        key_prefix: the first N bytes of the key.
        header_value: the value of the last header of the name; None without one.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    base_offset: Annotated[int | None, "int64"]
    compression: Annotated[str, "string"]
    magic: Annotated[int, "int8"]
    batch_size: Annotated[int, "int64"]
    producer_id: Annotated[int, "int64"]
    hour: Annotated[int | None, TIME]
    day: Annotated[int | None, TIME]
    key: Annotated[bytes | None, "binary"]
    key_prefix: Annotated[bytes | None, "binary"]
    header_value: Annotated[bytes | None, "binary"]


_TYPES: Final = {column.name: column for column in columns_of(GroupColumns)}

_INT64 = struct.Struct("=q")
_INT32 = struct.Struct("=i")
# Value of the hour in `kafkafmt.columnar.tallying` for a record without a timestamp.
_NO_TIME: Final = INT64_MIN


@dataclass(frozen=True)
class Grouping:
    """The dimensions of an answer.

    The name of a group begins with the number of its batch-level values (`of_batch`). The others follow in a fixed
    order: hour or day, producer id, key, prefix of the key, header value, fields of keys and values.

    Attributes:
        columns: names of the columns that identify a group, in the order of the answer.
        prefix: number of bytes of the key in "keyPrefix"; -1 without that column.
        header: name of the header of "headerValue"; None without that column.
        value_fields: fields of decoded keys and values, each with its own column.
    """

    columns: tuple[str, ...]
    prefix: int = -1
    header: str | None = None
    value_fields: tuple[ValueField, ...] = ()

    @property
    def noun(self) -> str:
        """Noun for a group of records, such as "codec" or "hour"; "group" for several dimensions, or without a noun."""
        named = (name for name, columns in _COLUMNS.items() if columns == self.columns)
        return next((name for name in named if name not in _UNNAMED), "group")

    @classmethod
    def of(cls, by: str | Iterable[str]) -> Self:
        """Parse the dimensions.

        Args:
            by: one or more of `DIMENSIONS`, such as "topic" or "key-prefix:8"; a str may hold several, separated by
                commas.

        Raises:
            TypeError, ValueError: the argument is not one or more of `DIMENSIONS`.
        """
        words = by.split(",") if isinstance(by, str) else list(by)
        columns: dict[str, None] = {}
        seen: set[str] = set()
        prefix, header = -1, None
        fields: list[ValueField] = []
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"by must be one or more of {', '.join(DIMENSIONS)}, not {by!r}")
            name, colon, argument = word.strip().partition(":")
            if name in PARTS and colon:
                field = ValueField(name, argument)
                if not all(argument.split(".")) or field.column in columns:
                    raise ValueError(
                        f"{field.column!r} is not a field of a {name}, or given twice: {name}:customer.city"
                    )
                fields.append(field)
                columns[field.column] = None
                continue
            if name == "kind":
                raise ValueError("kind is one of files, and disk_use adds up those")
            if name not in _COLUMNS or (name in ("key-prefix", "header")) != bool(colon):
                raise ValueError(f"cannot group by {word.strip()!r}; there are: {_ALL}")
            if name in seen:
                raise ValueError(f"{name} is given twice")
            seen.add(name)
            if name == "key-prefix":
                if not re.fullmatch(r"[0-9]{1,7}", argument) or not 1 <= int(argument) <= _LONGEST_PREFIX:
                    raise ValueError(
                        f"N of key-prefix:N is a number of bytes up to {_LONGEST_PREFIX}, not {argument!r}"
                    )
                prefix = int(argument)
            elif name == "header":
                if not argument:
                    raise ValueError("header:NAME needs the name of a header")
                header = argument
            columns |= dict.fromkeys(_COLUMNS[name])
        if not columns:
            raise ValueError(f"by is empty; there are: {_ALL}")
        return cls(tuple(columns), prefix, header, tuple(fields))

    @property
    def fields(self) -> "list[pa.Field]":
        """The columns that identify a group, as Arrow fields."""
        return [pa.field(name, _TYPES[name].data_type if name in _TYPES else pa.string()) for name in self.columns]

    @property
    def by_record(self) -> bool:
        """Whether records of one batch may belong to different groups."""
        return bool(self.value_fields) or not _OF_RECORD.isdisjoint(self.columns)

    @property
    def by_name(self) -> bool:
        """Whether the number of groups is unbounded; otherwise there are at most a few for each log file."""
        return self.by_record or "producerId" in self.columns

    @property
    def bucket_ms(self) -> int:
        """Length of the shortest period grouped by, in ms; 0 for none."""
        return HOUR_MS if "hour" in self.columns else DAY_MS if "day" in self.columns else 0

    @property
    def header_name(self) -> bytes:
        """Name of the header as it is stored; empty without one."""
        return (self.header or "").encode("utf-8", "surrogateescape")

    def of_batch(self, task: "ScanTask", codec: int, magic: int, size: int) -> tuple[Any, ...]:
        """The values that all records of a batch share, in the order of `_OF_BATCH`; None for those not grouped by.

        Args:
            task: the task that reads the batch.
            codec: id of its codec.
            magic: its format.
            size: its bytes in the file, rounded down to a power of two.
        """
        values = as_text(task.topic), task.partition, task.base_offset, LABELS.get(codec), magic, size
        return tuple([value if name in self.columns else None for name, value in zip(_OF_BATCH, values, strict=True)])

    def name(
        self,
        group: int,
        timestamp: int,
        producer_id: int,
        key: bytes | None,
        headers: Sequence[tuple[str, bytes | None]],
        fields: Sequence[bytes | None] = (),
    ) -> bytes:
        """Name of a record's group, as kernels write it.

        Args:
            group: number of its batch-level values.
            timestamp: timestamp of the record, in ms; -1 for none.
            producer_id: producer id of its batch.
            key: its key, or None.
            headers: its headers.
            fields: its `value_fields` as text; fields that are not given are null.
        """
        parts = [_INT64.pack(group)]
        if self.bucket_ms:
            parts.append(_INT64.pack(_NO_TIME if timestamp == -1 else timestamp - timestamp % self.bucket_ms))
        if "producerId" in self.columns:
            parts.append(_INT64.pack(producer_id))
        if "key" in self.columns:
            parts += _string(key)
        if self.prefix >= 0:
            parts += _string(key if key is None else bytes(key[: self.prefix]))
        if self.header is not None:
            value = next((value for name, value in reversed(headers) if name == self.header), None)
            parts += _string(value)
        for number in range(len(self.value_fields)):
            parts += _string(fields[number] if number < len(fields) else None)
        return b"".join(parts)

    def name_of(self, group: int) -> bytes:
        """Name of a group that has only batch-level values, by the number of these values."""
        return _INT64.pack(group)

    def row(self, name: bytes, shared: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Values of a group's columns.

        Args:
            name: name of the group.
            shared: batch-level values by their numbers.
        """
        (number,) = _INT64.unpack_from(name)
        values = dict(zip(_OF_BATCH, shared[number], strict=True))
        at = _INT64.size
        if self.bucket_ms:
            (begin,) = _INT64.unpack_from(name, at)
            at += _INT64.size
            known = begin != _NO_TIME
            values["hour"] = begin if known else None
            values["day"] = begin - begin % DAY_MS if known else None
        if "producerId" in self.columns:
            (values["producerId"],) = _INT64.unpack_from(name, at)
            at += _INT64.size
        for column in ("key", "keyPrefix", "headerValue"):
            if column in self.columns:
                (size,) = _INT32.unpack_from(name, at)
                at += _INT32.size
                values[column] = None if size < 0 else name[at : at + size]
                at += max(size, 0)
        for field in self.value_fields:
            (size,) = _INT32.unpack_from(name, at)
            at += _INT32.size
            values[field.column] = (
                None if size < 0 else as_text(name[at : at + size].decode("utf-8", "surrogateescape"))
            )
            at += max(size, 0)
        return [values[column] for column in self.columns]


def _string(content: bytes | None) -> list[bytes]:
    return [_INT32.pack(-1)] if content is None else [_INT32.pack(len(content)), content]
