"""Resolution of Avro values from their writer's schema to a reader's ("Schema Resolution" of the specification).

A pair of schemas becomes a `ResolvedType`, from which the functions of `reading` and the programs of `program` are
made. Where the specification is ambiguous, this follows Apache Avro's Java (`Resolver`, `ResolvingGrammarGenerator`):
top-level records resolve whatever their names are, and a record finds its branch of a union by name, or by structure.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.avro.json_values import Mismatch, default_value
from kafkafmt.values.avro.schema import PRIMITIVES, Node, RecordField

_PROMOTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}


@dataclass(eq=False, slots=True)
class ResolvedType:
    """How values of one type are read as those of another; a recursive record has one object.

    Attributes:
        kind: kind of the written value; "branch" adds the name of the reader's branch, "refused" always raises an
            error.
        writer: the type that is written.
        reader: the type to read it as; for a writer's union the reader's whole type.
        inner: types of an array's items, of a map's values, of each branch of a union, or below a branch's name.
        fields: a record's fields in the writer's order, with the reader's name of each; "" if the field is left out.
        missing: values of a record's fields that are not written, by the reader's names, as `reading` gives them.
        symbols: the reader's symbol for each symbol of the writer's enum; None if the reader has none.
        reason: the reason of a refusal.
    """

    kind: Literal["primitive", "fixed", "enum", "array", "map", "record", "union", "branch", "refused"]
    writer: Node
    reader: Node
    inner: "list[ResolvedType]" = field(default_factory=list)
    fields: "list[tuple[str, ResolvedType]]" = field(default_factory=list)
    missing: dict[str, Any] = field(default_factory=dict)
    symbols: tuple[str | None, ...] = ()
    reason: str = ""

    @property
    def is_rest(self) -> bool:
        """Whether a value is the rest of the bytes: Confluent's serializers write top-level bytes without a length."""
        return self.writer.type == self.reader.type == "bytes"


def resolve(writer: Node, reader: Node) -> ResolvedType:
    """Resolve one schema to another, or to itself.

    Raises:
        CorruptError: no value of the writer's schema can be resolved to the reader's.
        LimitExceededError: the types are nested too deeply.
    """
    try:
        return _Pairs().resolved(writer, reader)
    except Mismatch as mismatch:
        raise CorruptError(f"the schemas cannot be resolved: {mismatch}") from None
    except RecursionError as error:
        raise LimitExceededError("the types of the Avro schemas are nested too deeply") from error


_MOST_PAIRS: Final = 200_000
"""Most pairs of types to compare: records of unions without a common name are tried in turn."""


class _Branches:
    """The branches of a reader's union.

    Attributes:
        named: the branch of each type and name. As in Java an alias takes precedence over a branch's own name, and the
            last of equal aliases counts. The name of unnamed types is None.
    """

    def __init__(self, union: Node) -> None:
        self.named: dict[tuple[str, str | None], Node] = {}
        self._has_several = union.optional is None
        self._records: list[Node] = []
        self._short: defaultdict[str, list[Node]] = defaultdict(list)
        for each in union.inner:
            self.named |= {(each.type, alias): each for alias in each.aliases}
        for each in union.inner:
            self.named.setdefault((each.type, each.name), each)
            if each.type == "record":
                self._records.append(each)
                self._short[_short(each)].append(each)

    def alike(self, writer: Node) -> Iterator[Node]:
        """Records that may have the structure of a writer's record, in Java's order of preference."""
        if writer.type == "record":
            # If only the namespace differs, Java takes the last one.
            yield from reversed(self._short.get(_short(writer), ()))
            yield from self._records

    def tagged(self, resolved: ResolvedType, branch: Node) -> ResolvedType:
        """Add the branch's name if the union has several types besides null."""
        if not self._has_several or branch.type == "null":
            return resolved
        return ResolvedType("branch", resolved.writer, branch, [resolved])


