"""tools/cluster_proof: its parts that need neither Maven nor a broker; .ci/run runs the whole."""

import json
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import environment
from class_path import ToolError
from cluster_proof import compare, derived, disk, filled_cluster, run
from cluster_proof.compare import Meant
from cluster_proof.run import Round
from kafka_broker.broker import Broker, BrokerError
from kafkafmt import CorruptError
from tests.golden_cases import GOLDEN

PROOF = environment.ROOT / "tools" / "cluster_proof"


def answers(**changed: Any) -> dict[str, Any]:
    """Admin's answers about a small cluster: one group, one open and one hanging transaction."""
    offsets = [
        {"topic": "orders", "partition": 0, "offset": 5},
        {"topic": "orders", "partition": 1, "offset": 2},
        {"topic": "gone", "partition": 0, "offset": 1},
    ]
    told: dict[str, Any] = {
        "groups": [{"groupId": "g", "state": "Stable", "members": [], "offsets": offsets}, {"groupId": "share"}],
        "transactions": [
            {"transactionalId": "t", "producerId": 1, "state": "Ongoing", "topicPartitions": ["orders-0"]},
            {"transactionalId": "u", "producerId": 2, "state": "CompleteAbort", "topicPartitions": ["orders-0"]},
        ],
        "topics": {"orders": {"partitions": [{"partition": 0, "end": 9}, {"partition": 1, "end": 2}]}},
        "producers": {
            "orders-0": [
                {"producerId": 1, "currentTransactionStartOffset": 7},
                {"producerId": 2, "currentTransactionStartOffset": 8},
            ],
            "orders-1": [{"producerId": 1, "currentTransactionStartOffset": None}],
            "orders-2": [],
        },
        "cluster": {"clusterId": "c", "metadataOffset": 77},
    }
    return told | changed


class TestFacts:
    def test_order_of_what_has_a_name_does_not_count(self) -> None:
        turned = answers()
        for name in ("groups", "transactions"):
            turned[name].reverse()
        turned["producers"]["orders-0"].reverse()
        turned["producers"] = dict(reversed(turned["producers"].items()))
        assert compare.facts(turned) == compare.facts(answers())

    def test_each_has_a_name(self) -> None:
        found = compare.facts(answers())
        assert found["groups/g"] == found["groups/share"] == "is there"
        assert found["groups/g/state"] == "Stable"
        assert found["groups/g/offsets/orders 1/offset"] == 2
        assert found["transactions/t/topicPartitions"] == ["orders-0"]
        assert found["producers/orders-0/2/currentTransactionStartOffset"] == 8
        assert found["topics/orders/partitions/0/end"] == 9
        quotas = [{"entity": {"user": None}, "quotas": {"a": 1.5}}, {"entity": {"user": "null"}, "quotas": {"a": 2.5}}]
        assert sorted(map(str, compare.facts({"quotas": quotas}).values())) == ["1.5", "2.5", "is there", "is there"]

    def test_no_two_have_the_same_name(self) -> None:
        keys = ("resourceType", "resourceName", "patternType", "principal", "operation")
        entries = [dict.fromkeys(keys, "x") | {key: "y"} for key in keys]
        assert len(compare.facts({"acls": entries})) == len(keys)

    def test_those_of_the_end_are_not_those_of_a_moment(self) -> None:
        found = compare.facts(derived.complete(answers()) | {"groups": [{"groupId": "g", "state": "Stable"}]})
        assert set(compare.lasting(found)) == {
            *("groups/g", "groups/g/state", "cluster/clusterId", "complaints"),
            *(
                f"transactions/{name}{fact}"
                for name in "tu"
                for fact in ("", "/producerId", "/state", "/topicPartitions")
            ),
            *("topics/orders/partitions/0", "topics/orders/partitions/1"),
        }
        offsets = [{"topic": "t", "partition": 0, "lag": 1, "offset": 2}]
        share = {"groupId": "s", "offsets": offsets, "shareOffsets": offsets}
        assert set(compare.lasting(compare.facts({"groups": [share]}))) == {
            *("groups/s", "groups/s/offsets/t 0", "groups/s/offsets/t 0/offset")
        }


