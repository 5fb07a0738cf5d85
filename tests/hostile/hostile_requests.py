"""Ways to break a request of Kafka's protocol, all driven by one seeded `random.Random`.

The seeds are golden frames sent by Kafka's clients and brokers. Broken bytes look for faults of the codec; extreme
values in a well-formed request look for faults of the APIs.
"""

import copy
import random
import struct
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from kafkafmt_specs.kafka_exchanges import KafkaExchanges

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import Value, message
from kafkafmt.protocol.frames import read_request
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import apis, is_flexible, valid_versions
from tests.golden_cases import GOLDEN

_NUMBERS = {
    "b": (0, 1, -1, 2, 127, -128),
    "h": (0, 1, -1, 2, 2**15 - 1, -(2**15), 255, 4096),
    "i": (0, 1, -1, -2, 2**31 - 1, -(2**31), 10**9, 10**6, 2**24, 2**16),
    "q": (0, 1, -1, -2, -3, -6, -7, 2**63 - 1, -(2**63), 10**9),
}
_VARINTS = (
    b"\x00",
    b"\x01",
    b"\x02",
    b"\x7f",
    b"\xff\xff\x03",
    b"\xff\xff\xff\xff\x07",
    b"\x80\x94\xeb\xdc\x03",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x80\x80\x80\x80\x00",
)
_NOT_UTF8 = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x80", b"\xe2\x82", b"\0", b"\n\x1b[2J")
_TEXTS = (
    "",
    " ",
    ".",
    "..",
    "\n\x1b[31mkafkafmt: no",
    "x" * 249,
    "x" * 32_000,
    "\0",
    "\ud7ff\U0010ffff",
    "a|(",
    "orders",
)
_REPEATS = (2, 3, 50, 1000)
_FEW_REPEATS = (2, 3)


@cache
def golden_requests() -> tuple[bytes, ...]:
    """All golden requests, without their sizes."""
    found = []
    for path in sorted((GOLDEN / "protocol").glob("*.exchanges")):
        exchanges = KafkaExchanges.from_bytes(path.read_bytes()).exchanges
        found += [bytes(each.request._raw_message) for each in exchanges]
    return tuple(found)


def framed(data: bytes) -> bytes:
    """A request prefixed with its size."""
    return struct.pack(">i", len(data)) + data


@dataclass(frozen=True)
class Names:
    """What requests may be about: what the served disks have."""

    topics: tuple[str, ...]
    topic_ids: tuple[UUID, ...]
    others: tuple[str, ...]


def requests_about(names: Names, wanted: Container[str]) -> list[list[bytes]]:
    """Golden requests of some APIs, by API, in each of its versions: about what there is in place of what there was."""
    rnd, found = random.Random(0), defaultdict[str, dict[bytes, None]](dict)
    for seed in golden_requests():
        frame = read_request(memoryview(seed))
        for version in valid_versions(frame.api) if frame.api in wanted else ():
            made = _encoded(seed, frame.api, version, _renamed(rnd, names, frame.body or {}), frame.client_id)
            if made is not None and _is_readable(made):
                found[frame.api][made] = None
    return [[*each] for each in found.values()]


def _renamed(rnd: random.Random, names: Names, value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _renamed(rnd, names, each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(rnd, names, each, field) for each in value]
    if isinstance(value, UUID):
        return rnd.choice(names.topic_ids) if value.int else value
    if isinstance(value, str) and value.startswith("java-") and field != "MemberId":
        return rnd.choice(names.topics if field in ("Name", "Topic", "TopicName", "ResourceName") else names.others)
    return value


def _is_readable(request: bytes) -> bool:
    try:
        read_request(memoryview(request))
    except KafkafmtError:  # a null is not allowed in that version
        return False
    return True


def of_member(seed: bytes, member: Value) -> bytes:
    """The request, by a member of a group: fields of the request that name group, member or its epoch are as given."""
    frame = read_request(memoryview(seed))
    body = {name: member.get(name, value) for name, value in (frame.body or {}).items()}
    return _encoded(seed, frame.api, frame.version, body, frame.client_id) or seed


def _flip_bits(rnd: random.Random, data: bytearray) -> None:
    for _ in range(rnd.choice((1, 1, 2, 8))):
        data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)


def _set_byte(rnd: random.Random, data: bytearray) -> None:
    data[rnd.randrange(len(data))] = rnd.choice((0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF))


def _set_number(rnd: random.Random, data: bytearray) -> None:
    code = rnd.choice("bhiiq")
    width = struct.calcsize(code)
    if len(data) >= width:
        struct.pack_into(">" + code, data, rnd.randrange(len(data) - width + 1), rnd.choice(_NUMBERS[code]))


def _set_varint(rnd: random.Random, data: bytearray) -> None:
    begin = rnd.randrange(len(data))
    data[begin : begin + rnd.choice((0, 1, 1, 1, 2))] = rnd.choice(_VARINTS)


def _put_tags(rnd: random.Random, data: bytearray) -> None:
    """Tagged fields: many, nested in what other fields take for their own, or of sizes beyond the end."""
    tag = rnd.choice((b"\x00", b"\x01", b"\x05", b"\xff\xff\xff\xff\x0f"))
    size = rnd.choice((b"\x00", b"\x01a", b"\xff\xff\xff\xff\x07", b"\x03" + b"\x01\x00\x00"))
    number = rnd.choice((1, 2, 100, 3000))
    at = rnd.choice((len(data), len(data) - 1, rnd.randrange(len(data) + 1)))
    data[at:] = rnd.choice((b"\x01", b"\x64", b"\xb8\x17")) + (tag + size) * number


def _break_text(rnd: random.Random, data: bytearray) -> None:
    begin = rnd.randrange(len(data))
    fault = rnd.choice(_NOT_UTF8)
    data[begin : begin + len(fault)] = fault


def _swap_api(rnd: random.Random, data: bytearray) -> None:
    if len(data) >= 4:
        key, version = struct.unpack_from(">hh", data)
        if rnd.random() < 0.5:
            key = rnd.choice((rnd.randrange(-1, 100), 2**15 - 1, -(2**15)))
        else:
            version = rnd.choice((rnd.randrange(20), -1, 2**15 - 1, -(2**15), version + 1, version - 1))
        struct.pack_into(">HH", data, 0, key & 0xFFFF, version & 0xFFFF)


def _truncate(rnd: random.Random, data: bytearray) -> None:
    del data[rnd.randrange(len(data)) :]


def _extend(rnd: random.Random, data: bytearray) -> None:
    data += rnd.choice((bytes(1), bytes(100), rnd.randbytes(17), b"\xff" * 5000))


def _delete(rnd: random.Random, data: bytearray) -> None:
    begin = rnd.randrange(len(data))
    del data[begin : begin + rnd.choice((1, 2, 4, 8, 17))]


def _insert(rnd: random.Random, data: bytearray) -> None:
    at = rnd.randrange(len(data) + 1)
    data[at:at] = rnd.randbytes(rnd.choice((1, 2, 4, 17)))


def _splice(rnd: random.Random, data: bytearray) -> None:
    other = rnd.choice(golden_requests())
    data[rnd.randrange(len(data)) :] = other[rnd.randrange(len(other)) :]


def _glue(rnd: random.Random, data: bytearray) -> None:
    data += framed(rnd.choice(golden_requests()))


Operator = Callable[[random.Random, bytearray], None]

_OPERATORS: tuple[Operator, ...] = (
    _flip_bits,
    _set_byte,
    _set_number,
    _set_number,
    _set_varint,
    _put_tags,
    _break_text,
    _swap_api,
    _truncate,
    _extend,
    _delete,
    _insert,
    _splice,
    _glue,
)


def broken_bytes(rnd: random.Random, seed: bytes | None = None) -> bytes:
    """A request, by default a golden one, with some bytes broken."""
    data = bytearray(rnd.choice(golden_requests()) if seed is None else seed)
    for _ in range(rnd.choice((1, 1, 1, 2, 4))):
        if data:
            rnd.choice(_OPERATORS)(rnd, data)
    return bytes(data)


def broken_values(rnd: random.Random, seed: bytes | None = None) -> bytes:
    """A well-formed request, by default a golden one, of any valid version with extreme values."""
    seed = rnd.choice(golden_requests()) if seed is None else seed
    frame = read_request(memoryview(seed))
    version = rnd.choice(valid_versions(frame.api))
    body = copy.deepcopy(without_views(frame.body or {}))
    repeats: tuple[int, ...] = _REPEATS
    for _ in range(rnd.choice((1, 1, 2, 3))):
        _break_value(rnd, body, repeats)
        repeats = _FEW_REPEATS  # arrays may be in one another
    return _encoded(seed, frame.api, version, body, rnd.choice(_TEXTS)) or seed


def _encoded(seed: bytes, api: str, version: int, body: Value, client_id: str | None) -> bytes | None:
    """A request with the key and correlation id of another one; None if a value does not fit into its field."""
    out = MessageWriter()
    key, _, correlation_id = struct.unpack_from(">hhi", seed)
    header = {
        "RequestApiKey": key,
        "RequestApiVersion": version,
        "CorrelationId": correlation_id,
        "ClientId": client_id,
    }
    try:
        message("RequestHeader", 2 if is_flexible(api, version) else 1).encode(out, header)
        message(f"{api}Request", version).encode(out, body)
    except (struct.error, TypeError, AttributeError, KeyError):
        return None
    return out.joined()


def without_views(value: Any) -> Any:
    """The value of a message with memoryviews copied to bytes."""
    if isinstance(value, dict):
        return {name: without_views(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_views(each) for each in value]
    return bytes(value) if isinstance(value, memoryview) else value


def _break_value(rnd: random.Random, body: Value, repeats: Sequence[int]) -> None:
    inside = body
    while True:
        if not inside:
            return
        name = rnd.choice(list(inside))
        value = inside[name]
        structures = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        structures += [value] if isinstance(value, dict) else []
        if structures and rnd.random() < 0.8:
            inside = rnd.choice(structures)
            continue
        inside[name] = _broken(rnd, value, repeats)
        return


def _broken(rnd: random.Random, value: Any, repeats: Sequence[int]) -> Any:
    if rnd.random() < 0.1:
        return None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rnd.choice(_NUMBERS[rnd.choice("bhiq")])
    if isinstance(value, str):
        return rnd.choice(_TEXTS)
    if isinstance(value, bytes):
        return rnd.choice((b"", rnd.randbytes(20), value[: len(value) // 2], bytes(5000)))
    if isinstance(value, list):
        return rnd.choice(([], value * rnd.choice(repeats), value[:1]))
    return value


def answer_to(request: bytes, answer: bytes) -> Value | None:
    """The fields of a response, without its size; None if it is none to the request, by Kafka's schema.

    Args:
        request: the request without its size.
        answer: the response without its size.
    """
    key, version, correlation_id = struct.unpack_from(">hhi", request)
    api = apis().get(key)
    if api is None:
        return None
    try:
        version = version if version in valid_versions(api) else 0
        source = MessageReader(memoryview(answer))
        has_tags = api != "ApiVersions" and is_flexible(api, version)
        header = message("ResponseHeader", int(has_tags)).decode(source)
        body = message(f"{api}Response", version).decode(source)
    except KafkafmtError:
        return None
    return body if header["CorrelationId"] == correlation_id and source.position == source.end else None
