"""`kafkafmt serve PATH...`: a read-only broker over disks."""

import os
import re
import signal
import threading
from typing import Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, UNREADABLE, Command, give, option
from kafkafmt.cli.frame import account_for, open_disks, require_partitions
from kafkafmt.cli.options import WHICH, name_options, paths_argument
from kafkafmt.cli.values import time_of

_WHERE = "Where to listen"
_WHO = "Who is let in"
_HOW = "What to serve"


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
    option(
        "--at-time",
        callback=time_of,
        metavar="TIME",
        group=WHICH,
        help="State before the first record whose timestamp is after TIME.",
    ),
    option(
        "--follow",
        is_flag=True,
        group=_HOW,
        help="Serve what is written while it runs, as by a live broker or rsync.",
    ),
    option(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:9092",
        show_default=True,
        group=_WHERE,
        help="Port 0: a free one.",
    ),
    option(
        "--advertise",
        metavar="HOST:PORT",
        group=_WHERE,
        help="The address in Metadata. Default: the one that the client has connected to.",
    ),
    option(
        "--max-connections",
        type=click.IntRange(min=1),
        default=256,
        show_default=True,
        metavar="N",
        group=_WHERE,
        help="Most connections at once.",
    ),
    option("--log-requests", is_flag=True, group=_WHERE, help="Report each request on stderr."),
    option(
        "--allow-remote",
        is_flag=True,
        group=_WHO,
        help="Listen on an address that other machines reach without TLS or SASL. Whoever connects reads everything.",
    ),
    option(
        "--tls-cert",
        metavar="PEM",
        group=_WHO,
        help="The certificate chain. Clients speak TLS: their security.protocol is SSL or SASL_SSL.",
    ),
    option("--tls-key", metavar="PEM", group=_WHO, help="Its private key, which no other user can read."),
    option(
        "--sasl-user",
        metavar="NAME",
        group=_WHO,
        help="Let in this user alone, by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.",
    ),
    option(
        "--sasl-password-file",
        metavar="FILE",
        group=_WHO,
        help="Its first line is the password of the user. No other user can read it.",
    ),
    option(
        "--groups",
        type=click.Choice(["disk", "none"]),
        default="disk",
        show_default=True,
        group=_HOW,
        help="Begin with the groups and commits of __consumer_offsets, or with none.",
    ),
    option(
        "--end",
        type=click.Choice(["log", "high-watermark"]),
        default="log",
        show_default=True,
        group=_HOW,
        help="Where partitions end: at the log end, or at the high watermark of the checkpoint.",
    ),
    option(
        "--open-transactions",
        type=click.Choice(["keep", "abort"]),
        default="keep",
        show_default=True,
        group=_HOW,
        help="Keep them: read_committed ends before the first. Or serve them as aborted.",
    ),
    option(
        "--on-damage",
        type=click.Choice(["skip", "stop"]),
        default="skip",
        show_default=True,
        group=_HOW,
        help="Skip damaged batches, or stop clients before them with CORRUPT_MESSAGE.",
    ),
)
def command(paths: tuple[str, ...], **arguments: Any) -> int:  # noqa: ANN401 - the arguments of kafkafmt.serve
    """Serve disks as a read-only broker: kcat, Kafka's tools, consumers and UIs read them as a live cluster.

    Nothing that a client sends changes a byte on the disks. The broker leads every partition; groups and commits are
    kept in memory. It ends with Ctrl-C or SIGTERM.
    """
    from kafkafmt.serving.serve import serve

    ended, serves, announced = threading.Event(), threading.Event(), threading.Event()

    def end(*_: object) -> None:
        if not serves.is_set():
            os._exit(CLEAN)  # thousands of partitions take seconds to list
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    disks = open_disks(paths)
    if arguments["topics"] is not None:
        require_partitions(disks, arguments["topics"], None, says=True)

    def say(line: str) -> None:
        if threading.current_thread() is not threading.main_thread():
            announced.wait()  # scripts take the address from the first line
        messages.say(line.replace("open_transactions=", "--open-transactions "))

    try:
        server = serve(disks, say=say, **arguments)
    except ValueError as error:
        raise click.UsageError(f"{_with_options(str(error))}.") from error
    except OSError as error:
        messages.say(f"{arguments['listen']}: {error.strerror or error}")
        return UNREADABLE
    with server:
        serves.set()
        account_for(disks, CLEAN)
        messages.say(
            f"serving {server.topics:,} topics, {server.partitions:,} partitions read-only at {server.address}"
        )
        announced.set()
        ended.wait()
    os._exit(CLEAN)  # Python would wait for threads that read, and free all objects


def _with_options(text: str) -> str:
    """A message about arguments of `kafkafmt.serve`, which names the options."""
    for name in ("allow_remote", "at_time", "follow", "sasl_password_file", "sasl_user", "tls_cert", "tls_key"):
        text = re.sub(rf"\b{name}\b", f"--{name.replace('_', '-')}", text)
    return text
