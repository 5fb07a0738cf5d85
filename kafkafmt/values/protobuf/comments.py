"""Text of Protobuf schemas without comments, for looks at it that do not parse it. Takes time in proportion to it."""

import re
from typing import Final

# What is not closed goes to its end: else the rest would be searched for an end from each beginning.
_SILENT: Final = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*)|(\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)", re.DOTALL)


def without_comments(text: str, *, keeps_strings: bool) -> str:
    """The text of a schema with a space in place of each comment, and of each string unless those stay."""
    return _SILENT.sub(lambda found: (found[1] if keeps_strings else None) or " ", text)
