"""Transaction indexes as text."""

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.index_files import report_trailing_bytes
from kafkafmt.cli.dump.names import base_offset_of
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.errors import UnsupportedError
from kafkafmt.files import transaction_index
from kafkafmt.files.kinds import KINDS
from kafkafmt.io.base import Location
from kafkafmt.io.source import read_bytes


def dump(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump a transaction index, an aborted transaction a line, up to one of an unknown version.

    Raises:
        KafkafmtError: the file cannot be read, or is too large.
    """
    path = str(location)
    data = read_bytes(location, max_bytes=KINDS["txnindex"].max_bytes)
    base_offset = base_offset_of(location.name)
    unknown = None
    try:
        index = transaction_index.parse(data, base_offset=base_offset, file=path)
    except UnsupportedError as error:
        unknown = error
        index = transaction_index.parse(data[: error.position], base_offset=base_offset, file=path)
    for entry in index:
        console.line(
            f"version: {entry.version} producerId: {entry.producer_id} firstOffset: {entry.first_offset} "
            f"lastOffset: {entry.last_offset} lastStableOffset: {entry.last_stable_offset}"
        )
    report_trailing_bytes(path, index.trailing_bytes, console)
    for wrong in (unknown, index.sanity_error):
        if wrong is not None:
            console.finding(wrong)
