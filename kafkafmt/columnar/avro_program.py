"""The program of the kernel that decodes Avro values, and the layout of the columns that it fills. No numba.

A program is a list of steps, and is identified by the number of its first step. A step is four int64: an operation and
up to three numbers. Steps of one value follow each other; `BLOCK`, `ITEM`, `JUMP` and `UNION` jump elsewhere. A column
is `COLUMN` int64, and a group `GROUP` int64. Group 0 has one entry per value, any other one entry per item of the lists
or maps of one column.
"""

from typing import Final

STEP: Final = 4
"""Number of int64 in a step."""

(
    # Control: end of the program; no operation; refuse the value.
    END, JUMP, REFUSE,
    # Read from the value and write to the column given by the first number.
    BOOLEAN, INT, LONG, INT_TO_LONG, INT_TO_FLOAT, INT_TO_DOUBLE, LONG_TO_FLOAT, LONG_TO_DOUBLE,
    FLOAT, DOUBLE, FLOAT_TO_DOUBLE, BYTES, TEXT, FIXED, ENUM, DECIMAL, UUID, DURATION, REST,
    # Write a column without reading from the value.
    NULL, SET_BOOLEAN, SET_FIXED, SET_BYTES,
    # Read and discard.
    SKIP_BOOLEAN, SKIP_INT, SKIP_LONG, SKIP_FIXED, SKIP_BYTES, SKIP_TEXT, SKIP_ENUM,
    # Lists, maps and unions.
    UNION, BLOCK, ITEM, OPEN, ADVANCE, CLOSE, KEY,
    # Copy the bytes that steps between these two pass over into a column, unchanged.
    MARK, TAKE,
) = range(42)  # fmt: skip
"""Kinds of steps; `values.avro.program` describes the numbers of each."""

PREFIXED, REMAINDER = -1, -2
"""Sizes of a decimal: its length comes before it, or it is the rest of the value."""

NOTHING, BITS_OF_VALUES, NUMBERS, STRINGS, LISTS = range(5)
"""Layouts of a column besides its validity: nothing; bits; fixed-width values; offsets and bytes; offsets and items."""

COLUMN: Final = 10
OF_GROUP, SHAPE, WIDTH, AFTER, ITEMS, VALIDITY, VALUES, DATA, ROOM, NULLS = range(COLUMN)
"""Numbers of a column: its group; its shape; size of a value in bytes; the column after its last child; the group of
its items; positions in memory of its validity (-1: none), values and data; bytes of data that it has space for; whether
any value is null.
"""

GROUP: Final = 4
LIST, PARENT, ENTRIES, FIELDS = range(GROUP)
"""Numbers of a group: the column whose items it has, that column's group, the number of entries that it has space for,
and the number of its columns, which are the fields of an item.
"""

GREW_NOTHING, GREW_DATA, GREW_GROUP = range(3)
DONE, WANTED, WHICH, NEEDED = range(4)
"""Numbers of the state: values done; the kind of memory that is too small; its column or group; the space needed."""

FREE_ITEMS: Final = 4096
"""Items of size 0 (nulls, empty records) that a value may have, besides one for each of its bytes."""

MOST_KEYS: Final = 512
"""Limit of a map's keys that are compared with each other; a larger map is refused."""
