"""tools/protocol_frames, without brokers: frames recorded by the proxies, and unanswered requests."""

import socket
import struct
import threading
from pathlib import Path

from kafkafmt_specs.kafka_exchanges import KafkaExchanges

from kafka_broker.broker import free_ports
from protocol_frames.recorder import Exchange, Recorder, acks_nothing

GOLDEN = Path(__file__).parents[1] / "golden" / "protocol"


def frame(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def request(key: int, number: int) -> bytes:
    return frame(struct.pack(">hhih", key, 3, number, 2) + b"me" + b"body")


def test_requests_are_recorded_with_their_responses() -> None:
    proxy, target = free_ports(2)
    responses = [frame(b"\0\0\0\1one"), frame(b"\0\0\0\2two")]
    requests = [request(3, 1), request(3, 2)]
    with socket.create_server(("127.0.0.1", target)) as server, Recorder([(proxy, target)]) as recorder:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                received = b""
                while len(received) < sum(map(len, requests)):
                    received += connection.recv(1000)
                connection.sendall(b"".join(responses))

        thread = threading.Thread(target=answer)
        thread.start()
        with socket.create_connection(("127.0.0.1", proxy)) as client:
            client.sendall(b"".join(requests))
            received = b""
            while part := client.recv(1000):
                received += part
        thread.join()
    assert received == b"".join(responses)
    assert recorder.exchanges == list(map(Exchange, requests, responses))
    assert {(each.key_and_version, each.client_id) for each in recorder.exchanges} == {((3, 3), b"me")}


def test_only_a_produce_request_without_acks_gets_no_response() -> None:
    found = set()
    for path in (GOLDEN / "Produce.exchanges", GOLDEN / "Metadata.exchanges"):
        for exchange in KafkaExchanges.from_bytes(path.read_bytes()).exchanges:
            message = exchange.request.message
            acks = getattr(message.body, "acks", None)
            found.add((message.api_version, acks))
            assert acks_nothing(frame(exchange.request._raw_message)) == (acks == 0)
    assert {(7, 0), (9, 0), (13, 0), (13, -1), (13, None)} <= found
