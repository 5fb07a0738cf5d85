"""The server's side of SASL exchanges: PLAIN (RFC 4616), SCRAM-SHA-256 and -512 (RFC 5802, RFC 7677).

They follow Kafka (PlainSaslServer, ScramSaslServer, ScramFormatter): passwords are not normalised, `=2C` and `=3D` in
names of SCRAM are a comma and an equals sign, and an authorization id must be the user's own. They are stricter where
Kafka is laxer than the RFCs or reveals which users exist:

- SCRAM answers an unknown user like a known one with a wrong password: with a salt that is always the same for a name.
- The channel binding of the last message must be that of the first. "y", of clients that support bindings, is accepted
  like "n".
- The messages are authenticated as they came, with their extensions. Delegation tokens are refused.

librdkafka before 2.6.1 repeats its own nonce before that of the server (confluentinc/librdkafka#4895). Brokers up to
3.9 accept that, and brokers from 4.0 on refuse it. It is accepted here: the kcat of Linux distributions is older than
the fix.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

ITERATIONS: Final = 4096
"""Iterations of SCRAM: the default for a broker's users, and the fewest that clients accept."""

_SALT_BYTES = 24
_NONCE_BYTES = 24
_PLAIN_FIELDS = 3

_NAME = r"(?:[^=,\0]|=2C|=3D)+"
_NONCE = r"[!-+\--~]+"
_EXTENSIONS = r"(?:,[A-Za-z]+=[^,\0]+)*"
_BASE64 = r"[A-Za-z0-9+/]+={0,2}"
_FIRST = re.compile(
    rf"(?P<binding>[ny],(?:a=(?P<authorized>{_NAME}))?,)"
    rf"(?P<bare>n=(?P<name>{_NAME}),r=(?P<nonce>{_NONCE})(?P<extensions>{_EXTENSIONS}))"
)
_FINAL = re.compile(
    rf"(?P<unproven>c=(?P<binding>{_BASE64}),r=(?P<nonce>{_NONCE}){_EXTENSIONS}),p=(?P<proof>{_BASE64})"
)
_TOKEN = re.compile(",tokenauth=true(?:,|$)", re.IGNORECASE)

OTHER_USER = "Authentication failed: Client requested an authorization id that is different from username"


class SaslError(Exception):
    """Raised when an exchange fails.

    Attributes:
        said: text of the answer to the client; None for Kafka's sentence about invalid credentials.
    """

    def __init__(self, reason: str, said: str | None = None) -> None:
        super().__init__(reason)
        self.said = said


class Exchange(Protocol):
    """One client's exchange by one mechanism.

    Attributes:
        user: the authenticated user; None until then.
    """

    user: str | None

    def answer(self, token: bytes) -> bytes:
        """Answer a token of the client.

        Raises:
            SaslError: the client is not let in.
        """


class PlainExchange:
    """PLAIN: the client sends user and password. Error texts are those of a broker of Kafka 4.4.

    Args:
        is_right: whether a user has a password.
    """

    def __init__(self, is_right: Callable[[str, str], bool]) -> None:
        self._is_right = is_right
        self.user: str | None = None

    def answer(self, token: bytes) -> bytes:
        """Answer the client's only token with an empty one.

        Raises:
            SaslError: user or password is wrong, or the token is malformed.
        """
        fields = _text(token).split("\0")
        if len(fields) != _PLAIN_FIELDS:
            raise SaslError(
                "not a token of PLAIN", f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(fields)}"
            )
        authorized, user, password = fields
        for name, value in (("username", user), ("password", password)):
            if not value:
                raise SaslError(f"without {name}", f"Authentication failed: {name} not specified")
        if not self._is_right(user, password):
            raise SaslError("wrong user or password", "Authentication failed: Invalid username or password")
        if authorized not in ("", user):
            raise SaslError("the authorization id is another user", OTHER_USER)
        self.user = user
        return b""


