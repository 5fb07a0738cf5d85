"""The steps that change the broker, and the options of the streams that read it after each step."""

from dataclasses import dataclass, field

OPTIONS_OF_A_START = {"startingOffsets": "earliest"}


@dataclass(frozen=True)
class Case:
    """Options of a stream, for Spark's kafka source and for kafkafmt.

    Attributes:
        name: name in the report.
        options: options for both sources.
        first: number of the first step after which the stream runs.
        fails: numbers of the steps after which both sources fail.
        is_quick: whether the case belongs to a quick run.
    """

    name: str
    options: dict[str, str]
    first: int = 0
    fails: tuple[int, ...] = field(default=())
    is_quick: bool = False


_SMALL = "internal.segment.bytes=4096"

STEPS = (
    (  # 0: topics, all kinds of segments
        f"topic orders 3 {_SMALL}",
        "topic quiet 1",
        f"topic paid 2 {_SMALL}",
        "topic zipped 1 compression.type=zstd segment.ms=500",
        "send orders 0 40",
        "send orders 1 3",
        "send orders 2 17",
        "send paid 0 5",
        "send paid 1 30",
        "send zipped 0 25",
        "begin a",
        "in a paid 0 8",
        "commit a",
    ),
    (  # 1: transactions in every state
        "send orders 0 10",
        "begin a",
        "in a paid 0 6",
        "abort a",
        "send paid 0 3",
        "begin b",
        "in b paid 1 4",
        "begin a",
        "in a paid 0 4",
        "in a paid 1 4",
        "commit a",
        "send paid 1 5",
        "send zipped 0 5",
    ),
    (  # 2: new partitions, a new topic
        "grow orders 5",
        "send orders 3 12",
        "send orders 0 2",
        "topic orders-new 1",
        "send orders-new 0 9",
        "commit b",
        "send quiet 0 4",
    ),
    (  # records that streams have read are deleted
        "trim orders 0 45",
        "trim paid 1 20",
        "send orders 4 1",
        "send orders 1 21",
        "begin b",
        "in b paid 0 3",
        "abort b",
    ),
    (  # 4: nothing new
    ),
)

LOSS = (  # records that no stream has read are deleted
    "send orders 0 30",
    "send orders 2 5",
    "trim orders 0 85",
)

CASES = (
    Case("earliest", {"subscribe": "orders", **OPTIONS_OF_A_START}, is_quick=True),
    Case("latest by default", {"subscribe": "orders,quiet"}),
    Case(
        "at most 7",
        {"subscribe": "orders,paid", "maxOffsetsPerTrigger": "7", "includeHeaders": "true", **OPTIONS_OF_A_START},
        is_quick=True,
    ),
    Case(
        "15 to 25",
        {
            "subscribe": "orders",
            "minOffsetsPerTrigger": "15",
            "maxOffsetsPerTrigger": "25",
            "maxTriggerDelay": "1h",
            **OPTIONS_OF_A_START,
        },
    ),
    Case("a pattern", {"subscribePattern": "^orders", "maxOffsetsPerTrigger": "30", **OPTIONS_OF_A_START}),
    Case("partitions", {"assign": '{"orders":[0,2],"paid":[1]}', "startingOffsets": "earliest"}),
    Case("offsets", {"subscribe": "paid", "startingOffsets": '{"paid":{"0":3,"1":-1}}'}),
    Case("earliest and latest", {"assign": '{"orders":[0,1]}', "startingOffsets": '{"orders":{"0":-2,"1":-1}}'}),
    Case("a time", {"subscribe": "orders", "startingTimestamp": "1000"}),
    Case(
        "a time to come",
        {
            "subscribe": "orders",
            "startingTimestamp": "9999999999999",
            "startingOffsetsByTimestampStrategy": "latest",
        },
    ),
    Case("times", {"subscribe": "paid", "startingOffsetsByTimestamp": '{"paid":{"0":0,"1":1}}'}),
    Case(
        "committed",
        {
            "subscribe": "paid",
            "kafka.isolation.level": "read_committed",
            "maxOffsetsPerTrigger": "9",
            **OPTIONS_OF_A_START,
        },
        is_quick=True,
    ),
    Case(
        "small tasks",
        {"subscribe": "orders,paid,zipped", "minPartitions": "7", "maxRecordsPerPartition": "4", **OPTIONS_OF_A_START},
    ),
)
