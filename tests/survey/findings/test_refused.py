"""Batches with right CRCs that Kafka's loader refuses: `ls` has a finding for each; `verify` says what comes of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.findings import Finding
from kafkafmt.io.source import locate
from kafkafmt.startup.verify import VerifyLevel
from kafkafmt.survey import Options, survey
from kafkafmt.survey.refused import KIND
from tests.golden_cases import cases, field_case
from tests.logdir.builders import file_name
from tests.topics.producer_logs import ABORT, COMMIT, ProducerLog, Step, write_snapshot

DEPTHS: Sequence[VerifyLevel] = ("headers", "checksums", "records")
THROWN = "org.apache.kafka.common.errors.InvalidTxnStateException: Expected transactional write from producer"


def refused(path: Path, depth: VerifyLevel = "headers") -> list[Finding]:
    found = [each for log_dir in survey(locate(path), Options(depth=depth)) for each in log_dir.partitions()]
    return [finding for each in found for finding in each.findings if finding.kind == KIND]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("name", "exception"),
    [
        ("control-unknown-type", "IllegalArgumentException"),
        ("control-null-key", "NullPointerException"),
        ("plain-batch-in-open-transaction", "InvalidTxnStateException"),
    ],
)
def test_a_batch_at_which_a_broker_ends_is_shown(name: str, exception: str, depth: VerifyLevel) -> None:
    source = field_case(name).input
    (found,) = refused(source, depth)
    assert (found.position, found.first_offset) == (70, 1)
    assert exception in found.message
    # Of a start on these disks one finding says it, not two.
    rows = kafkafmt.open(source).verify(level=depth).findings.to_pylist()
    assert [row["kind"] for row in rows if row["position"] == 70] == ["does not start"]


@pytest.mark.parametrize("name", ["03-idempotent-4.3.1", "04-transactions-4.3.1"])
def test_what_brokers_wrote_is_not_refused(name: str) -> None:
    (case,) = [each for each in cases() if each.name == name]
    assert refused(case.log_dir) == []


@pytest.mark.parametrize("in_bulk", [True, False])
@pytest.mark.parametrize("known_before", [True, False])
def test_a_plain_batch_is_refused_while_the_transaction_is_open(
    known_before: bool, in_bulk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_bulk:
        whole = ReadWindow.batches
        monkeypatch.setattr(ReadWindow, "batches", lambda self: whole(self)[:0])
    log = ProducerLog(
        [
            *([] if known_before else [Step(7, transactional=False), Step(7)]),
            Step(8),
            Step(7, transactional=False),  # refused
            Step(7),
            Step(7, kind=COMMIT),
            Step(7, transactional=False),
            Step(8, kind=ABORT),
        ],
        begin=10,
    )
    partition = log.write(tmp_path / "t-0")
    if known_before:
        # The transaction began in a segment that is gone.
        open_one = ProducerState(7, 0, -1, 0, 9, 0, 1000, 8)
        write_snapshot(partition, 10, [open_one])
    (found,) = refused(tmp_path)
    offset = 11 if known_before else 13
    assert (Path(found.path).name, found.first_offset) == (file_name(10), offset)
    assert found.message == f"Kafka's loader refuses this batch: {THROWN} 7 at offset {offset}"
