"""tools/clients_proof: its expectations of clients, and the differences that it finds."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import environment
import kafkafmt
from clients_proof import clients, disks, driver, matrix, secured, table
from clients_proof.clients import CLIENTS, Client
from clients_proof.commands import Answer
from clients_proof.driver import Goal, committed_line, error_line, record_line
from clients_proof.matrix import Row
from kafkafmt.scanning.arguments import IsolationLevel
from proof_frame import ProofError

HERE = Path(clients.__file__).parent
LINE = record_line("orders", 0, 7, 1795294301081, b"key", None, [("b", b"1"), ("a", None), ("b", b"2")])
OTHER = record_line("orders", 0, 8, -1, None, b"", ())


def client(headers: str = "all") -> Client:
    return Client("any", str, list, headers=headers)  # type: ignore[arg-type]


def test_a_record_is_a_line() -> None:
    assert LINE == "orders\t0\t7\t1795294301081\ta2V5\t-\tYg==:MQ==,YQ==:-,Yg==:Mg=="
    assert OTHER == "orders\t0\t8\t-1\t-\t\t"


def test_equal_records_have_no_difference() -> None:
    assert not list(matrix.same(client(), [LINE, OTHER])([OTHER, LINE]))


def test_a_missing_and_a_repeated_record_are_found() -> None:
    found = list(matrix.same(client(), [LINE, OTHER])([LINE, LINE]))
    assert [text.partition(":")[0] for text in found] == ["1 of 2 records are missing", "1 records should not be there"]


@pytest.mark.parametrize(("headers", "count"), [("all", 2), ("grouped", 0), ("none", 0)])
def test_headers_in_another_order(headers: str, count: int) -> None:
    grouped = record_line("orders", 0, 7, 1795294301081, b"key", None, [("a", None), ("b", b"1"), ("b", b"2")])
    assert len(list(matrix.same(client(headers), [LINE])([grouped]))) == count


def test_what_a_client_says_is_the_difference() -> None:
    assert list(matrix.same(client(), [LINE])([error_line(OSError("no\nbroker"))])) == ["OSError: no broker"]


def test_a_client_without_the_password_has_no_record() -> None:
    assert not list(matrix.locked_out([error_line(OSError("no"))]))
    assert list(matrix.locked_out([LINE])) == ["was not refused, but has 1 records"]
    assert list(matrix.locked_out([])) == ["was not refused, but has 0 records"]


def test_settings_are_given_in_the_words_of_each_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(secured._WORDS) < {each.name for each in CLIENTS}
    assert driver.settings() == {}
    way = secured.Way("SASL_SSL", "SCRAM-SHA-512")
    assert way.options(Path("/x")) == [
        *("--tls-cert", "/x/cert.pem", "--tls-key", "/x/key.pem"),
        *("--sasl-user", "audit", "--sasl-password-file", "/x/password"),
    ]
    told = secured._WORDS["java-4.4"](way, Path("/x/cert.pem"), "a=b")
    path = tmp_path / "settings"
    path.write_text("".join(f"{name}={value}\n" for name, value in told.items()))
    monkeypatch.setenv(driver.SETTINGS, str(path))
    assert driver.settings()["sasl.jaas.config"] == (
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="audit" password="a=b";'
    )
    assert secured._WORDS["kcat"](secured.Way("SSL"), Path("/x/cert.pem"), "") == {
        "security.protocol": "SSL",
        "ssl.ca.location": "/x/cert.pem",
    }


def test_committed_offsets() -> None:
    judge = matrix._committed({("orders", 0): (4, 5), ("orders", 1): (2, 2)})
    assert not list(judge([committed_line("orders", 0, 5), committed_line("orders", 1, 2)]))
    (text,) = judge([committed_line("orders", 0, 4)])
    assert text == "committed offset of orders-1 is None, expected 2 to 2"


@pytest.mark.parametrize(
    ("said", "is_clear"),
    [
        ("#error\tPolicyViolationException: kafkafmt serve is read-only", True),
        ("#error\tKafkaException: Cluster authorization failed.", True),
        ("#error\tTimeoutException: Topic orders not present in metadata after 60000 ms.", False),
        (None, False),
    ],
)
def test_a_refusal_in_clear_words(said: str | None, is_clear: bool) -> None:
    assert (not list(matrix._refused([said] if said else []))) is is_clear


def test_a_driver_polls_once_more_when_it_has_all() -> None:
    goal = Goal(2)
    assert [goal.is_reached(found) for found in ([LINE], [OTHER], [])] == [False, False, True]
    unassigned = Goal(0)
    assert not unassigned.is_reached([], is_assigned=False)
    assert not unassigned.is_reached([])
    assert unassigned.is_reached([])


@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed"])
def test_the_expected_records_are_those_of_kafkas_consumer(level: IsolationLevel) -> None:
    (transactions,) = (each for each in disks.disks(few=True) if each.name.startswith("04-"))
    counts = Counter(topic for topic, _, _ in transactions.lines[level])
    consumed = (transactions.paths[0].parent / "expected" / f"{level}.jsonl").read_text().splitlines()
    expected: Counter[str] = Counter()
    for each in map(json.loads, consumed):
        expected[each["topic"]] += each["count"]
    assert counts == expected


def test_groups_begin_where_the_disk_of_the_shop_has_committed() -> None:
    found = kafkafmt.open(disks.SHOP).groups().offsets.to_pylist()
    for group, (topics, begins) in matrix._GROUPS.items():
        rows = {(row["topic"], row["partition"]): row["offset"] for row in found if row["group"] == group}
        assert rows == begins
        assert {topic for topic, _ in rows} == set(topics.split(","))


def test_topics_that_a_client_cannot_decompress_are_left_out() -> None:
    shop = disks.shop()
    assert shop.topics(None) == ["customers", "orders", "page-views", "payments"]
    assert shop.topics(frozenset({"none"})) == ["customers", "orders", "payments"]


def test_clients_are_pinned() -> None:
    pins = (environment.ROOT / "requirements" / "clients_proof.txt").read_text()
    for each in CLIENTS:
        if each.name != "kcat":
            assert re.search(r"\d+\.\d+", each.label()), each.name
    for package in ("aiokafka", "confluent-kafka", "kafka-python"):
        assert f"\n{package}==" in pins
    wanted = json.loads((HERE / "node" / "package.json").read_text())["dependencies"]
    locked = json.loads((HERE / "node" / "package-lock.json").read_text())["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted


def test_a_client_that_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name, text in (("kcat", "install kcat"), ("sarama", "install Go"), ("kafkajs", "install Node.js")):
        (found,) = (each for each in CLIENTS if each.name == name)
        with pytest.raises(clients.MissingError, match=text):
            found.prepare()


def test_the_matrix_is_written_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "serve.md"
    monkeypatch.setattr(table, "_PAGE", page)
    row = Row("a client 1.0", {"classic": []}, Counter(read_uncommitted=1200), {"produce": "Broker: Policy violation"})
    page.write_text(f"before\n{table._BEGIN}old\n{table._END}after\n")
    table.write([row], [Answer("kafka-topics 4.4.0", "--describe", "topics")])
    text = page.read_text()
    assert text.startswith(f"before\n{table._BEGIN}")
    assert text.endswith(f"{table._END}after\n")
    assert "| a client 1.0 | 1,200 | 0 | yes |  | Policy violation |\n" in text
    assert "| kafka-topics 4.4.0 | `--describe` | topics |\n" in text
    assert "old" not in text
    page.write_text("no marks\n")
    with pytest.raises(ProofError, match="no marks"):
        table.write([row], [])


def test_the_page_has_the_matrix() -> None:
    text = (environment.ROOT / "docs" / "serve.md").read_text()
    _, begin, rest = text.partition(table._BEGIN)
    assert begin
    assert table._END in rest
