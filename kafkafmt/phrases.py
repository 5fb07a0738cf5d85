"""Phrases that findings, notes, errors and answers share: counts with their nouns, and lists of names."""

from collections.abc import Sequence

_NAMED = 10


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """A number with its noun: `1 record`, `2,000 records`; `nouns` is a plural that is not formed with an s."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def sized(number: int) -> str:
    """A number of bytes as in errors, without separators: `1 byte`, `2000 bytes`."""
    return f"{number} byte{'' if number == 1 else 's'}"


def are(number: int) -> str:
    """The verb after a number: `is` or `are`."""
    return "is" if number == 1 else "are"


def counted_are(number: int, noun: str, nouns: str | None = None) -> str:
    """A number with its noun and the verb: `1 record is`, `2,000 records are`."""
    return f"{counted(number, noun, nouns)} {are(number)}"


def counted_have(number: int, noun: str, nouns: str | None = None) -> str:
    """A number with its noun and the verb: `1 record has`, `2,000 records have`."""
    return f"{counted(number, noun, nouns)} {'has' if number == 1 else 'have'}"


def named(noun: str, names: Sequence[object], most: int = _NAMED) -> str:
    """A noun with the first few names: `node 1`, `nodes 1, 2 and 20 more`."""
    return f"{noun}{'' if len(names) == 1 else 's'} {listed([*map(str, names)], most)}"


def listed(names: Sequence[str], most: int = _NAMED, separator: str = ", ") -> str:
    """The first few names, and how many more there are: `a, b and 2,000 more`, `a; b; and 2,000 more`."""
    more = len(names) - most
    link = " " if separator == ", " else separator
    return separator.join(names[:most]) + (f"{link}and {more:,} more" if more > 0 else "")


def joined(clauses: Sequence[str]) -> str:
    """All clauses as one: `a`, `a and b`, `a, b and c`."""
    *first, last = clauses
    return f"{', '.join(first)} and {last}" if first else last
