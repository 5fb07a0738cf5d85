"""what_if: records replayed by `kafkafmt.writing`, compared with the sizes on the disk."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.errors import UnsupportedError
from kafkafmt.sizing.what_if import ProducerSettings, WhatIf
from kafkafmt.writing import BatchBuilder, accumulate
from tests.logdir import builders

RECORDS = [(1_000_000 + number // 3, b"key-%d" % (number % 7), b'{"amount": %d}' % number) for number in range(600)]


def topic(log_dir: Path, partitions: int = 1) -> Path:
    """A topic of small batches, its records dealt out to its partitions."""
    for partition in range(partitions):
        mine = RECORDS[partition::partitions]
        batches = []
        for begin in range(0, len(mine), 5):
            builder = BatchBuilder(base_offset=begin)
            for timestamp, key, value in mine[begin : begin + 5]:
                builder.append(timestamp, key, value, [("h", b"1")])
            batches.append(builder.build())
        builders.segment(log_dir / f"orders-{partition}", 0, *batches)
    return log_dir


def rows(log_dir: Path, settings: Any, **arguments: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tried(log_dir, settings, **arguments).to_table().to_pylist()
    return found


def tried(log_dir: Path, settings: Any, **arguments: Any) -> WhatIf:
    return kafkafmt.open(log_dir).what_if(settings, **arguments)


@pytest.mark.parametrize("compression", ["none", "zstd:3"])
def test_batches_are_those_of_the_accumulator(tmp_path: Path, compression: str) -> None:
    (row,) = rows(topic(tmp_path), f"batch.size=4096,linger.ms=20,compression.type={compression}")
    arrivals = [(timestamp, timestamp, key, value, [("h", b"1")], 0) for timestamp, key, value in RECORDS]
    codec, _, level = compression.partition(":")
    sent = list(
        accumulate(
            arrivals,
            partitions=1,
            batch_size=4096,
            linger_ms=20,
            compression=codec,
            compression_level=int(level) if level else None,
        )
    )
    assert len(sent) > 3
    assert row["whatIfBatches"] == row["whatIfRequests"] == len(sent)
    assert row["whatIfStoredBytes"] == sum(len(batch.data) for batch in sent)
    assert (row["records"], row["sampledRecords"], row["batches"]) == (600, 600, 120)
    assert row["storedBytes"] == (tmp_path / "orders-0" / builders.file_name(0)).stat().st_size
    assert row["recordBytes"] == row["storedBytes"] - 61 * 120
    assert row["ratio"] == round(row["storedBytes"] / row["recordBytes"], 4)
    assert row["whatIfRatio"] == round(row["whatIfStoredBytes"] / row["recordBytes"], 4)
    assert row["whatIfStoredBytes"] < row["storedBytes"]


def test_one_request_has_a_batch_of_each_partition(tmp_path: Path) -> None:
    """All lingers end at once, as the records come at once."""
    (row,) = rows(topic(tmp_path, partitions=4), {"linger.ms": 10_000, "batch.size": 1 << 20})
    assert (row["whatIfBatches"], row["whatIfRequests"]) == (4, 1)
    (small,) = rows(tmp_path, {"linger.ms": 10_000, "batch.size": 1 << 20, "max.request.size": 2000})
    assert small["whatIfRequests"] == small["whatIfBatches"] == 4


def test_each_producer_has_batches_of_its_own(tmp_path: Path) -> None:
    batches = []
    for number in range(10):
        builder = BatchBuilder(base_offset=number, producer_id=number % 2, producer_epoch=0, base_sequence=number // 2)
        builder.append(1000, b"k", b"v")
        batches.append(builder.build())
    builders.segment(tmp_path / "orders-0", 0, *batches)
    (row,) = rows(tmp_path, "linger.ms=100")
    assert (row["batches"], row["whatIfBatches"]) == (10, 2)


def test_a_sample_is_scaled_up_and_said(tmp_path: Path) -> None:
    topic(tmp_path, partitions=2)
    answer = tried(tmp_path, "linger.ms=20", sample_records=100)
    (whole,) = rows(tmp_path, "linger.ms=20")
    (row,) = answer.to_table().to_pylist()
    assert 90 <= row["sampledRecords"] <= 100
    assert row["records"] == 600
    assert row["whatIfStoredBytes"] == pytest.approx(whole["whatIfStoredBytes"], rel=0.1)
    assert row["whatIfBatches"] == pytest.approx(whole["whatIfBatches"], rel=0.25)
    assert any("a sample was replayed" in note for note in answer.notes)
    assert not tried(tmp_path, "linger.ms=20").notes


def test_topics_are_apart_and_control_records_out(tmp_path: Path) -> None:
    topic(tmp_path)
    builders.segment(tmp_path / "payments-0", 0, builders.batch(0, 3, value=b"x" * 9000))
    builders.segment(
        tmp_path / "payments-1",
        0,
        builders.batch(0, 1, attributes=builders.TRANSACTIONAL | builders.CONTROL, key=builders.ABORT_KEY),
    )
    found = {row["topic"]: row for row in rows(tmp_path, {})}
    assert {name: row["records"] for name, row in found.items()} == {"orders": 600, "payments": 3}
    assert found["payments"]["whatIfBatches"] == 3


def test_settings_are_read_as_kafka_names_them() -> None:
    read = ProducerSettings.of("batch.size=65536, linger.ms=20,compression.type=zstd:3")
    assert read == ProducerSettings(65536, 20, "zstd", 3)
    assert ProducerSettings.of({"compression.type": "gzip", "max.request.size": 5}) == ProducerSettings(
        compression="gzip", max_request_size=5
    )
    assert str(read) == "batch.size=65536, linger.ms=20, compression.type=zstd:3, max.request.size=1048576"


@pytest.mark.parametrize(
    "settings",
    ["", "linger.ms", "linger.ms=x", "acks=all", "linger.ms=1,linger.ms=2", "compression.type=zstd:x", "batch.size=-1"],
)
def test_settings_that_make_no_sense(settings: str) -> None:
    with pytest.raises((ValueError, UnsupportedError)):
        ProducerSettings.of(settings)


def test_a_sample_of_nothing_makes_no_sense(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sample_records"):
        tried(topic(tmp_path), {}, sample_records=0)
