"""`kafkafmt state commit FILE`: the second phase of a load with `--state FILE --commit`."""

import click

from kafkafmt.cli.command import CLEAN, Command


def _action(_: click.Context, __: click.Parameter, action: str) -> str:
    """Check the action.

    Raises:
        click.UsageError: it is not "commit".
    """
    if action != "commit":  # it may be a path with access keys
        raise click.UsageError("the only action is commit: kafkafmt state commit FILE.")
    return action


@click.command(
    cls=Command,
    epilog="""\b
Example: rows that are loaded by another program, once each:
  kafkafmt cat /var/lib/kafka/data --topic orders --state orders.state --commit --out new.jsonl &&
    load new.jsonl &&
    kafkafmt state commit orders.state
""",
)
@click.argument("action", metavar="commit", callback=_action)
@click.argument("file", type=click.Path(dir_okay=False, readable=False))
def command(action: str, file: str) -> int:  # noqa: ARG001 - there is one
    """Move FILE.next, which a complete run of cat or grep with --state FILE --commit has left, to FILE.

    The next run with --state FILE begins there. Without this it gives the same rows again.
    """
    from kafkafmt.cli.records.state import commit

    commit(file)
    return CLEAN
