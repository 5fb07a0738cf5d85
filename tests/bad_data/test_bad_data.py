"""Each bad file gives exactly the result in `cases.py`, and every difference from Kafka's answer has a reason."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import KafkafmtError, Limits
from kafkafmt.files.damage import INCOMPLETE_TAIL, ZERO_TAIL
from tests.bad_data.case import LogCase, SmallCase
from tests.bad_data.cases import LOGS, SMALL
from tests.bad_data.make_files import FILES, README, contents, readme

KAFKA: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("kafka.json").read_text(encoding="utf-8"))


def test_the_files_are_those_that_the_script_makes() -> None:
    made = contents()
    assert len(made) == len(LOGS) + len(SMALL)
    assert {path.name: path.read_bytes() for path in FILES.iterdir()} == made
    assert README.read_text(encoding="utf-8") == readme()
    assert max(len(data) for data in made.values()) < 8192


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("case", LOGS, ids=lambda case: case.name)
def test_a_bad_log_ends_in_the_right_error(case: LogCase) -> None:
    scan = kafkafmt.scan(FILES / f"{case.name}.log", control_records=True, limits=Limits(**case.limits))
    if case.error is None:
        assert scan.to_table()["offset"].to_pylist() == case.offsets
        assert [(each.position, each.length, each.reason) for each in scan.damage] == case.damage
        return
    with pytest.raises(KafkafmtError) as caught:
        scan.to_table()
    assert (type(caught.value).__name__, caught.value.position) == case.error
    assert caught.value.file == f"{case.name}.log"


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("case", LOGS, ids=lambda case: case.name)
def test_what_is_whole_in_a_bad_log_is_delivered(case: LogCase) -> None:
    scan = kafkafmt.scan(
        FILES / f"{case.name}.log", control_records=True, on_damage="skip", limits=Limits(**case.limits)
    )
    assert scan.to_table()["offset"].to_pylist() == case.offsets
    assert [(each.position, each.length, each.reason) for each in scan.damage] == case.damage


@pytest.mark.parametrize("case", LOGS, ids=lambda case: case.name)
def test_kafka_delivers_the_same_or_the_case_says_why_not(case: LogCase) -> None:
    answer = KAFKA[case.name]
    delivered: list[int] = []
    bad = []
    for batch in answer["batches"]:
        if batch["valid"] and batch["error"] is None:
            delivered += batch["offsets"]
        else:
            bad.append(batch["position"])
    damage = [
        (position, position + length)
        for position, length, reason in case.damage
        if reason not in (INCOMPLETE_TAIL, ZERO_TAIL)
    ]
    same = (
        answer["stop"] is None
        and delivered == case.offsets
        and {begin for begin, _ in damage} <= set(bad)
        and all(any(begin <= position < end for begin, end in damage) for position in bad)
    )
    assert same == (not case.differs), answer


@pytest.mark.parametrize("case", LOGS, ids=lambda case: case.name)
def test_kafkas_recovery_would_keep_as_much(case: LogCase) -> None:
    segment = kafkafmt.Segment(str(FILES / f"{case.name}.log"))
    assert segment.valid_bytes == KAFKA[case.name]["recovered"]


def test_kafka_was_asked_about_these_very_files() -> None:
    assert list(KAFKA) == [case.name for case in LOGS]
    assert [KAFKA[case.name]["size"] for case in LOGS] == [len(case.data) for case in LOGS]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_a_bad_small_file_gives_an_error_or_what_is_whole(case: SmallCase) -> None:
    read = import_module(f"kafkafmt.files.{case.kind}").read
    if case.error is not None:
        with pytest.raises(KafkafmtError) as caught:
            read(FILES / case.name)
        public = next(each for each in type(caught.value).__mro__ if each.__module__ == "kafkafmt.errors")
        assert (public.__name__, caught.value.position) == case.error
        assert caught.value.file == str(FILES / case.name)
        return
    found = read(FILES / case.name)
    assert len(found.entries) == case.entries
    assert found.to_table().num_rows >= (1 if case.entries else 0)
    sanity = getattr(found, "sanity_error", None)
    assert (sanity and (type(sanity).__name__, sanity.position)) == case.sanity
