"""Redaction: bytes of records replaced by others of the same length, equal ones by equal ones."""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from typing import Final, Literal, get_args

from kafkafmt.reference.record import Header

Part = Literal["keys", "values", "headers"]
"""The parts to redact: keys, values, or the values of headers."""

PARTS: Final[tuple[Part, ...]] = get_args(Part)
DISTINCT_FROM: Final = 8
"""Size from which on distinct bytes stay distinct (with odds of one in 2^64); shorter ones may coincide."""

_SALT_BYTES: Final = 32


class Redaction:
    """Replaces bytes by a keyed hash (SHAKE-256); null and empty ones stay.

    Args:
        parts: the parts to redact.
        salt: the key; None for a random one, which is not stored.

    Attributes:
        met_short: whether something shorter than `DISTINCT_FROM` bytes was replaced.

    Raises:
        ValueError: the part does not exist.
    """

    def __init__(self, parts: Collection[Part], salt: str | bytes | None = None) -> None:
        unknown = sorted(set(parts) - set(PARTS))
        if unknown:
            raise ValueError(f"redact must be some of {', '.join(map(repr, PARTS))}, not {unknown[0]!r}")
        self._parts = frozenset(parts)
        key = secrets.token_bytes(_SALT_BYTES) if salt is None else salt.encode() if isinstance(salt, str) else salt
        # Of a fixed length, so that no other salt and data give the same input.
        self._key = hashlib.sha256(key).digest()
        self.met_short = False

    def __bool__(self) -> bool:
        """Whether anything is replaced."""
        return bool(self._parts)

    def key(self, data: bytes | None) -> bytes | None:
        """The key that a record gets."""
        return self._replaced(data) if "keys" in self._parts else data

    def value(self, data: bytes | None) -> bytes | None:
        """The value that a record gets."""
        return self._replaced(data) if "values" in self._parts else data

    def headers(self, headers: Sequence[Header]) -> Sequence[Header]:
        """The headers that a record gets: names stay."""
        if "headers" not in self._parts:
            return headers
        return [(name, self._replaced(data)) for name, data in headers]

    def _replaced(self, data: bytes | None) -> bytes | None:
        if not data:
            return data
        self.met_short = self.met_short or len(data) < DISTINCT_FROM
        return hashlib.shake_256(self._key + data).digest(len(data))
