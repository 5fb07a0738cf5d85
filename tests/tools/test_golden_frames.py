"""Requests and responses of clients and brokers (tests/golden/protocol), decoded with Kafka's fields and re-encoded."""

import gzip
import json
from pathlib import Path

from kafkafmt_specs.kafka_exchanges import KafkaExchanges

from kafka_judge.protocol.coded import as_json
from kafkafmt.protocol.codec import message
from kafkafmt.protocol.frames import read_request, response
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import is_flexible

GOLDEN = Path(__file__).parents[1] / "golden" / "protocol"


def test_golden_frames_are_decoded_as_by_kafka_and_encoded_to_the_same_bytes() -> None:
    with gzip.open(GOLDEN / "expected.jsonl.gz") as lines:
        expected = list(map(json.loads, lines))
    for path in GOLDEN.glob("*.exchanges"):
        api = path.stem
        kafkas = [line for line in expected if line["api"] == api]
        for exchange, kafka in zip(KafkaExchanges.from_bytes(path.read_bytes()).exchanges, kafkas, strict=True):
            sent = exchange.request._raw_message
            frame = read_request(memoryview(sent))
            assert (frame.api, frame.version) == (api, kafka["version"])
            header = {"correlationId": frame.correlation_id, "clientId": frame.client_id}
            assert header == {name: kafka["requestHeader"][name] for name in header}
            assert frame.body is not None
            assert as_json(f"{api}Request", frame.version, frame.body) == kafka["request"]
            out = MessageWriter()
            message(f"{api}Request", frame.version).encode(out, frame.body)
            assert sent.endswith(out.joined())
            if not exchange.has_response:
                continue
            answered = exchange.response._raw_message
            has_tags = api != "ApiVersions" and is_flexible(api, frame.version)
            body = message(f"{api}Response", frame.version).decode(MessageReader(memoryview(answered), 4 + has_tags))
            assert as_json(f"{api}Response", frame.version, body) == kafka["response"]
            parts = [
                part
                for part in response(api, frame.version, frame.correlation_id, body)
                if isinstance(part, bytes | bytearray | memoryview)
            ]
            assert b"".join(parts)[4:] == answered
