"""`kafkafmt sql [QUERY] PATH...`: SQL over the disks, through DuckDB."""

import itertools
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, USAGE, Command, RowOptions, output_options
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import key_file_option, log_options, reading_options
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import escape
from kafkafmt.cli.progress import progress_of_rows
from kafkafmt.cli.records.typed import TypedOptions, schema_options, texts_of
from kafkafmt.errors import DataError, KafkafmtError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from kafkafmt.cli.progress import RowProgress
    from kafkafmt.disks import Disks
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.querying.relations import Relations
    from kafkafmt.querying.session import QueryError, Session
    from kafkafmt.scanning import Reader, Scan

_WORTH_SHOWING = 64 * 1024 * 1024
"""Bytes of log files from which progress is shown before the first row."""

_FIRST, _MORE = "sql> ", "...> "

_HELP = """\
A statement ends with a semicolon. Ctrl-C drops or interrupts it, Ctrl-D ends.
  .tables        the relations, and those of typed topics
  .schema NAME   the columns of a relation, such as topic.orders: the typed records of a topic
  .quit          end"""

_COMMANDS = {".tables": "show tables", "\\d": "show tables"}
_OF_NAME = (".schema", "\\d")
_HELPS = (".help", "\\?", "help")
_QUIT = (".quit", ".exit", "\\q", "quit", "exit")

# Text in which a semicolon does not end a statement, including unterminated text up to the end.
_WHOLE = re.compile(r"""'[^']*('|\Z)|"[^"]*("|\Z)|--[^\n]*|/\*.*?(\*/|\Z)""", re.DOTALL)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt sql "select topic, count(*) from records group by 1" /var/lib/kafka/data
  kafkafmt sql "select topic, count(*) from records where value like '%4711%' group by 1" /var/lib/kafka/data
  kafkafmt sql 'select key, "offset" from records where partition = 3 and "offset" >= 5' orders-3 -o jsonl
  kafkafmt sql "select date_trunc('hour', timestamp) h, count(*) from records group by 1" data --out hours.csv
  kafkafmt sql "select value.city, count(*) from topic.orders group by 1" /var/lib/kafka/data
  kafkafmt sql /var/lib/kafka/data                  # a prompt
  kafkafmt sql /var/lib/kafka/data < queries.sql
""",
)
@click.argument("arguments", nargs=-1, required=True, metavar="[QUERY] PATH...")
@log_options(control_records=False)
@reading_options()
@schema_options
@key_file_option()
@output_options
def command(
    arguments: tuple[str, ...],
    rows: RowOptions,
    **reading: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan, and those of `TypedOptions`
) -> int:
    """Query disks in SQL, through DuckDB: pip install 'kafkafmt[sql]'.

    Relations: records, batches, segments, partitions, findings, commits, transactions, producers, metadata, with the
    columns that cat, batches, ls --rows, groups --show offsets, transactions, producers and metadata have. A query
    reads only the relations that it names: of records only the columns and batches that it needs, for count(*) headers
    alone. Options choose the rows of records. topic.NAME has the records of a topic with typed keys and values, as cat
    --value-format auto; --schema, --record, --written and --unwrap hold for all that a query names. Without QUERY there
    is a prompt, or statements are read from stdin.
    """
    query, paths = _divided(arguments)
    if query is None and rows.out is not None:
        raise click.UsageError("--out needs a QUERY.")
    typed = TypedOptions.taken_from(reading, default="auto")
    from kafkafmt.querying.relations import Relations
    from kafkafmt.querying.session import Session

    frame = CommandFrame(paths, topics=None, partitions=None)
    relations = Relations(frame.disks, reading, typed.arguments)
    with Session(relations) as session, _calling_at_interrupts(session.interrupt):
        statements = Statements(session, relations, frame.disks, rows, paths)
        if query is not None:
            return frame.end(statements.run(query))
        if sys.stdin is None:
            raise click.UsageError("there is no QUERY, and standard input is closed.")
        if not sys.stdin.isatty():
            return frame.end(run_from_stdin(statements.run))
        run_prompt(statements.run, session.typed_names)
        return CLEAN


@contextmanager
def _calling_at_interrupts(interrupt: "Callable[[], object]") -> "Iterator[None]":
    """Call a function at Ctrl-C, in a thread: the main one may wait for DuckDB, which misses some signals."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(0)  # as signals need it

    def watch() -> None:
        while numbers := ours.recv(64):
            if signal.SIGINT in numbers:
                interrupt()

    watching = threading.Thread(target=watch, daemon=True)
    with ours, theirs:
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        watching.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            theirs.shutdown(socket.SHUT_RDWR)
            watching.join()


