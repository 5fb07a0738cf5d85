"""CRC-32 and CRC-32C in kernels equal those of the libraries, for each implementation that this machine supports."""

import random
import zlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import crc32c
import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir
from numba import njit, types

from kafkafmt.columnar.kernels import blocks, crc
from kafkafmt.columnar.kernels.compiling import kernel

NOISE = random.Random(32).randbytes(1 << 16)

CRCS = {"crc32": (crc.CRC32, crc.crc32, zlib.crc32), "crc32c": (crc.CRC32C, crc.crc32c, crc32c.crc32c)}
BOTH = pytest.mark.parametrize(("ways", "fastest", "expected"), CRCS.values(), ids=CRCS)

WAYS = {way.__name__: (way, fastest, expected) for ways, fastest, expected in CRCS.values() for way in ways}


# Implementations whose instructions this processor has; the tables need none.
RUNNABLE = [name for name, (way, fastest, _) in WAYS.items() if name.endswith("by_tables") or way is fastest]


@pytest.fixture(params=RUNNABLE)
def way(request: pytest.FixtureRequest) -> tuple[Any, Callable[[bytes], int]]:
    """Each implementation as a Python callable, with the expected function."""
    way, _, expected = WAYS[request.param]
    return way, expected


def array(data: bytes) -> Any:
    return np.frombuffer(data, np.uint8)


@pytest.mark.parametrize(
    ("ways", "expected"), [(crc.CRC32, 0xCBF43926), (crc.CRC32C, 0xE3069283)], ids=["crc32", "crc32c"]
)
def test_check_value(ways: crc.Ways, expected: int) -> None:
    data = bytes(20) + b"123456789" + bytes(20)
    assert ways.by_tables(array(data), 20, 29) == expected
    assert crc.fastest(ways, blocks.MACHINE, blocks.FEATURES)(array(data), 20, 29) == expected


@pytest.mark.parametrize("begin", [0, 1, 15, 16, 17, 23, 32, 63])
def test_every_length_at_any_alignment(way: Any, begin: int) -> None:
    compute, expected = way
    source = array(NOISE)
    for length in [*range(601), 1000, 4095, 4096, 4097, 65536 - begin]:
        assert compute(source, begin, begin + length) == expected(NOISE[begin : begin + length]), length


@pytest.mark.parametrize("fill", [0x00, 0xFF])
def test_runs_of_one_byte(way: Any, fill: int) -> None:
    compute, expected = way
    data = bytes([fill]) * 500
    for length in range(400):
        assert compute(array(data), 16, 16 + length) == expected(data[:length]), length


@BOTH
@given(before=st.binary(max_size=40), data=st.binary(max_size=300), behind=st.binary(max_size=40))
def test_what_stands_around_does_not_count(
    ways: crc.Ways, fastest: Any, expected: Callable[[bytes], int], before: bytes, data: bytes, behind: bytes
) -> None:
    source = array(before + data + behind)
    for compute in {ways.by_tables, fastest}:
        assert compute(source, len(before), len(before) + len(data)) == expected(data)


@pytest.mark.slow
def test_inside_a_kernel() -> None:
    @kernel
    def whole(source: Any) -> tuple[int, int]:
        return crc.crc32(source, 16, source.size), crc.crc32c(source, 16, source.size)

    assert whole(array(bytes(16) + NOISE)) == (zlib.crc32(NOISE), crc32c.crc32c(NOISE))


@pytest.mark.parametrize(
    ("machine", "features", "expected"),
    [
        ("x86_64", ["+sse2", "+pclmul"], "by_folding"),
        ("x86_64", ["-pclmul", "+sse4.2"], "by_tables"),
        ("x86_64", ["+crc"], "by_tables"),
        ("aarch64", ["+neon", "+crc"], "by_instruction"),
        ("arm64", ["+crc"], "by_instruction"),
        ("aarch64", ["+neon"], "by_tables"),
        ("powerpc64le", [""], "by_tables"),
    ],
)
def test_the_way_is_chosen_by_what_the_processor_has(machine: str, features: list[str], expected: str) -> None:
    for ways in (crc.CRC32, crc.CRC32C):
        assert crc.fastest(ways, machine, features) is getattr(ways, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ways", "polynomial", "suffix", "expected"),
    [(crc.CRC32, crc._IEEE, "", zlib.crc32), (crc.CRC32C, crc._CASTAGNOLI, "c", crc32c.crc32c)],
    ids=["crc32", "crc32c"],
)
def test_the_way_of_arm_with_its_instructions_emulated(
    ways: crc.Ways, polynomial: crc.Polynomial, suffix: str, expected: Callable[[bytes], int]
) -> None:
    tables = polynomial.tables

    @njit
    def step(crc: Any, word: Any, size: int) -> Any:
        for _ in range(size):
            crc = np.uint32(crc >> 8) ^ tables[0, (crc ^ word) & 0xFF]
            word = word >> np.uint64(8)
        return np.uint32(crc)

    emulated = {
        f"crc32{suffix}x": njit(lambda crc, word: step(crc, np.uint64(word), 8)),
        f"crc32{suffix}b": njit(lambda crc, byte: step(crc, np.uint64(byte), 1)),
    }
    way: Any = njit(FunctionType(ways.by_instruction.py_func.__code__, {**vars(crc), **emulated}))
    for length in range(70):
        assert way(array(NOISE), 3, 3 + length) == expected(NOISE[3 : 3 + length]), length


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("width", [width for width in (2, 4, 8) if width <= blocks._WIDEST])
def test_folding_with_multipliers_of_any_width(
    ways: crc.Ways, fastest: Any, expected: Callable[[bytes], int], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fastest is not ways.by_folding:
        pytest.skip("needs an x86-64 processor with pclmulqdq")
    monkeypatch.setattr(blocks, "_WIDEST", width)
    compiled: Any = crc._by_folding
    anew = njit(FunctionType(compiled.py_func.__code__, vars(crc)))
    way: Any = njit(FunctionType(ways.by_folding.py_func.__code__, {**vars(crc), "_by_folding": anew}))
    source = array(NOISE)
    for length in range(400):
        assert way(source, 16, 16 + length) == expected(NOISE[16 : 16 + length]), length


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (["+pclmul", "+avx512f", "-vpclmulqdq"], 2),
        (["+pclmul", "-avx512f", "+vpclmulqdq"], 4),
        (["+pclmul", "+avx512f", "+vpclmulqdq"], 8),
    ],
)
def test_the_multiplier_is_the_widest_that_the_processor_has(features: list[str], expected: int) -> None:
    assert blocks.widest(features) == expected


@pytest.mark.parametrize(
    ("instruction", "kind", "mnemonic"),
    [
        (crc.crc32x, types.uint64, "crc32x"),
        (crc.crc32b, types.uint32, "crc32b"),
        (crc.crc32cx, types.uint64, "crc32cx"),
        (crc.crc32cb, types.uint32, "crc32cb"),
    ],
    ids=["crc32x", "crc32b", "crc32cx", "crc32cb"],
)
def test_arm_instructions_are_known_to_llvm(instruction: Any, kind: Any, mnemonic: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    except RuntimeError:
        pytest.skip("needs an llvmlite that compiles for AArch64")
    signature, generate = instruction._defn(None, types.uint32, kind)
    widths = [ir.IntType(each.bitwidth) for each in signature.args]
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), widths), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(generate(None, builder, signature, function.args))
    machine = target.create_target_machine(features="+crc")
    assert mnemonic in machine.emit_assembly(llvm.parse_assembly(str(module)))
