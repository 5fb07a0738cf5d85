"""Topics and partitions that a query reads: subscribe, subscribePattern, assign; converts Java patterns to Python."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.option_errors import TopicPartition, bad_pattern

_SAME_ESCAPES: Final = frozenset("AbBdDsSwWtnrfaxuZ123456789")
_NOT_IN_CLASSES: Final = frozenset("AbBZ123456789")
_HEX_DIGITS: Final = {"x": re.compile("[0-9a-fA-F]{2}"), "u": re.compile("[0-9a-fA-F]{4}")}
_CLASSES: Final = {
    "Lower": "a-z",
    "javaLowerCase": "a-z",
    "Ll": "a-z",
    "IsLl": "a-z",
    "IsLowercase": "a-z",
    "Upper": "A-Z",
    "javaUpperCase": "A-Z",
    "Lu": "A-Z",
    "IsLu": "A-Z",
    "IsUppercase": "A-Z",
    "Alpha": "a-zA-Z",
    "L": "a-zA-Z",
    "IsL": "a-zA-Z",
    "IsAlphabetic": "a-zA-Z",
    "Digit": "0-9",
    "N": "0-9",
    "IsN": "0-9",
    "Nd": "0-9",
    "IsNd": "0-9",
    "IsDigit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "IsPunctuation": r"!-#%-*,-/:;?@\[-\]_{}",
    "P": r"!-#%-*,-/:;?@\[-\]_{}",
    "ASCII": r"\x00-\x7f",
}
_PROPERTY = re.compile(r"\\([pP])(?:\{(\w+)\}|(\w))")
_NAME = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)>")
_FLAGS = re.compile(r"\(\?[ims]*(?:-[ims]+)?[:)]")
_PLAIN_GROUPS: Final = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>")
_REPEAT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")


def compile_pattern(value: str) -> re.Pattern[str]:
    """Compile a `subscribePattern`; `search` finds it anywhere in a name, as in Spark's kafka source.

    Args:
        value: the pattern, without surrounding white space.

    Raises:
        OptionError: Java or Python does not understand the pattern, or they understand it differently.
    """
    translated = _Translation(value).translate()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(translated, re.ASCII)
    except (re.error, Warning, OverflowError, RecursionError) as error:
        raise bad_pattern(value, f"it cannot be understood: {error}") from None


class _Translation:
    """One walk over a pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []

    def translate(self) -> str:
        """Convert the pattern to Python."""
        in_class = False
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            if char == "\\":
                self._escape(in_class=in_class)
            elif in_class:
                in_class = self._in_class(char)
            elif char == "[":
                in_class = True
                negated = self._pattern.startswith("[^", self._at)
                self._take(2 if negated else 1)
                if self._pattern.startswith("]", self._at):
                    raise self._refused("a character class that begins with ]")
            elif char == "(":
                self._group()
            elif char == "{" and _REPEAT.match(self._pattern, self._at) is None:
                raise self._refused("a { that counts nothing (write \\{)")
            else:
                self._take(1)
        if in_class:
            raise self._refused("a character class that does not end")
        return "".join(self._out)

    def _in_class(self, char: str) -> bool:
        if char == "[" or self._pattern.startswith("&&", self._at):
            raise self._refused("a character class in another one, or &&")
        self._take(1)
        return char != "]"

    def _escape(self, *, in_class: bool) -> None:
        pattern, at = self._pattern, self._at
        if pattern.startswith("\\Q", at):
            end = pattern.find("\\E", at)
            end = len(pattern) if end < 0 else end
            self._put("".join(map(_quoted, pattern[at + 2 : end])), end + 2 - at)
        elif pattern.startswith("\\z", at) and not in_class:
            self._put(r"\Z", 2)
        elif pattern.startswith("\\k", at) and (name := _NAME.match(pattern, at + 2)) and not in_class:
            self._put(f"(?P={name[1]})", name.end() - at)
        elif matched := _PROPERTY.match(pattern, at):
            self._put(self._property(matched, in_class=in_class), matched.end() - at)
        else:
            escaped = pattern[at + 1 : at + 2]
            if not escaped or (escaped.isascii() and escaped.isalnum() and escaped not in _SAME_ESCAPES):
                raise self._refused(f"\\{escaped}")
            if escaped in _HEX_DIGITS and _HEX_DIGITS[escaped].match(pattern, at + 2) is None:
                raise self._refused(f"\\{escaped} without its digits")
            if in_class and escaped in _NOT_IN_CLASSES:
                raise self._refused(f"\\{escaped} in a character class")
            if escaped.isdigit() and pattern[at + 2 : at + 3].isdigit():
                raise self._refused(f"{pattern[at : at + 3]}, a group's number and a digit")
            self._take(2)

    def _property(self, matched: re.Match[str], *, in_class: bool) -> str:
        characters = _CLASSES.get(matched[2] or matched[3])
        if characters is None or (in_class and matched[1] == "P"):
            raise self._refused(matched[0])
        if in_class and "-" in (self._pattern[matched.start() - 1], self._pattern[matched.end() : matched.end() + 1]):
            raise self._refused(f"{matched[0]} beside a dash")
        if in_class:
            return characters
        return f"[{'^' if matched[1] == 'P' else ''}{characters}]"

    def _group(self) -> None:
        pattern, at = self._pattern, self._at
        if not pattern.startswith("(?", at):
            self._take(1)
            return
        plain = next((group for group in _PLAIN_GROUPS if pattern.startswith(group, at)), None)
        flags = _FLAGS.match(pattern, at)
        if plain is not None:
            self._take(len(plain))
        elif flags is not None:
            self._take(len(flags[0]))
        elif name := _NAME.match(pattern, at + 2):
            self._put(f"(?P<{name[1]}>", name.end() - at)
        else:
            raise self._refused(pattern[at : at + 4])

    def _take(self, count: int) -> None:
        self._put(self._pattern[self._at : self._at + count], count)

    def _put(self, text: str, count: int) -> None:
        self._out.append(text)
        self._at += count

    def _refused(self, what: str) -> Exception:
        return bad_pattern(self._pattern, f"it has {what}")


