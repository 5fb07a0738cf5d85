"""`kafkafmt serve PATH...`: a read-only broker over disks."""

import functools
import os
import queue
import re
import signal
import threading
from contextlib import suppress
from typing import Any, get_args

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, UNREADABLE, Command, give, option
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import name_options, paths_argument, which_option
from kafkafmt.cli.values import time_of
from kafkafmt.errors import OnServedDamage

_where_option = functools.partial(option, group="Where to listen")
_who_option = functools.partial(option, group="Who is let in")
_how_option = functools.partial(option, group="What to serve")

_MOST_LINES = 10_000
_FAREWELL_SECONDS = 0.3


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt serve /var/lib/kafka/data
  kcat -b 127.0.0.1:9092 -C -t orders -e
  kafkafmt serve /copies/broker-1 /copies/broker-2 --at-time 2026-11-21T09:30
  kafkafmt serve /var/lib/kafka/data --follow
  kafkafmt serve s3://bucket/tier /var/lib/kafka/data --listen 127.0.0.1:0
  kafkafmt serve /copies --listen 0.0.0.0:9093 --tls-cert cert.pem --tls-key key.pem \\
      --sasl-user audit --sasl-password-file audit.password
""",
)
@paths_argument
@name_options("topic")
@give(
    which_option(
        "--at-time",
        callback=time_of,
        metavar="TIME",
        help="State before the first record whose timestamp is after TIME.",
    ),
    _how_option("--follow", is_flag=True, help="Also serve what a live broker or rsync writes meanwhile."),
    _where_option(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:9092",
        help="Port 0 takes a free port. [::] is every address, of IPv4 and IPv6.",
    ),
    _where_option(
        "--advertise",
        metavar="HOST:PORT",
        help="The address in Metadata. Default: the one that the client has connected to.",
    ),
    _where_option(
        "--max-connections", type=click.IntRange(min=1), default=256, metavar="N", help="Maximum number of connections."
    ),
    _where_option("--log-requests", is_flag=True, help="Report each request on stderr."),
    _who_option(
        "--allow-remote",
        is_flag=True,
        help="Listen without TLS or SASL on an address that other machines can reach. Anyone who connects can read "
        "everything.",
    ),
    _who_option(
        "--tls-cert",
        metavar="PEM",
        help="The certificate chain. Clients speak TLS: their security.protocol is SSL or SASL_SSL.",
    ),
    _who_option(
        "--tls-key", metavar="PEM", help="The private key of the certificate. No other user may be able to read it."
    ),
    _who_option("--sasl-user", metavar="NAME", help="Let in only this user, by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."),
    _who_option(
        "--sasl-password-file",
        metavar="FILE",
        help="File whose first line is the password. No other user may be able to read it.",
    ),
    _how_option(
        "--groups",
        type=click.Choice(["disk", "none"]),
        default="disk",
        help="Start with the groups and commits of __consumer_offsets, or with none.",
    ),
    _how_option(
        "--end",
        type=click.Choice(["log", "high-watermark"]),
        default="log",
        help="Where partitions end: at the log end, or at the high watermark of the checkpoint.",
    ),
    _how_option(
        "--open-transactions",
        type=click.Choice(["keep", "abort"]),
        default="keep",
        help="keep: read_committed clients end before the first one. abort: serve them as aborted.",
    ),
    _how_option(
        "--on-damage",
        type=click.Choice(get_args(OnServedDamage)),
        default="skip",
        help="Skip damaged batches, or stop clients before them with CORRUPT_MESSAGE.",
    ),
)
def command(paths: tuple[str, ...], **arguments: Any) -> int:  # noqa: ANN401 - the arguments of kafkafmt.serve
    """Serve disks as a read-only broker, which kcat, Kafka's tools, consumers and UIs read like a live cluster.

    Nothing that a client sends changes a byte on the disks. The broker leads every partition; groups and commits are
    kept in memory. It ends with Ctrl-C or SIGTERM.
    """
    from kafkafmt.serving.descriptor_limit import raise_descriptor_limit
    from kafkafmt.serving.serve import serve

    raise_descriptor_limit()
    ended, serves, announced = threading.Event(), threading.Event(), threading.Event()

    def end(*_: object) -> None:
        if not serves.is_set():
            os._exit(CLEAN)  # thousands of partitions take seconds to list
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    frame = CommandFrame(paths, topics=arguments["topics"], partitions=None)
    frame.say_missing()
    if frame.is_lacking:
        return UNREADABLE

    lines = _Lines(announced)

    def say(line: str) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        (messages.say if is_main else lines.say)(line.replace("open_transactions=", "--open-transactions "))

    try:
        server = serve(frame.disks, say=say, **arguments)
    except ValueError as error:
        raise click.UsageError(f"{_with_options(str(error))}.") from error
    except OSError as error:
        messages.say(f"{arguments['listen']}: {error.strerror or error}")
        return UNREADABLE
    with server:
        serves.set()
        frame.account(CLEAN)
        messages.say(
            f"serving {server.topics:,} topics, {server.partitions:,} partitions read-only at {server.address}"
        )
        announced.set()
        ended.wait()
    lines.end()
    os._exit(CLEAN)  # Python would wait for threads that read, and free all objects


class _Lines:
    """The lines of the server's threads on stderr: none of them waits for whoever reads it, or does not.

    Args:
        begun: is set when the first one may be written: scripts take the address from the line before it.
    """

    def __init__(self, begun: threading.Event) -> None:
        self._waiting: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
        self._left_out = 0
        self._writer = threading.Thread(target=self._write, args=(begun,), daemon=True)
        self._writer.start()

    def say(self, line: str) -> None:
        """Write a line soon; it is left out if thousands wait."""
        try:
            self._waiting.put_nowait(line)
        except queue.Full:
            self._left_out += 1

    def end(self) -> None:
        """Write what waits, if somebody reads it."""
        with suppress(queue.Full):
            self._waiting.put_nowait(None)
            self._writer.join(_FAREWELL_SECONDS)

    def _write(self, begun: threading.Event) -> None:
        begun.wait()
        while (line := self._waiting.get()) is not None:
            messages.say(line)
            if self._left_out and self._waiting.empty():
                messages.say(f"{self._left_out:,} more lines were left out: nobody read stderr")
                self._left_out = 0


def _with_options(text: str) -> str:
    """A message about arguments of `kafkafmt.serve`, with the names of the options instead."""
    guarded = ("sasl_password_file", "sasl_user", "tls_cert", "tls_key")
    for name in ("advertise", "allow_remote", "at_time", "follow", "listen", *guarded):
        text = re.sub(rf"\b{name}\b", f"--{name.replace('_', '-')}", text)
    return text
