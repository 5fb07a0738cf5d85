"""Bounds looked up in partitions written by brokers, compared with those brokers' answers."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import CorruptError, Partition, Segment, open_log_dirs
from pyspark_kafkafmt.offsets import OffsetRange, Resolution, resolve
from pyspark_kafkafmt.option_errors import DataLossError, OptionError
from pyspark_kafkafmt.options import SourceOptions
from tests import golden_exceptions
from tests.golden_cases import GOLDEN, cases

pytestmark = pytest.mark.volume

# all-gone-0: 60 to 60; by-size-0: 60 to 120; trimmed-0: 33 to 78; trimmed-1: 2 to 60; and Kafka's own topics.
RETENTION = GOLDEN / "modern/06-retention-4.3.1/log-dir"
NAMES = GOLDEN / "modern/13-names-4.3.1/log-dir"

OPEN = (None, None)
EVERY = '{"trimmed":{"0":%s,"1":%s}}'


def partitions(path: Path) -> list[Partition]:
    return [each for log_dir in open_log_dirs(path) for each in log_dir.partitions]


def resolved(**options: str) -> Resolution:
    return resolve(SourceOptions.parse({"path": str(RETENTION), **options}), partitions(RETENTION))


def ranges(**options: str) -> dict[str, OffsetRange]:
    return {f"{topic}-{number}": found for (topic, number), found in resolved(**options).ranges.items()}


def refused(**options: str) -> str:
    with pytest.raises(OptionError) as caught:
        resolved(**options)
    return str(caught.value)


def asked(partitions_: Sequence[Partition], case: str) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The brokers' answers to ListOffsets with a time, by partition."""
    there = {each.name for each in partitions_}
    answers: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in next(each for each in cases("modern") if each.name == case).jsonl("lookup.jsonl"):
        if row["kind"] == "listOffsets" and row["spec"] == "timestamp" and row["partition"] in there:
            topic, _, number = row["partition"].rpartition("-")
            answers[topic, int(number)].append(row)
    return answers


@pytest.mark.parametrize("case", ["02-timestamps-3.9.1", "02-timestamps-4.3.1", "06-retention-4.3.1"])
def test_times_are_the_offsets_that_brokers_gave(case: str) -> None:
    path = GOLDEN / "modern" / case / "log-dir"
    there = partitions(path)
    compared = 0
    for (topic, number), rows in asked(there, case).items():
        if (case, "listOffsets", f"{topic}-{number}") in golden_exceptions.LOOKUPS:
            continue
        for row in rows:
            time = json.dumps({topic: {str(number): row["timestamp"]}})
            choice = {"path": str(path), "assign": json.dumps({topic: [number]})}
            starting = {**choice, "startingOffsetsByTimestamp": time, "startingOffsetsByTimestampStrategy": "latest"}
            ending = {**choice, "endingTimestamp": str(row["timestamp"])}
            (partition,) = [each for each in there if (each.topic, each.partition) == (topic, number)]
            end = partition.log_end_offset
            none = row["offset"] == -1
            expected_start = (end, end) if none else (row["offset"], None)
            assert resolve(SourceOptions.parse(starting), there).ranges == {(topic, number): expected_start}
            expected_end = (None, None if none else row["offset"])
            assert resolve(SourceOptions.parse(ending), there).ranges == {(topic, number): expected_end}
            compared += 1
    assert compared > 50


def test_without_options_everything_is_read_and_nothing_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    there = partitions(NAMES)
    monkeypatch.setattr(Partition, "segments", property(lambda _: pytest.fail("opened")))
    resolution = resolve(SourceOptions.parse({"path": str(NAMES)}), there)
    assert resolution.is_everything
    assert set(resolution.ranges.values()) == {OPEN}
    assert set(resolution.ranges) == {(each.topic, each.partition) for each in there}
    assert (resolution.left_out, resolution.warnings) == ([], [])


