"""Targets of a load: the interface of a table, and the kind of table that a name means."""

import json
import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from kafkafmt.errors import SourceError
from kafkafmt.io.uri import misspelt_scheme, scheme_of, shown
from kafkafmt.libraries import pa
from kafkafmt.loading.dividing import DIVIDERS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source
    from kafkafmt.loading.parquet_files import PartitionedOutput
    from kafkafmt.scanning import Offsets
    from kafkafmt.scanning.offsets import TopicPartition

DELTA: Final = "delta:"
ICEBERG: Final = "iceberg:"

_KINDS: Final = ("delta", "iceberg")
_KIND: Final = re.compile("[A-Za-z][A-Za-z0-9.+_-]+:")

OFFSETS: Final = "kafkafmt.offsets"
"""Name of the offsets in a commit: the `text_of` those where the next load begins."""

START_OFFSETS: Final = "kafkafmt.start-offsets"
"""Name of the offsets where the rows of a commit begin."""


@dataclass(frozen=True)
class LoadChoices:
    """The choices of a load that a target needs.

    Attributes:
        sources: the paths read; tables must lie outside them.
        max_file_bytes: most bytes of a file.
        say: takes sentences about earlier loads that were interrupted.
    """

    sources: "Sequence[Source | Location]"
    max_file_bytes: int | None
    say: Callable[[str], object]


@dataclass
class TableCommit:
    """The content of one commit, filled in while it is written.

    Attributes:
        start: where the rows begin.
        end: where the next load begins; None to commit nothing. Set before the rows are complete.
        name: name of the commit once it exists, such as "version 3".
        files: number of files.
        size: size of the files in bytes.
        rows: number of rows.
    """

    start: "Offsets"
    end: "Offsets | None" = None
    name: str = ""
    files: int = 0
    size: int = 0
    rows: int = field(default=0)


class LoadTarget(Protocol):
    """A table that loads append to."""

    def offsets(self, names: "Collection[TopicPartition]", /) -> "Offsets | None":
        """Where the next load begins; None if no load has written the table.

        Args:
            names: the partitions that exist now.
        """

    @property
    def has_rows(self) -> bool:
        """Whether the table exists and is not empty."""

    @property
    def has_days(self) -> bool:
        """Whether the table is divided by days or hours, and cannot have a day outside the years 1 to 9999."""

    def divide(self, dividers: Sequence[str] | None) -> list[str]:
        """Set and check the columns by which files are divided.

        Args:
            dividers: the requested columns; None for those of the table, or for none.

        Returns:
            The columns of records that this needs.

        Raises:
            SourceError: the table is divided differently.
        """

    def prepare(self, rows: "pa.Schema") -> "pa.Schema":
        """Create the table, or add columns to it.

        Args:
            rows: columns of the rows.

        Returns:
            The columns of the table's files.

        Raises:
            SourceError: the types do not fit; nothing was changed.
        """

    def appending(self, appended: TableCommit) -> "AbstractContextManager[PartitionedOutput]":
        """Take the rows of one commit, which is made when the context ends without an exception."""

    def close(self) -> None:
        """Let other loads write."""


def open_target(to: str | os.PathLike[str], chosen: LoadChoices) -> LoadTarget:
    """Open a table, which need not exist.

    Args:
        to: "delta:PATH", "iceberg:CATALOG.TABLE", or a directory.
        chosen: the choices of the load.

    Raises:
        ImportError: the table's library is not installed.
        SourceError: the table cannot be opened.
        ValueError: the text is not a name of a table.
    """
    name = os.fspath(to)
    # Imported only for the kind that is needed: each library takes half a second to load.
    if name.startswith(DELTA):
        from kafkafmt.loading.delta import DeltaTarget  # noqa: PLC0415

        return DeltaTarget(name.removeprefix(DELTA), chosen)
    if name.startswith(ICEBERG):
        from kafkafmt.loading.iceberg import IcebergTarget  # noqa: PLC0415

        return IcebergTarget(name.removeprefix(ICEBERG), chosen)
    if isinstance(to, str) and (name in _KINDS or _is_like_a_kind(name)):
        raise ValueError(
            f"{shown(name)!r} is not a table: write delta:PATH, iceberg:CATALOG.TABLE, or a directory; ./{shown(name)} "
            "is the directory of that name"
        )
    from kafkafmt.loading.directory import DirectoryTarget  # noqa: PLC0415

    return DirectoryTarget(name, chosen)


def _is_like_a_kind(name: str) -> bool:
    """Whether a name has a misspelt prefix of a kind of table; URIs get their own error."""
    return _KIND.match(name) is not None and scheme_of(name) is None and misspelt_scheme(name) is None


def text_of(offsets: "Offsets") -> str:
    """Offsets as JSON on one line."""
    return json.dumps(json.loads(offsets.to_json()))


def check_dividers(dividers: Sequence[str]) -> tuple[str, ...]:
    """Check columns that divide files.

    Raises:
        ValueError: a column is unknown, or is given twice.
    """
    unknown = [name for name in dividers if name not in DIVIDERS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(DIVIDERS)}")
    if len(set(dividers)) != len(dividers):
        raise ValueError("a column is given twice")
    return tuple(dividers)


def changed_meanwhile(target: str, *, by_load: bool) -> SourceError:
    """The error of a commit that another commit has overtaken."""
    who = "another load" if by_load else "another program"
    text = f"cannot be written, as {who} has changed it at the same time: nothing more is loaded; run it again"
    return SourceError(text, file=target)


def divided_otherwise(target: str, there: Sequence[str], given: Sequence[str]) -> SourceError:
    """The error of a table that is divided by other columns than the requested ones."""
    expected, found = (", ".join(each) or "nothing" for each in (there, given))
    return SourceError("its files are partitioned differently", file=target, expected=expected, found=found)
