"""Accumulator and partitioner against Kafka's RecordAccumulator and BuiltInPartitioner: every call of 146 producers."""

import hashlib
from base64 import b64decode
from typing import Any

import pyarrow as pa
import pytest

from kafkafmt.writing import Accumulator, accumulate, murmur2, partition_for_key
from kafkafmt.writing.accumulator import ProducerBatch
from kafkafmt.writing.sender import Arrival
from tests.writing.golden import content, headers, lines

CASES = lines("accumulator")
KEYS = lines("murmur2")


def arguments(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "partitions": case["partitions"],
        "batch_size": case["batchSize"],
        "linger_ms": case["lingerMs"],
        "compression": case["compression"],
        "max_request_size": case.get("maxRequestSize", 1048576),
        "leaders": [None if leader < 0 else leader for leader in case["leaders"]],
        "adaptive_partitioning": case["adaptive"],
        "random": iter(case["random"]),
    }


def check(batch: ProducerBatch, expected: dict[str, Any]) -> None:
    found = (batch.partition, batch.node, batch.drained_ms, batch.created_ms, batch.count)
    assert found == tuple(expected[name] for name in ("partition", "node", "drained", "created", "records"))
    if "sha256" in expected:
        assert len(batch.data) == expected["sizeInBytes"]
        assert hashlib.sha256(batch.data).hexdigest() == expected["sha256"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_kafka_answers_each_call_the_same(case: dict[str, Any]) -> None:
    accumulator = Accumulator(**arguments(case))
    drained: list[ProducerBatch] = []
    for op in case["ops"]:
        if op["op"] == "append":
            record = case["records"][op["record"]]
            key, value = content(record["key"]), content(record["value"])
            partition = record.get("partition")
            answer = accumulator.append(op["now"], record["timestamp"], key, value, headers(record), partition)
            assert answer == (op["partition"], op["batchIsFull"], op["newBatchCreated"], op["appendedBytes"])
        elif op["op"] == "ready":
            ready = accumulator.ready(op["now"])
            assert ready.nodes == set(op["nodes"])
            if not ready.nodes:
                assert ready.next_check_delay_ms == op["nextReadyCheckDelayMs"]
        elif op["op"] == "drain":
            batches = accumulator.drain(op["now"], op["nodes"])
            assert len(batches) == len(op["batches"])
            for batch, number in zip(batches, op["batches"], strict=True):
                check(batch, case["batches"][number])
            drained += batches
            assert accumulator.compression_ratio == pytest.approx(op["compressionRatio"], abs=1e-7)
        elif op["op"] == "flush":
            accumulator.flush()
        else:
            assert accumulator.split(drained[op["batch"]]) == op["into"]
            assert accumulator.compression_ratio == pytest.approx(op["compressionRatio"], abs=1e-7)


def test_all_cases_are_there() -> None:
    assert len(CASES) == 146
    assert len(KEYS) == 1200


def arrivals(case: dict[str, Any]) -> list[Arrival]:
    return [
        (
            record["arrival"],
            record["timestamp"],
            content(record["key"]),
            content(record["value"]),
            headers(record),
            record.get("partition"),
        )
        for record in case["records"]
    ]


@pytest.mark.parametrize("case", [case for case in CASES if "split" not in case], ids=lambda case: case["name"])
def test_a_whole_run_gives_the_same_batches(case: dict[str, Any]) -> None:
    batches = list(
        accumulate(
            arrivals(case),
            sender_interval_ms=case.get("senderEveryMs"),
            flush=case.get("flush", False),
            **arguments(case),
        )
    )
    order = [number for op in case["ops"] if op["op"] == "drain" for number in op["batches"]]
    assert len(batches) == len(order)
    for batch, number in zip(batches, order, strict=True):
        check(batch, case["batches"][number])


@pytest.mark.parametrize("line", KEYS, ids=range(len(KEYS)))
def test_keys_have_kafkas_hash_and_partition(line: dict[str, Any]) -> None:
    key = b64decode(line["key"])
    assert murmur2(key) == line["murmur2"]
    for partitions, partition in line["partition"].items():
        assert partition_for_key(key, int(partitions)) == partition


def test_the_kernel_gives_all_keys_their_partitions() -> None:
    from kafkafmt.columnar.encoder import partitions_of_keys

    keys = [b64decode(line["key"]) for line in KEYS]
    for partitions in (1, 2, 3, 7, 12, 50, 1000):
        found = partitions_of_keys(pa.array(keys, pa.binary()), partitions)
        assert found.tolist() == [line["partition"][str(partitions)] for line in KEYS]
