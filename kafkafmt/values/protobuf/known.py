"""The files that every registry has without a reference: those in known/."""

from functools import cache
from pathlib import Path
from typing import Final

from kafkafmt.values.protobuf.declared import DeclaredFile
from kafkafmt.values.protobuf.source import parse_source

_DIRECTORY: Final = Path(__file__).parent / "known"


@cache
def known_names() -> frozenset[str]:
    """The names of the known files, as in an import."""
    return frozenset(path.relative_to(_DIRECTORY).as_posix() for path in _DIRECTORY.rglob("*.proto"))


@cache
def known_file(name: str) -> DeclaredFile:
    """A known file.

    Args:
        name: one of `known_names`.
    """
    return parse_source((_DIRECTORY / name).read_text())
