"""`kafkafmt.serve`: a read-only broker in a thread of its own."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import ip_address
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, get_args

from kafkafmt.choices import check_choice
from kafkafmt.errors import KafkafmtError, OnServedDamage
from kafkafmt.logdir.log_dir import fewer_collections
from kafkafmt.moments import milliseconds
from kafkafmt.phrases import counted
from kafkafmt.protocol.address import host_and_port
from kafkafmt.serving.api import THREADS, Broker, OpenTransactions, ServedEnd, ServedGroups, ServeOptions
from kafkafmt.serving.descriptor_limit import descriptor_limit
from kafkafmt.serving.security import Security
from kafkafmt.serving.sent_files import IS_POSSIBLE
from kafkafmt.serving.served_disks import ServedDisks
from kafkafmt.serving.server import Connections

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.io.source import Source
    from kafkafmt.logdir.readable import Readable
    from kafkafmt.scanning.arguments import Time, Topics
    from kafkafmt.serving.following import DiskFollower

_THREADS = 8
_LONGEST_END = 1.5
_LAST_TURNS = 0.02  # seconds, for connections that were accepted last: each is closed in its first turn
_MOST_NAMED = 5


class Server:
    """A running broker, made by `kafkafmt.serve`; a context manager.

    Attributes:
        address: "host:port" on which it listens.
        topics: number of served topics.
        partitions: number of served partitions.
        is_closed: whether the server was closed.
        following: the follower of the disks; None if they are not followed.
    """

    def __init__(
        self,
        broker: Broker,
        host: str,
        port: int,
        *,
        say: Callable[[str], None],
        most: int,
        logs_requests: bool,
        security: Security,
    ) -> None:
        self.topics = len(broker.disks.logs)
        self.partitions = sum(map(len, broker.disks.logs.values()))
        self._disks = broker.disks
        self.is_closed = False
        self.following: DiskFollower | None = None
        limit = descriptor_limit()
        if most > limit // 2:
            most = max(1, limit // 2)
            say(f"at most {most:,} connections: the process may have {limit:,} open files (ulimit -n)")
        self._connections = Connections(broker, say, most=most, logs_requests=logs_requests, security=security)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._connections.failed)
        self._executor = ThreadPoolExecutor(_THREADS, THREADS)
        self._more_executors = (broker.fetching, broker.coding)
        self._loop.set_default_executor(self._executor)
        try:
            self._listening = self._loop.run_until_complete(
                asyncio.start_server(
                    # Connections accepted in one turn of the loop, before any of them is counted.
                    self._connections.serve,
                    **_where(host, port),
                    limit=2**16,
                    backlog=max(1, min(128, limit // 16)),
                )
            )
        except OSError:
            self._executor.shutdown()
            self._loop.close()
            raise
        bound = self._listening.sockets[0].getsockname()
        self.address = f"[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"{bound[0]}:{bound[1]}"
        self._thread = threading.Thread(target=self._loop.run_forever, name=THREADS, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the port and all connections; closing twice is harmless."""
        if self.is_closed:
            return
        self.is_closed = True
        if self.following is not None:
            self.following.close()
        ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        deadline = time.monotonic() + _LONGEST_END
        with suppress(TimeoutError):
            ended.result(_LONGEST_END)
        for executor in (self._executor, *self._more_executors):
            executor.shutdown(wait=False, cancel_futures=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(max(0.1, deadline - time.monotonic()))
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        self._listening.close()
        await self._connections.end()
        await asyncio.sleep(_LAST_TURNS)
        self._disks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Server: {counted(self.topics, 'topic')}, {counted(self.partitions, 'partition')} at {self.address}>"


def serve(
    source: "Readable | Iterable[Readable] | Disks",
    *,
    listen: str = "127.0.0.1:0",
    advertise: str | None = None,
    decryption_keys: "Mapping[str, Source] | None" = None,
    topics: "Topics | None" = None,
    groups: ServedGroups = "disk",
    end: ServedEnd = "log",
    open_transactions: OpenTransactions = "keep",
    on_damage: OnServedDamage = "skip",
    at_time: "Time | None" = None,
    follow: bool = False,
    allow_remote: bool = False,
    tls_cert: str | PathLike[str] | None = None,
    tls_key: str | PathLike[str] | None = None,
    sasl_user: str | None = None,
    sasl_password_file: str | PathLike[str] | None = None,
    max_connections: int = 256,
    log_requests: bool = False,
    say: Callable[[str], None] | None = None,
) -> Server:
    """Serve disks as a read-only broker of Kafka, from which every client of Kafka can read.

        >>> with kafkafmt.serve("/copies/broker-1") as server:
        ...     consumer = Consumer({"bootstrap.servers": server.address, "group.id": "audit"})

    Nothing that a client sends changes a byte on the disks: groups and commits are kept in memory.

    Args:
        source: as for `kafkafmt.scan`.
        listen: "host:port"; port 0 for a free one.
        advertise: "host:port" in Metadata; None for the address that the client connected to.
        decryption_keys: as for `kafkafmt.open`, if the source is not opened yet.
        topics: as for `kafkafmt.scan`.
        groups: begin with the groups and commits on the "disk", or with "none".
        end: serve partitions to the end of the "log", or to the "high-watermark" of the checkpoint.
        open_transactions: "keep" them open, so that read_committed ends before them; or "abort" them.
        on_damage: "skip" damaged batches and report them, or "stop" clients before them with CORRUPT_MESSAGE.
        at_time: serve the state before the first record whose timestamp is after this time: ms since the epoch, a
            datetime (UTC if it has no zone), or ISO 8601; None for now.
        follow: also serve what is written while the server runs: the disks of a live broker, or copies that are
            updated. Only for local log directories.
        allow_remote: listen on an address that other machines can reach, without TLS or SASL: whoever connects there
            reads everything.
        tls_cert: file of the certificate chain in PEM: clients speak TLS (security.protocol SSL or SASL_SSL).
        tls_key: file of the private key in PEM, which no other user can read.
        sasl_user: the user that is let in, by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; None for everybody.
        sasl_password_file: file whose first line is the user's password, and which no other user can read.
        max_connections: most connections open at once, at most half of the descriptors that the process may have.
        log_requests: whether each request is reported.
        say: takes each report as a line; None for the logger of this module.

    Raises:
        KafkafmtError: the source, or a file of TLS or SASL, cannot be read or used; the source is remote and to be
            followed; or a named topic does not exist.
        OSError: the port is in use, or the address is not this machine's.
        ValueError: an argument makes no sense, or the address is not a loopback address and TLS, SASL and
            `allow_remote` are all missing.
    """
    for name, given, choices in (
        ("groups", groups, get_args(ServedGroups)),
        ("end", end, get_args(ServedEnd)),
        ("open_transactions", open_transactions, get_args(OpenTransactions)),
        ("on_damage", on_damage, get_args(OnServedDamage)),
    ):
        check_choice(name, given, choices)
    if not isinstance(max_connections, int) or isinstance(max_connections, bool) or max_connections < 1:
        raise ValueError(f"max_connections must be an int from 1 on, not {max_connections!r}")
    host, port = host_and_port(listen, "listen")
    advertised = None if advertise is None else host_and_port(advertise, "advertise")
    security = Security.read(tls_cert, tls_key, sasl_user, sasl_password_file)
    report = say or logging.getLogger(__name__).warning
    if not _is_loopback(host):
        if security.is_open and not allow_remote:
            raise ValueError(
                f"other machines reach {host}, and whoever connects reads everything: allow_remote permits it, "
                "tls_cert encrypts what is read, sasl_user lets one user in"
            )
        if security.has_bare_passwords:
            report("without TLS, who listens on the network sees the passwords of clients that use PLAIN, and the data")
    from kafkafmt import disks as listed  # noqa: PLC0415 - it names this method
    from kafkafmt.scanning.following import require_local  # noqa: PLC0415 - loaded with `kafkafmt.disks`
    from kafkafmt.serving.following import DiskFollower  # noqa: PLC0415 - as above

    if follow and at_time is not None:
        raise ValueError("follow serves what is written from now on, at_time what was written before")
    opened = listed.opened(source, decryption_keys)
    options = ServeOptions(groups, end, open_transactions, on_damage, milliseconds(at_time, "at_time"), follow)
    if follow:
        require_local(opened, opened.found)
    with fewer_collections():
        sends_files = IS_POSSIBLE and security.tls is None
        disks = ServedDisks(opened, options, topics=topics, report=report, sends_files=sends_files)
    broker = Broker(disks, options, advertised)
    server = Server(broker, host, port, say=report, most=max_connections, logs_requests=log_requests, security=security)
    if follow:
        server.following = DiskFollower(disks, broker.arrivals)
    elif open_transactions == "keep":
        # In the background, as it takes seconds for thousands of partitions.
        threading.Thread(target=_tell_open, args=(disks, server, report), daemon=True).start()
    return server


def _tell_open(disks: ServedDisks, server: Server, report: Callable[[str], None]) -> None:
    """Report the partitions that end early for read_committed: nobody will end the transactions of a dead cluster."""
    found = []
    for log in (log for logs in disks.logs.values() for log in logs.values()):
        if server.is_closed:
            return
        try:
            left = log.left_open
        except KafkafmtError as fault:
            log.tell(fault)
            continue
        if left > 0:
            found.append(f"{log.topic}-{log.number} by {counted(left, 'offset')}")
    if found:
        more = f", and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
        report(
            f"transactions are open: read_committed ends early in {counted(len(found), 'partition')}, "
            f"{', '.join(found[:_MOST_NAMED])}{more}; open_transactions=abort serves them as aborted"
        )


def _where(host: str, port: int) -> dict[str, Any]:
    """Arguments of `asyncio.start_server`: as of Java's sockets, `::` is every address, and not of IPv6 alone."""
    if host == "::" and socket.has_dualstack_ipv6():
        return {"sock": socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True)}
    return {"host": host, "port": port}


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