class TestComparison:
    def test_the_same(self) -> None:
        assert compare.differences(compare.facts(answers()), compare.facts(answers())) == {}

    def test_what_differs_is_told(self) -> None:
        official = {"a": 1, "b": None, "c": "x", "d": ["orders-0"], "e": 1}
        ours = {"a": 2, "c": "x", "d": [], "e": True, "f": "\u00fc"}
        assert compare.differences(official, ours) == {
            "a": "Admin 1, kafkafmt 2",
            "b": "Admin null, kafkafmt does not report it",
            "d": 'Admin ["orders-0"], kafkafmt []',
            "e": "Admin 1, kafkafmt true",
            "f": 'Admin does not report it, kafkafmt "\u00fc"',
        }

    def test_a_member_that_is_missing_is_a_difference(self) -> None:
        official = compare.facts({"members": [{"memberId": "m"}]})
        assert list(compare.differences(official, compare.facts({"members": []}))) == ["members/m"]

    def test_what_is_meant_is_no_difference_and_must_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        meant = (Meant("configs/.*/threads", "so it is"), Meant("quotas/.*", "it was so"))
        monkeypatch.setattr(compare, "MEANT", meant)
        found = {"configs/BROKER/1/threads": "..", "configs/BROKER/1/threads.max": ".."}
        assert list(compare.unexpected(found)) == ["configs/BROKER/1/threads.max"]
        assert compare.outlived(found) == [meant[1]]

    def test_meant_differences_are_regular_expressions(self) -> None:
        for meant in compare.MEANT:
            assert re.compile(meant.facts)
            assert meant.reason


class TestDerived:
    def test_lags(self) -> None:
        offsets = derived.complete(answers())["groups"][0]["offsets"]
        assert [offset["lag"] for offset in offsets] == [4, 0, None]

    def test_what_no_coordinator_knows_hangs(self) -> None:
        found = derived.complete(answers())["openTransactions"]
        assert found == [
            {"partition": "orders-0", "producerId": 1, "firstOffset": 7, "isHanging": False},
            {"partition": "orders-0", "producerId": 2, "firstOffset": 8, "isHanging": True},
        ]

    def test_what_is_no_answer_is_left_out(self) -> None:
        found = derived.complete(answers())
        assert list(found["producers"]) == ["orders-0", "orders-1"]
        assert found["cluster"] == {"clusterId": "c"}
        assert found["complaints"] == []


class TestDisk:
    def test_answers_have_the_shape_of_admins(self) -> None:
        case = GOLDEN / "modern" / "09-transaction-state-4.3.1"
        official = {
            name: json.loads((case / "expected" / f"{name}.json").read_bytes())
            for name in ("transactions", "producers")
        }
        official["transactions"] = [
            {name: value for name, value in each.items() if name not in ("listedState", "coordinatorId")}
            for each in official["transactions"]["transactions"]
        ]
        found = disk.answers([case / "log-dir"])
        assert found["complaints"] == []
        # Admin was asked only for those of its data topics.
        found["producers"] = {name: each for name, each in found["producers"].items() if name in official["producers"]}
        ours = compare.facts({name: found[name] for name in official})
        differing = {fact.rpartition("/")[2] for fact in compare.differences(compare.facts(official), ours)}
        assert differing <= {"coordinatorPartition"}
        assert len(ours) > 80

    def test_as_of_the_end_they_are_the_same(self) -> None:
        log_dir = GOLDEN / "modern" / "09-transaction-state-4.3.1" / "log-dir"
        ends = {
            name: {"partitions": [{"partition": number, "end": 1 << 40} for number in range(5)]}
            for name in ("__consumer_offsets", "__transaction_state")
        }
        of_the_end = disk.answers([log_dir])
        asked = {"topics": ends, "cluster": {"metadataOffset": None}}
        expected = compare.lasting(compare.facts(of_the_end))
        assert compare.lasting(compare.facts(disk.answers_as_of([log_dir], asked))) == expected
        asked["topics"] = {name: {"partitions": [{"partition": 0, "end": 1}]} for name in ends}
        assert disk.answers_as_of([log_dir], asked)["transactions"] != of_the_end["transactions"]

    @pytest.mark.parametrize("case", ["08-consumer-groups-3.9.1", "08-consumer-groups-4.3.1"])
    def test_groups_are_those_of_admin(self, case: str) -> None:
        directory = GOLDEN / "modern" / case
        official = json.loads((directory / "expected" / "offsets.json").read_bytes())
        names = [group["groupId"] for group in official["groups"]]
        found = disk.answers([directory / "log-dir"])["groups"]
        facts = compare.facts({"groups": [group for group in found if group["groupId"] in names]})
        expected = compare.facts(official)
        shared = {name for name in expected if name in facts and not name.startswith("groups/g-upgraded")}
        assert {name for name in shared if facts[name] != expected[name]} == set()
        assert len(shared) > 200


