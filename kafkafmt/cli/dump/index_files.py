"""What dumps of offset and time indexes share: the bytes, the broker's sanity check, and the log beside."""

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.names import as_java_prints, base_offset_of
from kafkafmt.errors import CorruptError, SourceError
from kafkafmt.files.kinds import without_suffix
from kafkafmt.files.offset_index import OffsetIndex
from kafkafmt.files.time_index import TimeIndex
from kafkafmt.io.base import File, Location


def report_trailing_bytes(path: str, trailing_bytes: int, console: Console) -> None:
    """Report bytes after the last whole entry of an index, if there are any."""
    if trailing_bytes:
        console.finding(
            CorruptError("the index ends inside an entry", file=path, found=f"{trailing_bytes} bytes of one")
        )


def check_sanity(location: Location, error: CorruptError | None, console: Console) -> None:
    """Print whether a broker would take an index as it is when it starts."""
    if error is None:
        console.line(f"{as_java_prints(location)} passed sanity check.")
        return
    console.finding(error)
    console.note(f"{location}: a broker would rebuild this index when it starts")


def open_log_beside(location: Location, console: Console) -> File | None:
    """Open the log of an index, or report that without it the index is not checked.

    `0.index.deleted` belongs to `0.log.deleted`, or to `0.log` where that is all there is.
    """
    plain, suffix = without_suffix(location.name)
    name = plain.split(".")[0] + ".log"
    try:
        try:
            return location.sibling(name + suffix).open()
        except SourceError:
            if not suffix:
                raise
            return location.sibling(name).open()
    except SourceError as error:
        error.message = f"the index is not checked, for its log cannot be read: {error.message}"
        console.finding(error)
    return None


def ends_index(path: str, index: OffsetIndex | TimeIndex, number: int, relative_offset: int, console: Console) -> bool:
    """Tell whether an entry ends an index as Kafka's tool sees it: one of the base offset that is not the first.

    Of padding there is none among the entries, so whatever comes behind such an entry is reported.
    """
    if number == 0 or relative_offset != 0:
        return False
    console.finding(
        CorruptError(
            f"entry {number} has the base offset, and so ends the index for Kafka's tool, but others follow",
            file=path,
            found=f"{len(index) - number} entries left out",
        )
    )
    return True


def base_offset_or_note(location: Location, console: Console) -> int | None:
    """Read the base offset from an index's name; say so where there is none."""
    base_offset = base_offset_of(location.name)
    if base_offset is None:
        console.note(f"{location}: the name begins with no base offset, so offsets are printed as the file has them")
    return base_offset
