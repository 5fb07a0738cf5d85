"""Records: options and delivery that the commands share that print records, `cat` and `grep`."""

from collections.abc import Mapping

import click

from kafkafmt.cli.command import option
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


def check_follow(*, follow: bool, last: int | None, others: Mapping[str, object]) -> None:
    """Check what goes with `--follow`, or only with it.

    Args:
        follow: whether it is given.
        last: of `--last`.
        others: values of options that do not go with it, by their names.

    Raises:
        click.UsageError: as said.
    """
    if last == 0 and not follow:
        raise click.UsageError("--last 0 selects nothing, unless with --follow.")
    for other, is_given in others.items():
        if follow and is_given:
            raise click.UsageError(f"--follow does not go with {other}.")
