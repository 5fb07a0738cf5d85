"""A minimal client of Kafka's protocol: one connection, one request at a time."""

import socket
from types import TracebackType
from typing import Any, Self

from kafkafmt.protocol.codec import message
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import api_key, is_flexible

_NEVER = 2**31 - 1


class Connection:
    """A connection to a broker.

    Args:
        connected: the connected socket.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = connected.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answers.close()
        self._socket.close()

    def send(self, api: str, version: int, body: dict[str, Any]) -> bytes:
        """Send a request; returns the bytes of the response that follow its size."""
        flexible = is_flexible(api, version)
        out = MessageWriter()
        header = {"RequestApiKey": api_key(api), "RequestApiVersion": version, "ClientId": "bench"}
        message("RequestHeader", 2 if flexible else 1).encode(out, header)
        message(f"{api}Request", version).encode(out, body)
        request = out.joined()
        self._socket.sendall(len(request).to_bytes(4, "big") + request)
        return self._answers.read(int.from_bytes(self._answers.read(4), "big"))

    def ask(self, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request; returns the fields of the response."""
        source = MessageReader(memoryview(self.send(api, version, body)))
        message("ResponseHeader", 1 if is_flexible(api, version) else 0).decode(source)
        return message(f"{api}Response", version).decode(source)

    def topics(self, *names: str) -> dict[str, Any]:
        """Metadata (version 12) of the named topics, or of all topics if no name is given."""
        wanted = [{"Name": name} for name in names] or None
        return self.ask("Metadata", 12, {"Topics": wanted, "AllowAutoTopicCreation": False})

    def fetch(self, topic: str, offset: int, most: int) -> memoryview:
        """Batches of partition 0 of a topic, by Fetch version 12.

        Args:
            topic: name of the topic.
            offset: offset to fetch from.
            most: most bytes; the first batch is whole in any case.
        """
        partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": most}
        asked = {"MaxWaitMs": 500, "MinBytes": 1, "SessionEpoch": -1, "MaxBytes": _NEVER}
        answer = self.ask("Fetch", 12, {**asked, "Topics": [{"Topic": topic, "Partitions": [partition]}]})
        records: memoryview = answer["Responses"][0]["Partitions"][0]["Records"]
        return records
