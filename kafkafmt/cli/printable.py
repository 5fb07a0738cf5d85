"""Text that is safe for a terminal, defined only here: control, reordering and invisible characters are escaped.

Tables, stderr, `dump` on a terminal and file names use `escape`; JSON uses `escape_in_json`; commands to be pasted
use `quote`.
"""

import os
import re
import shlex
import unicodedata

# Scripts and emoji need these characters, which affect the letters around them: zero width (non-)joiner, and the two
# selectors of text and emoji presentation.
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
# Characters that are letters, marks and symbols by category, but invisible (Unicode's Default_Ignorable_Code_Point, and
# the blank Braille pattern): fillers, variation selectors.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_dumb() -> bool:
    """Whether the terminal takes no control sequences, as that of an editor."""
    return os.environ.get("TERM") in ("dumb", "unknown")


def escape(text: str) -> str:
    r"""Write control, format, private use and unassigned code points and surrogates as `\n`, `\x1b` or `\u202e`.

    Spaces of all scripts stay, as do the joiners that some scripts and emoji need. A backslash is not escaped, since
    the result is meant for people.
    """
    return text if _is_printable(text) else text.translate(_escapes)


def escape_in_json(text: str) -> str:
    r"""Write the same characters in JSON text as `\uXXXX`: its value does not change, as they occur only in strings.

    Args:
        text: JSON whose strings have control characters below U+0020 escaped, as JSON requires.
    """
    return text if _is_printable(text) else text.translate(_json_escapes)


def quote(argument: str) -> str:
    r"""Quote an argument for a shell; unprintable ones as `$'..'` with `\xNN`, which bash, zsh and ksh support.

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
    # A hexadecimal digit after an escape would be taken for a part of it.
    text = re.sub(r"(\\x[0-9a-f]{2})(?=[0-9A-Fa-f])", r"\1'$'", "".join(parts))
    return f"$'{text}'"


def _is_printable(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _BLANK.search(text) is None)


class _Escapes(dict[int, str]):
    """The replacement of each code point, computed when it is first used."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if _stays(character) else self.escaped(character)
        return self[code]

    @staticmethod
    def escaped(character: str) -> str:
        """A character in the form for people."""
        return _SHORT.get(character, character.encode("unicode_escape").decode("ascii"))


class _JsonEscapes(_Escapes):
    """The same in JSON's form: UTF-16 code units, a pair above U+FFFF."""

    @staticmethod
    def escaped(character: str) -> str:
        """A character in the form of a JSON string."""
        units = character.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _stays(character: str) -> bool:
    fit = character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"
    return fit and _BLANK.match(character) is None


_escapes = _Escapes()
_json_escapes = _JsonEscapes()
