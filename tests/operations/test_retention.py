"""Retention, compared with Kafka's UnifiedLog.deleteOldSegments on the same log directories."""

import pytest

import kafkafmt
from kafkafmt.operations.retention import Retention, retention
from tests.operations.golden_operations import Question, questions

QUESTIONS = questions("retention")
SOURCES = {
    "DYNAMIC_TOPIC_CONFIG": "topic",
    "DYNAMIC_BROKER_CONFIG": "node",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "cluster",
    "DEFAULT_CONFIG": "default",
}


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, kafkafmt.Disks]:
    """An opened log directory for each case; nothing is written to it."""
    cases = {question.case: question for question in QUESTIONS}
    return {name: kafkafmt.open(each.unpack(tmp_path_factory.mktemp(name))) for name, each in cases.items()}


def answer(disks: kafkafmt.Disks, question: Question) -> Retention:
    return retention(disks, at=question.at, config=question.config)


def test_all_questions_are_asked() -> None:
    assert len(QUESTIONS) == 46


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_what_kafka_does(question: Question, unpacked: dict[str, kafkafmt.Disks]) -> None:
    found = answer(unpacked[question.case], question)
    table = found.to_table("segments")
    for name in ("largestTimestamp", "deletableAt"):
        column = table.schema.get_field_index(name)
        table = table.set_column(column, name, table[name].cast("int64"))
    rows = table.to_pylist()
    logs = {(log.topic, log.partition): log for log in found.logs}
    expected = sorted(question.expected(), key=lambda row: (row["topic"], row["partition"], row["baseOffset"]))
    compared = set(expected[0]) & set(table.column_names)
    assert len(compared) == 11
    assert [{name: row[name] for name in compared} for row in rows] == [
        {name: row[name] for name in compared} for row in expected
    ]
    for row, of_kafka in zip(rows, expected, strict=True):
        log = logs[row["topic"], row["partition"]]
        assert log.facts.high_watermark == of_kafka["highWatermark"]
        assert log.facts.log_start_offset == of_kafka["logStartOffset"]
        assert log.facts.log_end_offset == of_kafka["logEndOffset"]
        assert log.log_start_offset_after == of_kafka["logStartOffsetAfter"]
        for name, source in of_kafka.get("configSources", {}).items():
            assert log.configs.source(name) == f"{name}={SOURCES[source]}"
