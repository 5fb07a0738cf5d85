"""Repair compared byte for byte with Kafka's recovery: only .log files and partition.metadata are left."""

from pathlib import Path

import pytest

import kafkafmt
from tests.writing.test_log_writer import CASES, files_of, load, state

REBUILT = [name for name in CASES if "rebuilt" in load(name)["states"]]


@pytest.mark.parametrize("name", REBUILT)
def test_kafka_rebuilds_the_same_files(name: str, tmp_path: Path) -> None:
    case = load(name)
    wanted = state(case["states"]["rebuilt"])
    source = tmp_path / "source" / case["partition"]
    source.mkdir(parents=True)
    for file, content in wanted.items():
        if file.endswith(".log") or file == "partition.metadata":
            (source / file).write_bytes(content)
    config = case["config"]
    kafkafmt.repair(
        source.parent,
        tmp_path / "out",
        index_interval_bytes=config["index.interval.bytes"],
        index_max_bytes=config["segment.index.bytes"],
    )
    found = files_of(tmp_path / "out" / case["partition"])
    assert set(found) == set(wanted)
    for file in sorted(wanted):
        assert found[file] == wanted[file], file


def test_enough_logs_are_compared() -> None:
    assert len(REBUILT) > 30
