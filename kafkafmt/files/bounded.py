"""Makes the `read` function of kinds of files that are small enough to be read whole."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from kafkafmt.files.kinds import KINDS
from kafkafmt.io.source import locate, read_bytes

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source

T_co = TypeVar("T_co", covariant=True)


class Read(Protocol[T_co]):
    """The `read` function of a kind of file."""

    def __call__(self, path: "Source | Location", filesystem: "FileSystem | None" = None) -> T_co:
        """Read the file at `path`."""


def reader(kind: str, parse: Callable[..., T_co]) -> Read[T_co]:
    """Make the `read` function of a kind of file.

    Args:
        kind: id in `KINDS`, which has the maximal size.
        parse: makes the content from the bytes.
    """

    def read(path: "Source | Location", filesystem: "FileSystem | None" = None) -> T_co:
        """Read the file at `path`.

        Args:
            path: a path or URI.
            filesystem: the pyarrow file system of `path`, unless that is a local path or URI.

        Raises:
            SourceError: the file cannot be read.
            LimitExceededError: it is larger than a file of its kind can be (`max_bytes` in `kafkafmt.files.kinds`).
            DataError: as raised by `parse`.
        """
        location = locate(path, filesystem)
        return parse(read_bytes(location, max_bytes=KINDS[kind].max_bytes), file=str(location))

    return read
