"""CRCs of many batches, looked at without their records."""

import numpy as np

from kafkafmt.codec.checksum import crc32c
from kafkafmt.columnar.headers import Batches, Mask
from kafkafmt.reference.layout import CURRENT_MAGIC, crc_span

_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]


def first_wrong(batches: Batches, checked: Mask | None = None) -> int:
    """Number of batches in front of the first one whose CRC-32C differs from its bytes.

    Args:
        batches: whole batches.
        checked: which of them to look at; None for all.
    """
    data = batches.data
    starts = batches.starts + _CRC_INPUT
    ends = batches.ends
    crcs = batches.headers["crc"]
    numbers = np.arange(len(batches))
    if checked is not None and not checked.all():
        numbers, starts, ends, crcs = numbers[checked], starts[checked], ends[checked], crcs[checked]
    columns = numbers.tolist(), starts.tolist(), ends.tolist(), crcs.tolist()
    for number, start, end, crc in zip(*columns, strict=True):
        if crc32c(data[start:end]) != crc:
            return int(number)
    return len(batches)
