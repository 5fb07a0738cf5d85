"""Directories: what lies in one."""

from typing import TYPE_CHECKING

from kafkafmt.files.location import DirectoryEntry
from kafkafmt.files.source import locate

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.location import Location
    from kafkafmt.files.source import Source

__all__ = ["DirectoryEntry", "list_directory"]


def list_directory(source: "Source | Location", filesystem: "FileSystem | None" = None) -> list[DirectoryEntry]:
    """List a directory in order of names.

    Args:
        source: a path or URI.
        filesystem: the pyarrow file system that `source` is a path of, if it is no local path or URI.

    Raises:
        SourceError: it is missing, forbidden, or no directory.
    """
    return locate(source, filesystem).list()
