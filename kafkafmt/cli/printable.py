"""Text that is fit for a terminal: what would move the cursor, change colours or reorder letters is escaped."""

import unicodedata

_JOINERS = "\u200c\u200d"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text: str) -> str:
    r"""Write control and format characters, surrogates and unassigned code points as `\n`, `\x1b` or `\u202e`.

    Spaces of all scripts stay, and so do the joiners that letters of some scripts and emoji need. A backslash stays a
    backslash: the result is to be read by people.
    """
    return text if text.isprintable() else text.translate(_escapes)


class _Escapes(dict[int, str]):
    """What each code point becomes, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        fit = character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"
        escaped = character.encode("unicode_escape").decode("ascii")
        self[code] = character if fit else _SHORT.get(character, escaped)
        return self[code]


_escapes = _Escapes()
