"""tools/spark_proof: its parts that need neither Maven nor a broker; .ci/run runs the whole."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import environment
from class_path import ToolError
from kafka_broker import broker as harness
from kafka_broker.broker import Broker, BrokerError
from spark_proof import cases, filled_broker, readers, restoring, run
from spark_proof.case import BEGIN, TOPICS, Case
from spark_proof.compare import differences
from spark_proof.run import Result

TOOLS = environment.ROOT / "tools"
REQUIREMENTS = environment.ROOT / "requirements"
SCHEMA = pa.schema(
    {
        "key": pa.binary(),
        "value": pa.binary(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "offset": pa.int64(),
        "timestamp": pa.timestamp("us", "UTC"),
        "headers": pa.list_(pa.struct({"key": pa.string(), "value": pa.binary()})),
    }
)


def table(*rows: tuple[str, int, int], value: bytes = b"v", headers: object = None) -> pa.Table:
    """Records at the given topics, partitions and offsets, one second apart."""
    return pa.Table.from_pylist(
        [
            {
                "key": None,
                "value": value,
                "topic": topic,
                "partition": partition,
                "offset": offset,
                "timestamp": (BEGIN + 1000 * offset) * 1000,
                "headers": headers,
            }
            for topic, partition, offset in rows
        ],
        schema=SCHEMA,
    )


class TestComparison:
    def test_order_does_not_count(self) -> None:
        assert differences(table(("t", 0, 1), ("t", 1, 0)), table(("t", 1, 0), ("t", 0, 1))) == []

    def test_rows_that_only_one_has(self) -> None:
        texts = differences(table(("t", 0, 1), ("t", 0, 2)), table(("t", 0, 2), ("t", 0, 3)))
        assert texts == ["kafkafmt lacks 1 rows: t-0@1", "only kafkafmt has 1 rows: t-0@3"]

    def test_nothing_in_common(self) -> None:
        assert len(differences(table(("t", 0, 1)), table(("t", 0, 3)))) == 2

    def test_a_row_given_twice(self) -> None:
        texts = differences(table(("t", 0, 1)), table(("t", 0, 1), ("t", 0, 1)))
        assert texts == ["kafkafmt gives 1 rows more than once"]

    def test_a_cell_that_differs(self) -> None:
        texts = differences(table(("t", 0, 1)), table(("t", 0, 1), value=b"w"))
        assert texts == ["value differs in 1 rows: t-0@1: Spark b'v', kafkafmt b'w'"]

    def test_no_headers_are_not_empty_headers(self) -> None:
        texts = differences(table(("t", 0, 1)), table(("t", 0, 1), headers=[]))
        assert texts == ["headers differs in 1 rows: t-0@1: Spark None, kafkafmt []"]

    def test_columns(self) -> None:
        (text,) = differences(table(("t", 0, 1)), table(("t", 0, 1)).drop_columns("headers"))
        assert text.startswith("columns: Spark key binary")

    def test_of_many_the_first_are_shown(self) -> None:
        (text,) = differences(table(*(("t", 0, offset) for offset in range(9))), table())
        assert text == "kafkafmt lacks 9 rows: t-0@0; t-0@1; t-0@2 ..."


class TestCases:
    @pytest.fixture
    def everything(self) -> list[Case]:
        every_fourth = range(0, 40, 4)
        places = [(topic, partition, offset) for topic in TOPICS for partition in range(3) for offset in every_fourth]
        return [*cases.whole(), *cases.narrow(table(*places))]

    def test_each_has_a_name_of_its_own(self, everything: list[Case]) -> None:
        names = [case.name for case in everything]
        assert sorted(names) == sorted(set(names))

    def test_each_has_options_of_its_own(self, everything: list[Case]) -> None:
        options = [str(sorted(case.options.items())) for case in everything]
        assert sorted(options) == sorted(set(options))

    def test_topics_are_those_that_are_filled(self) -> None:
        source = (TOOLS / "spark_proof" / "FillBroker.java").read_text()
        assert sorted(re.findall(r'topics\.add\(topic\("([^"]+)"', source)) == sorted(TOPICS)

    def test_offsets_in_gaps_are_in_gaps(self) -> None:
        rows = table(*(("compacted", 0, offset) for offset in (0, 5, 9)))
        assert cases._gaps(rows, "compacted", 0) == (3, 8)


class FakeJava:
    """Java replaced by a shell script that acts as the broker, or as the producers."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.script = directory / "java"
        for module in (harness, filled_broker):
            monkeypatch.setattr(module, "tool", lambda _: str(self.script))
            monkeypatch.setattr(module, "kafka_class_path", lambda *_: "classes")
        self.does("echo '[main] Kafka Server started'", "exec sleep 60")

    def does(self, *lines: str) -> None:
        self.script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        self.script.chmod(0o755)


