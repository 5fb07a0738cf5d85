"""Secrets: which values are, and what stands in their place unless they are asked for."""

import hashlib
import re
import secrets

_KEY = secrets.token_bytes(16)

_SECRET_NAME = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|private|certificate\.chain|truststore\.certificates|key",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(r"(?:.*\.)?ssl\.keystore\.(?:location|type)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"PRIVATE KEY-----|LoginModule|\bpassword\s*=", re.IGNORECASE)

REDACTED_TEXT = "[redacted]"
"""What is printed in place of a secret."""


class Redacted:
    """Stands for a value that is not told; two of them are equal if the values were.

    What it compares by is a keyed hash whose key dies with the process: nothing of the value can be got back from it.
    """

    __slots__ = ("_digest",)

    def __init__(self, value: str | bytes) -> None:
        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        self._digest = hashlib.blake2b(data, key=_KEY, digest_size=16).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Redacted) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return REDACTED_TEXT


def is_sensitive(name: str, value: str | None) -> bool:
    """Whether the value of a config is a secret: by its name, or since it looks like a key or a login of JAAS.

    Kafka's own list of such configs (those of type PASSWORD) is part of it; of names that Kafka does not know it takes
    every one for a secret, which here their words decide.
    """
    if value is not None and _SECRET_VALUE.search(value):
        return True
    return _SECRET_NAME.search(name) is not None and _HARMLESS_NAME.fullmatch(name) is None
