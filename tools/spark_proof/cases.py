"""What is compared: the options that Spark's own kafka source and ours both get."""

import json
import random
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

TOPICS = (
    "all-deleted",
    "append-time",
    "big",
    "codecs",
    "compacted",
    "compacted-append-time",
    "compacted-transactions",
    "deleted-records",
    "emptied",
    "empty",
    "open-transaction",
    "retention",
    "timestamps.odd-1",
    "transactions",
)
BEGIN = 1_700_000_000_000
"""Time of the first record of most topics, ms; FillBroker.java counts from it."""

COMMITTED = {"kafka.isolation.level": "read_committed"}
_IMPATIENT = {"kafkaConsumer.pollTimeoutMs": "1500"}
_EVERYTHING = {"subscribe": ",".join(TOPICS), "includeHeaders": "true"}


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


@dataclass(frozen=True)
class Case:
    """One read.

    Attributes:
        name: what is special about it.
        options: those that both sources get.
        refused: whether Spark's source refuses it, and ours is to do so too.
        meant: why the two differ, if they do on purpose.
        again: whether it is read from each of the disks that the broker leaves, instead of from the last alone.
    """

    name: str
    options: dict[str, str] = field(hash=False)
    refused: bool = False
    meant: str = ""
    again: bool = False


def whole() -> list[Case]:
    """The reads of everything; the others are made of what the first of them finds."""
    return [
        Case("everything, read_uncommitted", _EVERYTHING, again=True),
        Case("everything, read_committed", {**_EVERYTHING, **COMMITTED}, again=True),
    ]


def narrow(rows: pa.Table) -> list[Case]:
    """All other reads.

    Args:
        rows: what Spark's source says is everything, read_uncommitted.
    """
    return [
        *_choices(),
        *_offsets(rows),
        *_times(rows),
        *_random_times(rows),
        *_sizes(),
        *_refusals(rows),
        *_meant(rows),
    ]


def _choices() -> list[Case]:
    return [
        Case("without headers", {"subscribe": "codecs,append-time"}),
        Case("subscribePattern, everything but internal", {"subscribePattern": "[^b].*"}),
        Case("subscribePattern, some", {"subscribePattern": "compacted.*|append-time", "includeHeaders": "true"}),
        Case("assign", {"assign": '{"codecs":[0,2],"append-time":[1]}', "includeHeaders": "true"}),
        Case(
            "a job as it was: options of a connection",
            {
                "subscribe": "append-time",
                "kafka.client.id": "job",
                "groupIdPrefix": "job",
                "fetchOffset.numRetries": "2",
            },
        ),
        Case("subscribePattern, none", {"subscribePattern": "nothing"}),
        Case("a topic without records", {"subscribe": "empty"}),
        Case("options in any case, spaces", {"SUBSCRIBE": " big , append-time,,", "startingoffsets": "EARLIEST"}),
    ]


def _offsets(rows: pa.Table) -> list[Case]:
    codecs = {"subscribe": "codecs", "includeHeaders": "true"}
    first, last = _gaps(rows, "compacted", 0)
    other, _ = _gaps(rows, "compacted", 1)
    cases = [
        Case("startingOffsets", {**codecs, "startingOffsets": _offsets_of("codecs", 1234, -2, 5999)}),
        Case("endingOffsets", {**codecs, "endingOffsets": _offsets_of("codecs", 777, -1, 1)}),
        Case(
            "startingOffsets, endingOffsets",
            {
                **codecs,
                "startingOffsets": _offsets_of("codecs", 1234, -2, 100),
                "endingOffsets": _offsets_of("codecs", 1500, 3000, 100),
            },
        ),
        Case(
            "endingOffsets beyond the end, failOnDataLoss=false",
            {**codecs, **_IMPATIENT, "endingOffsets": _offsets_of("codecs", 1, 1, 99_999), "failOnDataLoss": "false"},
        ),
        Case(
            "offsets in gaps of a compacted topic",
            {
                "subscribe": "compacted",
                "startingOffsets": _offsets_of("compacted", first, other),
                "endingOffsets": _offsets_of("compacted", last, -1),
            },
        ),
        Case(
            "offsets behind deleteRecords",
            {
                "subscribe": "deleted-records",
                "startingOffsets": _offsets_of("deleted-records", 1300),
                "endingOffsets": _offsets_of("deleted-records", 1301),
            },
        ),
        Case(
            "offsets before the log's start, failOnDataLoss=false",
            {
                "subscribe": "deleted-records",
                "startingOffsets": _offsets_of("deleted-records", 5),
                "endingOffsets": _offsets_of("deleted-records", 1500),
                "failOnDataLoss": "false",
            },
        ),
        Case("all records deleted", {"subscribe": "all-deleted"}),
    ]
    for name, isolation in (("read_uncommitted", {}), ("read_committed", COMMITTED)):
        options = {"subscribe": "transactions", "includeHeaders": "true", **isolation}
        ranges = {
            "startingOffsets": _offsets_of("transactions", 100, 901),
            "endingOffsets": _offsets_of("transactions", 1207, -1),
        }
        cases.append(Case(f"offsets amid transactions, {name}", {**options, **ranges}))
    return cases


