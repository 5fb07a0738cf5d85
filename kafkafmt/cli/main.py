"""The command `kafkafmt` itself: its subcommands, and what becomes of errors.

Nothing heavy is imported here: `kafkafmt --help` must answer at once.
"""

import importlib
import os
import sys
from typing import NoReturn

import click

from kafkafmt import __version__
from kafkafmt.cli.exit_codes import CLEAN, FINDINGS, INTERRUPTED, UNREADABLE, USAGE
from kafkafmt.errors import KafkafmtError, SourceError

COMMANDS = {
    "ls": "what is on these disks: partitions, segments, and what is wrong with them",
    "batches": "the headers of batches, messages and wrappers, one a row",
    "cat": "the records themselves",
    "dump": "any file as text, as kafka-dump-log.sh prints it",
    "inspect": "the bytes of one entry, field by field",
    "completion": "a script that completes commands and options in your shell",
}
"""Subcommands in the order in which --help lists them, with what it says; each is a module of this package."""


class _Commands(click.Group):
    """Subcommands that are imported when they are called; --help knows them by their one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"kafkafmt.cli.{cmd_name}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and os.path.exists(name):
            ctx.fail(f"{name!r} is a path, not a command. Try: kafkafmt ls {name}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: kafkafmt ls /var/lib/kafka/data",
)
@click.version_option(__version__, message="kafkafmt %(version)s")
def kafkafmt() -> None:
    """Read what Apache Kafka keeps on disk: log directories, segments, indexes, checkpoints. Nothing is written there.

    A PATH is a file, a partition directory, a log directory, any directory above, or a URI such as
    s3://bucket/backup/broker-1.

    \b
    Exit status: 0 clean; 1 findings (damage, a failed check);
                 2 wrong usage; 3 a path that cannot be read.
    """


def main() -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line; returns the exit code, and writes errors to stderr as one line each."""
    try:
        status = kafkafmt.main(arguments, prog_name="kafkafmt", standalone_mode=False)
    except click.exceptions.Exit as exit_request:
        return exit_request.exit_code
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _close_quietly()
    except KafkafmtError as error:
        click.echo(f"kafkafmt: {error}", err=True)
        return UNREADABLE if isinstance(error, SourceError) else FINDINGS
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _close_quietly()
    return status if isinstance(status, int) else CLEAN


def _close_quietly() -> int:
    """Whoever read our output has seen enough: no error, and nothing more to be flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLEAN
