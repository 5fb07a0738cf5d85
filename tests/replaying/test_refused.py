"""Targets that refuse: `kafkafmt serve`, which answers as a broker but writes nothing, and ports without a broker.

`tools/proof replay` shows what a live broker accepts.
"""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.cli.command import FINDINGS
from kafkafmt.cli.main import run
from kafkafmt.files.damage import Damage
from kafkafmt.replaying.broker_connection import BrokerConnection
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.cluster import TargetCluster
from kafkafmt.replaying.errors import RefusedError, RetriableError, TargetError
from kafkafmt.replaying.replay_run import ReplayRun
from tests.serving.certificates import make_certificate

SHOP = Path("docs/examples/shop/log-dir")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with kafkafmt.serve(SHOP, say=lambda _: None) as server:
        yield server.address


def test_a_target_with_records_is_refused(address: str) -> None:
    with pytest.raises(RefusedError) as caught:
        kafkafmt.replay(SHOP, address, topics=["orders", "customers"])
    assert [each.partition(":")[0] for each in caught.value.refusals] == [
        "customers is not empty",
        "orders is not empty",
    ]
    assert "partition 0 has offsets 0 to 9, and 2 more partitions have records, which" in caught.value.refusals[1]


def test_a_dry_run_has_all_refusals_and_warnings(address: str) -> None:
    arguments: dict[str, Any] = {"topics": {"orders": "orders", "customers": "new"}, "groups": True, "dry_run": True}
    done = kafkafmt.replay(SHOP, address, offset_map="map.parquet", **arguments)
    assert done.is_dry
    assert done.records == 20
    assert [row["records"] for row in done.partitions.to_pylist()] == [6, 4, 4, 6]
    assert [each[:14] for each in done.refusals] == ["new does not e", "orders is not ", "group billing "]
    assert done.refusals[2].startswith("group billing of the target is in orders-0 at offset 4 of 10, orders-1 at ")
    assert "map.parquet is not written: a dry run has no offsets of the target" in done.warnings
    assert not Path("map.parquet").exists()
    assert [each[:38] for each in done.warnings if "open" in each] == [
        "orders-0 is sent up to offset 8: a tra",
        "orders-1 is sent up to offset 10: a tr",
    ]


def test_a_start_time_chooses_records(address: str) -> None:
    done = kafkafmt.replay(SHOP, address, topics="orders", start_timestamp="2026-11-21T20:51:41.1", dry_run=True)
    expected = kafkafmt.scan(
        SHOP, topics="orders", start_timestamp="2026-11-21T20:51:41.1", isolation_level="read_committed"
    ).count()
    assert 0 < done.records == expected < 14


def test_a_target_that_makes_no_topic_is_refused(address: str) -> None:
    with pytest.raises(RefusedError, match="new cannot be created: POLICY_VIOLATION") as caught:
        kafkafmt.replay(SHOP, address, topics={"orders": "new"}, create=True)
    assert len(caught.value.refusals) == 1


def test_the_name_of_a_run_is_that_of_source_and_target(address: str, tmp_path: Path) -> None:
    one, other = (kafkafmt.replay(SHOP, address, topics=topic, dry_run=True).run for topic in ("orders", "customers"))
    assert one == other
    kafkafmt.write(kafkafmt.scan(SHOP, topics="customers"), tmp_path / "copy")
    assert kafkafmt.replay(tmp_path / "copy", address, dry_run=True).run != one
    assert kafkafmt.replay(SHOP, address, run="mine", dry_run=True).run == "mine"


@pytest.mark.parametrize(
    ("topics", "text"),
    [
        ("__consumer_offsets", "__consumer_offsets is one of Kafka's own topics"),
        ({"orders": "__consumer_offsets"}, "__consumer_offsets is one of Kafka's own topics"),
        ({"orders": "same", "customers": "same"}, "two topics have the target same"),
    ],
)
def test_topics_that_cannot_be_sent_are_refused(topics: object, text: str) -> None:
    with pytest.raises(RefusedError, match=text):
        kafkafmt.replay(SHOP, "127.0.0.1:1", topics=topics)  # type: ignore[arg-type]


@pytest.mark.parametrize("to", ["", "host", "host:0", "host:70000", ":9092", "host:9092,other"])
def test_a_wrong_address_is_said(to: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT"):
        kafkafmt.replay(SHOP, to)


def test_unknown_topics_are_said(address: str) -> None:
    with pytest.raises(kafkafmt.NotFoundError, match="no topic nope"):
        kafkafmt.replay(SHOP, address, topics="nope")


@pytest.fixture
def answering() -> Iterator[tuple[str, list[bytes]]]:
    """A port that answers the first request of each connection with given bytes, then closes it."""
    said: list[bytes] = [b""]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    client.recv(4096)
                    client.sendall(said[0])

        threading.Thread(target=answer, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", said


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"", "closed by the broker .does it speak TLS here"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "not a Kafka broker|lost"),
        (b"\x7f\xff\xff\xff", "not a Kafka broker|lost"),
        (b"\0\0\0\4\0\0\0\1", "cannot be read|lost"),
        (b"\0\0\0\x0a\0\0\0\x09\0\0\0\0\0\0", "cannot be read|belongs to another request|lost"),
    ],
)
def test_a_port_that_is_no_broker_is_said(answering: tuple[str, list[bytes]], answer: bytes, text: str) -> None:
    address, said = answering
    said[0] = answer
    with pytest.raises(TargetError, match=text), TargetCluster(address, ClientConfig()) as cluster:
        cluster.any_broker()


