"""SASL of a port: accepted clients, requests allowed before, and the errors of refused clients."""

import base64
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving import server as sockets
from kafkafmt.serving.serve import Server
from tests.serving.logins import MECHANISMS, log_in, log_in_with_bare_tokens, password_file
from tests.serving.wire import Wire, request_frame, served

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
PASSWORD = "correct horse, battery=staple"


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return []


@pytest.fixture(scope="module")
def server(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = password_file(tmp_path_factory.mktemp("sasl"), f"{PASSWORD}\r\nsecond line\n".encode())
    with kafkafmt.serve(SHOP, sasl_user="audit", sasl_password_file=path, log_requests=True, say=lines.append) as made:
        yield made


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    with Wire(server.address) as connection:
        yield connection


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_user_is_let_in(wire: Wire, mechanism: str, version: int) -> None:
    assert wire.ask("ApiVersions")["ErrorCode"] == 0
    answer = log_in(wire, mechanism, "audit", PASSWORD, version)
    assert (answer["ErrorCode"], answer["ErrorMessage"], answer.get("SessionLifetimeMs", 0)) == (0, "", 0)
    assert {each["Name"] for each in wire.ask("Metadata", {"Topics": None})["Topics"]} >= {"orders", "payments"}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bare_tokens_follow_version_0_of_the_handshake(server: Server, mechanism: str) -> None:
    with Wire(server.address) as wire:
        assert log_in_with_bare_tokens(wire, mechanism, "audit", PASSWORD)
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
    with Wire(server.address) as wire:
        assert not log_in_with_bare_tokens(wire, mechanism, "audit", "wrong")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_wrong_user_is_refused_like_a_wrong_password(server: Server, mechanism: str) -> None:
    told = set()
    for user, password in (("audit", "wrong"), ("nobody", "wrong"), ("nobody", PASSWORD)):
        with Wire(server.address) as wire:
            begun = time.monotonic()
            answer = log_in(wire, mechanism, user, password)
            assert time.monotonic() - begun >= 0.1
            assert answer["ErrorCode"] == ErrorCode.SASL_AUTHENTICATION_FAILED
            told.add((answer["ErrorMessage"], bytes(answer["AuthBytes"])))
            assert wire.receive() == b""
    # The sentences of Kafka's PlainSaslServer and SaslServerAuthenticator.
    plain = "Authentication failed: Invalid username or password"
    scram = f"Authentication failed during authentication due to invalid credentials with SASL mechanism {mechanism}"
    assert told == {(plain if mechanism == "PLAIN" else scram, b"")}


@pytest.mark.parametrize("api", ["Metadata", "SaslAuthenticate", "Fetch", "DescribeLogDirs"])
def test_other_requests_come_after_authentication(wire: Wire, lines: list[str], api: str) -> None:
    lines.clear()
    wire.send(request_frame(api, 0 if api == "SaslAuthenticate" else 4, {}))
    assert wire.receive() == b""
    # Lines about connections of earlier tests may arrive late.
    assert [line.partition("closed, ")[2] for line in lines if "closed, " in line] == [
        "a request before authentication (the client needs security.protocol SASL_...)"
    ]


def test_apis_are_listed_once_before_authentication(wire: Wire) -> None:
    # An unknown version first, as from a newer client: version 99, of which Kafka reads only the header.
    wire.send(struct.pack(">ihhih", 11, 18, 99, 7, -1) + b"\0")
    assert wire.receive()[:6] == struct.pack(">ih", 7, ErrorCode.UNSUPPORTED_VERSION)
    listed = {each["ApiKey"] for each in wire.ask("ApiVersions")["ApiKeys"]}
    assert listed >= {3, 17, 18, 36}
    wire.send(request_frame("ApiVersions", 0, {}))
    assert wire.receive() == b""


@pytest.mark.parametrize(("api", "version"), [("Metadata", 13), ("ApiVersions", 4), ("SaslHandshake", 1)])
def test_after_the_handshake_another_request_is_in_an_illegal_state(wire: Wire, api: str, version: int) -> None:
    wire.ask("SaslHandshake", {"Mechanism": "PLAIN"}, 1)
    assert wire.ask(api, {}, version)["ErrorCode"] == ErrorCode.ILLEGAL_SASL_STATE
    assert wire.receive() == b""


@pytest.mark.parametrize("version", [0, 1])
def test_another_mechanism_is_named_the_offered_ones(wire: Wire, version: int) -> None:
    answer = wire.ask("SaslHandshake", {"Mechanism": "GSSAPI"}, version)
    assert answer == {"ErrorCode": ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Mechanisms": list(MECHANISMS)}
    assert wire.receive() == b""


def test_nobody_authenticates_twice_or_without_need(wire: Wire) -> None:
    log_in(wire, "PLAIN", "audit", PASSWORD)
    with served(SHOP) as open_wire:
        for each in (wire, open_wire):
            answer = each.ask("SaslHandshake", {"Mechanism": "PLAIN"})
            assert answer == {"ErrorCode": ErrorCode.ILLEGAL_SASL_STATE, "Mechanisms": []}
            answer = each.ask("SaslAuthenticate", {"AuthBytes": b"\0audit\0wrong"})
            assert answer["ErrorCode"] == ErrorCode.ILLEGAL_SASL_STATE
            assert each.ask("Metadata", {"Topics": None})["Topics"]


@pytest.mark.parametrize(("size", "is_read"), [(64 * 1024, True), (64 * 1024 + 1, False)])
def test_requests_before_authentication_are_small(wire: Wire, size: int, is_read: bool) -> None:
    wire.send(struct.pack(">i", size) + bytes(1000))
    wire.socket.settimeout(0.5)
    if is_read:
        with pytest.raises(TimeoutError):
            wire.receive()
    else:
        assert wire.receive() == b""


def test_who_is_silent_is_closed_and_harms_nobody(
    server: Server, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_LOGIN_SECONDS", 0.6)
    lines.clear()
    with Wire(server.address) as silent, Wire(server.address) as slow, Wire(server.address) as wire:
        slow.ask("SaslHandshake", {"Mechanism": "SCRAM-SHA-256"}, 1)
        slow.send(request_frame("SaslAuthenticate", 2, {"AuthBytes": bytes(100)})[:50])
        log_in(wire, "SCRAM-SHA-512", "audit", PASSWORD)
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
        assert silent.receive() == slow.receive() == b""
        assert [line.partition("closed, ")[2] for line in lines if "closed" in line] == [
            "the client stopped sending or reading"
        ] * 2
        assert wire.ask("Metadata", {"Topics": None})["Topics"]


def test_strangers_give_way_even_if_they_were_answered(tmp_path: Path) -> None:
    path = password_file(tmp_path, b"secret")
    with (
        kafkafmt.serve(
            SHOP, sasl_user="audit", sasl_password_file=path, max_connections=2, say=lambda _: None
        ) as server,
        Wire(server.address) as wire,
        Wire(server.address) as stranger,
    ):
        log_in(wire, "PLAIN", "audit", "secret")
        wire.ask("ApiVersions")
        stranger.ask("ApiVersions")
        with Wire(server.address) as another:
            assert log_in(another, "PLAIN", "audit", "secret")["ErrorCode"] == 0
            assert stranger.receive() == b""
            assert wire.ask("Metadata", {"Topics": None})["Topics"]


def test_passwords_are_in_no_line(server: Server, lines: list[str]) -> None:
    lines.clear()
    for mechanism in MECHANISMS:
        for password in (PASSWORD, "my-other-password"):
            with Wire(server.address) as wire:
                log_in(wire, mechanism, "audit", password)
            with Wire(server.address) as wire:
                log_in_with_bare_tokens(wire, mechanism, "audit", password)
    with Wire(server.address) as wire:
        wire.ask("SaslHandshake", {"Mechanism": "PLAIN"}, 1)
        frame = request_frame("SaslAuthenticate", 2, {"AuthBytes": f"\0audit\0{PASSWORD}".encode()})
        wire.send(struct.pack(">i", len(frame) - 5) + frame[4:-1])  # its last byte is missing
        assert wire.receive() == b""
    text = "\n".join([*lines, repr(server), repr(vars(server))])
    assert ": SaslHandshake 1" in text
    assert "SaslAuthenticate 2" in text
    assert "SCRAM-SHA-512 has failed: wrong user or password" in text
    for secret in (PASSWORD, "my-other-password"):
        assert secret not in text
        assert base64.b64encode(secret.encode()).decode() not in text


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"secret\n", 0o640, "other users can read this secret: chmod 600 keeps it to its owner (found mode 0640)"),
        (b"secret\n", 0o604, "other users can read this secret: chmod 600 keeps it to its owner (found mode 0604)"),
        (b"\nsecret\n", 0o600, "the first line is empty: it is the password"),
        (b"", 0o400, "the first line is empty: it is the password"),
        (b"secret\xff\n", 0o600, "the first line is not UTF-8: it is the password"),
        (b"sec\0ret\n", 0o600, "the first line has a zero byte, which no password can have"),
        (b"secret" * 1000, 0o600, "the first line is too long for a password (expected at most 4096 bytes)"),
        (None, 0, "No such file or directory"),
    ],
)
def test_a_password_file_is_refused_with_a_reason(tmp_path: Path, content: bytes | None, mode: int, said: str) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)
    with pytest.raises(SourceError) as caught:
        kafkafmt.serve(SHOP, sasl_user="audit", sasl_password_file=str(path))
    assert str(caught.value) == f"{path}: {said}"
    assert "secret\n" not in str(caught.value.__context__)


@pytest.mark.parametrize(
    ("user", "path", "said"),
    [
        ("audit", None, "belong together"),
        (None, "password", "belong together"),
        ("a\0b", "password", "name"),
        ("", "x", "name"),
    ],
)
def test_user_and_password_belong_together(user: str | None, path: str | None, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kafkafmt.serve(SHOP, sasl_user=user, sasl_password_file=path)


def test_with_sasl_other_machines_may_connect(tmp_path: Path) -> None:
    path = password_file(tmp_path, b"secret")
    lines: list[str] = []
    with kafkafmt.serve(
        SHOP, listen="0.0.0.0:0", sasl_user="audit", sasl_password_file=path, say=lines.append
    ) as server:
        port = server.address.rpartition(":")[2]
        with Wire(f"127.0.0.1:{port}") as wire:
            assert log_in(wire, "PLAIN", "audit", "secret")["ErrorCode"] == 0
            assert wire.ask("DescribeDelegationToken")["ErrorCode"] == ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    assert "without TLS" in lines[0]
