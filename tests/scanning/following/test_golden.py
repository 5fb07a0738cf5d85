"""`Scan.follow` on real logs, growing batch by batch and unchanged."""

import re
from itertools import chain
from pathlib import Path

import pytest

import kafkafmt
from tests.golden_cases import GOLDEN, Case, cases
from tests.scanning.growing import Broker, entries, follow, offsets, rows

GROWN = {
    "01-codecs-4.3.1": ("codec-gzip-0", "codec-zstd-0", "shapes-0"),
    "05-compacted-4.3.1": ("comp-both-0", "comp-plain-0"),
    "m0-codecs-0.9.0.1": ("m0.gzip-0", "null-and-empty-0"),
    "m1-codecs-0.10.2.2": ("create-time.lz4-0", "append-time-0"),
    "upgrade-0.8.2.2-to-2.8.2": ("long-lived-0",),
}
REMOVED = re.compile(
    r".*: (?:(\d+) of the )?offsets? (\d+)(?: to (\d+))? (?:was|were) removed by compaction before .* read"
)


def golden(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


@pytest.mark.parametrize("name", GROWN)
def test_golden_segments_come_batch_by_batch(name: str, broker: Broker) -> None:
    case = golden(name)
    records = case.jsonl("records.jsonl")
    for partition in GROWN[name]:
        topic, _, number_of_partition = partition.rpartition("-")
        expected = [
            (record["file"], record["offset"])
            for record in records
            if Path(record["file"]).match(f"{partition}/*.log") and "controlTypeId" not in record
        ]
        files = sorted((case.log_dir / partition).glob("*.log"))
        broker.write(partition, int(files[0].stem))
        follower = follow(broker.log_dir, columns=["file", "offset"], topics={topic: int(number_of_partition)})
        found = []
        for file in files:
            done = 0
            for number, entry in enumerate(entries(file.read_bytes())):
                half = len(entry) // 2 if number % 3 == 0 else 0
                if half:
                    broker.write(partition, int(file.stem), entry[:half])
                    assert rows(follower) == []
                broker.write(partition, int(file.stem), entry[half:])
                done += len(entry)
                new = [(row["file"], row["offset"]) for row in rows(follower)]
                found += new
                # All complete batches so far, and no more.
                assert found == expected[: len(found)]
            of_file = [row for row in expected if row[0] <= f"{partition}/{file.name}"]
            assert found == of_file
        assert (found, follower.damage) == (expected, [])
        # Records missing from the golden log look as if they had been cleaned just before they were read.
        of_partition = [row for row in records if Path(row["file"]).match(f"{partition}/*.log")]
        end = kafkafmt.scan(broker.log_dir).end_offsets()[topic, int(number_of_partition)]
        missing = end - int(files[0].stem) - len(of_partition) if "compacted" in name else 0
        said = [REMOVED.fullmatch(note) for note in follower.notes]
        assert all(said)
        assert sum(int(note[1] or int(note[3] or note[2]) - int(note[2]) + 1) for note in said if note) == missing


def test_committed_records_of_a_golden_log_are_those_of_a_consumer(broker: Broker) -> None:
    case = golden("04-transactions-4.3.1")
    consumed = {each["partition"]: each for each in case.jsonl("read_committed.jsonl") if each["topic"] == "tx"}
    expected = [at for first, last in consumed[0]["offsetRanges"] for at in range(first, last + 1)]
    files = sorted((case.log_dir / "tx-0").glob("*.log"))
    broker.write("tx-0", 0)
    follower = follow(broker.log_dir, isolation_level="read_committed")
    found = []
    for file in files:
        for entry in entries(file.read_bytes()):
            broker.write("tx-0", int(file.stem), entry)
            found += offsets(follower)
            assert found == expected[: len(found)]
    assert found == expected


def test_every_golden_log_at_rest_gives_what_a_scan_gives() -> None:
    names = ("06-retention-4.3.1", "05c-swap-4.3.1", "14-running-4.3.1", "killed-preallocated-m2-1.1.1")
    for source in (GOLDEN / "modern" / names[0], GOLDEN / "modern" / names[1], GOLDEN / "modern" / names[2]):
        scan = kafkafmt.scan(source / "log-dir", isolation_level="read_committed")
        follower = scan.follow()
        assert follower.poll().read_all().equals(scan.to_table())
        assert list(chain(follower.damage, follower.poll())) == []
