"""Libraries that are imported when a name of them is first used: with them all a short command takes twice as long.

Modules that short commands import take these from here, and quote the annotations that name them. All others import
them as usual.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["cramjam", "lz4_block", "lz4_frame", "np", "pa", "pc", "zstandard"]


class _Library(ModuleType):
    """A module that is imported when a name of it is first used."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import cramjam
    import lz4.block as lz4_block
    import lz4.frame as lz4_frame
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import zstandard
else:
    cramjam, zstandard = _Library("cramjam"), _Library("zstandard")
    lz4_block, lz4_frame = _Library("lz4.block"), _Library("lz4.frame")
    np, pa, pc = _Library("numpy"), _Library("pyarrow"), _Library("pyarrow.compute")
