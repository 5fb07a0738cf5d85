"""ClientConfig: how to connect to a cluster, from the properties of Java's clients or of librdkafka."""

import os
import re
import ssl
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kafkafmt.errors import SourceError, UnsupportedError

_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_JAAS: Final = re.compile(r"""\b(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")
_LINE: Final = re.compile(r"\s*([^=:\s]+)\s*[=:]?\s*(.*?)\s*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_PEM: Final = "PEM"
_NO_NAMES: Final = ("", "none")

_KNOWN: Final = frozenset(
    {
        "bootstrap.servers",
        "client.id",
        "enable.ssl.certificate.verification",
        "metadata.broker.list",
        "request.timeout.ms",
        "sasl.jaas.config",
        "sasl.mechanism",
        "sasl.mechanisms",
        "sasl.password",
        "sasl.username",
        "security.protocol",
        "socket.timeout.ms",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.location",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.type",
        "transaction.timeout.ms",
    }
)


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """How to connect to a cluster.

    Attributes:
        tls: TLS context; None for plaintext.
        mechanism: mechanism of SASL; None without SASL.
        user: user of SASL.
        password: password of SASL.
        client_id: name of this client in the brokers' logs and quotas.
        timeout: seconds after which a request without an answer has failed.
        transaction_timeout_ms: time in ms after which a broker aborts the transaction of a dead replay.
        ignored: names of properties that have no effect here.
    """

    tls: ssl.SSLContext | None = None
    mechanism: str | None = None
    user: str = ""
    password: str = ""
    client_id: str = "kafkafmt-replay"
    timeout: float = 30.0
    transaction_timeout_ms: int = 60_000
    ignored: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClientConfig: tls {self.tls is not None}, sasl {self.mechanism}>"

    @classmethod
    def of(cls, given: "Mapping[str, object] | str | os.PathLike[str] | None") -> "ClientConfig":
        """Read properties: a mapping, or a file as `java.util.Properties` reads it.

        Raises:
            SourceError: the file cannot be read.
            UnsupportedError: a key store is not PEM, or the mechanism of SASL is not PLAIN or SCRAM.
            ValueError: a value is invalid.
        """
        if given is None:
            return cls()
        if isinstance(given, Mapping):
            properties = {str(name): _text(value) for name, value in given.items()}
        else:
            properties = _read(Path(given))
        return cls._of(properties)

    @classmethod
    def _of(cls, given: Mapping[str, str]) -> "ClientConfig":
        protocol = given.get("security.protocol", "PLAINTEXT").upper()
        if protocol not in _PROTOCOLS:
            raise ValueError(f"security.protocol must be one of {', '.join(_PROTOCOLS)}, not {protocol}")
        mechanism = user = password = None
        if protocol.startswith("SASL"):
            mechanism = given.get("sasl.mechanism", given.get("sasl.mechanisms", "GSSAPI")).upper()
            if mechanism not in _MECHANISMS:
                raise UnsupportedError("sasl.mechanism", expected=", ".join(_MECHANISMS), found=mechanism)
            jaas = {
                name: _unescaped(one or other) for name, one, other in _JAAS.findall(given.get("sasl.jaas.config", ""))
            }
            user = given.get("sasl.username", jaas.get("username"))
            password = given.get("sasl.password", jaas.get("password"))
            if not user or password is None:
                raise ValueError("SASL needs sasl.username and sasl.password, or both in sasl.jaas.config")
        milliseconds = given.get("request.timeout.ms", given.get("socket.timeout.ms", "30000"))
        return cls(
            _tls(given) if protocol.endswith("SSL") else None,
            mechanism,
            user or "",
            password or "",
            given.get("client.id") or "kafkafmt-replay",
            _number("request.timeout.ms", milliseconds) / 1000,
            _number("transaction.timeout.ms", given.get("transaction.timeout.ms", "60000")),
            tuple(sorted(given.keys() - _KNOWN)),
        )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _number(name: str, text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{name} must be a number of ms above 0, not {text!r}")
    return int(text)


def _read(path: Path) -> dict[str, str]:
    """Read a file as `java.util.Properties` does: comments, escapes, and lines continued by a backslash."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=str(path)) from error
    found = {}
    for line in re.sub(r"\\\r?\n[ \t]*", "", text).splitlines():
        name, value = (_LINE.fullmatch(line) or re.match("()()", "")).groups()  # type: ignore[union-attr]
        if name and not name.startswith(("#", "!")):
            found[name] = _ESCAPE.sub(_escaped, value)
    return found


def _escaped(found: re.Match[str]) -> str:
    """The character for an escape in a Java properties file."""
    text = found[1]
    return chr(int(text[1:], 16)) if len(text) > 1 else _CONTROLS.get(text, text)


def _tls(given: Mapping[str, str]) -> ssl.SSLContext:
    for store in ("truststore", "keystore"):
        kind = given.get(f"ssl.{store}.type", "JKS").upper()
        if given.get(f"ssl.{store}.location") and kind != _PEM:
            raise UnsupportedError(
                f"ssl.{store}.location: export it to PEM (keytool -importkeystore .. -deststoretype PKCS12, then "
                f"openssl pkcs12 -nodes), and set ssl.{store}.type=PEM",
                expected=_PEM,
                found=kind,
            )
    try:
        context = _trusting(given)
        _identify(context, given)
    except (OSError, ssl.SSLError) as error:
        raise SourceError(f"a certificate or key of the client config cannot be used: {error}") from error
    context.check_hostname = given.get("ssl.endpoint.identification.algorithm", "https").lower() not in _NO_NAMES
    if given.get("enable.ssl.certificate.verification", "true").lower() == "false":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _trusting(given: Mapping[str, str]) -> ssl.SSLContext:
    """A context that trusts the named authorities, or without any those of the system."""
    location = given.get("ssl.ca.location") or given.get("ssl.truststore.location") or None
    inline = given.get("ssl.ca.pem") or given.get("ssl.truststore.certificates") or None
    is_directory = location is not None and os.path.isdir(location)
    return ssl.create_default_context(
        cafile=None if is_directory else location, capath=location if is_directory else None, cadata=inline
    )


def _identify(context: ssl.SSLContext, given: Mapping[str, str]) -> None:
    """Load the client's own certificate, if one is given."""
    password = given.get("ssl.key.password")
    chain = given.get("ssl.certificate.location") or given.get("ssl.keystore.location")
    key = given.get("ssl.key.location")
    inline = (given.get("ssl.key.pem") or given.get("ssl.keystore.key") or "") + "\n"
    inline += given.get("ssl.certificate.pem") or given.get("ssl.keystore.certificate.chain") or ""
    if chain:
        context.load_cert_chain(chain, key, password)
    elif inline.strip():
        handle, name = tempfile.mkstemp(suffix=".pem")  # readable by this user alone; ssl takes only files
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(inline)
            context.load_cert_chain(name, None, password)
        finally:
            with suppress(OSError):
                os.unlink(name)