class TestReport:
    def test_the_same(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compare, "MEANT", (Meant("configs/x", "it is printed otherwise"),))
        rounds = [
            Round(name, {"groups/a": 1, "groups/b": 2, "configs/x": 1}, {"groups/a": 1, "groups/b": 2, "configs/x": 0})
            for name in ("after a crash", "after a stop")
        ]
        assert run.report(rounds, 61.0) == 0
        text = capsys.readouterr().out
        assert re.search(r"^groups +2 +2$", text, re.MULTILINE)
        assert "Meant, configs/x: it is printed otherwise.\n" in text
        assert text.endswith("6 facts compared, 0 differ unexpectedly; 61 s\n")

    def test_a_difference(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compare, "MEANT", ())
        monkeypatch.setattr(run, "_REPORTED", 1)
        assert run.report([Round("after a crash", {"a": 1, "b": 2}, {"a": 0})], 1.0) == 1
        text = capsys.readouterr().out
        assert "after a crash, a: Admin 1, kafkafmt 0\n" in text
        assert "after a crash: ... and 1 more\n" in text
        assert "2 facts compared, 2 differ unexpectedly" in text

    def test_a_meant_difference_that_is_gone(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compare, "MEANT", (Meant("a", "so"),))
        rounds = [Round("after a crash", {"a": 1}, {"a": 0}), Round("after a stop", {"a": 1}, {"a": 1})]
        assert run.report(rounds, 1.0) == 1
        assert "after a stop, a: they do not differ any more, though it is said: so\n" in capsys.readouterr().out


class TestClients:
    """Java is replaced by a shell script that acts as the clients, or as Admin."""

    @pytest.fixture
    def broker(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Broker:
        made = Broker(tmp_path / "broker")
        made.directory.mkdir()
        (made.directory / "broker.log").write_text("a line of the broker\n")
        monkeypatch.setattr(filled_cluster, "tool", lambda _: str(tmp_path / "java"))
        monkeypatch.setattr(filled_cluster, "kafka_class_path", lambda: "classes")
        return made

    def java(self, broker: Broker, *lines: str) -> None:
        script = broker.directory.parent / "java"
        script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        script.chmod(0o755)

    def test_they_stay_as_long_as_the_block(self, broker: Broker) -> None:
        self.java(broker, "echo $$ >&2", "echo filled", "exec sleep 60")
        with filled_cluster.filled(broker):
            pid = (broker.directory / "clients.log").read_text().strip()
            assert Path(f"/proc/{pid}").exists() or sys.platform != "linux"
        assert not Path(f"/proc/{pid}").exists()

    def test_what_they_complain_of_is_told(self, broker: Broker) -> None:
        self.java(broker, "echo no such topic >&2", "exit 1")
        with (
            pytest.raises(BrokerError, match=r"no such topic\n(.|\n)*a line of the broker"),
            filled_cluster.filled(broker),
        ):
            pytest.fail("they are said to be done")

    def test_they_are_not_waited_for_for_ever(self, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(filled_cluster, "FILL_SECONDS", 0.1)
        self.java(broker, "exec sleep 600")
        with pytest.raises(BrokerError, match="did not finish"), filled_cluster.filled(broker):
            pytest.fail("they are said to be done")

    def test_answers_are_read(self, broker: Broker) -> None:
        self.java(broker, 'for file; do :; done; echo "{\\"a\\": 1}" > "$file"')
        assert filled_cluster.ask(broker, broker.directory / "answers.json") == {"a": 1}

    @pytest.mark.parametrize(
        ("script", "seconds", "text"),
        [("echo no >&2; exit 1", 60, "AskCluster fails:\nno"), ("exec sleep 600", 0.1, "within")],
    )
    def test_no_answers(
        self, script: str, seconds: float, text: str, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(filled_cluster, "ADMIN_SECONDS", seconds)
        self.java(broker, script)
        with pytest.raises(BrokerError, match=text):
            filled_cluster.ask(broker, broker.directory / "answers.json")


class TestCommand:
    def test_programs_are_there(self) -> None:
        source = (PROOF / "filled_cluster.py").read_text()
        names = re.findall(r'"(\w+)", broker.bootstrap_servers', source)
        assert len(names) == 3
        for name in names:
            assert f"final class {name} " in (PROOF / f"{name}.java").read_text()

    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (BrokerError("it died"), 2),
            (ToolError("no jar"), 2),
            (CorruptError("bad", file="f", position=0), 2),
            (KeyboardInterrupt(), 130),
        ],
    )
    def test_what_fails_is_the_exit_status(
        self, error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> list[Round]:
            raise error

        monkeypatch.setattr(run, "_prove", fail)
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        assert run.main(["cluster"]) == status
