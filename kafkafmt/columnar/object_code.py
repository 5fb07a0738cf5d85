"""Kernel: a function in object code, called without numba, which is imported only to compile it.

numba and its many thousand objects take half a second and 80 MB to load, and slow down each garbage collection. So the
code that it compiled on this machine is saved (`columnar.code_cache`), and loaded by llvmlite alone.

With `KAFKAFMT_CHECK_ACCESS=1` in the environment, kernels check every access against the bounds of its array, and raise
IndexError instead of reading or writing outside. This is for tests, as a sound kernel never does that. Kernels are then
several times slower, and their arrays have exactly the requested size.
"""

import ctypes
import hashlib
import importlib
import os
import struct
import sys
from array import array
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kafkafmt import columnar, reference
from kafkafmt.codec import compression
from kafkafmt.columnar.code_cache import CodeCache

CHECK_ACCESS = os.environ.get("KAFKAFMT_CHECK_ACCESS") == "1"
"""Whether kernels check every access."""

_NO_COMPILER = (
    "kernels cannot be compiled here: {}. The columnar engine needs numba 0.61 or newer. "
    "Install one that fits with: pip install -U numba; or scan with engine='reference'"
)
# numba's calling convention: addresses of the result and of an exception, then the arguments; 0 is success.
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_IGNORED = (ctypes.c_void_p * 2)()
_RETURNED, _RAISED = (ctypes.addressof(_IGNORED) + offset for offset in (0, ctypes.sizeof(ctypes.c_void_p)))
# Bits of `ndarray.flags`: contiguous in either order, aligned, writable. Array types of numba differ in these.
_FLAGS = 0x1 | 0x2 | 0x100 | 0x400


class Kernel:
    """A function of a module that numba compiles, called with arrays, numbers and tuples of these.

    Each combination of argument types has its own code. An array is passed as the address of numpy's object, from which
    the code finds the elements, so nothing is copied.

    Args:
        module: name of the module, which is imported only if the function has to be compiled.
        name: name of the function in it.

    Attributes:
        kept_at: where the code was last saved; None if it was not.
    """

    def __init__(self, module: str, name: str) -> None:
        self.__name__ = name
        self.kept_at: Path | None = None
        self._module = module
        self._code: dict[tuple[Any, ...], Callable[[array[int]], Any]] = {}

    @property
    def is_loaded(self) -> bool:
        """Whether it has been called, and its code is loaded."""
        return bool(self._code)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function.

        Raises:
            ImportError: it cannot be compiled; the message says why, for example because numba cannot be loaded.
            TypeError, OverflowError: kernels do not take such an argument.
            IndexError: with `CHECK_ACCESS`, an access is out of bounds.
        """
        words: list[int] = []
        kinds: list[Any] = []
        for argument in arguments:
            _pass(argument, words, kinds)
        table = array("q", [*words, *_MORE_RESULTS])
        call = self._code.get(tuple(kinds))
        if call is None:
            call = self._code[tuple(kinds)] = self._loaded(arguments, kinds)
        return call(table)

    def _loaded(self, arguments: tuple[Any, ...], kinds: list[Any]) -> Callable[["array[int]"], Any]:
        try:
            directory = Path(find_spec(self._module).origin).parent  # type: ignore[union-attr, arg-type]
            key = "\n".join([self._module, self.__name__, *map(_text_of, kinds), *_machine()])
            sources = _sources(directory)
            kept = CodeCache(directory)
            found = kept.load(self.__name__, key, sources)
            if found is None:
                _say_compiling()
                found = self._compiled(arguments)
                self.kept_at = kept.save(self.__name__, key, sources, *found)
            facts, code = found
            return _callable(facts["symbol"], facts["returns"], code)
        except Exception as error:
            # A numba that is incompatible with other installed packages may raise anything.
            raise ImportError(_NO_COMPILER.format(error)) from error

    def _compiled(self, arguments: tuple[Any, ...]) -> tuple[dict[str, Any], bytes]:
        from kafkafmt.columnar.kernels.compiling import object_code  # noqa: PLC0415 (it loads numba)

        return object_code(getattr(importlib.import_module(self._module), self.__name__), arguments)


@cache
def _say_compiling() -> None:
    """Explain once, on a terminal, why the first command on a machine takes seconds longer."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write("kafkafmt: compiling kernels, once on this machine\n")
        sys.stderr.flush()


