"""Outcome codes that kernels write for each value that they decode. No numba."""

from typing import Final

SOUND: Final = 0
"""The value is decoded."""

REFUSED: Final = 1
"""The value is left to the reference reader of its format, which decodes it or explains why that is not possible."""

WITH_MORE: Final = 2
"""The value is decoded, and has more than its type: bytes after it (Avro), fields without a column (Protobuf, JSON)."""
