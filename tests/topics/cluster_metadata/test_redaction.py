"""Secrets are hidden in tables, repr and differences, and not kept in memory."""

import gc
import pickle
from pathlib import Path

import pytest

from kafkafmt.topics.cluster_metadata import ClusterMetadata, Redacted, metadata
from kafkafmt.topics.cluster_metadata.difference import differences
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from kafkafmt.topics.cluster_metadata.settings import is_sensitive
from tests.topics.cluster_metadata import written

SECRETS = ("a-token-id", "hunter2", "a-salt-of-bob", "a-stored-key-of-bob", "a-server-key-of-bob")


def log(root: Path, password: str = "hunter2") -> Path:
    written.node(
        root,
        1,
        written.batch(
            0,
            written.credential(),
            written.token(),
            written.config("listener.name.external.ssl.key.password", password, kind=4, resource="1"),
            written.config("retention.ms", "5"),
        ),
    )
    return root


def everything(cluster: ClusterMetadata) -> str:
    parts = [repr(cluster)]
    parts += [repr(getattr(cluster, name)) for name in cluster.__dataclass_fields__]
    parts += [str(cluster.to_table(name).to_pylist()) for name in SECTIONS]
    return " ".join(parts)


@pytest.mark.slow
def test_secrets_are_not_told(tmp_path: Path) -> None:
    cluster = metadata(log(tmp_path))
    text = everything(cluster)
    assert not [secret for secret in SECRETS if secret in text]
    assert not [secret for secret in SECRETS if secret.encode() in pickle.dumps(cluster)]
    (row,) = cluster.to_table("scram").to_pylist()
    assert row == {
        "user": "bob",
        "mechanism": "SCRAM-SHA-256",
        "iterations": 4096,
        "salt": None,
        "storedKey": None,
        "serverKey": None,
    }
    assert [(row["value"], row["isSensitive"]) for row in cluster.to_table("configs").to_pylist()] == [
        (None, True),
        ("5", False),
    ]
    assert cluster.to_table("tokens").to_pylist()[0]["tokenId"] is None
    gc.collect()
    assert not [
        each for each in gc.get_objects() if type(each).__name__ == "DelegationToken" and each.token_id == SECRETS[0]
    ]


def test_they_are_told_when_asked_for(tmp_path: Path) -> None:
    cluster = metadata(log(tmp_path), show_secrets=True)
    text = everything(cluster)
    assert not [secret for secret in SECRETS if secret not in text]
    assert cluster.to_table("scram").to_pylist()[0]["salt"] == written.SALT


def test_a_rotated_secret_is_a_change_without_its_values(tmp_path: Path) -> None:
    before, after = (metadata(log(tmp_path / name, name)) for name in ("old-one", "new-one"))
    assert metadata(log(tmp_path / "same", "old-one")).configs == before.configs
    (change,) = differences(before, after, ["configs"])
    assert (change.change, change.field, change.before, change.after) == (
        "changed",
        "value",
        "[redacted]",
        "[redacted]",
    )
    (told,) = differences(
        metadata(tmp_path / "old-one", show_secrets=True),
        metadata(tmp_path / "new-one", show_secrets=True),
        ["configs"],
    )
    assert (told.before, told.after) == ("old-one", "new-one")


def test_what_stands_for_a_secret() -> None:
    assert Redacted("x") == Redacted(b"x") != Redacted("y")
    assert hash(Redacted("x")) == hash(Redacted("x"))
    assert repr(Redacted("x")) == str(Redacted("x")) == "[redacted]"
    assert Redacted("x") != "x"


@pytest.mark.parametrize(
    "name",
    [
        "ssl.keystore.key",
        "ssl.key.password",
        "ssl.truststore.password",
        "ssl.truststore.certificates",
        "ssl.keystore.certificate.chain",
        "sasl.jaas.config",
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config",
        "delegation.token.secret.key",
        "delegation.token.master.key",
        "password.encoder.old.secret",
        "rlmm.config.remote.log.metadata.common.client.sasl.jaas.config",
        "x.PASSWORD",
        "aws.credentials",
    ],
)
def test_configs_of_such_names_are_secrets(name: str) -> None:
    assert is_sensitive(name, None)


@pytest.mark.parametrize(
    "name",
    [
        "retention.ms",
        "min.insync.replicas",
        "ssl.keystore.location",
        "listener.name.a.ssl.keystore.type",
        "ssl.truststore.location",
        "delegation.token.max.lifetime.ms",
        "compression.type",
        "follower.replication.throttled.replicas",
    ],
)
def test_configs_of_such_names_are_none(name: str) -> None:
    assert not is_sensitive(name, "1")


@pytest.mark.parametrize(
    "value",
    [
        "-----BEGIN PRIVATE KEY-----",
        "org.apache.kafka.common.security.plain.PlainLoginModule required",
        "a password='b'",
    ],
)
def test_values_that_look_like_secrets_are_some(value: str) -> None:
    assert is_sensitive("custom.setting", value)
