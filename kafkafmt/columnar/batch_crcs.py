"""CRCs of batches whose records are to be decoded, compared by one call of a kernel."""

from kafkafmt.columnar.compiling import kernel
from kafkafmt.columnar.copying import UInt8s
from kafkafmt.columnar.crc import crc32c
from kafkafmt.columnar.headers import Headers, Mask, Positions
from kafkafmt.reference.layout import CURRENT_MAGIC, crc_span

_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]


@kernel
def first_wrong_crc(source: UInt8s, starts: Positions, ends: Positions, headers: Headers, checked: Mask) -> int:
    """Count the batches in front of the first one whose CRC-32C differs from its bytes.

    Args:
        source: bytes of a stretch of a file.
        starts: where in `source` each batch begins.
        ends: where each ends, behind its header and not beyond `source`.
        headers: their headers.
        checked: which of them to look at.
    """
    for number in range(starts.size):
        if checked[number]:
            computed = crc32c(source, starts[number] + _CRC_INPUT, ends[number])
            if computed != headers[number].crc:
                return number
    return starts.size
