"""TLS of a port: certificate and key, checked at the start, and the handshake of a connection."""

import asyncio
import ssl
from typing import Final, NoReturn

from kafkafmt.errors import SourceError
from kafkafmt.serving.security.secret_files import open_secret

_HANDSHAKE_SECONDS: Final = 10.0

_SEEN: Final = {
    "HTTP_REQUEST": "the client speaks HTTP, and this port speaks TLS",
    "WRONG_VERSION_NUMBER": "the client does not speak TLS, and this port does (security.protocol of Kafka's clients)",
    "UNSUPPORTED_PROTOCOL": "the client does not support TLS 1.2 or later",
    "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust the certificate",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the client does not trust the certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "the client rejects the certificate",
}


def server_context(certificate: str, key: str) -> ssl.SSLContext:
    """Read the certificate chain and the private key of a server, both in PEM.

    Raises:
        SourceError: a file cannot be read or is not of its kind, the key does not belong to the certificate, or other
            users can read the key.
    """
    _require(_content(certificate), b"CERTIFICATE-----", certificate, "it has no certificate in PEM")
    with open_secret(key) as file:
        _require(file.read(), b"PRIVATE KEY-----", key, "it has no private key in PEM")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION

    def refuse() -> NoReturn:  # without this, OpenSSL would ask for the password on the terminal
        raise SourceError("the private key is encrypted: openssl pkey -in KEY -out NEW decrypts it", file=key)

    try:
        context.load_cert_chain(certificate, key, password=refuse)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise SourceError(
                f"it is not the private key of the first certificate in {certificate}", file=key
            ) from error
        reason = (error.reason or str(error)).replace("_", " ").lower()
        raise SourceError(f"the certificate or the key {key} is refused: {reason}", file=certificate) from error
    return context


async def shake_hands(writer: asyncio.StreamWriter, context: ssl.SSLContext) -> None:
    """Begin TLS on a connection from which nothing has been read.

    Must be called before anything else is awaited, as asyncio would give the first bytes to the reader.

    Raises:
        ssl.SSLError: the client does not speak TLS, or both sides find no common parameters.
        TimeoutError: the handshake takes too long.
    """
    async with asyncio.timeout(_HANDSHAKE_SECONDS):
        await writer.start_tls(context)


def fault_of(error: ssl.SSLError) -> str:
    """The client's fault in words, or else the text of OpenSSL."""
    reason = error.reason or ""
    return _SEEN.get(reason) or f"TLS fails: {reason.replace('_', ' ').lower() or error.strerror or error}"


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SourceError(error.strerror or str(error), file=path) from error


def _require(content: bytes, mark: bytes, path: str, fault: str) -> None:
    if mark not in content:
        raise SourceError(fault, file=path, expected=f"-----BEGIN ... {mark.decode()}")
