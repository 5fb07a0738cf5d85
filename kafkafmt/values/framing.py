"""Framings: how a key or value, or a header beside it, names the schema with which it was written.

Sources: Confluent's `AbstractKafkaSchemaSerDe`, `SchemaId` and `MessageIndexes`; Apicurio's `Default4ByteIdHandler`,
`Legacy8ByteIdHandler` and `HeadersHandler`; AWS Glue's `GlueSchemaRegistryDeserializerDataParser`; "Single-object
encoding" in Avro's specification.
"""

import uuid
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.choices import check_choice
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.limits import Limits

Part = Literal["key", "value"]
FramingName = Literal["confluent", "confluent-header", "confluent-guid", "apicurio-8", "apicurio-header", "glue"]

CONFLUENT_BYTES: Final = 5
"""Size of the framing "confluent" in bytes: 00 and an int32."""

LONG_BYTES: Final = 8
"""Size of a long, which may begin like an id: a value of this size names a schema only if the schema is known."""

_PARTS: Final = get_args(Part)
_CONFLUENT, _GUID, _GLUE = 0, 1, 3
_GLUE_PLAIN, _GLUE_ZLIB = 0, 5
# Sizes before a payload: a byte and an int64; a byte and a GUID; two bytes and a GUID.
_LONG_ID_END: Final = 9
_GUID_END: Final = 17
_GLUE_END: Final = 18
_APICURIO: Final = ("contentId", "globalId")
# The marker of Avro's single-object encoding, followed by eight bytes of the schema's fingerprint.
_SINGLE_OBJECT: Final = b"\xc3\x01"
_FINGERPRINT_END: Final = 10


@dataclass(frozen=True, slots=True)
class Framing:
    """The content of a framing.

    Attributes:
        name: "confluent": 00 and an int32 before the value (Apicurio 3 writes the same bytes); "confluent-guid": 01 and
            a GUID before it; "confluent-header": the header `__key_schema_id` or `__value_schema_id`; "apicurio-8": 00
            and an int64; "apicurio-header"; "glue"; "avro-object": C3 01 and a fingerprint; or "none".
        schema_id: the id, or None.
        guid: the GUID (for Glue the schema version id), or None.
        fingerprint: Avro's CRC-64 of the schema in its canonical form, or None.
        payload: the bytes that the schema describes, for Protobuf preceded by the message indexes.
        indexes: Protobuf's message indexes if they are in a header; else None.
        is_json: whether a header says that the payload is in Avro's JSON encoding.
        message: name of Protobuf's message without its package if it is in a header; else None.
    """

    name: FramingName | Literal["avro-object", "none"]
    payload: bytes
    schema_id: int | None = None
    guid: str | None = None
    fingerprint: int | None = None
    indexes: bytes | None = None
    is_json: bool = False
    message: str | None = None


def framing_of(
    data: bytes, headers: Iterable[tuple[str, bytes | None]] = (), part: Part = "value", limits: Limits | None = None
) -> Framing:
    """Find the framing of a key or value. A header takes precedence over the bytes, as in Confluent's deserializers.

    Args:
        data: the key or value as stored.
        headers: the headers of the record; the last of several with the same name counts, as in Kafka's
            `Headers.lastHeader`.
        part: "key" or "value".
        limits: bounds the decompressed size of Glue's values; `kafkafmt.Limits()` if None.

    Raises:
        CorruptError: a header or framing is cut, or has invalid bytes.
        LimitExceededError: a compressed value is too large.
        ValueError: `part` is neither "key" nor "value".
    """
    check_choice("part", part, _PARTS)
    found = {name: value for name, value in headers if value is not None}
    if (own := found.get(f"__{part}_schema_id")) is not None:
        return _confluent_header(own, data)
    if (apicurio := _apicurio_header(found, data, part)) is not None:
        return apicurio
    first = data[0] if data else None
    none = Framing("none", data)
    if first == _CONFLUENT and len(data) >= CONFLUENT_BYTES:
        schema_id = int.from_bytes(data[1:CONFLUENT_BYTES], "big", signed=True)
        if schema_id:
            return Framing("confluent", data[CONFLUENT_BYTES:], schema_id)
        # No registry assigns id 0: those bytes are the upper half of Apicurio's eight-byte id, or of a number.
        long_id = int.from_bytes(data[1:_LONG_ID_END], "big", signed=True)
        return Framing("apicurio-8", data[_LONG_ID_END:], long_id) if long_id and len(data) >= _LONG_ID_END else none
    if first == _GUID and len(data) >= _GUID_END:
        return Framing("confluent-guid", data[_GUID_END:], guid=str(uuid.UUID(bytes=data[1:_GUID_END])))
    if data.startswith(_SINGLE_OBJECT) and len(data) >= _FINGERPRINT_END:
        return Framing(
            "avro-object",
            data[_FINGERPRINT_END:],
            fingerprint=int.from_bytes(data[len(_SINGLE_OBJECT) : _FINGERPRINT_END], "little"),
        )
    if first == _GLUE and len(data) >= _GLUE_END and data[1] in (_GLUE_PLAIN, _GLUE_ZLIB):
        payload = data[_GLUE_END:]
        if data[1] == _GLUE_ZLIB:
            payload = _inflated(payload, limits or Limits())
        return Framing("glue", payload, guid=str(uuid.UUID(bytes=data[2:_GLUE_END])))
    return none


