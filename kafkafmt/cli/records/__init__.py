"""Records: options and delivery that the commands share that print records, `cat` and `grep`."""

from typing import Any

import click

from kafkafmt.cli.command import RowOptions, option
from kafkafmt.cli.options import WHICH

follow_option = option(
    "--follow",
    "-f",
    is_flag=True,
    group=WHICH,
    help="Go on with what is written from now on, as tail -f does: whole batches, new segments, new partitions. "
    "Ctrl-C ends it. --last 0 begins at the end.",
)
"""`--follow`."""


def check_together(
    rows: RowOptions,
    *,
    follow: bool,
    limit: int | None,
    last: int | None,
    record_kind: str | None,
    partition_by: tuple[str, ...] | None,
    max_file_bytes: int | None,
    state: str | None,
    count: bool = False,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> None:
    """Check options that go only with others, or not with them: values of the options of these names.

    Raises:
        click.UsageError: as said.
    """
    if last == 0 and not follow:
        raise click.UsageError("--last 0 selects nothing, unless with --follow.")
    ending = {"--count": count, "--partition-by": partition_by, "--state": state, "--compacted": wanted["compacted"]}
    for other, is_given in ending.items():
        if follow and is_given:
            raise click.UsageError(f"--follow does not go with {other}.")
    if partition_by is None and max_file_bytes is not None:
        raise click.UsageError("--max-file-bytes goes with --partition-by.")
    if partition_by and count:
        raise click.UsageError("--partition-by does not go with --count.")
    if partition_by and rows.out is None:
        raise click.UsageError("--partition-by needs the directory to write: --out DIR.")
    if partition_by and (record_kind is not None or limit is not None or last is not None):
        raise click.UsageError("--partition-by does not go with --kind, --limit and --last.")
    if state is not None:
        values = {"--limit": limit, "--last": last, "--start-offset": wanted["start_offset"]}
        given = [name for name, value in values.items() if value is not None]
        if wanted["replica"] == "all":
            given.append("--replica all")
        if given:
            raise click.UsageError(f"--state says where to begin and reads to the end: leave out {given[0]}.")
    if record_kind is not None and wanted["topics"] is not None:
        raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
    if record_kind is not None and last:
        raise click.UsageError("--last does not go with --kind: the kind of a record is known only once it is read.")
