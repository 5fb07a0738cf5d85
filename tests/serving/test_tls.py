"""TLS of a port: certificates at the start, handshakes that fail or never end, and the data."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.serving import server as sockets
from kafkafmt.serving.security import tls
from kafkafmt.serving.serve import Server
from tests.golden_cases import GOLDEN
from tests.serving.certificates import make_certificate
from tests.serving.logins import log_in, password_file
from tests.serving.wire import Wire, fetched, served

DISK = GOLDEN / "modern" / "15-large-4.3.1" / "log-dir"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return []


@pytest.fixture(scope="module")
def server(pair: tuple[Path, Path], lines: list[str]) -> Iterator[Server]:
    certificate, key = map(str, pair)
    with kafkafmt.serve(DISK, tls_cert=certificate, tls_key=key, max_connections=4, say=lines.append) as made:
        yield made


def line_of(lines: list[str], part: str) -> str:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if found := [line for line in lines if part in line]:
            return found[0]
        time.sleep(0.01)
    raise AssertionError(f"{part!r} is not said: {lines}")


def test_records_are_the_same_with_tls(server: Server, pair: tuple[Path, Path]) -> None:
    with Wire(server.address, trusted=pair[0]) as wire, served(DISK) as plain:
        found = fetched(wire, "events", 0, 0)["Records"]
        assert len(found) > 600_000
        assert bytes(found) == bytes(fetched(plain, "events", 0, 0)["Records"])
        assert wire.socket.version() == "TLSv1.3"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"\0\0\0\x14\0\x12\0\0\0\0\0\1\0\5tests" + bytes(20), "the client does not speak TLS"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "the client speaks HTTP"),
        (b"\x16\x03\x01\x00\x05hello" + bytes(20), "TLS fails"),
    ],
)
def test_who_speaks_no_tls_is_closed_with_a_reason(server: Server, lines: list[str], sent: bytes, said: str) -> None:
    lines.clear()
    with Wire(server.address) as wire:
        wire.send(sent)
        while wire.socket.recv(1000):  # the TLS alert gives the reason
            pass
    assert "closed, " in line_of(lines, said)
    assert len(lines) == 1


def test_who_does_not_trust_the_certificate_says_so(server: Server, lines: list[str]) -> None:
    lines.clear()
    context = ssl.create_default_context()
    with Wire(server.address) as plain, pytest.raises(ssl.SSLCertVerificationError):
        context.wrap_socket(plain.socket, server_hostname="127.0.0.1")
    line_of(lines, "closed, the client does not trust the certificate")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
def test_tls_is_of_version_1_2_or_later(server: Server, pair: tuple[Path, Path]) -> None:
    for version, is_taken in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True)):
        context = ssl.create_default_context(cafile=pair[0])
        context.minimum_version = context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
        with Wire(server.address) as plain:
            try:
                context.wrap_socket(plain.socket, server_hostname="127.0.0.1").close()
                assert is_taken
            except ssl.SSLError:
                assert not is_taken


def test_half_a_handshake_is_closed_counted_and_harms_nobody(
    server: Server, pair: tuple[Path, Path], lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "_HANDSHAKE_SECONDS", 0.8)
    lines.clear()
    hello = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="127.0.0.1")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    with (
        Wire(server.address, trusted=pair[0]) as wire,
        Wire(server.address) as silent,
        Wire(server.address) as half,
        Wire(server.address) as deaf,
    ):
        first = hello.read()
        half.send(first[:40])
        deaf.send(first)
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
        with Wire(server.address, trusted=pair[0]) as fifth:
            # A connection still in its handshake gives way.
            assert fifth.ask("Metadata", {"Topics": None})["Topics"]
            line_of(lines, "closed, to make room for a new one: 4 connections are open")
        for each in (silent, half, deaf):
            while each.socket.recv(10_000):
                pass
        deadline = time.monotonic() + 20
        while len(lines) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len([line for line in lines if line.endswith("closed, the client stopped sending or reading")]) == 2
        assert len(lines) == 3
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
        with Wire(server.address, trusted=pair[0]) as another:
            assert another.ask("Metadata", {"Topics": None})["Topics"]


def test_who_never_says_farewell_is_closed(
    server: Server, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_FAREWELL_SECONDS", 0.2)
    with Wire(server.address, trusted=pair[0]) as wire:
        wire.send(b"\xff\xff\xff\xff")
        assert wire.receive() == b""
        raw = socket.socket(fileno=os.dup(wire.socket.fileno()))
        raw.settimeout(20)
        assert raw.recv(10) == b""
        raw.close()


def test_closing_ends_connections_with_tls_at_once(pair: tuple[Path, Path]) -> None:
    server = kafkafmt.serve(DISK, tls_cert=pair[0], tls_key=pair[1])
    with Wire(server.address, trusted=pair[0]) as wire, Wire(server.address) as half:
        wire.ask("ApiVersions")
        begun = time.monotonic()
        server.close()
        assert time.monotonic() - begun < 3
        assert wire.receive() == half.receive() == b""


def test_certificate_and_key_are_checked_at_the_start(tmp_path: Path, pair: tuple[Path, Path]) -> None:
    certificate, key = pair
    other, encrypted = make_certificate(tmp_path, "other")[1], make_certificate(tmp_path, "locked", b"secret")[1]
    read_by_all = tmp_path / "all.key"
    read_by_all.write_bytes(key.read_bytes())
    read_by_all.chmod(0o644)
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    missing = tmp_path / "missing.pem"
    for cert, private, said in (
        (missing, key, f"{missing}: No such file or directory"),
        (certificate, missing, f"{missing}: No such file or directory"),
        (key, key, f"{key}: it has no certificate in PEM (expected -----BEGIN ... CERTIFICATE-----)"),
        (certificate, certificate, f"{certificate}: other users can read this secret: chmod 600 keeps it to its owner"),
        (certificate, other, f"{other}: it is not the private key of the first certificate in {certificate}"),
        (
            certificate,
            encrypted,
            f"{encrypted}: the private key is encrypted: openssl pkey -in KEY -out NEW decrypts it",
        ),
        (certificate, read_by_all, f"{read_by_all}: other users can read this secret: chmod 600 keeps it to its owner"),
        (broken, key, f"{broken}: the certificate or the key {key} is refused: "),
    ):
        with pytest.raises(SourceError) as caught:
            kafkafmt.serve(DISK, tls_cert=str(cert), tls_key=str(private))
        assert str(caught.value).startswith(said)
    with pytest.raises(ValueError, match="tls_cert and tls_key belong together"):
        kafkafmt.serve(DISK, tls_cert=str(certificate))


@pytest.mark.slow
def test_the_command_takes_tls_and_sasl(tmp_path: Path, pair: tuple[Path, Path]) -> None:
    certificate, key = map(str, pair)
    command = [sys.executable, "-m", "kafkafmt", "serve", str(DISK), "--listen", "0.0.0.0:0"]
    with_tls = [*command, "--tls-cert", certificate, "--tls-key", key]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--allow-remote permits it, --tls-cert encrypts" in refused.stderr
    refused = subprocess.run([*with_tls, "--sasl-user", "audit"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--sasl-user and --sasl-password-file belong together" in refused.stderr
    path = password_file(tmp_path, b"secret\n")
    Path(path).chmod(0o644)
    sasl = ["--sasl-user", "audit", "--sasl-password-file", path]
    refused = subprocess.run([*with_tls, *sasl], capture_output=True, text=True, check=False)
    assert refused.returncode == 3
    assert refused.stderr.splitlines() == [
        f"kafkafmt: {path}: other users can read this secret: chmod 600 keeps it to its owner (found mode 0644)"
    ]
    Path(path).chmod(0o600)
    with subprocess.Popen([*with_tls, *sasl], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(line for line in process.stderr if "serving" in line).split()[-1]
        with Wire(address.replace("0.0.0.0", "127.0.0.1"), trusted=pair[0]) as wire:
            assert log_in(wire, "SCRAM-SHA-512", "audit", "secret")["ErrorCode"] == 0
            assert wire.ask("Metadata", {"Topics": None})["Brokers"][0]["Host"] == "127.0.0.1"
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
        assert process.returncode == 0