def confluent_ids(stored: pa.Array, headers: pa.Array, part: Part) -> pa.Array:
    """The ids of keys or values with the framing "confluent", int32; 0, which no registry assigns, for other rows.

    Args:
        stored: keys or values as stored, of type binary.
        headers: the headers of the records; rows with a header that names a schema get 0.
        part: "key" or "value".
    """
    rows = len(stored)
    offsets = np.frombuffer(stored.buffers()[1], np.int32)[stored.offset : stored.offset + rows + 1]
    data = stored.buffers()[2]
    ids = np.zeros(rows, np.int32)
    if rows and data is not None and data.size:
        source, starts = np.frombuffer(data, np.uint8), offsets[:-1].astype(np.int64)
        long = np.flatnonzero(np.diff(offsets) >= CONFLUENT_BYTES)
        framed = long[source[starts[long]] == _CONFLUENT]
        if len(framed):
            # A view with an int32 at every byte, from which the few ids are picked.
            every = np.ndarray(len(source) - 3, ">i4", source, strides=(1,))
            ids[framed] = every[starts[framed] + 1]
    if stored.null_count:
        ids[stored.is_null().to_numpy(zero_copy_only=False)] = 0
    names = pa.array([f"__{part}_schema_id", *(f"apicurio.{part}.{name}" for name in _APICURIO)])
    named = pc.is_in(headers.flatten().field("key"), names).to_numpy(zero_copy_only=False)
    if named.any():
        ids[pc.list_parent_indices(headers).to_numpy()[named]] = 0
    return pa.array(ids)


def schema_headers(stored: pa.Array, headers: pa.Array, part: Part) -> pa.Array | None:
    """The last header of each record that names the schema of its key or value, binary; None if there are none.

    Args:
        stored: the keys or values; null ones are left out.
        headers: the headers of the records.
        part: "key" or "value".
    """
    pairs = headers.flatten()
    values = pairs.field("value")
    is_named = pc.and_(pc.equal(pairs.field("key"), f"__{part}_schema_id"), values.is_valid())
    found = np.flatnonzero(is_named.to_numpy(zero_copy_only=False))
    if not len(found):
        return None
    last = np.full(len(headers), -1)
    # With duplicate indexes, numpy keeps the last assignment, as the last header counts.
    last[pc.list_parent_indices(headers).to_numpy()[found]] = found
    last[stored.is_null().to_numpy(zero_copy_only=False)] = -1
    return values.take(pa.array(last, mask=last < 0))


def _confluent_header(header: bytes, data: bytes) -> Framing:
    if not header:
        raise TruncatedError("the header of the schema id is empty")
    if header[0] == _GUID:
        if len(header) < _GUID_END:
            raise TruncatedError("the header's GUID is cut", expected=_GUID_END - 1, found=len(header) - 1)
        guid = str(uuid.UUID(bytes=header[1:_GUID_END]))
        return Framing("confluent-header", data, guid=guid, indexes=header[_GUID_END:])
    if header[0] == _CONFLUENT:
        if len(header) < CONFLUENT_BYTES:
            raise TruncatedError("the header's schema id is cut", expected=CONFLUENT_BYTES - 1, found=len(header) - 1)
        schema_id = int.from_bytes(header[1:CONFLUENT_BYTES], "big", signed=True)
        return Framing("confluent-header", data, schema_id, indexes=header[CONFLUENT_BYTES:])
    raise CorruptError("the header of the schema id begins with another byte", expected="0 or 1", found=header[0])


def _apicurio_header(headers: dict[str, bytes], data: bytes, part: Part) -> Framing | None:
    for name in _APICURIO:
        header = headers.get(f"apicurio.{part}.{name}")
        if header is not None:
            if len(header) != _LONG_ID_END - 1:
                raise CorruptError(
                    f"the header apicurio.{part}.{name} has another length", expected=8, found=len(header)
                )
            is_json = headers.get(f"apicurio.{part}.encoding") == b"JSON"
            message = headers.get("apicurio.protobuf.type" + (".key" if part == "key" else ""))
            return Framing(
                "apicurio-header",
                data,
                int.from_bytes(header, "big", signed=True),
                is_json=is_json,
                message=None if message is None else message.decode("utf-8", "replace"),
            )
    return None


def _inflated(data: bytes, limits: Limits) -> bytes:
    inflater = zlib.decompressobj()
    try:
        payload = inflater.decompress(data, limits.max_decompressed_bytes)
    except zlib.error as error:
        raise CorruptError(f"the zlib data of a Glue value: {error}") from error
    if inflater.unconsumed_tail:
        raise LimitExceededError(
            "a Glue value is too large", expected=f"at most {limits.max_decompressed_bytes:,} bytes"
        )
    if not inflater.eof:
        raise TruncatedError("the zlib data of a Glue value is cut")
    return payload
