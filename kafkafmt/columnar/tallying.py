"""Tables of groups, in which kernels sum up records by their keys, without an array of keys.

The name of a group is bytes (`Naming`): fixed-size integers in the machine's byte order, and byte strings preceded by
their length. Kernels allocate nothing: a kernel that runs out of space stops and can be called again.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import FIGURES, Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.reference.header import INT64_MIN

UInt64s = npt.NDArray[np.uint64]

# Fields of a group, after its figures: the last batch in which it was seen, and the upper bounds of its errors.
LAST_BATCH, RECORDS_ERROR, STORED_ERROR = FIGURES, FIGURES + 1, FIGURES + 2
WIDTH = FIGURES + 3

# Fields of a table: the number of groups, the bytes of their names, and the upper bounds for a missing group.
GROUPS, NAME_BYTES, MOST_RECORDS, MOST_STORED = range(4)

# Where `tally` continues: the batch, its record, its position, the rounding remainder; then the number of batch 0.
BATCH, RECORD, AT, CARRIED, FIRST_NUMBER = range(5)

NO_TIME = INT64_MIN
"""Start of the hour of a record without a timestamp."""


class Table(NamedTuple):
    """Groups, in the order in which they were first seen.

    Attributes:
        slots: number of a group plus one, by the hash of its name; 0 for none. Its length is a power of two.
        hashes: hash of each group's name.
        ends: start in `names` of the name of each group, followed by the end of the last one.
        names: names side by side; 8 bytes after them can be read and written.
        figures: a row of `WIDTH` numbers per group.
        state: numbers of the table.
    """

    slots: npt.NDArray[np.int32]
    hashes: UInt64s
    ends: Int64s
    names: UInt8s
    figures: Int64s
    state: Int64s


class Naming(NamedTuple):
    """The parts of the name of a record's group, after the eight bytes of its batch's group.

    Attributes:
        bucket_ms: length of the periods into which timestamps are divided, in ms; 0 for none.
        producer: whether the producer id is a part.
        key: whether the key is a part.
        prefix: number of bytes of the key that are a part; -1 for none.
        header: whether the value of a header is a part.
        header_name: name of that header; the last header with this name counts.
    """

    bucket_ms: int
    producer: bool
    key: bool
    prefix: int
    header: bool
    header_name: UInt8s
