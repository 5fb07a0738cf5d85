"""Text that is safe for a terminal, decided here alone: control, reordering and invisible characters are escaped.

Tables, stderr, `dump` on a terminal and names of files use `escape`; JSON uses `escape_in_json`; commands to be pasted
use `quote`.
"""

import os
import re
import shlex
import unicodedata

# Scripts and emoji need these, and they take part in the letters around them: zero width (non-)joiner, and the two
# selectors of text and emoji presentation.
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
# Letters, marks and symbols by their category, with nothing to be seen (Unicode's Default_Ignorable_Code_Point, and the
# blank Braille pattern): fillers, variation selectors.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text: str) -> str:
    r"""Write control, format, private use and unassigned code points and surrogates as `\n`, `\x1b` or `\u202e`.

    Spaces of all scripts stay, and so do the joiners that letters of some scripts and emoji need. A backslash stays a
    backslash: the result is to be read by people.
    """
    return text if _is_printable(text) else text.translate(_escapes)


def escape_in_json(text: str) -> str:
    r"""Write the same characters of a JSON document as `\uXXXX`: its value is unchanged, as they occur in strings only.

    Args:
        text: JSON whose strings have their control characters below U+0020 escaped, as JSON demands.
    """
    return text if _is_printable(text) else text.translate(_json_escapes)


def quote(argument: str) -> str:
    r"""Quote an argument for a shell; one that is not printable as `$'..'` with `\xNN`, which bash, zsh and ksh read.

    The result is on one line and names the same bytes.
    """
    if _is_printable(argument):
        return shlex.quote(argument)
    parts = []
    for character in argument:
        if character in "\\'":
            parts.append(f"\\{character}")
        elif _is_printable(character):
            parts.append(character)
        else:
            parts += [f"\\x{byte:02x}" for byte in os.fsencode(character)]
    # A hexadecimal digit after an escape would count as part of it.
    text = re.sub(r"(\\x[0-9a-f]{2})(?=[0-9A-Fa-f])", r"\1'$'", "".join(parts))
    return f"$'{text}'"


def _is_printable(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _BLANK.search(text) is None)


class _Escapes(dict[int, str]):
    """The replacement of each code point, computed at its first use."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if _stays(character) else self.escaped(character)
        return self[code]

    @staticmethod
    def escaped(character: str) -> str:
        """A character as people read it."""
        return _SHORT.get(character, character.encode("unicode_escape").decode("ascii"))


class _JsonEscapes(_Escapes):
    """The same in JSON's form: UTF-16 code units, a pair above U+FFFF."""

    @staticmethod
    def escaped(character: str) -> str:
        """A character as a JSON string holds it."""
        units = character.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _stays(character: str) -> bool:
    fit = character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"
    return fit and _BLANK.match(character) is None


_escapes = _Escapes()
_json_escapes = _JsonEscapes()
