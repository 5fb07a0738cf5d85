"""CRC-32 (IEEE 802.3) and CRC-32C (Castagnoli) in kernels, as there are too many messages for a library call each.

The two differ in their polynomial. The fastest way that the processor supports is used:

* x86-64 with `pclmulqdq` multiplies polynomials over GF(2) without carries. Input is folded: a block of 128 bits that
  is n blocks before another one is equivalent there to its two halves times a power of x modulo the CRC's polynomial.
  (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009.) Leading zeros
  change nothing as long as the register is zero, so the odd bytes are taken first, preceded by zeros, and none are
  left at the end.
* AArch64 with `crc` computes eight bytes per instruction (Arm Architecture Reference Manual, CRC32X and CRC32CX).
* Any other processor takes eight bytes per step from eight tables (Kounavis and Berry, "A Systematic Approach to
  Building High Performance Software-based CRC Generators", Intel, 2005).
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils

from kafkafmt.columnar.headers import Headers, Mask, Positions, UInt8s
from kafkafmt.columnar.kernels.access import byte_at, little_endian_uint64
from kafkafmt.columnar.kernels.blocks import (
    FEATURES,
    MACHINE,
    block_0,
    block_1,
    block_2,
    block_3,
    fold,
    high_half,
    in_front,
    load,
    load_four,
    low_half,
    masked,
    multiply,
    xor,
)
from kafkafmt.columnar.kernels.compiling import instructions, kernel, part, rare_part
from kafkafmt.reference.layout import CURRENT_MAGIC, crc_span

_ALL = 0xFFFFFFFF
_BLOCK = 16
_ROUND = 4 * _BLOCK


class Polynomial(NamedTuple):
    """A polynomial of degree 32 and its constants for kernels, with reflected bits: the lowest has the highest power.

    Attributes:
        whole: the polynomial itself, of 33 bits.
        x64_quotient: x^64 divided by it.
        x63: x^63 modulo it, in the upper half of the number, like the other powers.
        x95: x^95 modulo it.
        folds: the factors that move the two halves of a block by 1, 2, 3 and 4 blocks.
        tables: for each byte, and each number of zero bytes after it up to 7, the register after them.
    """

    whole: np.uint64
    x64_quotient: np.uint64
    x63: np.uint64
    x95: np.uint64
    folds: tuple[tuple[np.uint64, np.uint64], ...]
    tables: npt.NDArray[np.uint32]


def _polynomial(bits: int) -> Polynomial:
    """Compute the constants of a polynomial; `bits` leaves out the highest term, x^32."""
    return Polynomial(
        whole=np.uint64(bits << 1 | 1),
        x64_quotient=np.uint64(_quotient(bits, 64)),
        x63=_power(bits, 63),
        x95=_power(bits, 95),
        # Multiplying two reflected numbers of 64 bits gives x times their product, so exponents are one lower than they
        # seem.
        folds=tuple((_power(bits, 128 * n + 63), _power(bits, 128 * n - 1)) for n in range(1, 5)),
        tables=_tables(bits),
    )


def _power(polynomial: int, exponent: int) -> np.uint64:
    """Compute x^exponent modulo a polynomial."""
    power = 1 << 31
    for _ in range(exponent):
        power = power >> 1 ^ (polynomial if power & 1 else 0)
    return np.uint64(power << 32)


def _quotient(polynomial: int, exponent: int) -> int:
    """Compute x^exponent divided by a polynomial."""
    divisor = int(f"{polynomial:032b}"[::-1], 2) | 1 << 32
    dividend, quotient = 1 << exponent, 0
    for shift in range(exponent - 32, -1, -1):
        if dividend >> shift + 32 & 1:
            dividend ^= divisor << shift
            quotient |= 1 << shift
    return int(f"{quotient:0{exponent - 31}b}"[::-1], 2)


def _tables(polynomial: int) -> npt.NDArray[np.uint32]:
    table: npt.NDArray[Any] = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = table >> 1 ^ np.where(table & 1, np.uint32(polynomial), np.uint32(0))
    tables = [table]
    for _ in range(7):
        tables.append(tables[-1] >> 8 ^ table[tables[-1] & 0xFF])
    return np.stack(tables)


_IEEE = _polynomial(0xEDB88320)
_CASTAGNOLI = _polynomial(0x82F63B78)

# Loaded `n` bytes later, the first keeps the last n bytes of a block, and the second inverts the 4 bytes before its
# end.
_KEEPS_LAST = np.repeat(np.array([0, 0xFF], np.uint8), _BLOCK)
# A CRC that starts with all bits set equals one that starts with 0 and has its first four bytes inverted.
_INVERTS = np.repeat(np.array([0, 0xFF, 0], np.uint8), [_BLOCK, 4, 2 * _BLOCK])


@rare_part
def _by_tables(source: UInt8s, begin: int, end: int, polynomial: Polynomial) -> int:
    """Compute a CRC of source[begin:end] on any processor."""
    tables = polynomial.tables
    crc = np.uint64(_ALL)
    at = begin
    while end - at >= 8:
        word = little_endian_uint64(source, at) ^ crc
        crc = np.uint64(
            tables[7, word & np.uint64(0xFF)]
            ^ tables[6, word >> np.uint64(8) & np.uint64(0xFF)]
            ^ tables[5, word >> np.uint64(16) & np.uint64(0xFF)]
            ^ tables[4, word >> np.uint64(24) & np.uint64(0xFF)]
            ^ tables[3, word >> np.uint64(32) & np.uint64(0xFF)]
            ^ tables[2, word >> np.uint64(40) & np.uint64(0xFF)]
            ^ tables[1, word >> np.uint64(48) & np.uint64(0xFF)]
            ^ tables[0, word >> np.uint64(56)]
        )
        at += 8
    while at < end:
        crc = crc >> np.uint64(8) ^ np.uint64(tables[0, (crc ^ np.uint64(byte_at(source, at))) & np.uint64(0xFF)])
        at += 1
    return np.int64(crc ^ np.uint64(_ALL))  # type: ignore[return-value]


@part
def _by_folding(source: UInt8s, begin: int, end: int, polynomial: Polynomial) -> int:
    """Compute a CRC of source[begin:end] on x86-64 with `pclmulqdq`.

    The odd bytes are loaded together with the bytes before them, which must be in the array. The first four bytes are
    inverted, in place of the initial register.
    """
    if begin < _BLOCK or end - begin < 4:
        return _by_tables(source, begin, end, polynomial)
    by_1, by_2, by_3, by_4 = polynomial.folds
    odd = (end - begin - 1) % _BLOCK + 1
    at = begin + odd
    block = xor(masked(load(source, at - _BLOCK), load(_KEEPS_LAST, odd)), load(_INVERTS, odd))
    if at == end:
        return _reduced(block, polynomial)
    block = xor(fold(block, *by_1), xor(load(source, at), load(_INVERTS, odd + _BLOCK)))
    at += _BLOCK
    if end - at >= _ROUND:
        # Four blocks side by side keep the multiplier busy.
        four = xor(load_four(source, at), in_front(fold(block, *by_1)))
        at += _ROUND
        while end - at >= _ROUND:
            four = xor(fold(four, *by_4), load_four(source, at))
            at += _ROUND
        block = xor(
            xor(fold(block_0(four), *by_3), fold(block_1(four), *by_2)),
            xor(fold(block_2(four), *by_1), block_3(four)),
        )
    while at < end:
        block = xor(fold(block, *by_1), load(source, at))
        at += _BLOCK
    return _reduced(block, polynomial)


@part
def _reduced(block: Any, polynomial: Polynomial) -> int:
    """Compute the CRC of a folded input: its remainder after 32 more zero bits, inverted."""
    shifted = multiply(low_half(block), polynomial.x95)
    low = low_half(shifted) ^ high_half(block) << np.uint64(32)
    high = high_half(shifted) ^ high_half(block) >> np.uint64(32)
    rest = high ^ high_half(multiply(low, polynomial.x63))
    # Barrett's reduction: compute the quotient by a multiplication, and subtract its product with the polynomial.
    quotient = low_half(multiply(rest & np.uint64(_ALL), polynomial.x64_quotient)) & np.uint64(_ALL)
    rest ^= low_half(multiply(quotient, polynomial.whole))
    return np.int64(rest >> np.uint64(32) ^ np.uint64(_ALL))  # type: ignore[return-value]


@part
def _by_instruction(source: UInt8s, begin: int, end: int, add_eight: Any, add_one: Any) -> int:
    """Compute a CRC of source[begin:end] on AArch64 with its instructions for 8 bytes and for one."""
    crc = np.uint32(_ALL)
    at = begin
    while end - at >= 8:
        crc = add_eight(crc, little_endian_uint64(source, at))
        at += 8
    while at < end:
        crc = add_one(crc, np.uint32(byte_at(source, at)))
        at += 1
    return np.int64(crc ^ np.uint32(_ALL))  # type: ignore[return-value]


@rare_part
def crc32_by_tables(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32 of source[begin:end] on any processor."""
    return _by_tables(source, begin, end, _IEEE)


