"""The text of .proto files: proto2, proto3 and editions.

Source: https://protobuf.dev/reference/protobuf/edition-2023-spec/. Services, reserved numbers, and options that do not
affect the encoding are skipped. Text may be as hostile as any other input: its size, fields and depth are bounded.
"""

import re
from typing import Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.reference.header import INT32_RANGE
from kafkafmt.values.protobuf.declared import DeclaredEnum, DeclaredField, DeclaredFile, DeclaredMessage

_MOST_FIELDS: Final = 50_000
_MOST_DEPTH: Final = 64
# Protobuf's largest field number: a tag has three more bits, for the wire type, and 32 in all.
_MOST_NUMBER: Final = 2**29 - 1
_LABELS: Final = ("optional", "required", "repeated")
_BRACKETS: Final = {"{": "}", "[": "]", "<": ">", "(": ")"}

_TOKEN: Final = re.compile(
    r"""
    (?P<blank> \s+ | //[^\n]* | /\*.*?\*/ )
    | (?P<name> \.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)* )
    | (?P<number> 0[xX][0-9a-fA-F]+ | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]? )
    | (?P<string> "[^"\\\n]*(?:\\.[^"\\\n]*)*" | '[^'\\\n]*(?:\\.[^'\\\n]*)*' )
    | (?P<symbol> (?!/\*)[^\w\s"'] )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def parse_source(text: str) -> DeclaredFile:
    """Parse the text of a .proto file.

    Raises:
        CorruptError: the text is not a .proto file.
        LimitExceededError: the file has too many fields, or its messages are nested too deeply.
    """
    return _Parser(text).file()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._fields = 0
        self._kind = ""
        self._word = ""
        self._next()

    def file(self) -> DeclaredFile:
        file = DeclaredFile()
        while self._kind:
            word = self._word
            if word in ("syntax", "edition"):
                self._next()
                self._expect("=")
                file.syntax = self._string()
                self._end()
            elif word == "import":
                self._next()
                if self._kind == "name":
                    self._next()
                file.imports.append(self._string())
                self._end()
            elif word == "package":
                self._next()
                file.package = self._name()
                self._end()
            elif word == "service":
                self._next()
                self._name()
                self._skip()
            elif not self._declaration(file.top, 0):
                raise self._unexpected("a declaration")
        return file

    def _declaration(self, scope: DeclaredMessage, depth: int) -> bool:
        """Parse a declaration at the top of a file or in a message; returns False if it is anything else."""
        word = self._word
        if word == ";":
            self._next()
        elif word in ("export", "local"):
            self._next()
            return self._word in ("message", "enum") and self._declaration(scope, depth)
        elif word == "message":
            self._next()
            message = DeclaredMessage(self._name())
            self._body(message, depth + 1)
            scope.messages.append(message)
        elif word == "enum":
            self._next()
            scope.enums.append(self._enum())
        elif word == "extend":
            self._next()
            extendee = self._name()
            self._expect("{")
            while not self._accept("}"):
                scope.extensions.append(self._field(scope, depth, extendee=extendee))
        elif word == "option":
            self._next()
            self._option(scope.options)
            self._end()
        else:
            return False
        return True

    def _body(self, message: DeclaredMessage, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise LimitExceededError("messages of the Protobuf schema are nested too deeply", expected=_MOST_DEPTH)
        self._expect("{")
        while not self._accept("}"):
            if self._word in ("reserved", "extensions"):
                while not self._accept(";"):
                    self._skip()
            elif self._word == "oneof":
                self._next()
                self._oneof(message, depth)
            elif not self._declaration(message, depth):
                message.fields.append(self._field(message, depth))

    def _oneof(self, message: DeclaredMessage, depth: int) -> None:
        name = self._name()
        options = message.oneof_options.setdefault(name, {})
        self._expect("{")
        while not self._accept("}"):
            if self._accept("option"):
                self._option(options)
                self._end()
            elif not self._accept(";"):
                message.fields.append(self._field(message, depth, oneof=name))

    def _field(
        self, scope: DeclaredMessage, depth: int, *, oneof: str | None = None, extendee: str | None = None
    ) -> DeclaredField:
        self._fields += 1
        if self._fields > _MOST_FIELDS:
            raise LimitExceededError("the Protobuf schema has too many fields", expected=f"at most {_MOST_FIELDS:,}")
        label = self._word if self._word in _LABELS else ""
        if label:
            self._next()
        kind = self._name()
        entry = None
        if kind == "map" and self._accept("<"):
            key = self._name()
            self._expect(",")
            entry = [DeclaredField("key", 1, key), DeclaredField("value", 2, self._name())]
            self._expect(">")
        name = self._name()
        self._expect("=")
        number = self._number(range(1, _MOST_NUMBER + 1))
        options: dict[str, str] = {}
        if self._accept("["):
            self._option(options)
            while self._accept(","):
                self._option(options)
            self._expect("]")
        if entry is not None:
            label, kind = "repeated", _entry_name(name)
            scope.messages.append(DeclaredMessage(kind, entry, is_map_entry=True))
        if kind == "group":
            group = DeclaredMessage(name)
            self._body(group, depth + 1)
            scope.messages.append(group)
            options["group"], kind, name = "true", name, name.lower()
        else:
            self._end()
        return DeclaredField(name, number, kind, label, oneof, options, extendee)

    def _enum(self) -> DeclaredEnum:
        enum = DeclaredEnum(self._name())
        self._expect("{")
        while not self._accept("}"):
            if self._accept("option"):
                self._option(enum.options)
                self._end()
            elif self._word == "reserved":
                while not self._accept(";"):
                    self._skip()
            elif not self._accept(";"):
                name = self._name()
                self._expect("=")
                enum.values.append((name, self._number(INT32_RANGE)))
                while not self._accept(";"):
                    self._skip()
        return enum

    def _option(self, options: dict[str, str]) -> None:
        """Parse an option without its end; its name may be that of an extension, its value an aggregate."""
        name = ""
        while self._word != "=":
            if self._kind not in ("name", "symbol") or self._word in "{};[],":
                raise self._unexpected("the name of an option")
            name += self._word
            self._next()
        self._next()
        if self._word in _BRACKETS:
            if name == "features":
                self._features(options)
            else:
                self._skip()
            return
        sign = "-" if self._accept("-") else ""
        if not self._kind:
            raise self._unexpected("a value")
        options[name] = sign + self._word
        while self._next() == "string":
            pass

    def _features(self, options: dict[str, str]) -> None:
        """Parse `{ field_presence: IMPLICIT .. }`."""
        self._expect("{")
        while not self._accept("}"):
            if self._accept(",") or self._accept(";"):
                continue
            name = self._name()
            self._accept(":")
            if self._kind == "name":
                options[f"features.{name}"] = self._word
            self._skip()

    def _skip(self) -> None:
        """Skip one token, or everything up to the end of the bracket that it opens."""
        open_brackets: list[str] = []
        while True:
            if not self._kind:
                raise self._unexpected("a closing bracket")
            if self._word in _BRACKETS:
                open_brackets.append(_BRACKETS[self._word])
            elif open_brackets and self._word == open_brackets[-1]:
                open_brackets.pop()
            self._next()
            if not open_brackets:
                return

    def _number(self, allowed: range) -> int:
        sign = -1 if self._accept("-") else 1
        if self._kind != "number" or len(self._word) > 20:
            raise self._unexpected("a number")
        text = self._word
        is_octal = text.startswith("0") and text.isdigit()
        try:
            number = sign * int(text, 8 if is_octal else 0)
        except ValueError:
            raise self._unexpected("a whole number") from None
        if number not in allowed:
            raise CorruptError("a number of the Protobuf schema is out of range", found=number)
        self._next()
        return number

    def _string(self) -> str:
        if self._kind != "string":
            raise self._unexpected("a text")
        text = ""
        while self._kind == "string":
            text += self._word[1:-1]
            self._next()
        return text

    def _name(self) -> str:
        if self._kind != "name":
            raise self._unexpected("a name")
        name = self._word
        self._next()
        return name

    def _end(self) -> None:
        self._expect(";")

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise self._unexpected(f"{token!r}")

    def _accept(self, token: str) -> bool:
        if self._word != token or not self._kind:
            return False
        self._next()
        return True

    def _next(self) -> str:
        """Advance to the next token; returns its kind, "" at the end of the text."""
        self._kind = "blank"
        while self._kind == "blank":
            found = _TOKEN.match(self._text, self._at)
            if found is None or not found[0]:
                if self._at < len(self._text):
                    self._kind, self._word = "symbol", self._text[self._at]
                    opened = {
                        '"': "a string that is closed",
                        "'": "a string that is closed",
                        "/": "a comment that is closed",
                    }
                    raise self._unexpected(opened.get(self._word, "another character"))
                self._kind = self._word = ""
                return ""
            self._kind, self._word = found.lastgroup or "", found[0]
            self._at = found.end()
        return self._kind

    def _unexpected(self, expected: str) -> CorruptError:
        line = self._text.count("\n", 0, self._at) + 1
        found = repr(self._word[:80]) if self._kind else "its end"
        return CorruptError(f"line {line} of the Protobuf schema is not valid", expected=expected, found=found)


def _entry_name(name: str) -> str:
    """The name of the message for a map's entries, as protoc derives it."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "Entry"
