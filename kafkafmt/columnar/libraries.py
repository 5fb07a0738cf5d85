"""C functions of codecs that kernels call by address, exported by the wheels of lz4, zstandard and isal.

A wheel may export none, as on Windows, or those of another version, so each function has to decompress a few bytes
before it is used. If it fails, its address is 0, and `codec.compression` decompresses.
"""

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int64]

# The same text as an LZ4 block, as a zstd frame, and as a deflate stream.
_TEXT = b"hello hello hello hello"
_LZ4_BLOCK = b"hhello \x06\x00Phello"
_ZSTD_FRAME = b"(\xb5/\xfd\x00\x00e\x00\x000hello \x01\x00\x99K\x11"
_DEFLATE_STREAM = b"\xcbH\xcd\xc9\xc9W\xc8@'\x01"
# Words of ISA-L's `struct inflate_state` (igzip_lib.h): next_out; avail_out, total_out; next_in; read_in; avail_in,
# read_in_length. The other 90 KB are internal.
NEXT_OUT, AVAIL_OUT, NEXT_IN, AVAIL_IN = 0, 1, 2, 4
HALF = 0xFFFFFFFF
_INFLATE_STATE_WORDS = 1 << 14

_NO_WORDS = np.zeros(0, np.int64)


class Libraries(NamedTuple):
    """The functions that kernels call, with one thread's working memory; 0 or empty if missing.

    Attributes:
        lz4: address of liblz4's `LZ4_decompress_safe`.
        zstd: address of libzstd's `ZSTD_decompressDCtx`.
        zstd_context: context of zstd.
        inflate: address of ISA-L's `isal_inflate_stateless`.
        inflate_state: `struct inflate_state` of ISA-L.
    """

    lz4: int = 0
    zstd: int = 0
    zstd_context: Words = _NO_WORDS
    inflate: int = 0
    inflate_state: Words = _NO_WORDS


def libraries() -> Libraries:
    """Return the functions, with new working memory."""
    return Libraries(_lz4(), *_zstd(), *_inflate())


@cache
def _lz4() -> int:
    try:
        function = _extension("lz4.block", "_block").LZ4_decompress_safe
    except (OSError, AttributeError):
        return 0
    target = ctypes.create_string_buffer(len(_TEXT))
    sizes = [function(_LZ4_BLOCK, target, len(_LZ4_BLOCK), room) for room in (len(_TEXT) - 1, len(_TEXT))]
    return _address(function) if sizes[0] < 0 and sizes[1] == len(_TEXT) and target.raw == _TEXT else 0


def _zstd() -> tuple[int, Words]:
    try:
        library = _zstd_library()
        function, size, make = library.ZSTD_decompressDCtx, library.ZSTD_estimateDCtxSize, library.ZSTD_initStaticDCtx
    except (OSError, AttributeError):
        return 0, _NO_WORDS
    function.restype = size.restype = ctypes.c_ssize_t
    make.restype = ctypes.c_void_p
    memory = np.zeros(size() // 8 + 1, np.int64)
    # A context made in given memory is that memory, so it need not be freed.
    if make(_pointer(memory), ctypes.c_size_t(memory.nbytes)) != memory.ctypes.data:
        return 0, _NO_WORDS
    target = ctypes.create_string_buffer(len(_TEXT))
    context, frame, room = _pointer(memory), (_ZSTD_FRAME, ctypes.c_size_t(len(_ZSTD_FRAME))), ctypes.c_size_t
    sizes = [function(context, target, room(length), *frame) for length in (len(_TEXT) - 1, len(_TEXT))]
    is_sound = sizes[0] < 0 and sizes[1] == len(_TEXT) and target.raw == _TEXT
    return (_address(function), memory) if is_sound else (0, _NO_WORDS)


@cache
def _zstd_library() -> ctypes.CDLL:
    # The package's cffi module; the other one, which Python imports, does not export C functions.
    return _extension("zstandard", "_cffi")


def _inflate() -> tuple[int, Words]:
    try:
        library = _inflate_library()
        function, begin = library.isal_inflate_stateless, library.isal_inflate_init
    except (OSError, AttributeError):
        return 0, _NO_WORDS
    state = np.zeros(_INFLATE_STATE_WORDS, np.int64)
    begin(_pointer(state))
    target = np.zeros(len(_TEXT), np.uint8)
    source = np.frombuffer(_DEFLATE_STREAM + b"next", np.uint8)
    results = []
    for room in (len(_TEXT) - 1, len(_TEXT)):
        state[NEXT_OUT], state[AVAIL_OUT] = target.ctypes.data, room
        state[NEXT_IN], state[AVAIL_IN] = source.ctypes.data, len(source)
        results.append(function(_pointer(state)))
    left = [int(state[word]) & HALF for word in (AVAIL_OUT, AVAIL_IN)]
    is_sound = results[0] != 0 and results[1] == 0 and left == [0, len(b"next")] and target.tobytes() == _TEXT
    return (_address(function), state) if is_sound else (0, _NO_WORDS)


@cache
def _inflate_library() -> ctypes.CDLL:
    return _extension("isal", "isal_zlib")


def _extension(package: str, name: str) -> ctypes.CDLL:
    """Load an extension module of a package as a library.

    Raises:
        OSError: the module does not exist, or cannot be loaded.
    """
    spec = find_spec(package)
    for directory in (spec.submodule_search_locations if spec is not None else None) or ():
        for path in sorted(Path(directory).glob(f"{name}.*")):
            if path.suffix in (".so", ".pyd"):
                return ctypes.CDLL(str(path))
    raise OSError(f"{package} has no extension module {name}")


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _pointer(memory: Words) -> ctypes.c_void_p:
    return ctypes.c_void_p(memory.ctypes.data)
