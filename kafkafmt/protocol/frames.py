"""Frames as they are on a connection: a request with its header, a response with its header and size.

A frame begins with its size (int32), which is already removed from the data of requests. Request headers have version 1
or 2, response headers version 0 or 1 (KIP-482).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct

from kafkafmt.errors import TruncatedError, UnsupportedError
from kafkafmt.protocol.codec import Value, message
from kafkafmt.protocol.message_bytes import MOST_ELEMENTS, MessageReader, MessageWriter, Part
from kafkafmt.protocol.schemas import apis, is_flexible, valid_versions

_KEY_AND_VERSION = Struct(">hh")
_HEADER = Struct(">hhi")
_SIZE = Struct(">i")


@dataclass(frozen=True, slots=True)
class RequestFrame:
    """A decoded request.

    Attributes:
        api: name of the API, such as "Metadata".
        version: version of the API.
        correlation_id: number that the response repeats.
        client_id: the client's name for itself, or None.
        body: the fields; None if the version is unknown.
        elements: number of elements of all arrays.
    """

    api: str
    version: int
    correlation_id: int
    client_id: str | None
    body: Value | None
    elements: int = 0


def read_request(data: memoryview) -> RequestFrame:
    """Read a request without its size.

    Raises:
        UnsupportedError: Kafka has no API with this key.
        CorruptError: the bytes are not a request of the API.
    """
    if len(data) < _HEADER.size:
        raise TruncatedError("the request has no header", expected=f"at least {_HEADER.size} bytes", found=len(data))
    key, version = _KEY_AND_VERSION.unpack_from(data)
    api = apis().get(key)
    if api is None:
        raise UnsupportedError("the request is of an unknown API", position=0, found=f"api key {key}")
    versions = valid_versions(api)
    if version not in versions:
        # The header of an unknown version is read like that of the nearest known one, so that ApiVersions requests can
        # be answered.
        nearest = min(max(version, versions[0]), versions[-1])
        header = message("RequestHeader", 2 if is_flexible(api, nearest) else 1).decode(MessageReader(data))
        return RequestFrame(api, version, header["CorrelationId"], header["ClientId"], None)
    source = MessageReader(data)
    header = message("RequestHeader", 2 if is_flexible(api, version) else 1).decode(source)
    body = message(f"{api}Request", version).decode(source)
    elements = MOST_ELEMENTS - source.elements_left
    return RequestFrame(api, version, header["CorrelationId"], header["ClientId"], body, elements)


def response(api: str, version: int, correlation_id: int, body: Value) -> Sequence[Part]:
    """Encode a response with its size, as buffers to send one after another.

    Args:
        api: name of the API.
        version: version of the API.
        correlation_id: correlation id of the request.
        body: the fields.
    """
    out = MessageWriter()
    first = out.buffer
    first += bytes(_SIZE.size)
    # ApiVersions responses always have header version 0: the client does not know the broker's versions yet (KIP-511).
    header_version = 1 if api != "ApiVersions" and is_flexible(api, version) else 0
    message("ResponseHeader", header_version).encode(out, {"CorrelationId": correlation_id})
    message(f"{api}Response", version).encode(out, body)
    _SIZE.pack_into(first, 0, out.size - _SIZE.size)
    return [part for part in out.parts if len(part)]
