"""The client's side of SASL exchanges: PLAIN (RFC 4616), SCRAM-SHA-256 and -512 (RFC 5802, RFC 7677)."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator
from typing import Final

from kafkafmt.replaying.errors import TargetError

_NONCE_BYTES: Final = 24
# RFC 7677 requires this many; the upper bound limits the CPU time that a broker can ask for.
_FEWEST_ITERATIONS: Final = 4096
_MOST_ITERATIONS: Final = 10_000_000

Exchange = Iterator[bytes]
"""Yields the tokens to send."""


def exchange(mechanism: str, user: str, password: str, answer: Callable[[], bytes]) -> Exchange:
    """The tokens to send, one after another.

    Args:
        mechanism: "PLAIN", "SCRAM-SHA-256" or "SCRAM-SHA-512".
        user: name of the user.
        password: password of the user.
        answer: gives the broker's answer to the previous token.

    Raises:
        TargetError: from the iterator, if the broker does not know the password either, or its answer is not SCRAM's.
    """
    if mechanism == "PLAIN":
        return iter((f"\0{user}\0{password}".encode(),))
    return scram(mechanism.removeprefix("SCRAM-").replace("-", "").lower(), user, password, answer)


def scram(
    algorithm: str, user: str, password: str, answer: Callable[[], bytes], *, nonce: str | None = None
) -> Exchange:
    """The tokens of SCRAM without channel binding.

    Args:
        algorithm: hash algorithm as named by hashlib, "sha256" or "sha512".
        user: name of the user.
        password: password of the user.
        answer: as for `exchange`.
        nonce: the client's part of the nonce; None for a random one.

    Raises:
        TargetError: as for `exchange`.
    """
    own = nonce or secrets.token_urlsafe(_NONCE_BYTES)
    name = user.replace("=", "=3D").replace(",", "=2C")
    bare = f"n={name},r={own}"
    yield f"n,,{bare}".encode()
    first = _fields(answer())
    both, iterations = first.get("r", ""), first.get("i", "")
    salt = _decoded(first.get("s", ""))
    if not both.startswith(own) or both == own or not iterations.isdecimal():
        raise TargetError("SASL: the broker's answer is not one of SCRAM")
    if not _FEWEST_ITERATIONS <= int(iterations) <= _MOST_ITERATIONS:
        raise TargetError(f"SASL: the broker asks for {iterations} iterations")
    salted = hashlib.pbkdf2_hmac(algorithm, password.encode(), salt, int(iterations))
    client_key = hmac.digest(salted, b"Client Key", algorithm)
    unproven = f"c={base64.b64encode(b'n,,').decode()},r={both}"
    signed = f"{bare},{first['']},{unproven}".encode()
    signature = hmac.digest(hashlib.new(algorithm, client_key).digest(), signed, algorithm)
    proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
    yield f"{unproven},p={base64.b64encode(proof).decode()}".encode()
    last = _fields(answer())
    expected = hmac.digest(hmac.digest(salted, b"Server Key", algorithm), signed, algorithm)
    if not hmac.compare_digest(_decoded(last.get("v", "")), expected):
        raise TargetError("SASL: the broker does not know the user's password: it may not be the real one")


def _fields(token: bytes) -> dict[str, str]:
    """The fields of a message by their letters, and the whole text by the empty string."""
    text = token.decode("utf-8", "replace")
    pairs = (part.partition("=") for part in text.split(","))
    return {"": text, **{letter: value for letter, _, value in pairs if letter}}


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise TargetError("SASL: the broker's answer is not one of SCRAM") from error
