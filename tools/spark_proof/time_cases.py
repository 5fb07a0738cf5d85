"""Reads from and up to times: Spark options that look up timestamps."""

import json
import random

import pyarrow as pa

from spark_proof.case import BEGIN, COMMITTED, IMPATIENT, Case, middle_time, offsets_of, times_of

_LOOKED_UP = {
    "append-time": 2,
    "codecs": 3,
    "compacted-append-time": 1,
    "compacted-transactions": 1,
    "deleted-records": 1,
    "open-transaction": 2,
    "retention": 1,
    "timestamps.odd-1": 2,
    "transactions": 2,
}
_DRAWS = 4


def times(rows: pa.Table) -> list[Case]:
    """Reads that begin or end at a time."""
    appended = middle_time(rows, "append-time")
    compacted = middle_time(rows, "compacted")
    cleaned = middle_time(rows, "compacted-append-time")
    marked = middle_time(rows, "compacted-transactions")
    several = {"subscribe": "codecs,transactions,deleted-records", "includeHeaders": "true"}
    cases = [
        Case("startingTimestamp", {**several, "startingTimestamp": str(BEGIN + 15_000)}),
        Case("endingTimestamp", {**several, "endingTimestamp": str(BEGIN + 15_000)}),
        Case(
            "startingTimestamp, endingTimestamp",
            {"subscribe": "codecs", "startingTimestamp": str(BEGIN + 10_000), "endingTimestamp": str(BEGIN + 50_000)},
        ),
        Case(
            "LogAppendTime by timestamp",
            {
                "subscribe": "append-time",
                "startingOffsetsByTimestamp": offsets_of("append-time", appended, appended + 1),
                "endingOffsetsByTimestamp": offsets_of("append-time", appended + 2, appended + 200),
            },
        ),
        Case(
            "compacted by timestamp",
            {
                "assign": '{"compacted":[0],"compacted-append-time":[0],"compacted-transactions":[0]}',
                "startingOffsetsByTimestamp": json.dumps(
                    {
                        "compacted": {"0": compacted},
                        "compacted-append-time": {"0": cleaned},
                        "compacted-transactions": {"0": marked},
                    }
                ),
            },
        ),
        Case(
            "no record is that late: startingOffsetsByTimestampStrategy=latest",
            {
                "subscribe": "codecs",
                "startingOffsetsByTimestamp": offsets_of("codecs", BEGIN + 59_000, 2 * BEGIN, BEGIN + 60_000),
                "startingOffsetsByTimestampStrategy": "latest",
            },
        ),
        Case("no record is that late: endingTimestamp", {"subscribe": "codecs", "endingTimestamp": str(2 * BEGIN)}),
        Case(
            "all three kinds of start: startingTimestamp counts",
            {
                "subscribe": "codecs",
                "startingTimestamp": str(BEGIN + 55_000),
                "startingOffsetsByTimestamp": offsets_of("codecs", BEGIN, BEGIN, BEGIN),
                "startingOffsets": "earliest",
            },
        ),
        Case(
            "offsets and times of the end: times count",
            {
                "subscribe": "codecs",
                "endingOffsetsByTimestamp": offsets_of("codecs", BEGIN + 900, BEGIN + 30_000, BEGIN + 60_000),
                "endingOffsets": offsets_of("codecs", 1, 1, 1),
            },
        ),
    ]
    for time in (0, 1, BEGIN - 900_000, BEGIN - 5_000, BEGIN, BEGIN + 5_001, BEGIN + 999_000, 4_102_444_800_000):
        options = {
            "subscribe": "timestamps.odd-1",
            "startingTimestamp": str(time),
            "startingOffsetsByTimestampStrategy": "latest",
        }
        cases.append(Case(f"times out of order, from {time}", options))
    for time in (1, BEGIN - 5_000, BEGIN + 5_000, 253_402_300_799_999):
        options = {"subscribe": "timestamps.odd-1", "endingTimestamp": str(time)}
        cases.append(Case(f"times out of order, up to {time}", options))
    beyond = {"endingOffsets": offsets_of("open-transaction", 60, 10), "failOnDataLoss": "false"}
    cases.append(
        Case(
            "beyond an open transaction, failOnDataLoss=false",
            {"subscribe": "open-transaction", **beyond, **IMPATIENT, **COMMITTED},
        )
    )
    for name, isolation in (("read_uncommitted", {}), ("read_committed", COMMITTED)):
        for topic, time in (
            ("transactions", BEGIN + 12_345),
            ("open-transaction", BEGIN + 1_500),
            ("open-transaction", BEGIN + 5_500),
        ):
            options = {
                "subscribe": topic,
                "startingTimestamp": str(time),
                "startingOffsetsByTimestampStrategy": "latest",
                **isolation,
            }
            cases.append(Case(f"{topic} from {time}, {name}", options))
        ending = {"subscribe": "open-transaction", "endingTimestamp": str(BEGIN + 3_500), **isolation}
        cases.append(Case(f"open-transaction up to {BEGIN + 3_500}, {name}", ending))
    return cases


def random_times(rows: pa.Table) -> list[Case]:
    """Times of random records, and those next to them: many look-ups in each read."""
    lot = random.Random(6)
    partitions = {
        (topic, partition): times_of(rows, topic, partition)
        for topic, count in _LOOKED_UP.items()
        for partition in range(count)
    }
    chosen = json.dumps({topic: list(range(count)) for topic, count in _LOOKED_UP.items()})
    cases = []
    for number in range(_DRAWS):
        times: dict[str, dict[str, int]] = {}
        for (topic, partition), known in partitions.items():
            times.setdefault(topic, {})[str(partition)] = lot.choice(known) + lot.randint(-1, 1)
        start = {"startingOffsetsByTimestampStrategy": "latest", "startingOffsetsByTimestamp": json.dumps(times)}
        end = {"endingOffsetsByTimestamp": json.dumps(times)}
        isolation = COMMITTED if number % 2 else {}
        name = f"drawn times {number}, {'read_committed' if isolation else 'read_uncommitted'}"
        cases.append(Case(f"from {name}", {"assign": chosen, **start, **isolation}, again=True))
        cases.append(Case(f"up to {name}", {"assign": chosen, **end, **isolation}, again=True))
    return cases
