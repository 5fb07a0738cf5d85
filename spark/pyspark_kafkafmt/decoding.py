"""What runs on Spark's workers: the path and bytes of a file in, a list of structs out."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from pyspark_kafkafmt.columns import source_columns, to_spark

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.limits import Limits

MAX_ARRAY_BYTES: Final = 2**31 - 1
"""Most bytes that the values of one Arrow array can have."""

MAX_VALUE_BYTES: Final = 2**31 - 16
"""Most bytes that one value of Spark, here all records of a file, can have in its own row format."""

# Without a handler of its own a warning goes to stderr, here that of an executor.
_LOG: Final = logging.getLogger(__package__)

_INSTEAD: Final = "kafkafmt.scan reads a file of any size, as a stream"


OnDamage = Literal["raise", "skip"]


class Decoder(Protocol):
    """Decodes one file; pickled from the driver to the workers."""

    def __call__(self, path: str, content: bytes, on_damage: OnDamage) -> "pa.StructArray":
        """Give the file's entries as structs; raise a KafkafmtError if it cannot be."""


@dataclass(frozen=True)
class SegmentDecoder:
    """Records of a log segment.

    Attributes:
        names: fields of the structs.
        limits: as for `kafkafmt.scan`.
    """

    names: tuple[str, ...]
    limits: "Limits"

    def __call__(self, path: str, content: bytes, on_damage: OnDamage) -> "pa.StructArray":
        """Decode the segment, without control records; `on_damage` is "raise" or "skip", as for `kafkafmt.scan`."""
        from kafkafmt.errors import LimitExceededError
        from kafkafmt.scanning import scan_bytes

        columns = source_columns(self.names)
        notes: dict[str, None] = {}
        table = scan_bytes(
            content, file=path, columns=columns, on_damage=on_damage, limits=self.limits, note=notes.setdefault
        )
        for note in notes:
            _LOG.warning("kafkafmt: %s", note)
        # In Spark's row format a record has a size, bits for nulls, and a word for each field, beside its bytes.
        size = table.nbytes + len(table) * 8 * (2 + len(self.names))
        if size > MAX_VALUE_BYTES:
            raise LimitExceededError(
                f"the decoded segment is too large for one value of Spark; {_INSTEAD}",
                file=path,
                expected=f"at most {MAX_VALUE_BYTES} bytes",
                found=f"about {size} bytes",
            )
        return to_spark(table, self.names)


@dataclass(frozen=True)
class IndexDecoder:
    """Entries of an offset index or time index; any bytes are one.

    Attributes:
        names: fields of the structs.
        kind: name of the module in `kafkafmt.files`.
    """

    names: tuple[str, ...]
    kind: str

    def __call__(self, path: str, content: bytes, on_damage: OnDamage) -> "pa.StructArray":  # noqa: ARG002 - no damage known
        """Decode the index, with the base offset in the file's name."""
        from kafkafmt.files import offset_index, slots, time_index

        module = {"offset_index": offset_index, "time_index": time_index}[self.kind]
        return to_spark(module.parse(content, base_offset=slots.base_offset_of(path), file=path).to_table(), self.names)


def decode_file(decoder: Decoder, path: str | None, content: bytes | None, on_damage: str) -> "pa.StructArray | None":
    """Decode one file; None for one that cannot be read at all, if damage is to be skipped.

    Raises:
        KafkafmtError: what the decoder raised, or a SourceError for a null content; not if damage is to be skipped.
        ValueError: `on_damage` is neither "raise" nor "skip".
    """
    from kafkafmt.errors import KafkafmtError, SourceError

    mode = check_on_damage(on_damage)
    try:
        if content is None:
            raise SourceError(f"the file has no content (null); {_INSTEAD}", file=path)
        return decoder(path or "", content, mode)
    except KafkafmtError:
        if mode == "skip":
            return None
        raise


def decode_arrays(decoder: Decoder, paths: "pa.Array", contents: "pa.Array", on_damage: "pa.Array") -> "pa.Array":
    """Decode a batch of files into one list of structs for each; null for a file that was skipped as a whole.

    Raises:
        KafkafmtError: as `decode_file`; LimitExceededError if the lists together are too large for an Arrow array.
    """
    import pyarrow as pa

    from kafkafmt.errors import LimitExceededError

    offsets: list[int | None] = []
    decoded: list[pa.StructArray] = []
    end = size = 0
    for path, content, mode in zip(paths, contents, on_damage, strict=True):
        structs = decode_file(decoder, path.as_py(), content.as_py(), mode.as_py())
        offsets.append(None if structs is None else end)
        if structs is None:
            continue
        end += len(structs)
        size += structs.nbytes
        if size > MAX_ARRAY_BYTES:
            raise LimitExceededError(
                "the decoded files of one Arrow batch are too large together; "
                "lower spark.sql.execution.arrow.maxRecordsPerBatch, the number of files in one",
                file=path.as_py(),
                expected=f"at most {MAX_ARRAY_BYTES} bytes",
                found=f"{size} bytes",
            )
        decoded.append(structs)
    if not decoded:
        return pa.nulls(len(offsets))
    return pa.ListArray.from_arrays(pa.array([*offsets, end], pa.int32()), pa.concat_arrays(decoded))


def decode_rows(
    decoder: Decoder, path: str | None, content: bytes | None, on_damage: str
) -> list[tuple[Any, ...]] | None:
    """Decode one file into tuples of plain Python values: what Spark 4.0 takes without pandas."""
    structs = decode_file(decoder, path, content, on_damage)
    if structs is None:
        return None
    return list(zip(*(field.to_pylist() for field in structs.flatten()), strict=True))


def check_on_damage(on_damage: str) -> OnDamage:
    """Refuse what is no way to treat damage, and return what is.

    Raises:
        ValueError: it is neither "raise" nor "skip".
    """
    if on_damage == "raise":
        return "raise"
    if on_damage == "skip":
        return "skip"
    raise ValueError(f'on_damage must be "raise" or "skip", not {on_damage!r}')
