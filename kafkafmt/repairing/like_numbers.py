"""Replacement numbers for redaction: with as many bytes and the same sign as the original, and no larger."""

from typing import Final

_GROUP: Final = 0x7F
_SIGN: Final = 1
_FRACTIONS: Final = {4: (2, 0x7F), 8: (6, 0x0F)}
"""For each size of a float: number of lowest bytes that are only fraction, and bits of the next byte that are."""
_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1


def smaller_varint(found: bytes, digest: bytes) -> bytes:
    """A zigzag varint with the same sign and number of bytes, and no larger.

    Args:
        found: bytes of the original.
        digest: random bytes, as many as in `found`.
    """
    groups = [byte & _GROUP for byte in found]
    made = [byte & _GROUP for byte in digest]
    # The highest group of bits stays above 0, to keep the size; once it is smaller, the others may have any value.
    top = max(index for index, group in enumerate(groups) if group or not index)
    if groups[top] > 1 and top:
        made[top] = 1 + made[top] % (groups[top] - 1)
    else:
        made = [each & group for each, group in zip(made, groups, strict=True)]
        made[top] = groups[top] if top else made[top]
    made[top + 1 :] = groups[top + 1 :]
    made[0] = made[0] & ~_SIGN | groups[0] & _SIGN
    return bytes(each | (byte & ~_GROUP & 0xFF) for each, byte in zip(made, found, strict=True))


def same_magnitude(found: bytes, digest: bytes) -> bytes:
    """A float or double with the same sign and power of two; infinities and NaN stay the same.

    Args:
        found: the original's 4 or 8 bytes.
        digest: random bytes, as many as in `found`.
    """
    whole, bits = _FRACTIONS[len(found)]
    exponent = int.from_bytes(found, "little") >> (8 * whole + bits.bit_length())
    most = (1 << (8 * len(found) - 8 * whole - bits.bit_length() - 1)) - 1
    if exponent & most == most:
        return found
    made = bytearray(digest[:whole] + found[whole:])
    made[whole] = found[whole] & ~bits & 0xFF | digest[whole] & bits
    return bytes(made)


def smaller_decimal(found: bytes, digest: bytes) -> bytes:
    """The two's complement, highest byte first, of a number with the same sign, and no larger.

    Args:
        found: bytes of the original.
        digest: random bytes, as many as in `found`.
    """
    number = int.from_bytes(found, "big", signed=True)
    size = max(abs(number), 1)
    made = int.from_bytes(digest, "big") % size
    return (-made if number < 0 else made).to_bytes(len(found), "big", signed=True)


def smaller_digits(digits: str, digest: bytes, *, is_negative: bool) -> str:
    """The same number of decimal digits, for no larger a number; a negative number does not become zero.

    Args:
        digits: digits of the original.
        digest: random bytes, as many as in `digits`.
        is_negative: whether a minus sign precedes the digits.
    """
    most = int(digits)
    least = int(is_negative and most > 0)
    return str(least + int.from_bytes(digest, "little") % (most + 1 - least)).zfill(len(digits))


def smaller_fixed(found: bytes, digest: bytes, *, signed: bool) -> bytes:
    """A number of fixed size, lowest byte first, with the same sign and no larger.

    Args:
        found: bytes of the original.
        digest: random bytes, as many as in `found`.
        signed: whether it is in two's complement.
    """
    number = int.from_bytes(found, "little", signed=signed)
    made = _smaller(number, int.from_bytes(digest, "little"))
    return made.to_bytes(len(found), "little", signed=signed)


def smaller_plain_varint(found: bytes, digest: bytes, bits: int | None) -> bytes:
    """A varint without zigzag encoding, with as many bytes.

    Args:
        found: bytes of the original.
        digest: random bytes, at least as many as in `found`.
        bits: 32 or 64 if it is in two's complement with that many bits; else None.
    """
    raw, chance = varint_of(found) & _MASK_64, int.from_bytes(digest, "little")
    if bits is not None and raw >> (bits - 1) & 1:
        number = (raw & (1 << bits) - 1) - (1 << bits)
        # Clients write negative 32-bit numbers in ten bytes, some in five.
        return padded_varint(_smaller(number, chance) & (_MASK_64 if raw > _MASK_32 else _MASK_32), len(found))
    least = 1 << 7 * (len(found) - 1) if len(found) > 1 else 0
    made = least + chance % (raw - least + 1) if raw >= least else _smaller(raw, chance)
    return padded_varint(made, len(found))


def varint_of(found: bytes) -> int:
    """The number that a varint's bytes encode."""
    return sum((byte & _GROUP) << 7 * place for place, byte in enumerate(found))


def padded_varint(number: int, size: int) -> bytes:
    """A varint of a given length; surplus bytes are 0, which readers accept."""
    return bytes(number >> 7 * place & _GROUP | (_GROUP + 1 if place < size - 1 else 0) for place in range(size))


def _smaller(number: int, chance: int) -> int:
    return -1 - chance % -number if number < 0 else chance % (number + 1)
