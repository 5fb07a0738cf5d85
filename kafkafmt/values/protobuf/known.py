"""The files that every registry has without a reference: those in known/."""

from functools import cache
from pathlib import Path
from typing import Final

from kafkafmt.values.protobuf.declared import DeclaredFile
from kafkafmt.values.protobuf.source import parse_source

_DIRECTORY: Final = Path(__file__).parent / "known"


@cache
def known_names() -> frozenset[str]:
    """Their names, as an import has them."""
    return frozenset(path.relative_to(_DIRECTORY).as_posix() for path in _DIRECTORY.rglob("*.proto"))


@cache
def known_file(name: str) -> DeclaredFile:
    """One of them.

    Args:
        name: one of `known_names`.
    """
    return parse_source((_DIRECTORY / name).read_text())
