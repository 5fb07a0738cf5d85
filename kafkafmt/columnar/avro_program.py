"""The program of the kernel that decodes Avro values, and the layout of the columns that it fills. No numba.

A program is a list of steps, and its number is that of its first step. A step is four int64: what to do, and up to
three numbers. Steps of one value follow each other; `BLOCK`, `ITEM`, `JUMP` and `UNION` go elsewhere. A column is
`COLUMN` int64, and a group `GROUP` int64. Group 0 has an entry a value, any other one an entry an item of the lists or
maps of one column.
"""

from typing import Final

STEP: Final = 4
"""Numbers of a step."""

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
    # The bytes that steps between the two pass over, as they are, into a column.
    MARK, TAKE,
) = range(42)  # fmt: skip
"""Kinds of steps; `values.avro.program` says which numbers each has."""

PREFIXED, REMAINDER = -1, -2
"""Sizes of a decimal: it follows its length, or is the rest of the value."""

NOTHING, BITS_OF_VALUES, NUMBERS, STRINGS, LISTS = range(5)
"""Layouts of a column besides its validity: nothing; bits; fixed-width values; offsets and bytes; offsets and items."""

COLUMN: Final = 10
OF_GROUP, SHAPE, WIDTH, AFTER, ITEMS, VALIDITY, VALUES, DATA, ROOM, NULLS = range(COLUMN)
"""Numbers of a column: its group; its shape; bytes of a value; the column after its last child; the group of its items;
where its validity (-1: none), values and data begin in memory; bytes of data that it has room for; whether any is null.
"""

GROUP: Final = 4
LIST, PARENT, ENTRIES, FIELDS = range(GROUP)
"""Numbers of a group: the column whose items it has, that column's group, how many it has room for, and the number of
its columns: the fields of an item.
"""

GREW_NOTHING, GREW_DATA, GREW_GROUP = range(3)
DONE, WANTED, WHICH, NEEDED = range(4)
"""Numbers of the state: values that are done; what is too small; its column or group; the room that it needs."""

FREE_ITEMS: Final = 4096
"""Items of no size (nulls, empty records) that a value may have besides one for each of its bytes."""

MOST_KEYS: Final = 512
"""Keys of a map that are compared with each other; a larger map is refused."""
