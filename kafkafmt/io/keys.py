"""Private keys by name, for tiers with encrypted chunks. Only paths are kept, shown and pickled."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from kafkafmt.codec import encryption
from kafkafmt.errors import DataError, KafkafmtError, SourceError, UnsupportedError
from kafkafmt.io.source import Source, locate, read_bytes

VARIABLE: Final = "KAFKAFMT_DECRYPTION_KEYS"
"""The environment variable for keys, as `key1=/path,key2=/path`, if the caller gives none."""

_MAX_PEM_BYTES = 64 * 1024


@dataclass(frozen=True)
class DecryptionKeys:
    """Private keys, which are read when a segment needs them.

    Attributes:
        paths: paths of PEM files, by the name of the key pair.
    """

    paths: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: "Mapping[str, Source] | None") -> "DecryptionKeys":
        """The caller's keys, or those of the environment variable.

        Args:
            given: paths or URIs by name, or None for the environment variable.

        Raises:
            TypeError: the keys are not a mapping of names to paths.
            ValueError: the environment variable is malformed.
        """
        if given is None:
            return cls(keys_of_environment())
        if not isinstance(given, Mapping):
            raise TypeError(f"decryption_keys must be a mapping of names to paths, not {given!r}")
        for name, path in given.items():
            if not isinstance(name, str) or not isinstance(path, (str, os.PathLike)):
                raise TypeError("decryption_keys must map names to paths of PEM files")
        return cls({**keys_of_environment(), **{name: os.fspath(given[name]) for name in given}})

    def check(self) -> None:
        """Check that all keys are readable private keys.

        Raises:
            ValueError: a key is not.
        """
        for name, path in self.paths.items():
            try:
                encryption.load_private_key(read_bytes(locate(path), max_bytes=_MAX_PEM_BYTES))
            except KafkafmtError as error:
                raise ValueError(f"decryption_keys: {name!r} is not a private key that can be read: {error}") from error

    def unwrap(self, key_id: str, wrapped: bytes) -> bytes:
        """Decrypt the data key of a segment.

        Args:
            key_id: name of the key pair.
            wrapped: the encrypted data key.

        Raises:
            UnsupportedError: the key is missing, its file cannot be read, or `cryptography` is not installed.
            CorruptError: the key is a different one, or not a private key.
        """
        path = self.paths.get(key_id)
        if path is None:
            raise UnsupportedError(
                f"encrypted for the key {key_id!r}: name its file as --key-file {key_id}=PATH or in decryption_keys",
                expected=f"one of {', '.join(map(repr, self.paths))}" if self.paths else None,
            )
        try:
            return _unwrapped(path, wrapped)
        except DataError as error:
            # The key's path is not a position in the data.
            message = f"{error.message} (key {key_id!r}, {path})"
            raise type(error)(message, expected=error.expected, found=error.found) from error


def keys_of_environment() -> dict[str, str]:
    """Paths of private keys by name, from the environment variable; empty if it is not set.

    Raises:
        ValueError: the variable is malformed.
    """
    keys = {}
    for part in filter(None, (each.strip() for each in os.environ.get(VARIABLE, "").split(","))):
        name, equals, path = part.partition("=")
        if not (name and equals and path):
            # The value is not quoted: if a user put the key itself into the variable, it would end up in a log.
            raise ValueError(f"the environment variable {VARIABLE} must be NAME=PATH,NAME=PATH")
        keys[name] = path
    return keys


@lru_cache(maxsize=4096)
def _unwrapped(path: str, wrapped: bytes) -> bytes:
    try:
        pem = read_bytes(locate(path), max_bytes=_MAX_PEM_BYTES)
    except SourceError as error:
        # UnsupportedError is damage of the segments that need this key; a SourceError would end all reading.
        raise UnsupportedError(f"the private key cannot be read: {error.message}") from error
    return encryption.unwrap_key(encryption.load_private_key(pem), wrapped)