def test_what_is_not_chosen_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    segments = vars(Partition)["segments"].fget

    def watched(partition: Partition) -> list[Segment]:
        opened.append(partition.name)
        found: list[Segment] = segments(partition)
        return found

    monkeypatch.setattr(Partition, "segments", property(watched))
    resolution = resolved(subscribe="trimmed", startingOffsets=EVERY % (40, -2))
    assert set(opened) == {"trimmed-0"}
    assert resolution.ranges == {("trimmed", 0): (40, None), ("trimmed", 1): OPEN}
    assert "by-size-0" in {each.name for each in resolution.left_out}
    assert not resolution.is_everything


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": "by-size,all-gone"}, {"all-gone-0": OPEN, "by-size-0": OPEN}),
        ({"assign": '{"trimmed":[1]}'}, {"trimmed-1": OPEN}),
        ({"assign": "{}"}, {}),
        ({"subscribePattern": "trim|^by"}, dict.fromkeys(("by-size-0", "trimmed-0", "trimmed-1"), OPEN)),
        (
            {"subscribePattern": "."},
            dict.fromkeys(("all-gone-0", "by-size-0", "trimmed-0", "trimmed-1"), OPEN),
        ),
        ({"subscribe": "__transaction_state"}, dict.fromkeys(("__transaction_state-0", "__transaction_state-1"), OPEN)),
        (
            {"subscribe": "trimmed", "startingOffsets": EVERY % (33, 60), "endingOffsets": EVERY % (78, -1)},
            {"trimmed-0": (33, 78), "trimmed-1": (60, None)},
        ),
        ({"assign": '{"all-gone":[0]}', "startingOffsets": '{"all-gone":{"0":60}}'}, {"all-gone-0": (60, None)}),
        ({"subscribe": "all-gone", "endingTimestamp": "0"}, {"all-gone-0": OPEN}),
        (
            {"subscribe": "trimmed", "startingTimestamp": "0", "endingTimestamp": "0"},
            {"trimmed-0": (33, 33), "trimmed-1": (2, 2)},
        ),
        (
            {
                "assign": '{"trimmed":[0]}',
                "startingTimestamp": "99999999999999",
                "startingOffsetsByTimestampStrategy": "latest",
                "endingOffsets": '{"trimmed":{"0":40}}',
            },
            {"trimmed-0": (78, 78)},
        ),
    ],
)
def test_partitions_are_chosen_and_bounded(options: dict[str, str], expected: dict[str, OffsetRange]) -> None:
    assert ranges(**options) == expected


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"subscribe": "trimmed", "startingOffsets": '{"trimmed":{"0":40}}'},
            "option startingOffsets: it has no value for trimmed-1; name every partition that is read",
        ),
        (
            {"subscribe": "trimmed", "endingOffsetsByTimestamp": '{"trimmed":{"1":40}}'},
            "option endingOffsetsByTimestamp: it has no value for trimmed-0; name every partition that is read",
        ),
        (
            {"startingOffsets": EVERY % (40, 40)},
            "option startingOffsets: it has no value for __transaction_state-0, __transaction_state-1, all-gone-0, ",
        ),
        (
            {"assign": '{"trimmed":[0]}', "startingOffsets": EVERY % (40, 40), "failOnDataLoss": "false"},
            "option startingOffsets: it names other partitions: trimmed-1; name the partitions that subscribe, ",
        ),
        (
            {"subscribe": "by-size", "startingTimestamp": "99999999999999"},
            "option startingTimestamp = '99999999999999': by-size-0 has no record with this timestamp or a later one; ",
        ),
        (
            {"subscribe": "all-gone", "startingOffsetsByTimestamp": '{"all-gone":{"0":0}}'},
            "option startingOffsetsByTimestamp = '0': all-gone-0 has no record with this timestamp or a later one; ",
        ),
        (
            {"subscribe": "by-size", "startingOffsets": '{"by-size":{"0":70}}', "endingTimestamp": "0"},
            "option startingOffsets: it begins at 70, after endingTimestamp which is 60, for by-size-0; ",
        ),
    ],
)
def test_bounds_that_do_not_fit_are_refused(options: dict[str, str], text: str) -> None:
    assert refused(**options).startswith(text)


@pytest.mark.parametrize(
    ("options", "problem", "left"),
    [
        (
            {"subscribe": "trimmed,gone,lost"},
            "option subscribe: no such topic in the paths given: gone, lost",
            {"trimmed-0": OPEN, "trimmed-1": OPEN},
        ),
        (
            {"assign": '{"trimmed":[0,9],"lost":[0]}'},
            "option assign: no such topic in the paths given: lost",
            {"trimmed-0": OPEN},
        ),
        (
            {"assign": '{"trimmed":[0,9]}', "startingOffsets": '{"trimmed":{"0":40,"9":40}}'},
            "option assign: no such partition in the paths given: trimmed-9",
            {"trimmed-0": (40, None)},
        ),
        (
            {"subscribe": "by-size", "endingOffsets": '{"by-size":{"0":70,"1":70}}'},
            "option endingOffsets: no such partition in the paths given: by-size-1",
            {"by-size-0": (None, 70)},
        ),
        (
            {"subscribe": "lost", "startingTimestamp": "7"},
            "option subscribe: no such topic in the paths given: lost",
            {},
        ),
        (
            {"subscribe": "by-size,lost", "startingOffsets": '{"by-size":{"0":70},"lost":{"0":1}}'},
            "option subscribe: no such topic in the paths given: lost",
            {"by-size-0": (70, None)},
        ),
        (
            {"subscribe": "by-size", "startingOffsets": '{"by-size":{"0":59}}'},
            "option startingOffsets: offset 59 of by-size-0 is not on disk: the log has offsets 60 to 120 (the log",
            {"by-size-0": (60, None)},
        ),
        (
            {"subscribe": "by-size", "startingOffsets": '{"by-size":{"0":121}}'},
            "option startingOffsets: offset 121 of by-size-0 is not on disk: the log has offsets 60 to 120",
            {"by-size-0": (120, None)},
        ),
        (
            {"subscribe": "by-size", "endingOffsets": '{"by-size":{"0":121}}'},
            "option endingOffsets: offset 121 of by-size-0 is not on disk: the log has offsets 60 to 120",
            {"by-size-0": (None, 120)},
        ),
        (
            {
                "subscribe": "by-size",
                "startingOffsets": '{"by-size":{"0":1}}',
                "endingOffsets": '{"by-size":{"0":59}}',
            },
            "option endingOffsets: offset 59 of by-size-0 is not on disk: the log has offsets 60 to 120",
            {"by-size-0": (60, 60)},
        ),
    ],
)
def test_what_is_not_there_is_an_error_or_a_warning(
    options: dict[str, str], problem: str, left: dict[str, OffsetRange]
) -> None:
    with pytest.raises(DataLossError) as caught:
        resolved(**options)
    assert str(caught.value).startswith(problem)
    assert "; set failOnDataLoss to false to read what is there" in str(caught.value)
    lenient = resolved(**options, failOnDataLoss="false")
    assert {f"{topic}-{number}": found for (topic, number), found in lenient.ranges.items()} == left
    assert lenient.warnings[0].startswith(problem)
    assert all(warning.endswith("as failOnDataLoss = false allows") for warning in lenient.warnings)


