"""RSA/NONE/OAEPWithSHA3-512AndMGF1Padding, as Aiven's plugin encrypts data keys: an independent encoder for tests."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import rsa

HASH = 64


def padded(size: int, message: bytes, seed: bytes, *, label: bytes = b"", first: int = 0, mark: int = 1) -> bytes:
    """EME-OAEP (RFC 8017, 7.1.1)."""
    zeros = bytes(size - len(message) - 2 * HASH - 2)
    block = hashlib.sha3_512(label).digest() + zeros + bytes([mark]) + message
    masked = _xor(block, _mgf1(seed, len(block)))
    return bytes([first]) + _xor(seed, _mgf1(masked, HASH)) + masked


def encrypt(key: rsa.RSAPrivateKey, block: bytes) -> bytes:
    """Encrypt a block that is already padded."""
    numbers = key.public_key().public_numbers()
    return pow(int.from_bytes(block, "big"), numbers.e, numbers.n).to_bytes(key.key_size // 8, "big")


def wrap(key: rsa.RSAPrivateKey, message: bytes, seed: bytes) -> bytes:
    """Pad and encrypt."""
    return encrypt(key, padded(key.key_size // 8, message, seed))


def _mgf1(seed: bytes, size: int) -> bytes:
    mask = b""
    while len(mask) < size:
        mask += hashlib.sha3_512(seed + (len(mask) // HASH).to_bytes(4, "big")).digest()
    return mask[:size]


def _xor(one: bytes, two: bytes) -> bytes:
    return (int.from_bytes(one, "big") ^ int.from_bytes(two, "big")).to_bytes(len(one), "big")
