"""Libraries that are imported when one of their names is first used: importing them all doubles a short command's time.

Modules that short commands import take these libraries from here, quote the annotations that name them, and give
aliases of their types as `ForwardRef`. All other modules import them as usual.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["cramjam", "futures", "lz4_block", "lz4_frame", "np", "npt", "pa", "pc", "zstandard"]


class _Library(ModuleType):
    """A module that is imported when one of its names is first used; a missing one raises the import error then.

    It is not in `sys.modules`: an import of the library by its name gives the library itself.
    """

    def __getattr__(self, name: str) -> object:
        value = getattr(_imported(self.__name__), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(_imported(self.__name__))

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)


def _imported(name: str) -> ModuleType:
    package = name.rpartition(".")[0]
    if package:
        # Otherwise threads that import `numpy.typing` and `numpy` may wait for each other, and Python lets one of them
        # continue with a partly initialized module.
        importlib.import_module(package)
    return importlib.import_module(name)


if TYPE_CHECKING:
    from concurrent import futures

    import cramjam
    import lz4.block as lz4_block
    import lz4.frame as lz4_frame
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    import pyarrow.compute as pc
    import zstandard
else:
    cramjam, zstandard = _Library("cramjam"), _Library("zstandard")
    lz4_block, lz4_frame = _Library("lz4.block"), _Library("lz4.frame")
    np, npt = _Library("numpy"), _Library("numpy.typing")
    pa, pc = _Library("pyarrow"), _Library("pyarrow.compute")
    futures = _Library("concurrent.futures")
