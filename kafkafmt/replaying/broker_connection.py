"""BrokerConnection: requests to one broker, and their answers, over a blocking socket with TLS and SASL.

Further requests may be sent before earlier ones are answered; answers come in the order of the requests.
"""

import socket
import ssl
from collections import deque
from struct import Struct
from typing import Final

from kafkafmt.errors import DataError
from kafkafmt.protocol.codec import Value, message
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.message_bytes import Buffer, Elsewhere, MessageReader, MessageWriter
from kafkafmt.protocol.schemas import api_key, apis, is_flexible, valid_versions
from kafkafmt.replaying import sasl
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.errors import RetriableError, TargetError, check

_SIZE: Final = Struct(">i")
# The first bytes of another protocol, such as HTTP, would be read as a size of a GB.
_LARGEST_ANSWER: Final = 100 * 2**20
_MOST_ELEMENTS: Final = 1_000_000
"""Most elements of all arrays of an answer: Metadata has seven for a partition with three replicas."""

# The first version in which clients name their software.
_VERSIONS_VERSION: Final = 3
_SOFTWARE: Final = {"ClientSoftwareName": "kafkafmt", "ClientSoftwareVersion": "0"}

_NEWEST: Final = {
    # From the next versions on, topics have ids, requests name several groups or transactions, and a partition joins a
    # transaction by its first batch alone (KIP-890).
    "Produce": 11,
    "Fetch": 12,
    "Metadata": 12,
    "ListOffsets": 9,
    "FindCoordinator": 3,
    "OffsetFetch": 7,
    "AddPartitionsToTxn": 3,
    "AddOffsetsToTxn": 3,
    "TxnOffsetCommit": 3,
    "EndTxn": 3,
    "InitProducerId": 4,
}