def test_a_pattern_that_finds_nothing_reads_nothing_and_is_told() -> None:
    resolution = resolved(subscribePattern="^nothing$")
    assert resolution.ranges == {}
    assert resolution.warnings == [
        "option subscribePattern = '^nothing$': it matches no topic in the paths given; nothing is read"
    ]


def test_of_a_partition_given_twice_the_first_counts() -> None:
    other = GOLDEN / "modern/06-retention-3.9.1/log-dir"
    there = [*partitions(RETENTION), *partitions(other)]
    options = SourceOptions.parse({"path": "/", "subscribe": "by-size", "startingOffsets": '{"by-size":{"0":60}}'})
    assert resolve(options, there).ranges == {("by-size", 0): (60, None)}
    with pytest.raises(DataLossError, match="offsets 52 to 120") as caught:
        resolve(
            SourceOptions.parse({"path": "/", "subscribe": "by-size", "startingOffsets": '{"by-size":{"0":51}}'}),
            there[::-1],
        )
    assert caught.value.value == "51"


def test_directories_without_a_name_of_kafkas_have_no_bounds(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    nameless = Partition(str(tmp_path / "copy"))
    assert nameless.topic is None
    everything = resolve(SourceOptions.parse({"path": "/"}), [nameless])
    assert (everything.ranges, everything.left_out, everything.warnings) == ({}, [], [])
    chosen = resolve(SourceOptions.parse({"path": "/", "subscribePattern": ".*"}), [nameless])
    assert chosen.left_out == [nameless]
    bounded = resolve(SourceOptions.parse({"path": "/", "startingTimestamp": "5"}), [nameless])
    assert bounded.left_out == [nameless]
    assert bounded.warnings == [
        f"left out, as their names give no topic and partition to look bounds up for: {nameless.path}"
    ]


def test_an_empty_directory_has_no_offsets(tmp_path: Path) -> None:
    (tmp_path / "new-0").mkdir()
    new = Partition(str(tmp_path / "new-0"))
    with pytest.raises(DataLossError, match=r"offset 5 of new-0 is not on disk: the log has offsets 0 to 0"):
        resolve(SourceOptions.parse({"path": "/", "startingOffsets": '{"new":{"0":5}}'}), [new])
    latest = {"startingTimestamp": "5", "startingOffsetsByTimestampStrategy": "latest"}
    assert resolve(SourceOptions.parse({"path": "/", **latest}), [new]).ranges == {("new", 0): (0, 0)}


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
def test_damage_on_the_way_is_raised_or_passed_over_with_a_warning(tmp_path: Path, mode: str) -> None:
    sound = (GOLDEN / "modern/15-large-4.3.1/log-dir/events-0/00000000000000000000.log").read_bytes()
    (tmp_path / "noise-0").mkdir()
    (tmp_path / "noise-0/00000000000000000000.log").write_bytes(b"\xff" * 600 + sound)
    options = SourceOptions.parse({"path": str(tmp_path), "startingTimestamp": "1700000000001", "mode": mode})
    place = f"{tmp_path}/noise-0/00000000000000000000.log: position 0"
    if mode == "FAILFAST":
        with pytest.raises(CorruptError, match=f"^{place}"):
            resolve(options, partitions(tmp_path))
        return
    resolution = resolve(options, partitions(tmp_path))
    records = kafkafmt.scan(tmp_path, on_damage="skip", start_timestamp=1700000000001).to_table()
    assert resolution.ranges == {("noise", 0): (records["offset"][0].as_py(), None)}
    (warning,) = resolution.warnings
    assert warning.startswith(f"the look-up of a time skipped 600 damaged bytes: {place}")