def test_a_port_without_listener_is_said() -> None:
    with TargetCluster("127.0.0.1:1", ClientConfig()) as cluster, pytest.raises(RetriableError, match="cannot connect"):
        cluster.any_broker()


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_tls_and_sasl_let_in_who_has_the_password(mechanism: str, tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    password = tmp_path / "password"
    password.touch(mode=0o600)
    password.write_text("a,b=c\n")
    secured = {"tls_cert": certificate, "tls_key": key, "sasl_user": "audit", "sasl_password_file": password}
    with kafkafmt.serve(SHOP, say=lambda _: None, **secured) as server:  # type: ignore[arg-type]
        given = {
            "security.protocol": "SASL_SSL",
            "ssl.ca.location": certificate,
            "sasl.mechanism": mechanism,
            "sasl.username": "audit",
        }
        done = kafkafmt.replay(
            SHOP, server.address, topics="orders", dry_run=True, client_config={**given, "sasl.password": "a,b=c"}
        )
        assert done.records == 14
        with pytest.raises(TargetError, match="SASL_AUTHENTICATION_FAILED"):
            kafkafmt.replay(SHOP, server.address, dry_run=True, client_config={**given, "sasl.password": "wrong"})
        with pytest.raises(TargetError, match="TLS: "):
            kafkafmt.replay(SHOP, server.address, dry_run=True, client_config={"security.protocol": "SSL"})


def test_a_broker_before_2_4_is_asked_in_version_0() -> None:
    apis = b"\0\1" + b"\0\x03\0\0\0\x05"  # Metadata, versions 0 to 5
    answers = (b"\0\0\0\1\0\x23\0\0\0\0", b"\0\0\0\2\0\0\0\0" + apis)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            client, _ = listening.accept()
            with client:
                for each in answers:
                    client.recv(4096)
                    client.sendall(len(each).to_bytes(4, "big") + each)
                client.recv(4096)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        connection = BrokerConnection("127.0.0.1", listening.getsockname()[1], ClientConfig())
        assert connection.version("Metadata") == 5
        with pytest.raises(TargetError, match="no version of Produce"):
            connection.version("Produce")
        connection.close()
        thread.join(10)


def test_faults_that_pass_are_waited_for_and_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moment, said = [0.0], list[str]()
    monkeypatch.setattr("kafkafmt.replaying.cluster.time.monotonic", lambda: moment[0])
    monkeypatch.setattr(
        "kafkafmt.replaying.cluster.time.sleep", lambda seconds: moment.__setitem__(0, moment[0] + seconds)
    )
    cluster = TargetCluster("127.0.0.1:1", ClientConfig(), said.append)
    cluster.cluster_id = "known"
    left = [20]

    def ask() -> str:
        left[0] -= 1
        if left[0]:
            raise RetriableError("broker 1: gone")
        return "there"

    assert cluster.patiently(ask) == "there"
    assert said == ["broker 1: gone: trying again for up to 120 s"]
    left[0] = 1000
    with pytest.raises(RetriableError, match="gone"):
        cluster.patiently(ask)
    assert 118 < moment[0] < 160
    moment[0], cluster.cluster_id, left[0] = 0.0, "", 1000
    with pytest.raises(RetriableError, match="gone"):
        cluster.patiently(ask)
    assert moment[0] < 3.5


class Nonsense:
    """A broker whose answers are well-formed but nonsensical."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def call(self, _: str, __: object) -> dict[str, Any]:
        return self.answer

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda cluster: cluster.configs(["orders"]), {"Results": []}),
        (
            lambda cluster: cluster.configs(["orders"]),
            {
                "Results": [
                    {
                        "ErrorCode": 0,
                        "ErrorMessage": None,
                        "ResourceName": "orders",
                        "Configs": [{"Name": "retention.ms", "Value": "soon"}],
                    }
                ]
            },
        ),
        (lambda cluster: cluster.create("orders", 1, {}, -1, validates=True), {"Topics": []}),
        (lambda cluster: cluster.alter_topic("orders", {}), {"Responses": []}),
    ],
)
def test_answers_that_lack_what_was_asked_for_are_said(
    ask: Callable[[TargetCluster], object], answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = TargetCluster("127.0.0.1:1", ClientConfig())
    monkeypatch.setattr(cluster, "any_broker", lambda: Nonsense(answer))
    with pytest.raises(TargetError, match="the broker's answer does not fit the request"):
        ask(cluster)


def test_a_host_that_is_no_name_is_said() -> None:
    with pytest.raises(TargetError, match="is not the name of a host"):
        BrokerConnection("a" * 70, 9092, ClientConfig())


def test_disks_that_are_open_are_sent(address: str) -> None:
    done = kafkafmt.open(SHOP).replay(address, topics="orders", dry_run=True)
    assert done.records == 14


def test_records_that_are_skipped_are_reported(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(SHOP, tmp_path / "disk")
    log = tmp_path / "disk" / "orders-2" / f"{0:020}.log"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    with pytest.raises(kafkafmt.CorruptError):
        kafkafmt.replay(tmp_path / "disk", address, topics="orders", dry_run=True)
    with pytest.warns(kafkafmt.KafkafmtWarning, match="skipped"):
        done = kafkafmt.replay(tmp_path / "disk", address, topics="orders", dry_run=True, on_damage="skip")
    (damage,) = done.damage
    assert (done.records, damage.topic, damage.partition, damage.records) == (13, "orders", 2, 1)
    arguments = ["replay", str(tmp_path / "disk"), "--to", address, "--topic", "orders", "--dry-run", "--append"]
    assert run([*arguments, "--on-damage", "skip"]) == FINDINGS
    said = capsys.readouterr().err
    assert "CRC mismatch" in said
    assert "bytes skipped" in said


def test_what_was_skipped_is_said_where_the_target_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start begins after the skipped records."""
    error = kafkafmt.CorruptError("CRC mismatch", file="orders-2/0.log", position=3)
    damage = Damage("orders-2/0.log", 3, 9, "checksum", error, first_offset=4, last_offset=4, records=1)
    kafkafmt.write(kafkafmt.scan(SHOP, topics="customers"), tmp_path / "copy")
    said: list[str] = []

    def fail(work: ReplayRun, _: object) -> None:
        work._choice.skipped.by_place["orders-2/0.log", 3] = damage
        raise TargetError("gone")

    monkeypatch.setattr(ReplayRun, "run", fail)
    with (
        kafkafmt.serve(SHOP, say=lambda _: None) as server,
        pytest.raises(TargetError, match="gone"),
    ):
        kafkafmt.replay(tmp_path / "copy", server.address, append=True, say=said.append)
    assert "CRC mismatch: 9 bytes skipped" in said[-1]
