"""The small files of a log directory as text, which Kafka's tool passes over: worded as it words the others."""

from collections.abc import Iterable

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.json_text import as_json
from kafkafmt.cli.dump.names import as_java_prints
from kafkafmt.files import text
from kafkafmt.files.kinds import FileKind
from kafkafmt.io.base import Location


def dump(kind: FileKind, location: Location, console: Console) -> None:
    """Dump a file: the entries of a checkpoint or an index a line each, the fields of other files in one.

    Raises:
        KafkafmtError: as `read` of the kind's module.
    """
    entries = kind.read(location).entries
    if not entries:
        console.line(f"{as_java_prints(location)} is empty.")
    elif kind.syntax in ("properties", "json"):
        console.line(_fields(entries))
    else:
        for entry in entries:
            console.line(_fields((_camel_case(name), getattr(entry, name)) for name in _names(entry)))


def _names(entry: object) -> Iterable[str]:
    """The fields of an entry, which is a NamedTuple or a dataclass with slots."""
    names: Iterable[str] = getattr(entry, "_fields", None) or type(entry).__slots__  # type: ignore[attr-defined]
    return names


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _fields(fields: Iterable[tuple[str, object]]) -> str:
    return " ".join(f"{text.well_formed(name)}: {_shown(value)}" for name, value in fields)


def _shown(value: object) -> str:
    return text.well_formed(value if isinstance(value, str) else as_json(value))