class BrokerConnection:
    """A connection to one broker.

    Args:
        host: name or address of the broker.
        port: port of the broker.
        config: how to connect.

    Raises:
        RetriableError: the broker cannot be reached.
        TargetError: the broker does not let this client in, or does not speak Kafka's protocol.
    """

    def __init__(self, host: str, port: int, config: ClientConfig) -> None:
        self.address = f"{host}:{port}"
        self._config = config
        self._correlation = 0
        self._waiting: deque[tuple[str, int, int]] = deque()
        self._versions: dict[str, int] = {}
        try:
            self._socket = socket.create_connection((host, port), timeout=config.timeout)
        except OSError as error:
            raise RetriableError(f"{self.address}: cannot connect: {error.strerror or error}") from error
        except UnicodeError as error:
            raise TargetError(f"{self.address}: is not the name of a host: {error}") from error
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if config.tls is not None:
                self._secure(host, config.tls)
            self._versions = self._negotiated()
            if config.mechanism is not None:
                self._authenticate(config.mechanism)
        except BaseException:
            self._socket.close()
            raise

    def close(self) -> None:
        """Close the connection; answers that have not been received are lost."""
        self._socket.close()

    @property
    def waiting(self) -> int:
        """Number of requests whose answers have not been received."""
        return len(self._waiting)

    def version(self, api: str) -> int:
        """The version in which an API is requested.

        Raises:
            TargetError: the broker has no version of the API that is known here.
        """
        if api not in self._versions:
            raise TargetError(f"{self.address}: the broker has no version of {api} that kafkafmt knows")
        return self._versions[api]

    def call(self, api: str, body: Value) -> Value:
        """Send a request, and receive its answer.

        Raises:
            RetriableError: the connection is lost.
            TargetError: the answer is malformed.
        """
        self.send(api, body)
        return self.receive()

    def send(self, api: str, body: Value) -> None:
        """Send a request.

        Raises:
            RetriableError: the connection is lost.
            TargetError: the broker does not have the API.
        """
        self._send(api, self.version(api), body)

    def receive(self) -> Value:
        """Receive the answer to the oldest request without one.

        Raises:
            RetriableError: the connection is lost.
            TargetError: the answer is malformed.
        """
        if not self._waiting:
            raise RetriableError(
                f"{self.address}: the connection is lost"
            )  # the request was sent on an earlier connection
        api, version, correlation = self._waiting[0]
        try:
            (size,) = _SIZE.unpack(self._exactly(_SIZE.size))
            if not 0 < size <= _LARGEST_ANSWER:
                raise TargetError(f"{self.address}: not a Kafka broker: it answers {api} with {size:,} bytes")
            reader = MessageReader(memoryview(self._exactly(size)))
            reader.elements_left = _MOST_ELEMENTS
        except OSError as error:
            raise RetriableError(f"{self.address}: {api}: the connection is lost: {error.strerror or error}") from error
        self._waiting.popleft()
        try:
            header_version = 1 if api != "ApiVersions" and is_flexible(api, version) else 0
            header = message("ResponseHeader", header_version).decode(reader)
            body = message(f"{api}Response", version).decode(reader)
        except DataError as error:
            raise TargetError(f"{self.address}: the answer to {api} cannot be read: {error}") from error
        if header["CorrelationId"] != correlation:
            raise TargetError(f"{self.address}: the answer to {api} belongs to another request")
        return body

    def _send(self, api: str, version: int, body: Value) -> None:
        self._correlation += 1
        out = MessageWriter()
        first = out.buffer
        first += bytes(_SIZE.size)
        header = {
            "RequestApiKey": api_key(api),
            "RequestApiVersion": version,
            "CorrelationId": self._correlation,
            "ClientId": self._config.client_id,
        }
        message("RequestHeader", 2 if is_flexible(api, version) else 1).encode(out, header)
        message(f"{api}Request", version).encode(out, body)
        _SIZE.pack_into(first, 0, out.size - _SIZE.size)
        parts: list[Buffer] = [part for part in out.parts if part and not isinstance(part, Elsewhere)]
        try:
            for part in parts:
                self._socket.sendall(part)
        except OSError as error:
            raise RetriableError(f"{self.address}: {api}: the connection is lost: {error.strerror or error}") from error
        self._waiting.append((api, version, self._correlation))

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view, position = memoryview(data), 0
        while position < size:
            count = self._socket.recv_into(view[position:])
            if not count:
                raise ConnectionResetError("closed by the broker")
            position += count
        return data

    def _secure(self, host: str, tls: ssl.SSLContext) -> None:
        try:
            self._socket = tls.wrap_socket(self._socket, server_hostname=host)
        except ssl.SSLError as error:
            raise TargetError(f"{self.address}: TLS: {getattr(error, 'verify_message', '') or error.reason}") from error
        except OSError as error:
            raise RetriableError(f"{self.address}: TLS: {error.strerror or error}") from error

    def _negotiated(self) -> dict[str, int]:
        """The newest version of each API that both sides know."""
        try:
            answer = self._versions_answer()
        except RetriableError as error:
            tls = "TLS" if self._config.tls is None else "no TLS"
            raise RetriableError(f"{error.message} (does it speak {tls} here?)") from error
        check(answer["ErrorCode"], f"{self.address}: ApiVersions")
        found = {}
        for each in answer["ApiKeys"]:
            api = apis().get(each["ApiKey"])
            if api is None:
                continue
            known = valid_versions(api)
            newest = min(each["MaxVersion"], known[-1], _NEWEST.get(api, known[-1]))
            if newest >= max(each["MinVersion"], known[0]):
                found[api] = newest
        return found

    def _versions_answer(self) -> Value:
        self._send("ApiVersions", _VERSIONS_VERSION, _SOFTWARE)
        try:
            answer = self.receive()
            is_known = answer["ErrorCode"] != ErrorCode.UNSUPPORTED_VERSION
        except RetriableError:
            raise
        except TargetError:
            is_known = False
        if not is_known:  # a broker before 2.4 answers in version 0, the only one it knows
            self._send("ApiVersions", 0, {})
            answer = self.receive()
        return answer

    def _authenticate(self, mechanism: str) -> None:
        """Authenticate by SASL.

        Raises:
            TargetError: the broker does not let the user in.
        """
        answer = self.call("SaslHandshake", {"Mechanism": mechanism})
        if answer["ErrorCode"] == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
            raise TargetError(f"{self.address}: SASL: the broker only supports {', '.join(answer['Mechanisms'])}")
        check(answer["ErrorCode"], f"{self.address}: SaslHandshake")
        answers: list[bytes] = []
        tokens = sasl.exchange(mechanism, self._config.user, self._config.password, lambda: answers[-1])
        for token in tokens:
            answer = self.call("SaslAuthenticate", {"AuthBytes": token})
            check(answer["ErrorCode"], f"{self.address}: user {self._config.user}", answer["ErrorMessage"])
            answers.append(bytes(answer["AuthBytes"]))
