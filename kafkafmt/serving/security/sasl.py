"""SASL of a port: SaslHandshake (versions 0 and 1), SaslAuthenticate (0 to 2), as Kafka's SaslServerAuthenticator.

A connection begins with an optional ApiVersions, then SaslHandshake, which names a mechanism. After version 0 of the
handshake bare tokens follow, each with its size; after version 1 they are in SaslAuthenticate. Any other request, and
any failure, ends the connection after `connection.failed.authentication.delay.ms`, which slows guessing down.
Afterwards, and on a port without SASL, both APIs are answered with ILLEGAL_SASL_STATE. Sessions do not expire.
"""

import hmac
import secrets
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.frames import RequestFrame, read_request, response
from kafkafmt.protocol.schemas import api_key, messages, versions
from kafkafmt.serving.api import Broker, Handlers, Request, refused
from kafkafmt.serving.security.exchanges import Exchange, PlainExchange, SaslError, ScramExchange, Verifiers

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Value
    from kafkafmt.protocol.message_bytes import Part

MOST_BYTES: Final = 64 * 2**10
"""The largest request before a client has authenticated, in bytes; strangers get no more memory.

A broker accepts 512 KiB (`sasl.server.max.receive.size`), for tokens of Kerberos and OAuth, which are not offered here.
"""

DELAY_SECONDS: Final = 0.1
"""`connection.failed.authentication.delay.ms`."""

_FIRST_APIS = frozenset({api_key("ApiVersions"), api_key("SaslHandshake")})
_ALGORITHMS = {"SCRAM-SHA-512": "sha512", "SCRAM-SHA-256": "sha256"}  # in a broker's order


class LoginError(Exception):
    """Raised when a client is not let in: its connection is to be closed after the delay, with or without an answer.

    Attributes:
        answer: the parts of the answer; empty for none.
    """

    def __init__(self, reason: str, answer: "Sequence[Part]" = ()) -> None:
        super().__init__(reason)
        self.answer = answer


class Credentials:
    """The only user of a port. The password itself is not kept.

    Args:
        user: name of the user.
        password: password of the user.
    """

    def __init__(self, user: str, password: str) -> None:
        self._seed = secrets.token_bytes(32)
        self._plain = self._digest(user, password)
        self._verifiers = {name: Verifiers(hashed, user, password) for name, hashed in _ALGORITHMS.items()}

    @property
    def mechanisms(self) -> list[str]:
        """Names of the offered mechanisms."""
        return ["PLAIN", *self._verifiers]

    def exchange(self, mechanism: str) -> Exchange:
        """Begin an exchange by one of the mechanisms."""
        if mechanism == "PLAIN":
            return PlainExchange(self._is_right)
        return ScramExchange(self._verifiers[mechanism].of)

    def _is_right(self, user: str, password: str) -> bool:
        return hmac.compare_digest(self._digest(user, password), self._plain)

    def _digest(self, user: str, password: str) -> bytes:
        return hmac.digest(self._seed, f"{user}\0{password}".encode(), "sha256")


class Login:
    """The authentication of one connection.

    Args:
        credentials: the user that is let in.
        note: called with each request answered here, except bare tokens.
    """

    def __init__(self, credentials: Credentials, note: Callable[[RequestFrame], None]) -> None:
        self._credentials, self._note = credentials, note
        self._exchange: Exchange | None = None
        self._mechanism = ""
        self._has_bare_tokens = self._knows_versions = False

    @property
    def user(self) -> str | None:
        """The authenticated user; None until then."""
        return None if self._exchange is None else self._exchange.user

    def answer(self, data: memoryview) -> "Sequence[Part] | None":
        """Answer a request, given without its size; None for ApiVersions, which is answered as usual.

        Raises:
            LoginError: the client is not let in.
            KafkafmtError: the bytes are not a request.
        """
        if self._exchange is not None and self._has_bare_tokens:
            try:
                token = self._exchange.answer(bytes(data))
            except SaslError as error:
                raise self._failure(error) from None
            return [struct.pack(">i", len(token)), token]
        if self._exchange is None and int.from_bytes(data[:2]) not in _FIRST_APIS:
            # The content of the request is ignored.
            raise LoginError("a request before authentication (the client needs security.protocol SASL_...)")
        frame = read_request(data)
        if self._exchange is None and frame.api == "ApiVersions":
            if self._knows_versions:
                raise LoginError("ApiVersions again before authentication")
            self._knows_versions = frame.body is not None
            return None
        self._note(frame)
        return self._handshake(frame) if self._exchange is None else self._authenticate(frame, self._exchange)

    def _handshake(self, frame: RequestFrame) -> "Sequence[Part]":
        if frame.body is None:
            raise LoginError(f"SaslHandshake version {frame.version} is not supported")
        mechanism, known = frame.body["Mechanism"], self._credentials.mechanisms
        is_known = mechanism in known
        code = ErrorCode.NONE if is_known else ErrorCode.UNSUPPORTED_SASL_MECHANISM
        answer = _response(frame, {"ErrorCode": code, "Mechanisms": known})
        if not is_known:
            raise LoginError(f"a mechanism of SASL other than {', '.join(known)}", answer)
        self._mechanism, self._exchange = mechanism, self._credentials.exchange(mechanism)
        self._has_bare_tokens = frame.version == 0
        return answer

    def _authenticate(self, frame: RequestFrame, exchange: Exchange) -> "Sequence[Part]":
        if frame.body is None:
            raise LoginError(f"{frame.api} version {frame.version} is not supported")
        if frame.api != "SaslAuthenticate":
            raise LoginError(f"{frame.api} in the middle of authentication", _illegal(frame))
        try:
            token = exchange.answer(bytes(frame.body["AuthBytes"]))
        except SaslError as error:
            said = error.said or (
                f"Authentication failed during authentication due to invalid credentials with SASL mechanism "
                f"{self._mechanism}"
            )
            body = refused(ErrorCode.SASL_AUTHENTICATION_FAILED, said) | {"AuthBytes": b""}
            raise self._failure(error, _response(frame, body)) from None
        # Kafka's message is empty rather than null.
        return _response(frame, refused(ErrorCode.NONE, "") | {"AuthBytes": token})

    def _failure(self, error: SaslError, answer: "Sequence[Part]" = ()) -> LoginError:
        return LoginError(f"{self._mechanism} has failed: {error}", answer)


def _illegal(frame: RequestFrame) -> "Sequence[Part]":
    """ILLEGAL_SASL_STATE, if the API's answers have an error code at the top level."""
    fields = messages().get(f"{frame.api}Response", {}).get("fields", ())
    if not any(field["name"] == "ErrorCode" and frame.version in versions(field["versions"]) for field in fields):
        return ()
    return _response(frame, {"ErrorCode": ErrorCode.ILLEGAL_SASL_STATE})


def _response(frame: RequestFrame, body: "Value") -> "Sequence[Part]":
    return response(frame.api, frame.version, frame.correlation_id, body)


async def sasl_handshake(_: Broker, __: Request) -> "Value":
    """ILLEGAL_SASL_STATE: there is nothing to authenticate."""
    return {"ErrorCode": ErrorCode.ILLEGAL_SASL_STATE, "Mechanisms": []}


async def sasl_authenticate(_: Broker, __: Request) -> "Value":
    """ILLEGAL_SASL_STATE: there is nothing to authenticate."""
    message = "SaslAuthenticate request received after successful authentication"
    return refused(ErrorCode.ILLEGAL_SASL_STATE, message) | {"AuthBytes": b""}


HANDLERS: Handlers = {"SaslHandshake": sasl_handshake, "SaslAuthenticate": sasl_authenticate}
