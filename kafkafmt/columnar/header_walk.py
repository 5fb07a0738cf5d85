"""The walk over headers of record batches (format v2) by a kernel, if kernels are loaded; the same as in `headers`.

With thousands of adjacent small batches, Python's steps from one to the next take as long as everything else.
"""

import numpy as np

from kafkafmt.columnar.headers import HEADER, Headers, Positions
from kafkafmt.columnar.kernels import find_batches
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import LOG_OVERHEAD

# Batches usually have a few kilobytes or more; for smaller ones, the arrays are doubled each time.
_USUAL_SIZE = 4096
_FEWEST = 64


def walk_headers(data: memoryview, begin: int, end: int, limits: Limits) -> tuple[Positions, Headers]:
    """Find adjacent batches; return their starts and headers.

    Args:
        data: bytes of a file.
        begin: position of the first batch in `data`.
        end: position in `data`; batches that end after it are not taken.
        limits: bounds, of which `max_batch_bytes` and `max_records_per_batch` are used.
    """
    source = np.frombuffer(data.toreadonly(), np.uint8)[:end]
    room = max(_FEWEST, (end - begin) // _USUAL_SIZE)
    parts = []
    count = room
    while count == room:
        room *= 2
        starts, headers = np.empty(room, np.int64), np.empty(room, HEADER)
        count = find_batches(source, begin, limits.max_batch_bytes, limits.max_records_per_batch, starts, headers)
        parts.append((starts[:count], headers[:count]))
        if count:
            begin = int(starts[count - 1]) + LOG_OVERHEAD + int(headers[count - 1]["size"])
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([starts for starts, _ in parts]), np.concatenate([headers for _, headers in parts])
