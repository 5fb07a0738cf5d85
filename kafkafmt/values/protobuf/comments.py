"""Text of Protobuf schemas without comments, for searches that do not parse it. Takes time linear in the text."""

import re
from typing import Final

# An unclosed comment or string extends to the end of the text; otherwise each opening would search all of the rest.
_SILENT: Final = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*)|(\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)", re.DOTALL)


def without_comments(text: str, *, keeps_strings: bool) -> str:
    """The text of a schema with a space in place of each comment, and of each string unless strings are kept."""
    return _SILENT.sub(lambda found: (found[1] if keeps_strings else None) or " ", text)
