"""The cases of the proof: options for Spark's own kafka source and for kafkafmt's data source."""

import pyarrow as pa

from spark_proof.case import BEGIN, COMMITTED, IMPATIENT, TOPICS, Case, middle_time, of_topic, offsets_of
from spark_proof.time_cases import random_times, times

_EVERYTHING = {"subscribe": ",".join(TOPICS), "includeHeaders": "true"}
_EXTRA_TOPIC = '{"codecs":{"0":1,"1":1,"2":1},"big":{"0":1}}'


def whole() -> list[Case]:
    """The reads of everything; the first of them supplies the offsets and times of the others."""
    return [
        Case("everything, read_uncommitted", _EVERYTHING, again=True),
        Case("everything, read_committed", {**_EVERYTHING, **COMMITTED}, again=True),
    ]


def narrow(rows: pa.Table) -> list[Case]:
    """All other reads.

    Args:
        rows: all rows of Spark's source, read_uncommitted.
    """
    return [
        *_choices(),
        *_offsets(rows),
        *times(rows),
        *random_times(rows),
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
        Case("startingOffsets", {**codecs, "startingOffsets": offsets_of("codecs", 1234, -2, 5999)}),
        Case("endingOffsets", {**codecs, "endingOffsets": offsets_of("codecs", 777, -1, 1)}),
        Case(
            "startingOffsets, endingOffsets",
            {
                **codecs,
                "startingOffsets": offsets_of("codecs", 1234, -2, 100),
                "endingOffsets": offsets_of("codecs", 1500, 3000, 100),
            },
        ),
        Case(
            "endingOffsets beyond the end, failOnDataLoss=false",
            {**codecs, **IMPATIENT, "endingOffsets": offsets_of("codecs", 1, 1, 99_999), "failOnDataLoss": "false"},
        ),
        Case(
            "offsets in gaps of a compacted topic",
            {
                "subscribe": "compacted",
                "startingOffsets": offsets_of("compacted", first, other),
                "endingOffsets": offsets_of("compacted", last, -1),
            },
        ),
        Case(
            "offsets behind deleteRecords",
            {
                "subscribe": "deleted-records",
                "startingOffsets": offsets_of("deleted-records", 1300),
                "endingOffsets": offsets_of("deleted-records", 1301),
            },
        ),
        Case(
            "offsets before the log's start, failOnDataLoss=false",
            {
                "subscribe": "deleted-records",
                "startingOffsets": offsets_of("deleted-records", 5),
                "endingOffsets": offsets_of("deleted-records", 1500),
                "failOnDataLoss": "false",
            },
        ),
        Case("all records deleted", {"subscribe": "all-deleted"}),
    ]
    for name, isolation in (("read_uncommitted", {}), ("read_committed", COMMITTED)):
        options = {"subscribe": "transactions", "includeHeaders": "true", **isolation}
        ranges = {
            "startingOffsets": offsets_of("transactions", 100, 901),
            "endingOffsets": offsets_of("transactions", 1207, -1),
        }
        cases.append(Case(f"offsets amid transactions, {name}", {**options, **ranges}))
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
    too_late = str(middle_time(rows, "append-time") + 10 * 365 * 86_400_000)
    return [
        Case(f"refused: {name}", options, refused=True)
        for name, options in (
            ("startingOffsets latest", {**codecs, "startingOffsets": "latest"}),
            ("endingOffsets earliest", {**codecs, "endingOffsets": "earliest"}),
            ("startingOffsets with -1", {**codecs, "startingOffsets": offsets_of("codecs", -1, 0, 0)}),
            ("endingOffsets with -2", {**codecs, "endingOffsets": offsets_of("codecs", -2, 1, 1)}),
            ("a partition is missing in startingOffsets", {**codecs, "startingOffsets": offsets_of("codecs", 1, 1)}),
            ("a partition too many in endingOffsets", {**codecs, "endingOffsets": offsets_of("codecs", 1, 1, 1, 1)}),
            ("a topic is missing in startingOffsets", {**codecs, "startingOffsets": offsets_of("big", 1)}),
            ("startingOffsets is not JSON", {**codecs, "startingOffsets": "first"}),
            ("startingTimestamp is not a number", {**codecs, "startingTimestamp": "yesterday"}),
            ("no record is that late: startingTimestamp", {**codecs, "startingTimestamp": too_late}),
            ("a topic too many in startingOffsets", {**codecs, "startingOffsets": _EXTRA_TOPIC}),
            (
                "a partition is missing in startingOffsetsByTimestamp",
                {**codecs, "startingOffsetsByTimestamp": offsets_of("codecs", 1, 1)},
            ),
            (
                "the start is after the end",
                {
                    **codecs,
                    "startingOffsets": offsets_of("codecs", 500, 0, 0),
                    "endingOffsets": offsets_of("codecs", 100, -1, -1),
                },
            ),
            (
                "endingOffsets beyond the end",
                {**codecs, **IMPATIENT, "endingOffsets": offsets_of("codecs", 1, 1, 99_999)},
            ),
            ("an unknown strategy", {**codecs, "startingOffsetsByTimestampStrategy": "nearest"}),
            ("includeHeaders yes", {**codecs, "includeHeaders": "yes"}),
            ("kafka.auto.offset.reset", {**codecs, "kafka.auto.offset.reset": "earliest"}),
            ("no topic", {"subscribe": ""}),
            ("an unknown topic", {"subscribe": "codecs,nowhere"}),
            ("subscribe and assign", {**codecs, "assign": '{"codecs":[0]}'}),
            ("assign is not JSON", {"assign": "codecs"}),
            ("minPartitions 0", {**codecs, "minPartitions": "0"}),
            ("an isolation level in capitals", {**codecs, "kafka.isolation.level": "READ_COMMITTED"}),
            (
                "offsets before the log's start",
                {"subscribe": "deleted-records", "startingOffsets": offsets_of("deleted-records", 5)},
            ),
        )
    ]


def _meant(rows: pa.Table) -> list[Case]:
    codecs = {"subscribe": "codecs"}
    opened = {"assign": '{"open-transaction":[0,1]}', **COMMITTED}
    emptied = str(middle_time(rows, "emptied"))
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
                "Spark's source requires it; without it we read all topics that are there",
            ),
            (
                "assign with a partition that does not exist",
                {"assign": '{"codecs":[0,7]}'},
                "Spark's source ignores it silently; we refuse, as for a topic that does not exist",
            ),
            (
                "an unknown topic, failOnDataLoss=false",
                {"subscribe": "codecs,nowhere", "failOnDataLoss": "false"},
                "Spark's source refuses it all the same; we read the others",
            ),
            (
                "endingOffsets beyond an open transaction, read_committed",
                {**opened, **IMPATIENT, "endingOffsets": offsets_of("open-transaction", 60, 10)},
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
                "To Kafka these are codes, such as earliest; we refuse what is not a time",
            ),
            (
                "from a time, where compaction has emptied a segment",
                {"subscribe": "emptied", "startingTimestamp": emptied},
                "Kafka takes an empty file's modification time for that of a record, and gives up there; we find it",
            ),
        )
    ]


def _gaps(rows: pa.Table, topic: str, partition: int) -> tuple[int, int]:
    """Two offsets of a partition that compaction has removed; the second is the last removed one."""
    offsets = set(of_topic(rows, topic, partition)["offset"].to_pylist())
    gaps = [offset for offset in range(max(offsets)) if offset not in offsets]
    return gaps[len(gaps) // 3], gaps[-1]
