"""Requests and responses of clients and brokers (tests/golden/protocol), parsed completely: the fields Kafka reads."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from kafkafmt_specs.kafka_api import KafkaApi
from kafkafmt_specs.kafka_exchanges import KafkaExchanges
from kafkafmt_specs.kafka_response import KafkaResponse
from kaitaistruct import BytesIO, KaitaiStream

from kafka_judge.protocol.parsed import as_json, messages

GOLDEN = Path(__file__).parents[1] / "golden" / "protocol"
FILES = sorted(GOLDEN.glob("*.exchanges"))
API_VERSIONS = 18
NEVER_EXCHANGED = {"FetchSnapshot", "StreamsGroupTopologyDescriptionUpdate"}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(GOLDEN / "expected.jsonl.gz") as lines:
        for line in map(json.loads, lines):
            found.setdefault(line["api"], []).append(line)
    return found


def exchanges(path: Path) -> list[Any]:
    return list(KafkaExchanges.from_bytes(path.read_bytes()).exchanges)


def read(api: str, exchange: Any) -> dict[str, Any]:
    request = exchange.request.message
    version = request.api_version
    headers = request.api.request_header_version, request.api.response_header_version
    made = {"api": api, "version": version}
    made["requestHeader"] = as_json("RequestHeader", headers[0], request.header)
    made["request"] = as_json(f"{api}Request", version, request.body)
    if exchange.has_response:
        response = exchange.response.message
        made["responseHeader"] = as_json("ResponseHeader", headers[1], response.header)
        made["response"] = as_json(f"{api}Response", version, response.body)
    return made


def test_nearly_all_apis_are_there_and_many_versions(expected: dict[str, list[dict[str, Any]]]) -> None:
    assert {path.stem for path in FILES} == expected.keys()
    apis = {name.removesuffix("Request") for name in messages() if name.endswith("Request")}
    assert apis - expected.keys() == NEVER_EXCHANGED
    assert len({(api, one["version"]) for api, of_one in expected.items() for one in of_one}) > 150
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < 300_000


def test_each_field_is_what_kafka_reads(expected: dict[str, list[dict[str, Any]]]) -> None:
    for path in FILES:
        found = [read(path.stem, exchange) for exchange in exchanges(path)]
        for one, kafkas in zip(found, expected[path.stem], strict=True):
            assert json.dumps(one) == json.dumps(kafkas)  # with the order of the fields


def test_batches_in_a_response_are_those_of_a_log() -> None:
    values = [
        record.body.value
        for exchange in exchanges(GOLDEN / "Fetch.exchanges")
        if exchange.request.message.header.client_id.value.startswith(b"java")
        for topic in exchange.response.message.body.responses
        for partition in topic.partitions
        for entry in partition.records.value.log.entries
        for record in entry.body.records or ()
    ]
    assert {b"value-0", b"value-1", b"value-2"} <= set(values)


def test_a_producer_without_acks_gets_no_response() -> None:
    of_producers = exchanges(GOLDEN / "Produce.exchanges")
    assert {each.request.message.body.acks: each.has_response for each in of_producers} == {-1: True, 0: False, 1: True}


def request(key: int, version: int, rest: bytes) -> bytes:
    message = key.to_bytes(2, signed=True) + version.to_bytes(2, signed=True) + bytes(4) + b"\0\1x" + rest
    return len(message).to_bytes(4) + message


@pytest.mark.parametrize(("key", "version"), [(4, 0), (-1, 0), (200, 0), (1, 3), (1, 19), (1, -1)])
def test_a_body_of_an_unknown_api_or_version_is_bytes(key: int, version: int) -> None:
    tags = b"\0" if (key, version) == (1, 19) else b""  # a later version of an API that has them
    data = request(key, version, tags + b"body") + b"\0\0\0\7" + bytes(4) + tags + b"abc"[len(tags) :]
    (exchange,) = KafkaExchanges.from_bytes(data).exchanges
    assert exchange.request.message.api.known_key is KafkaApi.Key.unknown
    assert exchange.request.message.header.client_id.value == b"x"
    assert exchange.request.message.body == b"body"
    assert exchange.response.message.body == b"abc"[len(tags) :]


def test_the_response_to_too_new_a_request_for_api_versions_is_of_version_0() -> None:
    stream = KaitaiStream(BytesIO(b"\0\0\0\x0a" + bytes(4) + b"\0\x23" + bytes(4)))
    response = KafkaResponse(API_VERSIONS, 99, stream).message
    assert as_json("ApiVersionsResponse", 0, response.body) == {"errorCode": 35, "apiKeys": []}