def _times(rows: pa.Table) -> list[Case]:
    appended = _middle_time(rows, "append-time")
    compacted = _middle_time(rows, "compacted")
    cleaned = _middle_time(rows, "compacted-append-time")
    marked = _middle_time(rows, "compacted-transactions")
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
                "startingOffsetsByTimestamp": _by_partition("append-time", appended, appended + 1),
                "endingOffsetsByTimestamp": _by_partition("append-time", appended + 2, appended + 200),
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
                "startingOffsetsByTimestamp": _by_partition("codecs", BEGIN + 59_000, 2 * BEGIN, BEGIN + 60_000),
                "startingOffsetsByTimestampStrategy": "latest",
            },
        ),
        Case("no record is that late: endingTimestamp", {"subscribe": "codecs", "endingTimestamp": str(2 * BEGIN)}),
        Case(
            "all three kinds of start: startingTimestamp counts",
            {
                "subscribe": "codecs",
                "startingTimestamp": str(BEGIN + 55_000),
                "startingOffsetsByTimestamp": _by_partition("codecs", BEGIN, BEGIN, BEGIN),
                "startingOffsets": "earliest",
            },
        ),
        Case(
            "offsets and times of the end: times count",
            {
                "subscribe": "codecs",
                "endingOffsetsByTimestamp": _by_partition("codecs", BEGIN + 900, BEGIN + 30_000, BEGIN + 60_000),
                "endingOffsets": _offsets_of("codecs", 1, 1, 1),
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
    beyond = {"endingOffsets": _offsets_of("open-transaction", 60, 10), "failOnDataLoss": "false"}
    cases.append(
        Case(
            "beyond an open transaction, failOnDataLoss=false",
            {"subscribe": "open-transaction", **beyond, **_IMPATIENT, **COMMITTED},
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


def _random_times(rows: pa.Table) -> list[Case]:
    """Times of records, drawn by lot, and those just beside them: many look-ups in each read."""
    lot = random.Random(6)
    partitions = {
        (topic, partition): _times_of(rows, topic, partition)
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


def _sizes() -> list[Case]:
    codecs = {"subscribe": "codecs,transactions", "includeHeaders": "true"}
    return [
        Case("minPartitions", {**codecs, "minPartitions": "11"}),
        Case("minPartitions, read_committed", {**codecs, "minPartitions": "11", **COMMITTED}),
        Case("maxRecordsPerPartition", {**codecs, "maxRecordsPerPartition": "2500"}),
    ]


def _refusals(rows: pa.Table) -> list[Case]:
    codecs = {"subscribe": "codecs"}
    too_late = str(_middle_time(rows, "append-time") + 10 * 365 * 86_400_000)
    return [
        Case(f"refused: {name}", options, refused=True)
        for name, options in (
            ("startingOffsets latest", {**codecs, "startingOffsets": "latest"}),
            ("endingOffsets earliest", {**codecs, "endingOffsets": "earliest"}),
            ("startingOffsets with -1", {**codecs, "startingOffsets": _offsets_of("codecs", -1, 0, 0)}),
            ("endingOffsets with -2", {**codecs, "endingOffsets": _offsets_of("codecs", -2, 1, 1)}),
            ("a partition is missing in startingOffsets", {**codecs, "startingOffsets": _offsets_of("codecs", 1, 1)}),
            ("a partition too many in endingOffsets", {**codecs, "endingOffsets": _offsets_of("codecs", 1, 1, 1, 1)}),
            ("a topic is missing in startingOffsets", {**codecs, "startingOffsets": _offsets_of("big", 1)}),
            ("startingOffsets is no JSON", {**codecs, "startingOffsets": "first"}),
            ("startingTimestamp is no number", {**codecs, "startingTimestamp": "yesterday"}),
            ("no record is that late: startingTimestamp", {**codecs, "startingTimestamp": too_late}),
            ("a topic too many in startingOffsets", {**codecs, "startingOffsets": _EXTRA_TOPIC}),
            (
                "a partition is missing in startingOffsetsByTimestamp",
                {**codecs, "startingOffsetsByTimestamp": _by_partition("codecs", 1, 1)},
            ),
            (
                "the start is after the end",
                {
                    **codecs,
                    "startingOffsets": _offsets_of("codecs", 500, 0, 0),
                    "endingOffsets": _offsets_of("codecs", 100, -1, -1),
                },
            ),
            (
                "endingOffsets beyond the end",
                {**codecs, **_IMPATIENT, "endingOffsets": _offsets_of("codecs", 1, 1, 99_999)},
            ),
            ("an unknown strategy", {**codecs, "startingOffsetsByTimestampStrategy": "nearest"}),
            ("includeHeaders yes", {**codecs, "includeHeaders": "yes"}),
            ("kafka.auto.offset.reset", {**codecs, "kafka.auto.offset.reset": "earliest"}),
            ("no topic", {"subscribe": ""}),
            ("an unknown topic", {"subscribe": "codecs,nowhere"}),
            ("subscribe and assign", {**codecs, "assign": '{"codecs":[0]}'}),
            ("assign is no JSON", {"assign": "codecs"}),
            ("minPartitions 0", {**codecs, "minPartitions": "0"}),
            ("an isolation level in capitals", {**codecs, "kafka.isolation.level": "READ_COMMITTED"}),
            (
                "offsets before the log's start",
                {"subscribe": "deleted-records", "startingOffsets": _offsets_of("deleted-records", 5)},
            ),
        )
    ]


def _meant(rows: pa.Table) -> list[Case]:
    codecs = {"subscribe": "codecs"}
    opened = {"assign": '{"open-transaction":[0,1]}', **COMMITTED}
    emptied = str(_middle_time(rows, "emptied"))
    return [
        Case(name, options, meant=why)
        for name, options, why in (
            (
                "an internal topic by name",
                {"subscribe": "__transaction_state"},
                "Spark's source leaves internal topics out even where they are named; on disk they are there",
            ),
            (
                "neither subscribe nor assign",
                {},
                "Spark's source wants to be told; without it we read all topics that are there",
            ),
            (
                "assign with a partition that is not there",
                {"assign": '{"codecs":[0,7]}'},
                "Spark's source passes over it in silence; we refuse, as for a topic that is not there",
            ),
            (
                "an unknown topic, failOnDataLoss=false",
                {"subscribe": "codecs,nowhere", "failOnDataLoss": "false"},
                "Spark's source refuses it all the same; we read the others",
            ),
            (
                "endingOffsets beyond an open transaction, read_committed",
                {**opened, **_IMPATIENT, "endingOffsets": _offsets_of("open-transaction", 60, 10)},
                "Spark's source waits for its end, and fails in time; we read what comes before it",
            ),
            (
                "from a time beyond an open transaction, read_committed",
                {**opened, "startingTimestamp": str(BEGIN + 5_500)},
                "Kafka knows of no record there yet, so that Spark's source refuses; we find nothing to read",
            ),
            (
                "a negative timestamp",
                {**codecs, "startingTimestamp": "-2"},
                "To Kafka these are codes, such as earliest; we refuse what is no time",
            ),
            (
                "from a time, where compaction has emptied a segment",
                {"subscribe": "emptied", "startingTimestamp": emptied},
                "Kafka takes an empty file's modification time for that of a record, and gives up there; we find it",
            ),
        )
    ]


def _offsets_of(topic: str, *offsets: int) -> str:
    return json.dumps({topic: {str(partition): offset for partition, offset in enumerate(offsets)}})


_by_partition = _offsets_of
_EXTRA_TOPIC = '{"codecs":{"0":1,"1":1,"2":1},"big":{"0":1}}'


def _of_topic(rows: pa.Table, topic: str, partition: int = 0) -> pa.Table:
    chosen = rows.filter((pc.field("topic") == topic) & (pc.field("partition") == partition))
    return chosen.sort_by("offset")


def _times_of(rows: pa.Table, topic: str, partition: int) -> list[int]:
    times = _of_topic(rows, topic, partition)["timestamp"].cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
    return [int(time) for time in times.to_pylist()]


def _middle_time(rows: pa.Table, topic: str, partition: int = 0) -> int:
    times = _times_of(rows, topic, partition)
    return times[len(times) // 2]


def _gaps(rows: pa.Table, topic: str, partition: int) -> tuple[int, int]:
    """Two offsets of a partition that compaction has taken away, one of them the last."""
    offsets = set(_of_topic(rows, topic, partition)["offset"].to_pylist())
    gaps = [offset for offset in range(max(offsets)) if offset not in offsets]
    return gaps[len(gaps) // 3], gaps[-1]
