"""The command `kafkafmt` itself: its subcommands, and how errors end it.

Nothing heavy is imported here, so that `kafkafmt --help` answers at once.
"""

import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

import click

from kafkafmt import __version__
from kafkafmt.cli.command import CLEAN, FINDINGS, INTERRUPTED, UNREADABLE, USAGE
from kafkafmt.cli.messages import say, say_command, say_interrupted
from kafkafmt.cli.printable import quote
from kafkafmt.errors import KafkafmtError, NotFoundError, SourceError

COMMANDS = {
    "ls": "partitions and segments on these disks, and their faults",
    "verify": "whether the disks are intact, and whether a broker would start",
    "batches": "headers of batches, messages and wrappers, one per row",
    "cat": "the records",
    "grep": "the records that contain a text, an expression or a JSON value",
    "find": "the file and batch of an offset or a time, looked up as in Kafka",
    "dump": "any file as text, as kafka-dump-log.sh prints it",
    "inspect": "the bytes of one entry, field by field",
    "space": "what takes up the space: topics, segments, codecs, producers, hours, keys",
    "retention": "which segments Kafka deletes next, when, and what keeps the others",
    "compaction": "what the log cleaner would remove from each log, and what holds it back",
    "groups": "consumer, share and streams groups: offsets, lag, members, states",
    "transactions": "transactional ids, and open, hanging and ended transactions",
    "producers": "the producer state of each partition",
    "metadata": "topics, brokers, configs and ACLs of a KRaft cluster, from its metadata log",
    "schemas": "schemas of a registry, even deleted ones, and the framing of each topic",
    "compare": "copies of partitions: records that differ, and losses if another copy led",
    "sql": "all of the above in SQL, as one query or at a prompt",
    "load": "new records into Delta, Iceberg or Parquet, exactly once",
    "tiers": "a cluster's uploads in its bucket (KIP-405), with missing and left-over objects",
    "serve": "a read-only broker over these disks: every Kafka client reads them",
    "replay": "records into a live cluster, exactly once",
    "repair": "a sound copy of damaged log directories that a broker can start on",
    "extract": "some records as a small log directory for a bug report, redacted if you like",
    "state": "commit the offsets of a run with --state and --commit, once its rows are loaded",
    "write": "rows of Parquet, Arrow, CSV or JSON lines as a log directory",
    "specs": "the Kaitai Struct specs of all formats, to print or to write as files",
    "warm-up": "compile all kernels now, for an image or before the first use",
    "completion": "a script that completes commands and options in your shell",
}
"""Subcommands in the order of --help, with their help; each is a module of this package."""


_TERMINATED = 128 + signal.SIGTERM
_COLLECTIONS = 100_000, 2, 2
"""Thresholds of the garbage collector, which rarely finds cycles here: Python's 700 costs a tenth of the start.

Every second collection instead of every tenth includes older objects, such as a follower's earlier listings.
"""


class _PipeClosedError(Exception):
    """The reader of the output has closed it. Click would turn a BrokenPipeError into exit code 1."""


class _InterruptedError(Exception):
    """Ctrl-C. Click would write an empty line and raise Abort."""


class _TerminatedError(BaseException):
    """SIGTERM. Only the removal of unfinished output reacts to it."""


def _terminate(*_: object) -> NoReturn:
    raise _TerminatedError


class _PathGivenError(click.UsageError):
    """A path was given instead of a command."""

    def __init__(self, path: str, ctx: click.Context) -> None:
        super().__init__(f"{path!r} is a path, not a command. To list what is there:", ctx)
        self.next_command = f"kafkafmt ls {quote(path)}"


@contextmanager
def _with_our_own_ends() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _PipeClosedError from error
    except (KeyboardInterrupt, click.Abort) as error:
        raise _InterruptedError from error


class _Commands(click.Group):
    """Subcommands that are imported when they are called; --help uses their one-line texts."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - as click has them
        with _with_our_own_ends():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        with _with_our_own_ends():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"kafkafmt.cli.{cmd_name.replace('-', '_')}")
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
                raise _PathGivenError(name, ctx)
            import difflib

            from kafkafmt.io.uri import shown  # not at the top, as it loads the readers of files

            near = "".join(f" Did you mean {each}?" for each in difflib.get_close_matches(name, COMMANDS, n=1))
            ctx.fail(f"No such command {shown(name)!r}.{near} There are: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: kafkafmt ls /var/lib/kafka/data",
)
@click.version_option(__version__, message="kafkafmt %(version)s")
@click.pass_context
def kafkafmt(ctx: click.Context) -> None:
    """Read what Apache Kafka keeps on disk: log directories, segments, indexes, checkpoints. Never writes there.

    A PATH is a file, a partition directory, a log directory, any directory above, or a URI such as
    s3://bucket/backup/broker-1.

    \b
    Exit status: 0 clean; 1 findings (damage, a failed check);
                 2 wrong usage; 3 a path that cannot be read or written;
                 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        raise click.UsageError("no command given", ctx)


class _WithoutPandas:
    """Makes pandas appear not installed, in processes of the command line.

    Arrow would import it to check whether each list is a Series, which takes longer than most commands.
    """

    @staticmethod
    def find_spec(fullname: str, *_: object) -> None:
        """Refuse pandas, and leave all other modules to other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def main() -> NoReturn:
    """Run the command line and exit; SIGTERM ends it cleanly, so that unfinished output is removed."""
    gc.set_threshold(*_COLLECTIONS)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as tables and files are, whatever the locale
    sys.meta_path.insert(0, _WithoutPandas)
    signal.signal(signal.SIGTERM, _terminate)
    status = _TERMINATED
    with suppress(_TerminatedError):  # drops its traceback, too, so that no block of this package stays open
        status = run(sys.argv[1:])
    try:
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)
    if status in (INTERRUPTED, _TERMINATED):
        os._exit(status)  # a normal exit would wait for threads, and a second Ctrl-C would print a traceback
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command line; returns the exit code, and writes errors to stderr as `kafkafmt.cli.messages` does."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        say("cannot print the result: standard output is closed")
        return USAGE
    try:
        status = kafkafmt.main(arguments, prog_name="kafkafmt", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        _say_usage(error)
        return USAGE
    except (KeyboardInterrupt, _InterruptedError):
        _drop(sys.stdout)
        say_interrupted()
        return INTERRUPTED
    except (BrokenPipeError, _PipeClosedError):
        _drop(sys.stdout)
        return CLEAN
    except OSError as error:
        # Errors in reading are SourceErrors, so this one is in writing.
        say(f"cannot write the output: {error.strerror or error}")
        _drop(sys.stdout)
        return UNREADABLE
    except ImportError as error:
        say(error)
        _drop(sys.stdout)
        return USAGE
    except KafkafmtError as error:
        say(error)
        return UNREADABLE if isinstance(error, (SourceError, NotFoundError)) else FINDINGS
    return status if isinstance(status, int) else CLEAN


def _say_usage(error: click.ClickException) -> None:
    """Report a usage error, and name the help to read."""
    # Click puts the choices of a missing argument on separate lines.
    text = " ".join(line.strip() for line in error.format_message().splitlines())
    say(text.replace("is not a valid integer range", "is not an integer"))  # as click calls the type
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, _PathGivenError):
        say_command(error.next_command)
    elif context is not None:
        say(f"see {context.command_path} --help")


def _drop(stream: TextIO) -> None:
    """Prevent all further output, including what Python would flush at exit with an error and another exit code."""
    with suppress(OSError):  # a stream in memory has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