def _divided(arguments: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The query, which contains a space and does not exist as a path, and the paths.

    Raises:
        click.UsageError: there is no path.
    """
    first, *rest = arguments
    if len(first.split()) < 2 or os.path.exists(first):
        return None, arguments
    if not rest:
        raise click.UsageError("name a PATH after the QUERY.")
    return first, tuple(rest)


class Statements:
    """Runs statements, writes their rows, and reports damage on stderr.

    Args:
        session: the session that runs them.
        relations: the relations that statements may name.
        disks: the disks that are read.
        rows: options of the output.
        paths: the paths that are read, as they were named.
    """

    def __init__(
        self, session: "Session", relations: "Relations", disks: "Disks", rows: RowOptions, paths: tuple[str, ...]
    ) -> None:
        self._session = session
        self._relations = relations
        self._disks = disks
        self._rows = rows
        self._paths = paths

    def run(self, query: str, *, whole_errors: bool = False) -> int:
        """Run statements and write the rows of the last one; returns CLEAN, FINDINGS or USAGE.

        Args:
            query: the statements.
            whole_errors: whether errors also show their place in the statements.

        Raises:
            SourceError: something that was asked for cannot be read.
        """
        from kafkafmt.querying.session import QueryError

        try:
            # Visible rows end the progress: before the first one a query may read for minutes.
            least = _WORTH_SHOWING if self._rows.out is None else 0
            with progress_of_rows("rows", shown=True, least=least) as meter:
                self._relations.begun = meter.watch
                answer = self._session.run(query)
                if answer is not None:
                    # Times and decimals of a typed relation are written as inside its structs.
                    kind = self._rows.kind if self._session.is_typed else None
                    schema, convert = texts_of(answer.schema, kind, is_of_sql=True)
                    with answer, _fitting(self._rows):
                        counted = _counted(answer, meter, ends=least > 0)
                        self._rows.write(
                            map(convert, counted),
                            schema,
                            TableShape(),
                            self._paths,
                            names_if_empty=True,
                        )
        except QueryError as error:
            self._report()
            _say_refused(error, whole=whole_errors)
            return USAGE
        except DataError as error:
            self._report()
            messages.report_end(error, self._disks.scan())
            return FINDINGS
        return self._report()

    def _report(self) -> int:
        """Report the damage so far, and drop it; returns CLEAN or FINDINGS."""
        scans, answers, invalid = self._relations.taken()
        passes = _Passes(scans)
        found = messages.report_notes(passes)
        found |= messages.report_damage(passes)
        messages.report_skipped_replicas(passes.skipped_replicas)
        for answer in answers:
            found |= messages.report_answer(answer, self._disks.scan())
        for error in invalid:
            messages.say(messages.with_path(error, self._disks.scan()))
        return FINDINGS if found or invalid else CLEAN


def _counted(answer: "Reader", meter: "RowProgress", *, ends: bool) -> "Iterator[pa.RecordBatch]":
    """Pass on the rows; the progress counts them, or ends before the first one."""
    for batch in answer:
        if ends:
            meter.end()
        yield batch
        meter.rows(batch.num_rows)
    if ends:
        meter.end()


@contextmanager
def _fitting(rows: RowOptions) -> "Iterator[None]":
    """Turn into a usage error that a form cannot hold a type of DuckDB, such as a union in Parquet."""
    from pyarrow import ArrowNotImplementedError

    try:
        yield
    except ArrowNotImplementedError as error:
        raise click.UsageError(f"{rows.kind} cannot hold these columns: {error}. Cast them in the query.") from error


class _Passes:
    """Several scans as one, for messages, as a query may read the same batches twice."""

    def __init__(self, scans: "Sequence[Scan]") -> None:
        damage = {(each.file, each.position): each for scan in scans for each in scan.damage}
        skipped = {each.location.identity: each for scan in scans for each in scan.skipped_replicas}
        self.damage: list[Damage] = [*damage.values()]
        self.notes: list[Note] = [*dict.fromkeys(note for scan in scans for note in scan.notes)]
        self.absent: list[Note] = []
        self.skipped_replicas: list[Partition] = [*skipped.values()]
        self._scans = scans

    def path_of(self, file: str | None) -> str | None:
        """Path or URI of a log file."""
        paths = (scan.path_of(file) for scan in self._scans)
        return next((path for path in paths if path != file), file)


def _say_refused(error: "QueryError", *, whole: bool) -> None:
    """Report why a statement is not run, and to a person its place, on the next lines."""
    messages.say(" ".join(line.strip() for line in error.message.splitlines()))
    if whole and error.place:
        for line in error.place.splitlines():
            click.echo(escape(line), err=True)
    if error.hint:
        messages.say(error.hint)


class RunStatements(Protocol):
    """Runs statements and writes their rows."""

    def __call__(self, query: str, *, whole_errors: bool = False) -> int:
        """Run statements; returns the exit status."""


def run_from_stdin(run: RunStatements) -> int:
    """Run statements from stdin up to the first that is rejected; returns the highest exit status."""
    status = CLEAN
    for statement in statements(sys.stdin):
        status = max(status, run(statement))
        if status == USAGE:
            break
    return status


def statements(lines: Iterable[str]) -> Iterator[str]:
    """Statements in lines of text; the last one needs no semicolon."""
    text = ""
    for line in lines:
        complete, text = divided(text + line)
        yield from complete
    if _WHOLE.sub("", text).strip():
        yield text


def divided(text: str) -> tuple[list[str], str]:
    """The statements of a text that end with a semicolon, and the rest of the text."""
    hidden = _WHOLE.sub(lambda found: " " * len(found[0]), text)
    ends = [0, *(found.end() for found in re.finditer(";", hidden))]
    return [text[begin:end] for begin, end in itertools.pairwise(ends)], text[ends[-1] :].lstrip()


def run_prompt(run: RunStatements, typed_names: "Callable[[], Sequence[str]]") -> None:
    """Run statements as they are typed, until the end of input; errors do not end it.

    Args:
        run: function that runs statements.
        typed_names: function that returns the names of the typed relations.
    """
    with suppress(ImportError):  # without readline lines cannot be recalled
        import readline  # noqa: F401 - it changes what `input` does
    click.echo("SQL over what is on these disks; .help helps, .tables lists the relations.", err=True)
    prompt = _Prompt(run, typed_names)
    while True:
        try:
            if not prompt.take_line():
                return
        except KeyboardInterrupt:  # raised anywhere in the prompt
            prompt.interrupt()


class _Prompt:
    """The typed text that has not been run yet."""

    def __init__(self, run: RunStatements, typed_names: "Callable[[], Sequence[str]]") -> None:
        self._run = run
        self._typed_names = typed_names
        self._text = ""
        self._is_running = False

    def take_line(self) -> bool:
        """Ask for a line, and run the statements that it completes; returns whether to ask for more."""
        try:
            line = _ask(_MORE if self._text else _FIRST)
        except EOFError:
            click.echo(err=True)
            return False
        if self._text or not self._is_command(line):
            complete, self._text = divided(f"{self._text}{line}\n")
            for statement in complete:
                self._run_one(statement)
        return line.strip() not in _QUIT or bool(self._text)

    def interrupt(self) -> None:
        """Drop the typed text, or report that a statement was interrupted."""
        if self._is_running:
            messages.say_interrupted()
        else:
            click.echo(err=True)
        self._text = ""
        self._is_running = False

    def _is_command(self, line: str) -> bool:
        """Whether a line is empty or a command of the prompt, which is then executed."""
        name, _, rest = line.strip().removesuffix(";").partition(" ")
        if name in _OF_NAME and rest:
            self._run_one(f"describe {rest.strip()}")
        elif name in _COMMANDS:
            self._run_one(_COMMANDS[name])
            self._say_typed()
        elif name in _HELPS:
            click.echo(_HELP, err=True)
        elif name.startswith((".", "\\")) and name not in _QUIT:
            messages.say(f"no command {name}; .help lists them")
        else:
            return not name or name in _QUIT
        return True

    def _say_typed(self) -> None:
        """Report which topics and record types are typed relations."""
        if names := self._typed_names():
            click.echo(escape(f"typed topics: {', '.join(names)}"), err=True)
            click.echo("kafkafmt schemas PATH --show topics lists all record types of a topic", err=True)

    def _run_one(self, statement: str) -> None:
        self._is_running = True
        try:
            self._run(statement, whole_errors=True)
        except KafkafmtError as error:
            messages.say(error)
        self._is_running = False


def _ask(prompt: str) -> str:
    if sys.stdout.isatty():
        return input(prompt)
    click.echo(prompt, nl=False, err=True)  # stdout is reserved for data
    return input()
