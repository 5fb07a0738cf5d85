"""Literals: strings without which a regular expression cannot match, so that batches without them need no decoding.

What is not understood gives none: a string that a match does not need would lose matches.
"""

import re

_NAMED_GROUP = re.compile(r"P?<\w+>")
_REPEAT = re.compile(r"\{\d+(?:,\d*)?\}")
# Without k and s: the Kelvin sign and the long s are upper and lower case of them, too.
_OF_ASCII = re.compile("[\x00-JL-RT-jl-rt-\x7f]+")
_CLASSES_AND_PLACES = "dDwWsSbBAzC"
_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_MOST = 64


class _NotUnderstoodError(Exception):
    pass


def required_literals(expression: str, *, ignore_case: bool = False) -> frozenset[str]:
    """Strings of which each match contains at least one; none if that is not known.

    Args:
        expression: a regular expression of RE2.
        ignore_case: whether upper and lower case are the same; they are in what is given, too.
    """
    try:
        parser = _Parser(expression)
        found = parser.alternation(0)
        if parser.position < len(expression):
            return frozenset()
    except (_NotUnderstoodError, IndexError):
        return frozenset()
    if found and ignore_case:
        found = frozenset(map(longest_of_ascii, found))
    return frozenset() if not found or "" in found or len(found) > _MOST else found


def longest_of_ascii(text: str) -> str:
    """The longest part of a text of which upper and lower case are letters of ASCII alone; "" for none."""
    return max(_OF_ASCII.findall(text), key=len, default="")


class _Parser:
    """Reads an expression from left to right; each part gives the strings of which it contains one, or None."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self.position = 0

    def alternation(self, depth: int) -> frozenset[str] | None:
        if depth > _MOST:
            raise _NotUnderstoodError
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        return None if None in branches else frozenset().union(*(each for each in branches if each))

    def _sequence(self, depth: int) -> frozenset[str] | None:
        best: frozenset[str] | None = None
        run = ""
        while self.position < len(self._expression) and self._expression[self.position] not in "|)":
            item = self._item(depth)
            quantifier = self._quantifier()
            if quantifier == "?":
                item = None
            if isinstance(item, str):
                run += item
            if not isinstance(item, str) or quantifier:
                best = _better(best, frozenset({run}) if run else None)
                run = ""
            if isinstance(item, frozenset):
                best = _better(best, item)
        return _better(best, frozenset({run}) if run else None)

    def _item(self, depth: int) -> frozenset[str] | str | None:
        """One part: a character, what a group contains one of, or None."""
        character = self._next()
        if character == "(":
            if self._take("?") and not self._take(":"):
                named = _NAMED_GROUP.match(self._expression, self.position)
                if named is None:
                    raise _NotUnderstoodError  # flags
                self.position = named.end()
            inner = self.alternation(depth + 1)
            if not self._take(")"):
                raise _NotUnderstoodError
            return inner
        if character == "[":
            self._class()
            return None
        if character == "\\":
            return self._escape()
        if character in "*+?{":
            raise _NotUnderstoodError
        return None if character in ".^$" else character

    def _escape(self) -> str | None:
        character = self._next()
        if character in _CLASSES_AND_PLACES:
            return None
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character.isalnum() or not character.isascii():
            raise _NotUnderstoodError
        return character

    def _class(self) -> None:
        """Pass over a class of characters."""
        self._take("^")
        self._take("]")
        while not self._take("]"):
            if self._expression.startswith("[:", self.position):
                self.position = (
                    self._expression.index(":]", self.position) + 2 if ":]" in self._rest else len(self._expression)
                )
            elif self._next() == "\\":
                self._next()

    def _quantifier(self) -> str:
        """A repetition: "" for none, "+" for at least once, "?" for what may be left out."""
        repeat = _REPEAT.match(self._expression, self.position)
        found = ""
        if repeat is not None:
            self.position = repeat.end()
            found = "?"
        else:
            for each in "+*?":
                if self._take(each):
                    found = "+" if each == "+" else "?"
                    break
        if found:
            self._take("?")
        return found

    @property
    def _rest(self) -> str:
        return self._expression[self.position :]

    def _next(self) -> str:
        character = self._expression[self.position]
        self.position += 1
        return character

    def _take(self, character: str) -> bool:
        is_there = self._expression.startswith(character, self.position)
        self.position += is_there
        return is_there


def _better(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Of two sets the one whose shortest string is longer."""
    known = [each for each in (one, other) if each]
    return max(known, key=lambda each: min(map(len, each)), default=None)