class _Pairs:
    """Resolves pairs of types; a pair of records is resolved once, even if it is recursive."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], ResolvedType] = {}
        self._refused: dict[tuple[int, int], str] = {}
        self._unions: dict[int, _Branches] = {}
        self._defaults: dict[int, tuple[Any, str]] = {}
        self._count = 0

    def resolved(self, writer: Node, reader: Node) -> ResolvedType:
        if writer.type == "union":
            return self._of_writer_union(writer, reader)
        if reader.type == "union":
            return self._to_branch(writer, reader)
        return self._of_same(writer, reader)

    def _of_same(self, writer: Node, reader: Node) -> ResolvedType:
        """Resolve two types that are not unions."""
        self._count += 1
        if self._count > _MOST_PAIRS:
            raise LimitExceededError(
                "the Avro schemas are too large to be resolved", expected=f"at most {_MOST_PAIRS:,} pairs of types"
            )
        if writer.type != reader.type:
            if reader.type in _PROMOTIONS.get(writer.type, ()):
                return ResolvedType("primitive", writer, reader)
            raise Mismatch(f"found {writer.branch_name}, expecting {reader.branch_name}")
        if writer.type in PRIMITIVES:
            return ResolvedType("primitive", writer, reader)
        if writer.type == "array":
            return ResolvedType("array", writer, reader, [self.resolved(writer.inner[0], reader.inner[0])])
        if writer.type == "map":
            return ResolvedType("map", writer, reader, [self.resolved(writer.inner[0], reader.inner[0])])
        if writer.type == "record":
            return self._record(writer, reader)
        if _short(writer) != _short(reader) and writer.name not in reader.aliases:
            raise Mismatch(f"found {writer.name}, expecting {reader.name}")
        if writer.type == "enum":
            known = frozenset(reader.symbols)
            symbols = (symbol if symbol in known else reader.default for symbol in writer.symbols)
            return ResolvedType("enum", writer, reader, symbols=tuple(symbols))
        if writer.size != reader.size:
            raise Mismatch(f"{reader.name} has {writer.size} bytes, expecting {reader.size}")
        return ResolvedType("fixed", writer, reader)

    def _of_writer_union(self, writer: Node, reader: Node) -> ResolvedType:
        branches: list[ResolvedType] = []
        mismatches: list[Mismatch] = []
        for each in writer.inner:
            try:
                branches.append(self._branch(writer, each, reader))
            except Mismatch as mismatch:
                branches.append(ResolvedType("refused", each, reader, reason=str(mismatch)))
                mismatches.append(mismatch)
        if branches and len(mismatches) == len(branches):
            raise mismatches[0]
        return ResolvedType("union", writer, reader, branches)

    def _branch(self, writer: Node, branch: Node, reader: Node) -> ResolvedType:
        """One branch of the writer's union; within the same union the same branch, whatever branches precede it."""
        if writer is reader:
            return self._branches(reader).tagged(self._of_same(branch, branch), branch)
        return self.resolved(branch, reader)

    def _to_branch(self, writer: Node, reader: Node) -> ResolvedType:
        """The branch of the reader's union with the same type and name, else the first one that fits."""
        branches = self._branches(reader)
        named = branches.named.get((writer.type, writer.name))
        if named is not None:
            return branches.tagged(self._of_same(writer, named), named)
        for each in branches.alike(writer):
            with suppress(Mismatch):
                return branches.tagged(self._of_same(writer, each), each)
        for each in reader.inner if writer.type in _PROMOTIONS else ():
            if each.type in _PROMOTIONS[writer.type]:
                return branches.tagged(self._of_same(writer, each), each)
        raise Mismatch(f"found {writer.branch_name}, expecting {reader.branch_names}")

    def _branches(self, union: Node) -> "_Branches":
        if id(union) not in self._unions:
            self._unions[id(union)] = _Branches(union)
        return self._unions[id(union)]

    def _record(self, writer: Node, reader: Node) -> ResolvedType:
        pair = (id(writer), id(reader))
        if pair in self._made:
            return self._made[pair]
        if pair in self._refused:
            raise Mismatch(self._refused[pair])
        before = len(self._made)
        # Registered before its fields are resolved, so that a recursive record finds itself.
        resolved = self._made[pair] = ResolvedType("record", writer, reader)
        try:
            resolved.fields += self._fields(writer, reader)
            found = {name for name, _ in resolved.fields}
            resolved.missing.update(
                {each.name: self._default(reader, each) for each in reader.fields if each.name not in found}
            )
        except Mismatch as mismatch:
            # Types resolved inside a refused record may refer back to it, so they are forgotten, too.
            while len(self._made) > before:
                self._made.popitem()
            self._refused[pair] = str(mismatch)
            raise
        return resolved

    def _default(self, record: Node, absent: RecordField) -> Any:  # noqa: ANN401 - any value
        """The value of a field that is not written, found once for all records of the writer."""
        if id(absent) not in self._defaults:
            try:
                self._defaults[id(absent)] = default_value(record, absent), ""
            except Mismatch as mismatch:
                self._defaults[id(absent)] = None, str(mismatch)
        value, reason = self._defaults[id(absent)]
        if reason:
            raise Mismatch(reason)
        return value

    def _fields(self, writer: Node, reader: Node) -> Iterator[tuple[str, ResolvedType]]:
        """The writer's fields in their order, each with its name in the reader's record, or "" if it is left out."""
        is_same = writer.name == reader.name or writer.name in reader.aliases
        has_aliases = is_same and [each.name for each in writer.fields] != [each.name for each in reader.fields]
        aliased = {alias: each for each in reader.fields for alias in each.aliases} if has_aliases else {}
        named = {each.name: each for each in reader.fields}
        taken: dict[str, str] = {}
        for each in writer.fields:
            # An alias takes precedence over a name, as in Java; fastavro takes the name.
            found = aliased.get(each.name) or named.get(each.name)
            if found is None:
                yield "", self.resolved(each.type, each.type)
                continue
            # Java follows aliases of aliases too, but only if the schemas still differ after the first.
            if (other := aliased.get(found.name, found)) is not found:
                renamed = f"{each.name!r} to {found.name!r} and {found.name!r} to {other.name!r}"
                raise Mismatch(f"the reader's {reader.name} renames {renamed} by aliases: readers of Avro differ there")
            if (before := taken.setdefault(found.name, each.name)) != each.name:
                raise Mismatch(f"{before!r} and {each.name!r} of {writer.name} are both {found.name!r}")
            yield found.name, self.resolved(each.type, found.type)


def _short(node: Node) -> str:
    """The name without its namespace, by which enums and fixed types match."""
    return (node.name or "").rpartition(".")[2]
