"""Transaction markers as Kafka writes them, read many at once; the reference engine reads any other control batch."""

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import COMPRESSION, Batches
from kafkafmt.reference.layout import LOG_OVERHEAD, RECORD_BATCH_OVERHEAD

ABORT, COMMIT, NOT_ORDINARY = 0, 1, -1

# formats/kafka_record.ksy: length, attributes, timestamp delta, offset delta, length of the key; in the key the version
# and the type of formats/kafka_control_record_key.ksy; length of the value; in it the version and the epoch of
# formats/kafka_end_transaction_marker.ksy; number of headers. 0xff stands for any byte.
_MARKER = np.frombuffer(bytes.fromhex("20 00 00 00 08 0000 00ff 0c 0000 ffffffff 00"), np.uint8)
_ANY = _MARKER == 0xFF
_TYPE = 8
_SIZE = RECORD_BATCH_OVERHEAD + len(_MARKER) - LOG_OVERHEAD


def marker_types(batches: Batches) -> npt.NDArray[np.int8]:
    """Tell `ABORT` or `COMMIT` of each control batch, or `NOT_ORDINARY`: that says nothing of the batch.

    Args:
        batches: control batches; they need not stand side by side.
    """
    headers = batches.headers
    types = np.full(len(batches), NOT_ORDINARY, np.int8)
    fits = np.flatnonzero(
        (headers["size"] == _SIZE) & (headers["num_records"] == 1) & ((headers["attributes"] & COMPRESSION) == 0)
    )
    if len(fits):
        data = np.frombuffer(batches.data, np.uint8)
        records = data[(batches.starts[fits] + RECORD_BATCH_OVERHEAD)[:, None] + np.arange(len(_MARKER))]
        known = ((records == _MARKER) | _ANY).all(axis=1) & (records[:, _TYPE] <= COMMIT)
        types[fits[known]] = records[known, _TYPE]
    return types
