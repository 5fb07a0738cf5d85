"""Producers as reported by AdminClient while the golden brokers ran, and every snapshot that they wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

import kafkafmt.topics
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.logdir import sources
from kafkafmt.topics.answers import AsOf
from kafkafmt.topics.producer_state import PartitionProducers
from kafkafmt.topics.producer_state.reading import ProducerStateReader
from tests.golden_cases import Case, cases

ASKED = [case for case in cases("modern") if case.has("producers.json")]

# The log alone gives other producers there, which is why Kafka keeps snapshots.
LOG_ALONE_DIFFERS = {
    "03-idempotent-3.9.1": {"idem-0", "idem-1"},  # the broker had forgotten producers that were idle
    "03-idempotent-4.3.1": {"idem-0", "idem-1"},
    "05-compacted-3.9.1": {"comp-both-0"},  # the cleaner and retention took the batches
    "05-compacted-4.3.1": {"comp-both-0"},
}

# A flipped base offset (which no CRC covers) makes the log jump beyond its end and back.
FLIPPED = "12-crash-3.9.1/log-dir/recovered/crash-flip-offset-0"
# No CRC covers leader epochs either; the broker kept these batches.
FLIPPED_EPOCHS = ("recovered/crash-flip-epoch-0", "damaged-mixed-1.1.1/log-dir")
EPOCH = "(no CRC covers leader epochs)"


def source(case: Case) -> Path:
    """For crash cases, the directory that the queried broker used."""
    recovered = case.log_dir / "recovered"
    return recovered if recovered.exists() else case.log_dir


def told(entry: ProducerState) -> dict[str, Any]:
    """An entry in the form of `producers.json`."""
    return {
        "producerId": entry.producer_id,
        "producerEpoch": entry.producer_epoch,
        "lastSequence": entry.last_sequence,
        "lastTimestamp": entry.timestamp,
        "currentTransactionStartOffset": entry.current_txn_first_offset,
        "coordinatorEpoch": None if entry.coordinator_epoch == -1 else entry.coordinator_epoch,
    }


def by_name(partitions: tuple[PartitionProducers, ...]) -> dict[str, list[dict[str, Any]]]:
    return {f"{each.topic}-{each.partition}": [told(entry) for entry in each.entries] for each in partitions}


@pytest.mark.parametrize("state_from", ["both", "snapshot", "log"])
@pytest.mark.parametrize("case", ASKED, ids=str)
def test_the_answer_is_that_of_describe_producers(case: Case, state_from: Any) -> None:
    expected = json.loads((case.expected / "producers.json").read_text())
    answer = kafkafmt.topics.producers(source(case), state_from=state_from, on_damage="skip")
    found = by_name(answer.partitions)
    unequal = {
        name
        for name, entries in expected.items()
        if found.get(name) != sorted(entries, key=lambda entry: entry["producerId"])
    }
    assert unequal == (LOG_ALONE_DIFFERS.get(case.name, set()) if state_from == "log" else set())
    diverged = 2 if case.name.startswith("07-") else 0
    # Its broker kept a batch with a flipped offset; the part after the snapshot follows it.
    moved = 1 if case.name == "12-crash-3.9.1" and state_from != "snapshot" else 0
    said = [finding.message for finding in answer.findings]
    flipped = [each for each in said if each.endswith(EPOCH)]
    assert len(flipped) == (case.name.startswith("12-") and state_from != "snapshot")
    said = [each for each in said if each not in flipped]
    assert sorted("diverged from" in each or "base offset 122 should be 58" in each for each in said) == [True] * (
        diverged + moved
    )
    assert expected


def test_no_answer_is_left_out() -> None:
    assert len(ASKED) == 27


@pytest.mark.volume
@pytest.mark.parametrize("case", cases(), ids=str)
def test_no_snapshot_differs_from_the_log_in_front_of_it(case: Case) -> None:
    for found in sources.search(case.log_dir).found:
        for offset, file in found.partition.producer_snapshot_files:
            reading = ProducerStateReader("both", on_damage="skip").read(found, AsOf(offset))
            findings = list(map(str, reading.findings))
            if any(each in file.absolute for each in FLIPPED_EPOCHS):
                findings = [each for each in findings if not each.endswith(EPOCH)]
            if case.name == "damaged-mixed-1.1.1" and (reading.snapshot is None or reading.snapshot.offset < offset):
                assert len(findings) == 1, file
                assert "the log ends at offset" in findings[0]
            elif FLIPPED in file.absolute:
                assert all("in the log" in finding or "should be 58" in finding for finding in findings)
            else:
                assert findings == [], file
                assert reading.snapshot is not None
                assert reading.snapshot.offset == offset


@pytest.mark.parametrize(
    "case", [case for case in cases() if case.name.startswith(("04", "09", "transactions"))], ids=str
)
def test_the_log_up_to_a_snapshot_tells_what_the_snapshot_does(case: Case) -> None:
    compared = 0
    for found in sources.search(case.log_dir).found:
        for offset, _ in found.partition.producer_snapshot_files:
            snapshot = ProducerStateReader("snapshot").read(found, AsOf(offset))
            log = ProducerStateReader("log").read(found, AsOf(offset))
            for entry in snapshot.states.entries():
                seen = log.states.get(entry.producer_id)
                assert seen is not None
                if case.family == "modern":
                    assert seen.state(entry.producer_id) == entry
                else:  # which counted markers differently
                    assert (seen.producer_epoch, seen.last_sequence, seen.current_txn_first_offset) == (
                        entry.producer_epoch,
                        entry.last_sequence,
                        entry.current_txn_first_offset,
                    )
                compared += 1
    assert compared > 5
