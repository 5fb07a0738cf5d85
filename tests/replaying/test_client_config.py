"""Client properties: names used by Java and by librdkafka."""

import ssl
from pathlib import Path

import pytest

from kafkafmt.errors import SourceError, UnsupportedError
from kafkafmt.replaying.client_config import ClientConfig
from tests.serving.certificates import make_certificate

JAAS = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="a b" password="x\\"y\\\\z";'


def test_without_properties_it_is_plaintext() -> None:
    config = ClientConfig.of(None)
    assert (config.tls, config.mechanism, config.timeout, config.transaction_timeout_ms) == (None, None, 30.0, 60_000)


def test_java_reads_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    escaped = JAAS.replace("\\", "\\\\")
    file.write_text(
        f"# a comment\n! another\n\nsecurity.protocol = SASL_PLAINTEXT\nsasl.mechanism: SCRAM-SHA-512\n"
        f"sasl.jaas.config={escaped[:40]}\\\n    {escaped[40:]}\nrequest.timeout.ms 5000\nacks=all\nclient.id=\\u0041\n"
    )
    config = ClientConfig.of(file)
    assert (config.mechanism, config.user, config.password) == ("SCRAM-SHA-512", "a b", 'x"y\\z')
    assert (config.timeout, config.ignored, config.client_id) == (5.0, ("acks",), "A")
    assert "x" not in repr(config).replace("ClientConfig", "")


def test_librdkafka_has_other_words() -> None:
    given = {
        "security.protocol": "sasl_plaintext",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "u",
        "sasl.password": "",
    }
    config = ClientConfig.of({**given, "socket.timeout.ms": 1000, "transaction.timeout.ms": 7000})
    assert (config.user, config.password, config.timeout, config.transaction_timeout_ms) == ("u", "", 1.0, 7000)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"security.protocol": "TLS"}, ValueError, "security.protocol must be one of"),
        ({"security.protocol": "SASL_SSL"}, UnsupportedError, "found GSSAPI"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}, UnsupportedError, "found OAUTHBEARER"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, ValueError, "sasl.username and sasl.password"),
        ({"security.protocol": "SSL", "ssl.truststore.location": "a.jks"}, UnsupportedError, "ssl.truststore.type=PEM"),
        ({"security.protocol": "SSL", "ssl.ca.location": "/no/such"}, SourceError, "cannot be used"),
        ({"request.timeout.ms": "soon"}, ValueError, "request.timeout.ms must be"),
        ({"transaction.timeout.ms": "0"}, ValueError, "transaction.timeout.ms must be"),
    ],
)
def test_what_cannot_be_used_is_said(given: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ClientConfig.of(given)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        ClientConfig.of(tmp_path / "none")


def test_names_of_hosts_are_checked_unless_it_says_otherwise(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    stored = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificate)}
    config = ClientConfig.of({"security.protocol": "SSL", **stored})
    assert config.tls is not None
    assert (config.tls.check_hostname, config.tls.verify_mode) == (True, ssl.CERT_REQUIRED)
    config = ClientConfig.of({"security.protocol": "SSL", **stored, "ssl.endpoint.identification.algorithm": ""})
    assert config.tls is not None
    assert (config.tls.check_hostname, config.tls.verify_mode) == (False, ssl.CERT_REQUIRED)
    config = ClientConfig.of({"security.protocol": "SSL", "enable.ssl.certificate.verification": False})
    assert config.tls is not None
    assert config.tls.verify_mode == ssl.CERT_NONE
    own = {"ssl.keystore.certificate.chain": certificate.read_text(), "ssl.keystore.key": key.read_text()}
    assert ClientConfig.of({"security.protocol": "SSL", **stored, **own}).tls is not None
    own = {"ssl.certificate.location": str(certificate), "ssl.key.location": str(key)}
    assert ClientConfig.of({"security.protocol": "SSL", **stored, **own}).tls is not None
