"""Reports of damage on the driver: once, bounded, and on executors if no accumulator can transfer them."""

import logging
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

import kafkafmt
from kafkafmt.files.damage import Note
from kafkafmt.record_columns import Origin
from pyspark_kafkafmt.reports import Collected, ReportOnce, damage_report, identity_of

ORIGIN = Origin("orders", 0, "orders-0/00000000000000000000.log")
REMOTE: Any = SimpleNamespace()
"""Like Spark Connect's session: it has no sparkContext."""


def damage(position: int, *, is_open_end: bool = False) -> kafkafmt.Damage:
    error = kafkafmt.ChecksumError("wrong", file=ORIGIN.file, position=position)
    return kafkafmt.Damage(ORIGIN.file, position, 10, "checksum", error, is_open_end)


def planned(*said: kafkafmt.Damage | Note) -> Any:
    notes = tuple(each for each in said if isinstance(each, Note))
    return SimpleNamespace(notes=notes, damage=[each for each in said if not isinstance(each, Note)])


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_with_spark_connect_a_task_logs_what_it_meets(caplog: pytest.LogCaptureFixture) -> None:
    report = pickle.loads(pickle.dumps(damage_report(REMOTE, None, planned())))
    report(damage(0), ORIGIN)
    report(damage(10, is_open_end=True), ORIGIN)
    report.note(Note("offsets go back"))
    report.note(Note("offsets go back"))
    assert messages(caplog) == [
        "kafkafmt: left out 10 bytes: orders-0/00000000000000000000.log: position 0: wrong",
        "kafkafmt: offsets go back",
    ]


def test_with_spark_connect_no_report_can_be_had() -> None:
    with pytest.raises(kafkafmt.UnsupportedError, match="Spark Connect"):
        damage_report(REMOTE, print, planned())


def test_much_damage_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    report = damage_report(REMOTE, None, planned(Note("no topic payments"), damage(-1)))
    assert len(caplog.records) == 2
    caplog.clear()
    for position in range(1000):
        report(damage(position), ORIGIN)
    told = messages(caplog)
    assert len(told) == 10 + 3
    assert told[10:] == [
        "kafkafmt: more damage was only counted; report= receives all of it",
        "kafkafmt: left out 100 damaged stretches so far",
        "kafkafmt: left out 1000 damaged stretches so far",
    ]


def test_a_report_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: kafkafmt.Damage) -> None:
        raise OSError("no space left")

    with caplog.at_level(logging.ERROR):
        ReportOnce(fail, identity_of).report([damage(0), damage(1), damage(1)])
    assert [message.split(" for ")[0] for message in messages(caplog)] == ["kafkafmt: report= failed"] * 2


def test_workers_collect_and_the_driver_tells() -> None:
    found: list[Any] = []
    on_driver = Collected(ReportOnce(found.append, identity_of))
    on_worker = pickle.loads(pickle.dumps(on_driver))
    met = on_worker.addInPlace(
        on_worker.addInPlace(on_worker.zero([]), [damage(0)]), [damage(5), Note("a", is_finding=False)]
    )
    assert met[2].is_finding is False
    assert on_driver.addInPlace([], met) == []
    assert on_driver.addInPlace([], met) == []
    assert [each.position for each in found[:2]] == [0, 5]
    assert found[2:] == ["a"]
