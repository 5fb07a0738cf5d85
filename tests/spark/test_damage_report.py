"""How damage is told on the driver: once, in bounds, and by executors where no accumulator brings it."""

import logging
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

import kafkafmt
from kafkafmt.columns import Origin
from pyspark_kafkafmt.damage_report import damage_report, stretch_of
from pyspark_kafkafmt.told_once import Collected, ToldOnce

ORIGIN = Origin("orders", 0, "orders-0/00000000000000000000.log")
REMOTE: Any = SimpleNamespace()
"""As Spark Connect's session: it has no sparkContext."""


def damage(position: int, *, is_open_end: bool = False) -> kafkafmt.Damage:
    error = kafkafmt.ChecksumError("wrong", file=ORIGIN.file, position=position)
    return kafkafmt.Damage(ORIGIN.file, position, 10, "checksum", error, is_open_end)


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_with_spark_connect_a_task_logs_what_it_meets(caplog: pytest.LogCaptureFixture) -> None:
    report = pickle.loads(pickle.dumps(damage_report(REMOTE, None, [])))
    report(damage(0), ORIGIN)
    report(damage(10, is_open_end=True), ORIGIN)
    assert messages(caplog) == [
        "kafkafmt: left out 10 bytes: orders-0/00000000000000000000.log: position 0: wrong",
    ]


def test_with_spark_connect_no_report_can_be_had() -> None:
    with pytest.raises(kafkafmt.UnsupportedError, match="Spark Connect"):
        damage_report(REMOTE, print, [])


def test_much_damage_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    report = damage_report(REMOTE, None, [damage(-1)])
    assert len(caplog.records) == 1
    caplog.clear()
    for position in range(1000):
        report(damage(position), ORIGIN)
    told = messages(caplog)
    assert len(told) == 10 + 3
    assert told[10:] == [
        "kafkafmt: further damage is counted only; report= gets all of it",
        "kafkafmt: left out 100 damaged stretches so far",
        "kafkafmt: left out 1000 damaged stretches so far",
    ]


def test_a_report_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: kafkafmt.Damage) -> None:
        raise OSError("no space left")

    with caplog.at_level(logging.ERROR):
        ToldOnce(fail, stretch_of).tell([damage(0), damage(1), damage(1)])
    assert [message.split(" for ")[0] for message in messages(caplog)] == ["kafkafmt: report= failed"] * 2


def test_workers_collect_and_the_driver_tells() -> None:
    found: list[kafkafmt.Damage] = []
    on_driver = Collected(ToldOnce(found.append, stretch_of))
    on_worker = pickle.loads(pickle.dumps(on_driver))
    met = on_worker.addInPlace(on_worker.addInPlace(on_worker.zero([]), [damage(0)]), [damage(5)])
    assert [each.position for each in met] == [0, 5]
    assert on_driver.addInPlace([], met) == []
    assert on_driver.addInPlace([], met) == []
    assert [each.position for each in found] == [0, 5]