@rare_part
def crc32_by_folding(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32 of source[begin:end] on x86-64 with `pclmulqdq`."""
    return _by_folding(source, begin, end, _IEEE)


@rare_part
def crc32_by_instruction(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32 of source[begin:end] on AArch64 with its `crc` instructions."""
    return _by_instruction(source, begin, end, crc32x, crc32b)


@rare_part
def crc32c_by_tables(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32C of source[begin:end] on any processor."""
    return _by_tables(source, begin, end, _CASTAGNOLI)


@rare_part
def crc32c_by_folding(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32C of source[begin:end] on x86-64 with `pclmulqdq`."""
    return _by_folding(source, begin, end, _CASTAGNOLI)


@rare_part
def crc32c_by_instruction(source: UInt8s, begin: int, end: int) -> int:
    """Compute the CRC-32C of source[begin:end] on AArch64 with its `crc` instructions."""
    return _by_instruction(source, begin, end, crc32cx, crc32cb)


def _instruction(name: str, kind: Any) -> Any:
    """Make a function from one of AArch64's CRC instructions."""

    @instructions
    def instruction(_: Any, _crc: Any, _data: Any) -> Any:
        def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            function = ir.FunctionType(ir.IntType(32), [ir.IntType(32), ir.IntType(kind.bitwidth)])
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), arguments)

        return types.uint32(types.uint32, kind), generate

    return instruction


