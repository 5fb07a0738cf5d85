"""The command `kafkafmt` itself: its subcommands, and what becomes of errors.

Nothing heavy is imported here: `kafkafmt --help` must answer at once.
"""

import importlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

import click

from kafkafmt import __version__
from kafkafmt.cli.exit_codes import CLEAN, FINDINGS, INTERRUPTED, UNREADABLE, USAGE
from kafkafmt.cli.printable import escape
from kafkafmt.errors import KafkafmtError, SourceError

COMMANDS = {
    "ls": "what is on these disks: partitions, segments, and what is wrong with them",
    "batches": "the headers of batches, messages and wrappers, one a row",
    "cat": "the records themselves",
    "find": "where an offset or a time lies, by the indexes as Kafka goes by them",
    "dump": "any file as text, as kafka-dump-log.sh prints it",
    "inspect": "the bytes of one entry, field by field",
    "groups": "consumer, share and streams groups: offsets, lag, members, states",
    "transactions": "transactional ids, and open, hanging and ended transactions",
    "producers": "what each partition remembers of its producers",
    "metadata": "what a cluster was: topics, brokers, configs, ACLs, by its controllers' log",
    "completion": "a script that completes commands and options in your shell",
}
"""Subcommands in the order in which --help lists them, with what it says; each is a module of this package."""


class _PipeClosedError(Exception):
    """Whoever read our output has seen enough. Click would make exit code 1 of a BrokenPipeError."""


@contextmanager
def _noticing_a_closed_pipe() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _PipeClosedError from error


class _Commands(click.Group):
    """Subcommands that are imported when they are called; --help knows them by their one line."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - as click has them
        with _noticing_a_closed_pipe():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        with _noticing_a_closed_pipe():
            return super().invoke(ctx)

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
        if name not in COMMANDS:
            if os.path.exists(name):
                ctx.fail(f"{name!r} is a path, not a command. Try: kafkafmt ls {escape(shlex.quote(name))}")
            ctx.fail(f"No such command {name!r}. There are: {', '.join(COMMANDS)}.")
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
                 2 wrong usage; 3 a path that cannot be read or written.
    """


def main() -> NoReturn:
    """Run the command line and exit."""
    status = run(sys.argv[1:])
    try:
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command line; returns the exit code, and writes errors to stderr as one line each."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        _complain("standard output is closed, and it is where the answer goes.")
        return USAGE
    try:
        status = kafkafmt.main(arguments, prog_name="kafkafmt", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        _drop(sys.stdout)
        return INTERRUPTED
    except (BrokenPipeError, _PipeClosedError):
        _drop(sys.stdout)
        return CLEAN
    except OSError as error:
        # Those of what is read are SourceErrors: this one is of what is written.
        _complain(f"the output cannot be written: {error.strerror or error}")
        _drop(sys.stdout)
        return UNREADABLE
    except ImportError as error:
        _complain(escape(str(error)))
        _drop(sys.stdout)
        return USAGE
    except KafkafmtError as error:
        _complain(escape(str(error)))
        return UNREADABLE if isinstance(error, SourceError) else FINDINGS
    return status if isinstance(status, int) else CLEAN


def _complain(text: str) -> None:
    with suppress(OSError):  # nobody hears it: the exit code has to do
        click.echo(f"kafkafmt: {text}", err=True)


def _drop(stream: TextIO) -> None:
    """Let nothing more be written, not even what Python would flush at exit, and fail at with another exit code."""
    with suppress(OSError):  # a stream in memory has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
