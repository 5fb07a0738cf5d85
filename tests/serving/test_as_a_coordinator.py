"""A session of many requests gives the answers of a real Kafka 4.4 coordinator, equal in every field."""

import json
from typing import Any

import kafkafmt
from tests.golden_cases import GOLDEN
from tests.serving.coordinator_session import run
from tests.serving.test_stored_groups import NEWEST

ANSWERS = GOLDEN / "coordinator" / "answers.jsonl"


def test_a_session() -> None:
    expected: list[dict[str, Any]] = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    with kafkafmt.serve(NEWEST.log_dir, groups="none") as server:
        found = list(run(server.address))
    assert [each["asked"] for each in found] == [each["asked"] for each in expected]
    assert len(found) >= 200
    for mine, brokers in zip(found, expected, strict=True):
        assert mine == brokers, mine["asked"]
