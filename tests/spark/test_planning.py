"""The splits planned for given options: partitions, offsets, number of splits, and messages."""

import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from pyspark_kafkafmt import planning
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.planning import RecentTexts, origin_of, plan
from tests.golden_cases import GOLDEN

LARGE = GOLDEN / "modern/15-large-4.3.1/log-dir"
NAMES = GOLDEN / "modern/13-names-4.3.1/log-dir/dir-0"
DIVERGED = GOLDEN / "modern/07-three-nodes-diverged-4.3.1/log-dir"

Rows = list[tuple[str | None, int | None, int]]


def rows(path: Path, **options: str) -> Rows:
    """Topic, partition and offset of the splits' records, in order."""
    planned = plan(SourceOptions.parse({"path": str(path), **options}), ["topic", "partition", "offset"])
    found: Rows = []
    for split in planned.splits:
        for batch in planned.reading.read(split):
            found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return found


def scanned(path: Path, **arguments: Any) -> Rows:
    table = kafkafmt.scan(path, columns=["topic", "partition", "offset"], **arguments).to_table()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_without_options_all_is_read_in_order() -> None:
    assert rows(LARGE) == scanned(LARGE) != []
    # Including directories without a topic in their name.
    assert rows(NAMES) == scanned(NAMES) != []


def test_topics_partitions_and_offsets_are_chosen() -> None:
    assert rows(LARGE, assign='{"events": [1]}') == scanned(LARGE, topics="events", partitions=1) != []
    starting = '{"events": {"0": 100, "1": -2}}'
    ending = '{"events": {"0": 150, "1": 20}}'
    found = rows(LARGE, subscribe="events", startingOffsets=starting, endingOffsets=ending)
    assert found == [("events", 0, offset) for offset in range(100, 150)] + [("events", 1, n) for n in range(20)]
    assert rows(LARGE, subscribePattern="^absent") == []


def test_an_empty_range_has_no_split() -> None:
    ends = '{"events": {"0": 5, "1": 5}}'
    planned = plan(SourceOptions.parse({"path": str(LARGE), "startingOffsets": ends, "endingOffsets": ends}), ["key"])
    assert planned.splits == []


def test_bounds_are_those_of_the_best_replica() -> None:
    everything = scanned(DIVERGED)
    (topic, partition, last) = max(each for each in everything if each[0] and not each[0].startswith("__"))
    named = sorted({(each[0], each[1]) for each in everything})
    for replica in ("best", "all"):
        found = rows(DIVERGED, replica=replica, startingOffsets="earliest", endingOffsets="latest")
        assert found == scanned(DIVERGED, replica=replica)
    assert (topic, partition) in named
    assert last >= 0


@pytest.mark.parametrize("bytes_each", ["100k", "1m"])
def test_splits_have_about_the_size_asked_for(bytes_each: str) -> None:
    planned = plan(SourceOptions.parse({"path": str(LARGE), "maxPartitionBytes": bytes_each}), ["key"])
    size = {"100k": 100 << 10, "1m": 1 << 20}[bytes_each]
    assert max(each.size_in_bytes for each in planned.splits) < 2 * size
    assert len(planned.splits) >= planned.size_in_bytes // size


def test_there_are_as_many_splits_as_asked_for_at_least() -> None:
    assert len(plan(SourceOptions.parse({"path": str(LARGE)}), ["key"]).splits) == 1
    options = SourceOptions.parse({"path": str(LARGE), "minPartitions": "9"})
    assert len(plan(options, ["key"]).splits) >= 9


def test_no_split_has_more_records_than_allowed() -> None:
    planned = plan(SourceOptions.parse({"path": str(LARGE), "maxRecordsPerPartition": "1000"}), ["offset"])
    counts = [sum(batch.num_rows for batch in planned.reading.read(split)) for split in planned.splits]
    assert max(counts) <= 1000
    assert sum(counts) == kafkafmt.scan(LARGE).count()


def test_several_paths_and_wildcards_are_one_source(tmp_path: Path) -> None:
    for name in ("events-0", "events-1"):
        shutil.copytree(LARGE / name, tmp_path / name)
    found = rows(tmp_path / "e*-[01]")
    assert found == scanned(tmp_path)


def test_what_has_no_effect_and_what_is_missing_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="pyspark_kafkafmt"):
        rows(LARGE, **{"kafka.x": "y"}, subscribe="events,absent", failOnDataLoss="false")
    assert [each.getMessage().startswith("kafkafmt: ") for each in caplog.records] == [True, True]
    assert "kafka.x" in caplog.text
    assert "absent" in caplog.text
    with pytest.raises(OptionError, match="absent"):
        rows(LARGE, subscribe="events,absent")


NO_TOPIC = "no such topic in the paths given: absent; only what is there is read, as failOnDataLoss = false allows"
BOTH = '{"events":{"0":5,"1":5}}'


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"subscribe": "absent", "failOnDataLoss": "false"}, [f"kafkafmt: option subscribe: {NO_TOPIC}"]),
        (
            {"subscribePattern": "^x"},
            ["kafkafmt: option subscribePattern = '^x': it matches no topic in the paths given; nothing is read"],
        ),
        ({"startingOffsets": BOTH, "endingOffsets": BOTH}, []),  # nothing is new since the last job
        ({"startingOffsets": '{"events":{"0":5,"1":4}}', "endingOffsets": BOTH}, []),
    ],
)
def test_what_is_not_read_is_told_in_the_words_of_the_options(
    caplog: pytest.LogCaptureFixture, options: dict[str, str], told: list[str]
) -> None:
    with caplog.at_level(logging.WARNING, logger="pyspark_kafkafmt"):
        rows(LARGE, **options)
    assert [each.getMessage() for each in caplog.records] == told


def test_a_limit_is_the_librarys_or_the_options() -> None:
    assert planning.limits_of(SourceOptions.parse({"path": "x"})) == kafkafmt.Limits()
    limits = planning.limits_of(SourceOptions.parse({"path": "x", "maxDecompressedBytes": "2g"}))
    assert limits.max_decompressed_bytes == 2 << 30


@pytest.mark.parametrize(
    ("file", "expected"),
    [("/d/orders-3/00000000000000000000.log", ("orders", 3)), ("/d/x", (None, None)), (None, (None, None))],
)
def test_damage_of_planning_has_its_place_from_names(file: str | None, expected: tuple[str | None, int | None]) -> None:
    damage = kafkafmt.Damage(file, 0, 1, "corrupt", kafkafmt.CorruptError("broken"))
    origin = origin_of(damage)
    assert (origin.topic, origin.partition) == expected
    assert origin.file == (file or "")


def test_notes_of_planning_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    rows(DIVERGED, subscribe="rep")
    told = [record.getMessage() for record in caplog.records if "diverged from" in record.getMessage()]
    assert len(told) == 2
    assert all(message.startswith("kafkafmt: ") and "at offset 65" in message for message in told)


def test_texts_are_said_once_and_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_REMEMBERED", 3)
    texts = RecentTexts()
    assert [texts.is_new(text) for text in "aabcabd"] == [True, False, True, True, False, False, True]
    assert [texts.is_new(text) for text in "abd"] == [False, False, False]
    assert texts.is_new("c")
    assert len(texts._texts) == 3
