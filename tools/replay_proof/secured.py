"""Replays into a broker with TLS and a single allowed user, by PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512."""

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import kafkafmt
from class_path import ToolError, tool
from clients_proof.disks import SHOP
from kafka_broker.broker import Broker, free_ports
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.cluster import TargetCluster
from kafkafmt.replaying.errors import TargetError, check

_USER, _PASSWORD = "replay,er=1", 'correct "horse", battery=staple'  # with characters that SCRAM and JAAS escape
_ITERATIONS = 4096
_MECHANISMS = {"SCRAM-SHA-256": (1, "sha256"), "SCRAM-SHA-512": (2, "sha512")}
_JAAS = "org.apache.kafka.common.security.{module}.{name}LoginModule required {more};"


def ask(home: Path) -> Iterator[str]:
    """Replay a topic in each way, with config names of Java clients and of librdkafka; and with a wrong password.

    Args:
        home: a new directory.
    """
    home.mkdir(parents=True)
    _make_certificate(home)
    plain, secured, tls, controller = free_ports(4)
    listeners = f"PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{secured},SSL://127.0.0.1:{tls}"
    store = home / "store.pem"
    store.write_text((home / "key.pem").read_text() + (home / "cert.pem").read_text())
    quoted = _PASSWORD.replace('"', '\\\\"')
    prefix = "listener.name.sasl_ssl"
    settings = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "inter.broker.listener.name": "PLAINTEXT",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL,CONTROLLER:PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(store),
        f"{prefix}.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        f"{prefix}.plain.sasl.jaas.config": _JAAS.format(
            module="plain", name="Plain", more=f'user_{_USER.replace("=", "").replace(",", "")}="{quoted}"'
        ),
        f"{prefix}.scram-sha-256.sasl.jaas.config": _JAAS.format(module="scram", name="Scram", more=""),
        f"{prefix}.scram-sha-512.sasl.jaas.config": _JAAS.format(module="scram", name="Scram", more=""),
    }
    ca = str(home / "cert.pem")
    with Broker(home / "live", settings) as broker:
        _make_users(broker.bootstrap_servers)
        ways: dict[str, tuple[int, Mapping[str, str]]] = {
            "SSL": (tls, {"security.protocol": "SSL", "ssl.truststore.type": "PEM", "ssl.truststore.location": ca}),
            "PLAIN": (secured, _librdkafka("PLAIN", ca, _PASSWORD)),
        }
        ways |= {mechanism: (secured, _java(mechanism, ca)) for mechanism in _MECHANISMS}
        for name, (port, properties) in ways.items():
            file = home / f"{name}.properties"
            file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
            arguments = {"topics": {"orders": f"orders-{name}"}, "create": True, "run": name}
            done = kafkafmt.replay(SHOP, f"127.0.0.1:{port}", client_config=file, **arguments)  # type: ignore[arg-type]
            print(f"  {name}: {done.records} records", flush=True)
            if not done.records:
                yield f"{name}: nothing was sent"
        wrong = {
            "a wrong password": (secured, _librdkafka("SCRAM-SHA-512", ca, "wrong"), "SASL_AUTHENTICATION_FAILED"),
            "an unknown authority": (tls, {"security.protocol": "SSL"}, "TLS: "),
            "plaintext to TLS": (tls, {}, "does it speak TLS here?"),
        }
        for name, (port, properties, part) in wrong.items():
            try:
                kafkafmt.replay(SHOP, f"127.0.0.1:{port}", topics="orders", client_config=properties, dry_run=True)
                yield f"{name}: let in"
            except TargetError as error:
                if part not in str(error):
                    yield f"{name}: {error}"


def _java(mechanism: str, ca: str) -> Mapping[str, str]:
    user, password = _USER, _PASSWORD.replace('"', '\\\\"')
    jaas = _JAAS.format(module="scram", name="Scram", more=f'username="{user}" password="{password}"')
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": ca,
    }


def _librdkafka(mechanism: str, ca: str, password: str) -> Mapping[str, str]:
    user = _USER.replace("=", "").replace(",", "") if mechanism == "PLAIN" else _USER
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanisms": mechanism,
        "sasl.username": user,
        "sasl.password": password,
        "ssl.ca.location": ca,
    }


def _make_users(to: str) -> None:
    """Create the user's SCRAM credentials, as kafka-configs.sh does."""
    for number, algorithm in _MECHANISMS.values():
        salt = os.urandom(24)
        salted = hashlib.pbkdf2_hmac(algorithm, _PASSWORD.encode(), salt, _ITERATIONS)
        made = {"Name": _USER, "Mechanism": number, "Iterations": _ITERATIONS, "Salt": salt, "SaltedPassword": salted}
        with TargetCluster(to, ClientConfig()) as cluster:
            answer = cluster.any_broker().call("AlterUserScramCredentials", {"Deletions": [], "Upsertions": [made]})
        for each in answer["Results"]:
            check(each["ErrorCode"], f"user {each['User']}", each["ErrorMessage"])


def _make_certificate(home: Path) -> None:
    command = [tool("openssl"), "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    done = subprocess.run([*command, *names], check=False, cwd=home, capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f"openssl makes no certificate:\n{done.stderr}")
