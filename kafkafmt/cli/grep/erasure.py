"""`grep --everywhere`: all traces of something below the paths, and the report of it."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE, RowOptions, TableShape
from kafkafmt.cli.delivery import open_disks
from kafkafmt.cli.messages import say
from kafkafmt.limits import Limits

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.searching import Everywhere, RecordSearch
    from kafkafmt.searching.evidence import EvidenceWriter

_SHAPE = TableShape(
    ("topic", "partition", "offset", "partOf", "visible", "visibleCommitted", "matchedIn", "file", "position"),
    first=("file", "position", "partOf", "visible", "offset", "visibleCommitted", "matchedIn"),
)


def grep_everywhere(
    search: "RecordSearch", paths: Sequence[str], rows: RowOptions, evidence: str | None, limits: Limits | None
) -> int:
    """Write all hits, say what could not be read, and write the evidence if it is wanted.

    Returns:
        FINDINGS if something was found; else UNREADABLE if something could not be read, or CLEAN.

    Raises:
        click.UsageError: the pattern finds nothing in raw bytes, or a file cannot be written.
        SourceError: nothing can be read.
    """
    import click

    from kafkafmt.searching import HITS
    from kafkafmt.searching.everywhere import Everywhere

    rows.check(HITS.names)
    disks = open_disks(paths)
    try:
        everywhere = Everywhere(disks, search, limits or Limits())
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    disks.found  # noqa: B018 - what is wrong with the paths is said before anything is written
    with _evidence(everywhere, evidence, paths) as writer:
        total = sum(getattr(place, "size", 0) or 0 for place in everywhere.places)
        counted: Counter[str] = Counter()
        with _progress(total, rows) as advance:
            batches = _counted(everywhere.to_batches(advance), writer, counted)
            rows.write(batches, HITS, _SHAPE, paths, names_if_empty=True)
        if writer is not None:
            writer.finish()
    for note in disks.link_notes:
        say(f"note: {note}")
    _report(everywhere, counted, total)
    return FINDINGS if everywhere.found else UNREADABLE if everywhere.unread else CLEAN


def _counted(
    batches: "Iterator[pa.RecordBatch]", writer: "EvidenceWriter | None", counted: Counter[str]
) -> "Iterator[pa.RecordBatch]":
    for batch in batches:
        if writer is not None:
            writer.add(batch)
        counted.update(batch.column("partOf").to_pylist())
        counted["visible"] += sum(map(bool, batch.column("visible").to_pylist()))
        yield batch


def _report(everywhere: "Everywhere", counted: Counter[str], total: int) -> None:
    """Say what could not be read, and what the search comes to."""
    messages.say_some([f"not proved: {each}" for each in everywhere.unread])
    searched = f"searched {human.plural(len(everywhere.files), 'file')}, {human.size(total)}"
    visible = counted.pop("visible", 0)
    if everywhere.found:
        times = human.plural(everywhere.found, "time")
        places = ", ".join(f"{number:,} {part}" for part, number in counted.most_common())
        say(f"found {times} ({places}), {visible:,} of them visible to consumers; {searched}")
    elif everywhere.unread:
        unread = human.plural(len(everywhere.unread), "place")
        say(f"not proved: nothing found, but {unread} could not be read; {searched}")
    else:
        say(f"note: nothing found; {searched}")


@contextmanager
def _progress(total: int, rows: RowOptions) -> "Iterator[Callable[[int], None]]":
    """Show how far it is, where rows leave the terminal alone; gives the function that counts bytes."""
    if rows.out is None and sys.stdout.isatty():
        yield lambda _: None
        return
    with messages.progress_of_bytes(lambda: total) as advance:
        yield advance


@contextmanager
def _evidence(everywhere: "Everywhere", out: str | None, paths: Sequence[str]) -> "Iterator[EvidenceWriter | None]":
    """The writer of the evidence; the file appears when the context ends without an exception."""
    if out is None:
        yield None
        return
    from kafkafmt.cli.output.destination import open_destination
    from kafkafmt.searching.evidence import EvidenceWriter

    with open_destination(out, "json", paths, option="--evidence") as destination:
        yield EvidenceWriter(everywhere, destination.write, paths)