def _pass(value: Any, words: list[int], kinds: list[Any]) -> None:
    """Add the 64-bit words of an argument, and the properties that the code depends on."""
    kind = type(value)
    if kind is np.ndarray:
        kinds.append((value.dtype, value.flags.num & _FLAGS, value.ndim))
        words.append(id(value))  # the object's address in CPython, which numba requires
        return
    kinds.append(kind)
    if kind is int or kind is bool:
        words.append(value)
    elif isinstance(value, tuple):
        kinds.append(len(value))
        for item in value:
            _pass(item, words, kinds)
    elif isinstance(value, (np.integer, np.bool_)):
        words.append(int(value.astype(np.int64)))
    elif kind is np.float32:
        words.append(int(value.view(np.int32)))
    elif kind is float:
        words += struct.unpack("=q", struct.pack("=d", value))
    else:
        raise TypeError(f"a kernel cannot take a {kind.__name__}")


def _text_of(kind: Any) -> str:
    if isinstance(kind, tuple):
        dtype, flags, dimensions = kind
        return f"{dtype.descr} {dtype.itemsize} {dtype.isalignedstruct} {flags} {dimensions}"
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else str(kind)


@cache
def _machine() -> tuple[str, ...]:
    """The dependencies of code besides its sources: processor, compiler, and compiler settings."""
    import llvmlite  # noqa: PLC0415 (only needed for decoding)
    import llvmlite.binding as llvm  # noqa: PLC0415

    settings = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_")]
    # An image is compiled for a kind of processor, which other processors share.
    features = os.environ.get("NUMBA_CPU_FEATURES")
    try:
        features = llvm.get_host_cpu_features().flatten() if features is None else features
    except RuntimeError:  # the features of some processors are unknown
        features = ""
    settings = sorted(setting for setting in settings if not setting.startswith("NUMBA_CACHE_DIR="))
    return (
        llvm.get_process_triple(),
        os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name(),
        features,
        f"llvmlite {llvmlite.__version__}",
        f"numba {_state_of('numba')}",
        f"access is checked: {CHECK_ACCESS}",
        *settings,
    )


def _state_of(package: str) -> str:
    """Distinguish installations of a package, without the cost of reading its metadata."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return "is not there"
    version = Path(spec.origin).with_name("_version.py")
    digest = hashlib.sha256(version.read_bytes()).hexdigest() if version.exists() else ""
    return f"{spec.origin} {os.stat(spec.origin).st_mtime_ns} {digest}"


@cache
def _sources(package: Path) -> str:
    """Identify modules by content: a kernel also depends on other modules than its own, and on their constants.

    Size and time would not suffice, as two versions can have files that are equal in both.
    """
    packages = (package, *(Path(each.__path__[0]) for each in (columnar, compression, reference)))
    digest = hashlib.sha256()
    for module in sorted({module for directory in packages for module in directory.glob("*.py")}):
        content = module.read_bytes()
        digest.update(f"{module.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


# Kept alive, as their code may run until the process ends.
_ENGINES: list[Any] = []


def _callable(symbol: str, returns: str, code: bytes) -> Callable[["array[int]"], Any]:
    import llvmlite.binding as llvm  # noqa: PLC0415 (as above)

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    function = _FUNCTION(engine.get_function_address(symbol))
    result = _RESULTS[returns]

    def call(table: "array[int]") -> Any:
        # ctypes releases the GIL.
        if function(_RETURNED, _RAISED, table.buffer_info()[0]):
            raise IndexError(f"{symbol} reads or writes beyond an array")
        return result(table)

    return call


# Space for results, where there are more of them than words of arguments.
_MORE_RESULTS = (0, 0)
_RESULTS: dict[str, Callable[["array[int]"], Any]] = {
    "none": lambda _: None,
    "int64": lambda table: table[0],
    "bool": lambda table: bool(table[0]),
    "int64, int64": lambda table: (table[0], table[1]),
}
"""The possible results of a kernel, and how to read them from the words that its code leaves."""
