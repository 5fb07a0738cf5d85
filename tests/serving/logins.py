"""A client that authenticates exactly by RFC 4616 and RFC 5802."""

import base64
import hashlib
import hmac
import struct
from collections.abc import Generator
from pathlib import Path

from kafkafmt.protocol.codec import Value
from tests.serving.wire import Wire

ALGORITHMS = {"SCRAM-SHA-512": "sha512", "SCRAM-SHA-256": "sha256"}
MECHANISMS = ("PLAIN", *ALGORITHMS)


def password_file(directory: Path, content: bytes) -> str:
    """A file for `sasl_password_file` that only its owner can read."""
    path = directory / "password"
    path.write_bytes(content)
    path.chmod(0o600)
    return str(path)


def tokens(mechanism: str, user: str, password: str) -> Generator[bytes, bytes, None]:
    """Yield the tokens of a client; the server's are sent to the generator."""
    if mechanism == "PLAIN":
        yield f"\0{user}\0{password}".encode()
        return
    algorithm, first = ALGORITHMS[mechanism], f"n={user},r=abcdef"
    answer = (yield f"n,,{first}".encode()).decode()
    nonce, salt, iterations = (field.partition("=")[2] for field in answer.split(","))
    assert nonce.startswith("abcdef")
    salted = hashlib.pbkdf2_hmac(algorithm, password.encode(), base64.b64decode(salt), int(iterations))
    key = hmac.digest(salted, b"Client Key", algorithm)
    signed = f"{first},{answer},c=biws,r={nonce}".encode()
    signature = hmac.digest(hashlib.new(algorithm, key).digest(), signed, algorithm)
    proof = base64.b64encode(bytes(one ^ other for one, other in zip(key, signature, strict=True)))
    last = yield f"c=biws,r={nonce},p=".encode() + proof
    assert base64.b64decode(last[2:]) == hmac.digest(hmac.digest(salted, b"Server Key", algorithm), signed, algorithm)


def log_in(wire: Wire, mechanism: str, user: str, password: str, version: int = 2) -> Value:
    """Authenticate and return the last answer, which may be a refusal."""
    answer = wire.ask("SaslHandshake", {"Mechanism": mechanism}, 1)
    assert answer == {"ErrorCode": 0, "Mechanisms": list(MECHANISMS)}
    dialogue = tokens(mechanism, user, password)
    token: bytes | None = next(dialogue)
    while token is not None:
        answer = wire.ask("SaslAuthenticate", {"AuthBytes": token}, version)
        if answer["ErrorCode"]:
            return answer
        token = _next(dialogue, bytes(answer["AuthBytes"]))
    return answer


def log_in_with_bare_tokens(wire: Wire, mechanism: str, user: str, password: str) -> bool:
    """Authenticate after version 0 of SaslHandshake; return whether the server continues."""
    assert wire.ask("SaslHandshake", {"Mechanism": mechanism}, 0)["ErrorCode"] == 0
    dialogue = tokens(mechanism, user, password)
    token: bytes | None = next(dialogue)
    while token is not None:
        wire.send(struct.pack(">i", len(token)) + token)
        head = wire.exactly(4)
        if not head:
            return False
        token = _next(dialogue, wire.exactly(struct.unpack(">i", head)[0]))
    return True


def _next(dialogue: Generator[bytes, bytes, None], answer: bytes) -> bytes | None:
    try:
        return dialogue.send(answer)
    except StopIteration:
        return None