@pytest.fixture
def fake_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeJava:
    return FakeJava(tmp_path, monkeypatch)


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


class TestBroker:
    @pytest.mark.usefixtures("fake_java")
    def test_it_runs_as_long_as_the_block(self, tmp_path: Path) -> None:
        with Broker(tmp_path / "broker", {"log.retention.ms": "-1", "node.id": "7"}, log_dirs=2) as broker:
            pid = broker.pid
            settings = dict(
                line.split("=", 1) for line in (tmp_path / "broker" / "server.properties").read_text().splitlines()
            )
            assert broker.bootstrap_servers in settings["listeners"]
            assert settings["log.dirs"] == ",".join(map(str, broker.log_dirs))
            assert (settings["log.retention.ms"], settings["node.id"]) == ("-1", "7")
            assert broker.cpu_seconds() >= 0
            with pytest.raises(BrokerError, match="runs already"):
                broker.start()
        assert not is_running(pid)
        with pytest.raises(BrokerError, match="does not run"):
            broker.cpu_seconds()

    @pytest.mark.usefixtures("fake_java")
    def test_an_exception_ends_it(self, tmp_path: Path) -> None:
        broker = Broker(tmp_path / "broker")
        with pytest.raises(KeyboardInterrupt), broker:
            raise KeyboardInterrupt
        with pytest.raises(BrokerError, match="does not run"):
            _ = broker.pid

    def test_it_is_formatted_once(self, fake_java: FakeJava, tmp_path: Path) -> None:
        fake_java.does('echo "$@"', "echo Kafka Server started", "exec sleep 60")
        with Broker(tmp_path / "broker") as broker:
            assert re.search(r"RunBroker --format [\w-]{22} /\S+/server\.properties$", broker.log_tail(), re.MULTILINE)
            broker.kill()
            broker.log_dir.mkdir()
            (broker.log_dir / "meta.properties").touch()
            broker.start()
            assert "--format" not in broker.log_tail()

    def test_a_stop_is_a_signal(self, fake_java: FakeJava, tmp_path: Path) -> None:
        fake_java.does("trap 'echo bye; exit 143' TERM", "echo Kafka Server started", "while :; do sleep 0.01; done")
        with Broker(tmp_path / "broker") as broker:
            broker.stop()
            assert broker.log_tail().endswith("bye")
            broker.stop()

    def test_a_stop_that_fails(self, fake_java: FakeJava, tmp_path: Path) -> None:
        fake_java.does("trap 'echo no; exit 3' TERM", "echo Kafka Server started", "while :; do sleep 0.01; done")
        with (
            Broker(tmp_path / "broker") as broker,
            pytest.raises(BrokerError, match=r"ended with status 3:\n(.|\n)*no$"),
        ):
            broker.stop()

    def test_a_stop_that_takes_too_long(
        self, fake_java: FakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(harness, "STOP_SECONDS", 0.1)
        fake_java.does("trap '' TERM", "echo Kafka Server started", "while :; do sleep 0.01; done")
        with Broker(tmp_path / "broker") as broker:
            pid = broker.pid
            with pytest.raises(BrokerError, match="does not stop within"):
                broker.stop()
            assert not is_running(pid)

    def test_an_end_at_the_start_is_told_with_the_log(self, fake_java: FakeJava, tmp_path: Path) -> None:
        fake_java.does("echo the disk is full", "exit 1")
        with pytest.raises(BrokerError, match="ended while it started:\nthe disk is full"), Broker(tmp_path / "broker"):
            pytest.fail("it started")

    def test_a_port_that_is_taken_meanwhile_is_another_try(self, fake_java: FakeJava, tmp_path: Path) -> None:
        taken = "echo 'java.net.BindException: Address already in use'; exit 1"
        fake_java.does(f"[ -e again ] || {{ touch again; {taken}; }}", "echo Kafka Server started", "exec sleep 60")
        with Broker(tmp_path / "broker") as broker:
            assert "BindException" not in broker.log_tail()
            broker.kill()
            fake_java.does(taken)
            with pytest.raises(BrokerError, match="Address already in use"):
                broker.start()

    def test_a_start_that_takes_too_long(
        self, fake_java: FakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(harness, "START_SECONDS", 0.1)
        fake_java.does("exec sleep 60")
        broker = Broker(tmp_path / "broker")
        with pytest.raises(BrokerError, match=r"has not started within 0.1 s:\n.nothing was logged"):
            broker.start()
        with pytest.raises(BrokerError, match="does not run"):
            _ = broker.pid


def partition(log_dir: Path, name: str, *base_offsets: int) -> None:
    (log_dir / name).mkdir(parents=True)
    for offset in base_offsets:
        (log_dir / name / f"{offset:020}.log").touch()
    (log_dir / name / "00000000000000000000.log.deleted").touch()


class TestFilling:
    @pytest.fixture
    def broker(self, tmp_path: Path) -> Broker:
        made = Broker(tmp_path / "broker", log_dirs=2)
        made.directory.mkdir()
        (made.directory / "broker.log").write_text("a line of the broker\n")
        for log_dir in made.log_dirs:
            log_dir.mkdir()
        return made

    def test_a_compacted_topic_is_waited_for(self, broker: Broker) -> None:
        partition(broker.log_dir, "compacted-0", 0, 100)
        checkpoint = broker.log_dir / "cleaner-offset-checkpoint"
        assert list(filled_broker._unsettled(broker)) == ["compacted-0: cleaned to 0 of 100"]
        checkpoint.write_text("0\n1\ncompacted 0 99\n")
        assert list(filled_broker._unsettled(broker)) == ["compacted-0: cleaned to 99 of 100"]
        checkpoint.write_text("0\n1\ncompacted 0 100\n")
        assert list(filled_broker._unsettled(broker)) == []

    def test_a_log_start_that_is_not_written_down_is_waited_for(self, broker: Broker) -> None:
        partition(broker.log_dirs[1], "deleted-records-0", 50, 100)
        assert list(filled_broker._unsettled(broker)) == ["deleted-records-0: its log's start is not written down"]
        (broker.log_dirs[1] / "log-start-offset-checkpoint").write_text("0\n1\ndeleted-records 0 77\n")
        assert list(filled_broker._unsettled(broker)) == []

    def test_retention_is_waited_for(self, broker: Broker) -> None:
        partition(broker.log_dir, "retention-0", 0, 100)
        assert list(filled_broker._unsettled(broker)) == ["retention-0: no segment is dropped"]

    def test_waiting_ends(self, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(filled_broker, "SETTLE_SECONDS", 0.1)
        partition(broker.log_dir, "compacted-0", 0, 100)
        with pytest.raises(BrokerError, match="not done with compacted-0: cleaned to 0 of 100:\na line of the broker"):
            filled_broker.settle(broker)

    def test_producers_pause_until_all_is_settled(self, broker: Broker, fake_java: FakeJava) -> None:
        fake_java.does("echo pause", "read answer", "echo sent a=1 b-c=22", "exec sleep 60")
        assert filled_broker.fill(broker) == {"a": 1, "b-c": 22}

    def test_producers_that_fail(self, broker: Broker, fake_java: FakeJava) -> None:
        fake_java.does("echo pause", "read answer", "echo it is refused >&2", "exit 1")
        with pytest.raises(BrokerError, match=r"did not finish:\nit is refused\n\nThe broker:\na line of"):
            filled_broker.fill(broker)

    def test_producers_that_hang(self, broker: Broker, fake_java: FakeJava, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(filled_broker, "FILL_SECONDS", 0.2)
        fake_java.does("exec sleep 60")
        with pytest.raises(BrokerError, match="did not finish"):
            filled_broker.fill(broker)

    def test_what_was_not_compacted_proves_nothing(self) -> None:
        sent = dict.fromkeys(TOPICS, 10)
        topics = ("compacted", "compacted-append-time", "compacted-transactions", "emptied")
        rows = table(*((topic, 0, offset) for topic in topics for offset in range(4)))
        run.check_compaction(sent, rows)
        with pytest.raises(BrokerError, match="is not compacted: 8 records sent, 4 found"):
            run.check_compaction({**sent, "compacted": 8}, rows)


class TestReport:
    ROWS = table(("t", 0, 1), ("t", 0, 2))

    def test_all_the_same(self, capsys: pytest.CaptureFixture[str]) -> None:
        results = [
            Result(Case("one", {}), self.ROWS, {"format, after a crash": [], "format, after a stop": []}),
            Result(Case("two", {}, refused=True), "no", {"format, after a stop": []}),
            Result(Case("three", {}, meant="they are deaf"), "no", {"format, after a stop": ["2 rows"]}),
        ]
        assert run.report(results, [("kafka", 7, [])], 12.3) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[1].split() == ["case", "Spark", "format,", "after", "a", "crash;", "format,", "after", "a", "stop"]
        assert [line.split() for line in lines[2:5]] == [
            ["one", "2", "0", "0"],
            ["two", "refused", "-", "0"],
            ["three", "refused", "-", "meant"],
        ]
        assert "Meant, three: they are deaf." in lines
        assert "Recipe `kafka`: 7 records restored; the same, in the same order" in lines
        assert lines[-1].startswith("3 cases, 4 rows compared, 0 cases differ; 12 s with Spark ")

    @pytest.mark.parametrize(
        ("result", "text"),
        [
            (Result(Case("a", {}), ROWS, {"format": ["value differs"]}), "format: value differs"),
            (Result(Case("a", {}), "no\n way", {"format": []}), "Spark's source refuses: no way"),
            (Result(Case("a", {}, refused=True), ROWS, {"format": []}), "Spark's source does not refuse: it gives 2"),
            (Result(Case("a", {}, meant="so be it"), ROWS, {"format": []}), "they do not differ any more"),
        ],
        ids=["a difference", "an unexpected refusal", "no refusal", "no difference where one is meant"],
    )
    def test_a_difference(self, result: Result, text: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run.report([result], [], 1) == 1
        out = capsys.readouterr().out
        assert text in out
        assert "1 cases differ" in out

    def test_a_recipe_that_restores_other_records(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run.report([], [("kafka", 6, ["t-0: 7 records on disk, 6 restored, others from None on"])], 1) == 1
        assert "Recipe `kafka`: 6 records restored; t-0: 7 records on disk" in capsys.readouterr().out

    def test_restored_records_are_compared_in_order(self) -> None:
        headers = [None, [{"key": "h", "value": None}]]
        values = {"key": [b"b", b"a"], "value": [None, b""], "headers": headers}
        rows = pa.table({"topic": ["t"] * 2, "partition": [0, 0], "offset": [4, 2], **values})
        before = restoring._records(rows, ("key", "value", "headers"))
        assert before == {("t", 0): [(b"a", b"", [("h", None)]), (b"b", None, [])]}
        assert list(restoring._differences(before, before)) == []
        assert len(list(restoring._differences(before, {("t", 0): before["t", 0][::-1]}))) == 1
        assert len(list(restoring._differences(before, {}))) == 1
        assert len(list(restoring._differences({}, {}))) == 1

    def test_a_long_list_is_cut(self, capsys: pytest.CaptureFixture[str]) -> None:
        results = [Result(Case(f"case {number}", {}), "x" * 999, {"format": []}) for number in range(20)]
        assert run.report(results, [], 1) == 1
        out = capsys.readouterr().out
        assert "... and 12 more" in out
        assert "x" * 301 not in out

    def test_rows_and_refusals(self) -> None:
        assert run._compare(self.ROWS, self.ROWS) == []
        assert run._compare("no", "neither") == []
        assert run._compare("no", self.ROWS) == ["kafkafmt gives 2 rows, Spark refuses"]
        assert run._compare(self.ROWS, "no") == ["kafkafmt refuses: no"]


class TestSignals:
    def test_they_wait_until_spark_is_there(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        with readers._signals_held() as held:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
        assert held == [signal.SIGINT, signal.SIGTERM]
        assert signal.getsignal(signal.SIGINT) is before


class TestCommand:
    def test_other_libraries_are_those_of_the_project(self) -> None:
        pins = {
            name: dict(re.findall(r"^(\S+)==(\S+)", (REQUIREMENTS / f"{name}.txt").read_text(), re.MULTILINE))
            for name in ("spark_proof", "test")
        }
        others = {name for name, version in pins["spark_proof"].items() if pins["test"].get(name) != version}
        assert others - {"py4j"} == {"pyspark", "confluent-kafka"}  # the producer of a recipe

    @pytest.mark.parametrize(
        ("error", "status"), [(BrokerError("it died"), 2), (ToolError("no jar"), 2), (KeyboardInterrupt(), 130)]
    )
    def test_what_fails_is_the_exit_status(
        self, error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> Callable[[], None]:
            raise error

        monkeypatch.setattr(run, "_prove", fail)
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        assert run.main(["spark"]) == status
