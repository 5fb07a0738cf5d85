"""tools/spark_stream_proof: its parts that need no broker; .ci/run runs the whole."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spark_stream_proof import many_segments
from spark_stream_proof.cases import CASES, STEPS
from spark_stream_proof.run import Pair, Side


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    broker: Any = SimpleNamespace(bootstrap_servers="x:1", log_dir=tmp_path)
    made = Pair(CASES[0], tmp_path, broker)
    for side in (made.official, made.ours):
        commit(side, 0, '{"orders":{"0":2}}', [row(0), row(1)])
    return made


def row(offset: int) -> dict[str, Any]:
    return {"topic": "orders", "partition": 0, "offset": offset}


def commit(side: Side, number: int, offsets: str, rows: list[dict[str, Any]]) -> None:
    (side.checkpoint / "offsets").mkdir(parents=True, exist_ok=True)
    (side.checkpoint / "offsets" / str(number)).write_text(f"v1\n{{}}\n{offsets}")
    side.batches[number] = rows


def test_json_with_other_spaces_is_the_same(pair: Pair) -> None:
    commit(pair.official, 1, '{"orders":{"0":3}}', [row(2)])
    commit(pair.ours, 1, '{"orders": {"0": 3}}', [row(2)])
    assert list(pair.differences("step 1")) == []


def test_other_offsets_rows_and_failures_are_differences(pair: Pair) -> None:
    commit(pair.official, 1, '{"orders":{"0":4}}', [row(2), row(3)])
    commit(pair.ours, 1, '{"orders":{"0":3}}', [row(2)])
    pair.ours.failure = "kafkafmt.errors.SourceError: gone"
    failures, offsets, rows = pair.differences("step 1")
    assert failures == "earliest, step 1: kafka goes on; kafkafmt says: kafkafmt.errors.SourceError: gone"
    assert offsets.endswith("{'orders': {'0': 4}}] of kafka, [{'orders': {'0': 2}}, {'orders': {'0': 3}}] of kafkafmt")
    assert rows == "earliest, step 1: batch 1 has 2 rows of kafka, 1 of kafkafmt"


def test_the_cases_read_topics_that_the_steps_make() -> None:
    made = {command.split()[1] for step in STEPS for command in step if command.startswith("topic ")}
    for case in CASES:
        named = case.options.get("subscribe", "orders").split(",")
        assert set(named) <= made, case.name
    assert len({case.name for case in CASES}) == len(CASES)
    assert sum(case.is_quick for case in CASES) == 3


def test_triggers_are_measured(tmp_path: Path) -> None:
    said: list[str] = []
    seconds = many_segments.measure(tmp_path, 2, said.append)
    assert said[0] == "2 partitions, 200 segments, 800 files"
    tasks = {line[:32].strip(): line.split()[-5] for line in said[1:]}
    assert tasks == {
        "the first look": "0",
        "nothing is new": "0",
        "nothing is new, again": "0",
        "records in 2 partitions": "1",
        "new segments in 2 partitions": "1",
        "a new partition": "1",
        "nothing is new, at the end": "0",
    }
    assert seconds.keys() == tasks.keys()
    assert seconds["nothing is new, at the end"] < seconds["the first look"]
