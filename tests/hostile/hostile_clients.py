"""`kafkafmt serve` in a separate process, hostile connections to it, and a concurrent well-behaved client."""

import os
import random
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.hostile.hostile_requests import answer_to, framed
from tests.serving.wire import Wire, fetched

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
_AT_ONCE = 48


class Serving:
    """The command as users start it, on a free port.

    Args:
        paths: paths to serve.
        options: options of the command.

    Attributes:
        address: "host:port".
        told: its output on stderr.
    """

    def __init__(self, *options: str, paths: Sequence[Path] = (SHOP,)) -> None:
        command = [sys.executable, "-m", "kafkafmt", "serve", *map(str, paths), "--listen", "127.0.0.1:0", *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
        self.told: list[str] = []
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.told.append(line)
            if "serving" in line:
                break
        self.address = self.told[-1].split()[-1]
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    @property
    def place(self) -> tuple[str, int]:
        host, _, port = self.address.rpartition(":")
        return host, int(port)

    def _read(self) -> None:
        assert self._process.stderr is not None
        self.told.extend(self._process.stderr)

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))

    def peak(self) -> int:
        """Largest resident memory so far, in KiB."""
        return self._status("VmHWM")

    @property
    def seconds_of_cpu(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> float:
        """Stop the server; require status 0 and no traceback; return the seconds it took."""
        begun = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(60) == 0
        took = time.monotonic() - begun
        self._reading.join(10)
        assert not [line for line in self.told if "Traceback" in line or not line.startswith("kafkafmt: ")], self.told
        return took

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._reading.join(10)
        assert self._process.stderr is not None
        self._process.stderr.close()


class WellBehaved:
    """A client that fetches the same records again and again, in a thread.

    Attributes:
        answers: number of answers received.
        slowest: longest wait for an answer in seconds, including connecting if needed.
        error: why the client stopped early.
    """

    def __init__(self, serving: Serving, *, reconnects: bool = False) -> None:
        self._address, self._reconnects = serving.address, reconnects
        self.answers, self.slowest, self.error = 0, 0.0, ""
        with Wire(self._address) as wire:
            self._expected = self._records(wire)
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _records(self, wire: Wire) -> bytes:
        return bytes(fetched(wire, "orders", 0, 0)["Records"])

    def _run(self) -> None:
        wire = Wire(self._address)
        try:
            while not self._is_ended.wait(0.01):
                begun = time.monotonic()
                if self._reconnects:
                    wire.socket.close()
                    wire = Wire(self._address)
                if self._records(wire) != self._expected:
                    self.error = "other records"
                    return
                self.answers += 1
                self.slowest = max(self.slowest, time.monotonic() - begun)
        except Exception as error:  # noqa: BLE001 - shown by the test
            self.error = repr(error)
        finally:
            wire.socket.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_ended.set()
        self._thread.join(120)


@dataclass
class Judged:
    """The outcome of requests.

    Attributes:
        answered: number answered with a response of Kafka's schema.
        closed: connections that were closed before all their requests were answered.
        wrong: requests whose response is not one to them, and those whose connection stays open without one.
    """

    answered: int = 0
    closed: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass
class _Conversation:
    requests: Sequence[bytes]
    since: float
    left: bytes
    received: bytearray = field(default_factory=bytearray)


def converse(place: tuple[str, int], conversations: Iterable[Sequence[bytes]], *, limit: float) -> Judged:
    """Send requests, some on each connection, close its sending side, and judge what comes until the server closes.

    Args:
        place: host and port.
        conversations: the requests of each connection, without their sizes.
        limit: seconds within which a connection ends.
    """
    judged = Judged()
    with selectors.DefaultSelector() as selector:
        waiting = iter(conversations)
        is_more = True
        while is_more or selector.get_map():
            while is_more and len(selector.get_map()) < _AT_ONCE:
                requests = next(waiting, None)
                if requests is None:
                    is_more = False
                    break
                opened = socket.create_connection(place, timeout=limit)
                opened.settimeout(0)
                conversation = _Conversation(requests, time.monotonic(), b"".join(map(framed, requests)))
                selector.register(opened, selectors.EVENT_READ | selectors.EVENT_WRITE, conversation)
            for key, events in selector.select(0.2):
                if _goes_on(key, events, selector):
                    continue
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                _judge(key.data, judged)
            for key in list(selector.get_map().values()):
                if time.monotonic() - key.data.since > limit:
                    judged.wrong.append(f"no end: {[each.hex() for each in key.data.requests]}"[:2000])
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
    return judged


def _goes_on(key: selectors.SelectorKey, events: int, selector: selectors.BaseSelector) -> bool:
    """Send and receive what is possible; return whether the connection is open."""
    opened, conversation = key.fileobj, key.data
    assert isinstance(opened, socket.socket)
    try:
        if events & selectors.EVENT_WRITE:
            conversation.left = conversation.left[opened.send(conversation.left) :]
            if not conversation.left:
                opened.shutdown(socket.SHUT_WR)
                selector.modify(opened, selectors.EVENT_READ, conversation)
        if events & selectors.EVENT_READ:
            piece = opened.recv(2**18)
            conversation.received += piece
            return bool(piece)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True


def _judge(conversation: _Conversation, judged: Judged) -> None:
    received, position = conversation.received, 0
    for request in conversation.requests:
        if len(received) - position < 4:
            judged.closed += 1
            return
        (size,) = struct.unpack_from(">i", received, position)
        answer = bytes(received[position + 4 : position + 4 + size])
        position += 4 + size
        if len(answer) < size:
            judged.closed += 1
            return
        if answer_to(request, answer) is None:
            judged.wrong.append(f"{request.hex()} -> {answer.hex()}"[:2000])
            return
        judged.answered += 1
    if position != len(received):
        judged.wrong.append(f"more than was asked for: {[each.hex() for each in conversation.requests]}"[:2000])


def cut(place: tuple[str, int], request: bytes, rnd: random.Random) -> socket.socket | None:
    """Send part of a request and stop, in one of four ways; return the connection if the client stays silent."""
    data = framed(request)
    opened = socket.create_connection(place, timeout=10)
    try:
        opened.sendall(data[: rnd.randrange(len(data) + 1)])
        way = rnd.choice(("close", "half-close", "reset", "silence"))
        if way == "silence":
            return opened
        if way == "half-close":
            opened.shutdown(socket.SHUT_WR)
            while opened.recv(2**16):
                pass
        if way == "reset":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except ConnectionError:
        pass
    opened.close()
    return None
