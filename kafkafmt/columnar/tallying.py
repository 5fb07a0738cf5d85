"""Tables of groups, as kernels sum records up in them by their keys, without an array of keys.

The name of a group is bytes (`Naming`): fixed-size integers in the byte order of the machine, and byte strings, each
after its length. Kernels allocate nothing: a kernel that runs out of space stops and can be called again.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import FIGURES, Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.reference.header import INT64_MIN

UInt64s = npt.NDArray[np.uint64]

# Fields of a group, after its figures: the last batch that it was seen in, and the upper bound of its error.
LAST_BATCH, RECORDS_ERROR, STORED_ERROR = FIGURES, FIGURES + 1, FIGURES + 2
WIDTH = FIGURES + 3

# Fields of a table: the number of groups, the bytes of their names, and the most that a missing group may have.
GROUPS, NAME_BYTES, MOST_RECORDS, MOST_STORED = range(4)

# Where `tally` continues: the batch, its record, its position, the rounding remainder; and the number of batch 0.
BATCH, RECORD, AT, CARRIED, FIRST_NUMBER = range(5)

NO_TIME = INT64_MIN
"""The beginning of the hour of a record without a timestamp."""


class Table(NamedTuple):
    """Groups, in the order in which they came.

    Attributes:
        slots: number of a group plus one, by the hash of its name; 0 for none. A power of two in length.
        hashes: of each group.
        ends: where in `names` the name before each group ends, and at last its own.
        names: the names side by side; 8 bytes more than they take can be read and written.
        figures: a row of `WIDTH` numbers a group.
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
        bucket_ms: length of the periods that timestamps are divided into; 0 for none.
        producer: whether the producer id is part of it.
        key: whether the key is.
        prefix: how many bytes of the key are; -1 for none.
        header: whether the value of a header is.
        header_name: name of that header; the last header of this name counts.
    """

    bucket_ms: int
    producer: bool
    key: bool
    prefix: int
    header: bool
    header_name: UInt8s
