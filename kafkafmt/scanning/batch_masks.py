"""What `Selection` says of one header, said of the headers of many batches at once."""

import numpy as np

from kafkafmt.columnar.headers import CONTROL, LOG_APPEND_TIME, Batches, Mask
from kafkafmt.scanning.selection import OffsetRange, Selection

_INT64 = np.iinfo(np.int64)


def can_be_masked(selection: Selection, offsets: OffsetRange) -> bool:
    """Whether all bounds are such as 64 bits can hold; any others are left to `Selection` itself."""
    bounds = (offsets.start, offsets.end, selection.start_timestamp, selection.end_timestamp)
    return all(bound is None or _INT64.min <= bound <= _INT64.max for bound in bounds)


def passed_over(selection: Selection, offsets: OffsetRange, batches: Batches) -> Mask:
    """Of which batches the header alone tells that no record is wanted; see `Selection.passes_over`."""
    headers = batches.headers
    attributes = headers["attributes"]
    unwanted: Mask = np.zeros(len(batches), np.bool_)
    if not selection.control_records:
        unwanted |= (attributes & CONTROL) != 0
    if offsets.start is not None:
        unwanted |= batches.last_offsets < offsets.start
    if offsets.end is not None:
        unwanted |= headers["base_offset"] >= offsets.end
    if selection.start_timestamp is not None:
        unwanted |= headers["max_timestamp"] < selection.start_timestamp
    if selection.end_timestamp is not None:
        unwanted |= ((attributes & LOG_APPEND_TIME) != 0) & (headers["max_timestamp"] >= selection.end_timestamp)
    return unwanted


def kept_whole(selection: Selection, offsets: OffsetRange, batches: Batches) -> Mask:
    """Of which batches the header alone tells that every record is wanted; see `Selection.keeps_all`."""
    if selection.start_timestamp is not None or selection.end_timestamp is not None or selection.key is not None:
        return np.zeros(len(batches), np.bool_)
    kept: Mask = np.ones(len(batches), np.bool_)
    if offsets.start is not None:
        kept &= batches.headers["base_offset"] >= offsets.start
    if offsets.end is not None:
        kept &= batches.last_offsets < offsets.end
    return kept