def _quoted(char: str) -> str:
    # A digit would lengthen the number of a group in front of it.
    return f"\\x{ord(char):02x}" if char.isascii() and char.isdigit() else re.escape(char)


SUBSCRIBE: Final = "subscribe"
SUBSCRIBE_PATTERN: Final = "subscribePattern"
ASSIGN: Final = "assign"

INTERNAL_TOPICS: Final = frozenset(
    ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
)
"""Topics that a pattern never matches: Kafka's clients do not list them (the last is not a topic to them)."""


@dataclass(frozen=True)
class TopicChoice:
    """The selected topics and partitions; at most one of the three kinds of selection is set, and none means all.

    Attributes:
        option: name of the option that was given, or None.
        topics: names of topics (`subscribe`).
        pattern: matches anywhere in a topic's name (`subscribePattern`); Kafka's internal topics are never selected.
        assigned: partitions of each topic (`assign`).
    """

    option: str | None = None
    topics: frozenset[str] | None = None
    pattern: re.Pattern[str] | None = None
    assigned: Mapping[str, tuple[int, ...]] | None = None

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "TopicChoice":
        """Read the options.

        Args:
            options: values by name, in the spelling of the docs.

        Raises:
            OptionError: a value is invalid, or more than one of the three options is given.
        """
        given = [name for name in (SUBSCRIBE, SUBSCRIBE_PATTERN, ASSIGN) if name in options]
        if len(given) > 1:
            raise option_errors.more_than_one_choice(given)
        if not given:
            return cls()
        (option,) = given
        value = options[option]
        if option == SUBSCRIBE:
            topics = frozenset(filter(None, (name.strip() for name in value.split(","))))
            if not topics:
                raise option_errors.no_topics(option, value, "allowed: names of topics, with commas between them")
            return cls(option, topics=topics)
        if option == SUBSCRIBE_PATTERN:
            if not value.strip():
                raise option_errors.no_topics(option, value, "allowed: a Java regular expression")
            return cls(option, pattern=compile_pattern(value.strip()))
        return cls(option, assigned=option_values.partitions(option, value.strip()))

    def takes(self, topic: str, partition: int) -> bool:
        """Whether a partition is selected."""
        if self.topics is not None:
            return topic in self.topics
        if self.pattern is not None:
            return topic not in INTERNAL_TOPICS and self.pattern.search(topic) is not None
        return self.assigned is None or partition in self.assigned.get(topic, ())

    @property
    def wanted_topics(self) -> frozenset[str]:
        """Topics selected by name."""
        return self.topics or frozenset(self.assigned or ())

    @property
    def wanted_partitions(self) -> frozenset[TopicPartition]:
        """Partitions selected by number."""
        return frozenset((topic, number) for topic, numbers in (self.assigned or {}).items() for number in numbers)