crc32x = _instruction("llvm.aarch64.crc32x", types.uint64)
crc32b = _instruction("llvm.aarch64.crc32b", types.uint32)
crc32cx = _instruction("llvm.aarch64.crc32cx", types.uint64)
crc32cb = _instruction("llvm.aarch64.crc32cb", types.uint32)


class Ways(NamedTuple):
    """Functions for kernels that compute the same CRC of source[begin:end]."""

    by_tables: Any
    by_folding: Any
    by_instruction: Any


CRC32 = Ways(crc32_by_tables, crc32_by_folding, crc32_by_instruction)
CRC32C = Ways(crc32c_by_tables, crc32c_by_folding, crc32c_by_instruction)


def fastest(ways: Ways, machine: str, features: Collection[str]) -> Any:
    """Choose the fastest way for a processor.

    Args:
        ways: ways to choose from.
        machine: the first part of LLVM's name for the processor.
        features: features of the processor, as LLVM's names after a "+".
    """
    if machine == "x86_64" and "+pclmul" in features:
        return ways.by_folding
    if machine in ("aarch64", "arm64") and "+crc" in features:
        return ways.by_instruction
    return ways.by_tables


crc32, crc32c = (fastest(ways, MACHINE, FEATURES) for ways in (CRC32, CRC32C))
"""Compute the CRC-32 or CRC-32C of source[begin:end] in the fastest way: functions for kernels."""


_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]


@kernel
def first_wrong_crc(source: UInt8s, starts: Positions, ends: Positions, headers: Headers, checked: Mask) -> int:
    """Count the batches before the first one whose CRC-32C differs from its bytes.

    Args:
        source: bytes of a stretch of a file.
        starts: start of each batch in `source`.
        ends: end of each batch, after its header and within `source`.
        headers: headers of the batches.
        checked: batches to check.
    """
    for number in range(starts.size):
        if checked[number]:
            computed = crc32c(source, starts[number] + _CRC_INPUT, ends[number])
            if computed != headers[number].crc:
                return number
    return starts.size