@dataclass(frozen=True, slots=True, repr=False)
class Verifier:
    """The data about a password that a server keeps for SCRAM.

    Attributes:
        algorithm: hash algorithm, as named by hashlib.
        salt: salt of the password.
        stored_key: hash of the key with which the client proves that it knows the password.
        server_key: the key with which the server proves that it knows the password.
        iterations: iterations of PBKDF2.
    """

    algorithm: str
    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int = ITERATIONS

    @classmethod
    def of(cls, algorithm: str, password: str, salt: bytes, iterations: int = ITERATIONS) -> "Verifier":
        """Derive a verifier from a password."""
        salted = hashlib.pbkdf2_hmac(algorithm, password.encode(), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", algorithm)
        stored_key = hashlib.new(algorithm, client_key).digest()
        return cls(algorithm, salt, stored_key, hmac.digest(salted, b"Server Key", algorithm), iterations)


class Verifiers:
    """The verifiers of all users in one mechanism; those of unknown users let nobody in.

    Args:
        algorithm: hash algorithm, as named by hashlib.
        user: the only known user.
        password: password of that user.
    """

    def __init__(self, algorithm: str, user: str, password: str) -> None:
        self._seed = secrets.token_bytes(_SALT_BYTES)
        self._user = self._digest(user)
        self._known = Verifier.of(algorithm, password, secrets.token_bytes(_SALT_BYTES))
        self._nobodys = secrets.token_bytes(len(self._known.stored_key))

    def of(self, user: str) -> Verifier:
        """The verifier of a user, found in the same time for known and unknown users."""
        digest = self._digest(user)
        stranger = Verifier(self._known.algorithm, digest[:_SALT_BYTES], self._nobodys, self._nobodys)
        return self._known if hmac.compare_digest(digest, self._user) else stranger

    def _digest(self, user: str) -> bytes:
        return hmac.digest(self._seed, user.encode(), "sha256")


class ScramExchange:
    """SCRAM: client and server both prove that they know the password.

    Args:
        verifier_of: gives the verifier of a user.
        nonce: the server's part of the nonce; None for a random one.
    """

    def __init__(self, verifier_of: Callable[[str], Verifier], *, nonce: str | None = None) -> None:
        self._verifier_of = verifier_of
        self._own_nonce = nonce or secrets.token_urlsafe(_NONCE_BYTES)
        self._verifier: Verifier | None = None
        self._name = self._binding = self._messages = ""
        self._nonces: tuple[str, ...] = ()
        self.user: str | None = None

    def answer(self, token: bytes) -> bytes:
        """Answer the client's first message with salt and nonce, its final one with the server's signature.

        Raises:
            SaslError: the proof is wrong, or the message is malformed.
        """
        return self._answer_first(_text(token)) if self._verifier is None else self._answer_final(_text(token))

    def _answer_first(self, message: str) -> bytes:
        first = _FIRST.fullmatch(message)
        if first is None:
            raise SaslError("not a first message of SCRAM without channel binding")
        if _TOKEN.search(first["extensions"]):
            raise SaslError("delegation tokens are not served")
        self._name = _name(first["name"])
        if first["authorized"] is not None and _name(first["authorized"]) != self._name:
            raise SaslError("the authorization id is another user", OTHER_USER)
        nonce = first["nonce"] + self._own_nonce
        self._binding, self._nonces = first["binding"], (nonce, first["nonce"] + nonce)
        self._verifier = self._verifier_of(self._name)
        salt = base64.b64encode(self._verifier.salt).decode()
        answer = f"r={nonce},s={salt},i={self._verifier.iterations}"
        self._messages = f"{first['bare']},{answer}"
        return answer.encode()

    def _answer_final(self, message: str) -> bytes:
        final, verifier = _FINAL.fullmatch(message), self._verifier
        if final is None or verifier is None or self.user is not None:
            raise SaslError("not a final message of SCRAM")
        if _bytes(final["binding"]) != self._binding.encode() or final["nonce"] not in self._nonces:
            raise SaslError("the final message of SCRAM belongs to another first one")
        signed = f"{self._messages},{final['unproven']}".encode()
        signature = hmac.digest(verifier.stored_key, signed, verifier.algorithm)
        proof = _bytes(final["proof"])
        if len(proof) != len(signature):
            raise SaslError("the proof of SCRAM has another length")
        client_key = bytes(one ^ other for one, other in zip(proof, signature, strict=True))
        if not hmac.compare_digest(hashlib.new(verifier.algorithm, client_key).digest(), verifier.stored_key):
            raise SaslError("wrong user or password")
        self.user = self._name
        return b"v=" + base64.b64encode(hmac.digest(verifier.server_key, signed, verifier.algorithm))


def _text(token: bytes) -> str:
    try:
        return token.decode()
    except UnicodeDecodeError:
        # The text of the original error would show the token.
        raise SaslError("the token is not UTF-8") from None


def _name(text: str) -> str:
    return text.replace("=2C", ",").replace("=3D", "=")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise SaslError("not Base64") from error
