"""Clients that speak TLS and authenticate: each reads all records of the shop's disk, and none without the password.

Each client gets settings in its own words, in a file that `driver.SETTINGS` names.
"""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from class_path import ToolError, tool
from clients_proof import driver, matrix
from clients_proof.clients import CLIENTS, Client, MissingError
from clients_proof.commands import Answer
from clients_proof.disks import Disk
from clients_proof.served import Served
from kafkafmt.scanning.arguments import IsolationLevel

_USER, _PASSWORD = "audit", "correct horse, battery=staple"  # with characters that SCRAM escapes
_LEVEL: IsolationLevel = "read_uncommitted"
_WRONG = "has failed: wrong user or password"
_JAAS = 'org.apache.kafka.common.security.{module} required username="{user}" password="{password}";'


@dataclass(frozen=True)
class Way:
    """A way to connect.

    Attributes:
        protocol: `security.protocol` of Kafka's clients.
        mechanism: mechanism of SASL; empty for none.
    """

    protocol: str
    mechanism: str = ""

    def __str__(self) -> str:
        return f"{self.protocol} {self.mechanism}".strip()

    def options(self, home: Path) -> list[str]:
        """The options of `kafkafmt serve`."""
        tls = ["--tls-cert", str(home / "cert.pem"), "--tls-key", str(home / "key.pem")]
        sasl = ["--sasl-user", _USER, "--sasl-password-file", str(home / "password")]
        return (tls if self.protocol.endswith("SSL") else []) + (sasl if self.mechanism else [])


_WAYS = (
    Way("SSL"),
    Way("SASL_PLAINTEXT", "PLAIN"),
    Way("SASL_PLAINTEXT", "SCRAM-SHA-256"),
    Way("SASL_SSL", "SCRAM-SHA-512"),
)


def _java(way: Way, certificate: Path, password: str) -> Mapping[str, str]:
    module = "plain.PlainLoginModule" if way.mechanism == "PLAIN" else "scram.ScramLoginModule"
    return {
        "security.protocol": way.protocol,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificate),
        "sasl.mechanism": way.mechanism or "GSSAPI",
        "sasl.jaas.config": _JAAS.format(module=module, user=_USER, password=password),
    }


def _librdkafka(way: Way, certificate: Path, password: str) -> Mapping[str, str]:
    sasl = {"sasl.mechanisms": way.mechanism, "sasl.username": _USER, "sasl.password": password}
    tls = {"ssl.ca.location": str(certificate)} if way.protocol.endswith("SSL") else {}
    return {"security.protocol": way.protocol, **tls, **(sasl if way.mechanism else {})}


def _python(way: Way, certificate: Path, password: str) -> Mapping[str, str]:
    sasl = {"sasl_mechanism": way.mechanism, "sasl_plain_username": _USER, "sasl_plain_password": password}
    tls = {"ssl_cafile": str(certificate)} if way.protocol.endswith("SSL") else {}
    return {"security_protocol": way.protocol, **tls, **(sasl if way.mechanism else {})}


_WORDS = {
    "java-4.4": _java,
    "java-2.8": _java,
    "kcat": _librdkafka,
    "confluent-kafka": _librdkafka,
    "aiokafka": _python,
    "kafka-python": _python,
}
"""For each client, by its name in the matrix, the function that makes its settings."""


def ask(shop: Disk, home: Path, *, may_skip: bool) -> Iterator[Answer]:
    """Let each client connect in each way, and with a wrong password.

    Args:
        shop: the disk.
        home: an empty directory.
        may_skip: whether clients that are not installed are skipped.

    Raises:
        ToolError: a client, or openssl, is not available.
    """
    _make_secrets(home)
    with ExitStack() as stack:
        servers = {
            way: stack.enter_context(Served(shop.paths, home / f"{way}.err", *way.options(home))) for way in _WAYS
        }
        for client in CLIENTS:
            if client.name not in _WORDS:
                continue
            try:
                command = client.prepare()
            except MissingError as error:
                if not may_skip:
                    raise
                print(f"skipped: {client.name}: {error}", flush=True)
                continue
            facts = "all records in each way, and none with a wrong password"
            answer = Answer(client.label(), "; ".join(f"`{way}`" for way in _WAYS), facts)
            for way, server in servers.items():
                _read(client, command, shop, (way, server), home, answer)
            # A separate server, as one server reports only so many closed connections in a minute.
            with Served(shop.paths, home / f"{client.name}.err", *way.options(home)) as server:
                _read(client, command, shop, (way, server), home, answer, password="another")
            yield answer


def _read(
    client: Client,
    command: list[str],
    shop: Disk,
    where: tuple[Way, Served],
    home: Path,
    answer: Answer,
    password: str = _PASSWORD,
) -> None:
    """Let a client read; with a wrong password it must fail."""
    way, server = where
    is_right = password == _PASSWORD
    topics = shop.topics(client.codecs)
    expected = shop.expected(_LEVEL, topics, {})
    fields = ("read", server.bootstrap_servers, _LEVEL, ",".join(topics), str(len(expected)))
    judge = matrix.same(client, expected) if is_right else matrix.locked_out
    task = matrix.Task("secured", f"{way}{'' if is_right else ', a wrong password'}", fields, judge)
    settings = home / "settings"
    told = _WORDS[client.name](way, home / "cert.pem", password)
    settings.write_text("".join(f"{name}={value}\n" for name, value in told.items()), "utf-8")
    scratch = home / f"{client.name} {task.what}"
    scratch.mkdir()
    said = len(server.said())
    row = matrix.Row(client.name)
    matrix.run(command, [task], row, scratch, {driver.SETTINGS: str(settings)})
    answer.differences += row.differences[task.column]
    if is_right == (_WRONG in server.said()[said:]):
        answer.differences.append(f"{task.what}: the server says {server.said()[said:]!r}")


def _make_secrets(home: Path) -> None:
    """Make a certificate as docs/serve_security.md describes, and a password."""
    command = [tool("openssl"), "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    done = subprocess.run([*command, *names], check=False, cwd=home, capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f"openssl makes no certificate:\n{done.stderr}")
    password = home / "password"
    password.touch(mode=0o600)
    password.write_text(f"{_PASSWORD}\n", "utf-8")
