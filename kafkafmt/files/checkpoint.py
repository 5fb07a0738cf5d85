"""Kafka's CheckpointFile: a version line, a line with the number of entries, and a line an entry.

What a line holds is the business of `leader_epoch_checkpoint` and `offset_checkpoint`.
"""

import re
from collections.abc import Iterator

from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files import text

# What \s means in Java, where it is ASCII only.
_WHITE_SPACE = re.compile(r"[ \t\n\x0b\f\r]+")


class Fields:
    """The fields of one line, between white space, and how to take numbers from them."""

    def __init__(self, line: text.Line, count: int, file: str | None) -> None:
        content = text.decode(line.content, position=line.position, file=file)
        self._line = line
        self._file = file
        self.values = _WHITE_SPACE.split(content)
        # Java's split drops empty fields at the end, but keeps one at the start.
        while len(self.values) > 1 and not self.values[-1]:
            self.values.pop()
        if len(self.values) != count:
            raise CorruptError(
                f"line {line.number} of the checkpoint is malformed",
                file=file,
                position=line.position,
                expected=f"{count} fields",
                found=text.shown(content),
            )

    def integer(self, index: int, bits: int) -> int:
        """Take a field as a number of `bits` bits."""
        return text.integer(
            self.values[index],
            bits,
            f"field {index + 1} of line {self._line.number}",
            position=self._line.position,
            file=self._file,
        )


def entries(data: bytes, fields: int, *, file: str | None = None) -> Iterator[Fields]:
    """Give the entry lines of a checkpoint, each split into `fields` fields.

    A file of 0 bytes, and one that ends after its version, has no entries.

    Raises:
        UnsupportedError: the version is not 0.
        TruncatedError: there are fewer entries than the file says.
        CorruptError: a line is malformed, or there are more entries than the file says.
    """
    lines = text.lines(data)
    version_line = next(lines, None)
    if version_line is None:
        return
    version = Fields(version_line, 1, file).integer(0, 32)
    if version != 0:
        raise UnsupportedError(
            "unknown version of a checkpoint", file=file, position=version_line.position, expected=0, found=version
        )
    count_line = next(lines, None)
    if count_line is None:
        return
    declared = Fields(count_line, 1, file).integer(0, 32)
    if declared < 0:
        raise CorruptError(
            "the checkpoint declares a negative number of entries",
            file=file,
            position=count_line.position,
            found=declared,
        )
    count = 0
    for line in lines:
        if count == declared:
            raise CorruptError(
                "the checkpoint has more entries than it declares",
                file=file,
                position=line.position,
                expected=declared,
                found=text.shown(line.content),
            )
        yield Fields(line, fields, file)
        count += 1
    if count < declared:
        raise TruncatedError(
            "the checkpoint has fewer entries than it declares",
            file=file,
            position=len(data),
            expected=declared,
            found=count,
        )
