"""Decrypts chunks that a RemoteStorageManager has encrypted: AES-256-GCM, with a key encrypted by RSA (OAEP, SHA3-512).

As in Aiven's plugin (`AesEncryptionProvider`, `RsaEncryptionProvider`), a chunk consists of IV, ciphertext and tag; the
data key and the additional data belong to a segment. `cryptography`, the extra `tiered`, provides AES and reads private
keys. Its OAEP lacks SHA3-512, so the padding is undone here (RFC 8017, 7.1.2).
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import CorruptError, UnsupportedError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateNumbers

IV_SIZE = 12
TAG_SIZE = 16
OVERHEAD = IV_SIZE + TAG_SIZE
"""Size of an encrypted chunk minus that of the plain chunk, in bytes."""

KEY_SIZE = 32
# SHA3-512, the hash of the RSA-OAEP padding of data keys.
_HASH_SIZE = 64


@lru_cache(maxsize=16)
def load_private_key(pem: bytes) -> "RSAPrivateNumbers":
    """Read a private key.

    Args:
        pem: PKCS#8 in PEM, not encrypted.

    Raises:
        CorruptError: the key is not an RSA key.
        UnsupportedError: the key is encrypted, or `cryptography` is not installed.
    """
    serialization: Any = _cryptography("serialization")
    try:
        key = serialization.load_pem_private_key(pem, None)
    except TypeError as error:
        raise UnsupportedError("the private key is encrypted with a password") from error
    except (ValueError, _cryptography("", "exceptions").UnsupportedAlgorithm):
        raise CorruptError("not a private key in PEM") from None  # the cause's text may quote the key
    if not hasattr(key, "private_numbers") or not hasattr(key.private_numbers(), "iqmp"):
        raise CorruptError("not an RSA private key")
    numbers: RSAPrivateNumbers = key.private_numbers()
    return numbers


def unwrap_key(private: "RSAPrivateNumbers", wrapped: bytes) -> bytes:
    """Decrypt a data key.

    Args:
        private: the private key for which it was encrypted.
        wrapped: the encrypted data key.

    Returns:
        The data key, 32 bytes.

    Raises:
        CorruptError: it was encrypted for another key, or is damaged; RSA cannot distinguish the two.
    """
    size = (private.public_numbers.n.bit_length() + 7) // 8
    number = int.from_bytes(wrapped, "big")
    if len(wrapped) != size or number >= private.public_numbers.n or size < 2 * _HASH_SIZE + 2:
        raise CorruptError("the data key does not have the private key's size", expected=size, found=len(wrapped))
    one = pow(number, private.dmp1, private.p)
    two = pow(number, private.dmq1, private.q)
    padded = (two + (one - two) * private.iqmp % private.p * private.q).to_bytes(size, "big")
    seed = _xor(padded[1 : 1 + _HASH_SIZE], _mask(padded[1 + _HASH_SIZE :], _HASH_SIZE))
    block = _xor(padded[1 + _HASH_SIZE :], _mask(seed, size - _HASH_SIZE - 1))
    zeros, one_byte, key = block[_HASH_SIZE:].partition(b"\1")
    if padded[0] or block[:_HASH_SIZE] != _hash(b"") or any(zeros) or not one_byte or len(key) != KEY_SIZE:
        raise CorruptError("the private key does not decrypt the data key: it is another key, or the data are damaged")
    return key


class ChunkCipher:
    """Decrypts the chunks of one segment.

    Args:
        key: data key, 32 bytes.
        aad: additional data that each chunk's tag covers.

    Raises:
        UnsupportedError: `cryptography` is not installed.
    """

    def __init__(self, key: bytes, aad: bytes) -> None:
        self._cipher = _cryptography("ciphers.aead").AESGCM(key)
        self._aad = aad
        self._invalid = _cryptography("", "exceptions").InvalidTag

    def decrypt_into(self, chunk: memoryview, target: memoryview) -> int:
        """Decrypt a chunk into a buffer, cutting the output to its size; return the number of bytes of output.

        Raises:
            CorruptError: as for `decrypt`.
        """
        into = getattr(self._cipher, "decrypt_into", None)
        if into is None or len(chunk) - OVERHEAD != len(target):  # `cryptography` has it since version 47
            plain = memoryview(self.decrypt(chunk))[: len(target)]
            target[: len(plain)] = plain
            return len(plain)
        try:
            size: int = into(bytes(chunk[:IV_SIZE]), chunk[IV_SIZE:], self._aad, target)
        except self._invalid as error:
            raise CorruptError("the tag of the encrypted bytes does not verify") from error
        return size

    def decrypt(self, chunk: memoryview) -> bytes:
        """Decrypt a chunk.

        Args:
            chunk: IV, ciphertext and tag.

        Raises:
            CorruptError: the chunk is too short, or its tag does not verify.
        """
        if len(chunk) < OVERHEAD:
            raise CorruptError("an encrypted chunk is too short", expected=f"at least {OVERHEAD}", found=len(chunk))
        try:
            plain: bytes = self._cipher.decrypt(bytes(chunk[:IV_SIZE]), chunk[IV_SIZE:], self._aad)
        except self._invalid as error:
            raise CorruptError("the tag of the encrypted bytes does not verify") from error
        return plain


def _cryptography(name: str, package: str = "hazmat.primitives") -> Any:  # noqa: ANN401 - a module
    import importlib  # noqa: PLC0415 - as below

    try:
        return importlib.import_module(f"cryptography.{package}.{name}".rstrip("."))
    except ImportError as error:
        raise UnsupportedError(
            "an encrypted tier needs cryptography: pip install 'kafkafmt[tiered]'", found=str(error)
        ) from error


def _mask(seed: bytes, size: int) -> bytes:
    """MGF1 (RFC 8017, B.2.1)."""
    blocks = (_hash(seed + number.to_bytes(4, "big")) for number in range(-(-size // _HASH_SIZE)))
    return b"".join(blocks)[:size]


def _xor(one: bytes, two: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, two, strict=True))


def _hash(data: bytes) -> bytes:
    from hashlib import sha3_512  # noqa: PLC0415 - it loads OpenSSL

    return sha3_512(data).digest()
