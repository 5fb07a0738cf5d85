"""Incremental batch jobs: each read starts where the last one ended."""

import json
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
_EXAMPLE: Final = '{"orders":{"0":1200}}'


def offsets_since(
    path: "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]", seen: str | None = None, **options: str
) -> dict[str, str]:
    """The options `startingOffsets` and `endingOffsets` for a batch read of the records written since the last one.

        >>> bounds = offsets_since("/copies", seen, subscribe="orders")
        >>> records = spark.read.format("kafkafmt").options(subscribe="orders", **bounds).load("/copies")
        >>> records.write.mode("append").parquet("/lake/orders")
        >>> seen = bounds["endingOffsets"]  # JSON, to be kept with the rows

    The JSON has the form of Spark's kafka source, and of a stream's checkpoint. New partitions are read from their
    start. That a topic was deleted and created again is only noticed if its log ends before the last read:
    `kafkafmt.Offsets` has the topic ids.

    Args:
        path: as for `load`.
        seen: `endingOffsets` of the last read; None to start with the first record.
        options: options of the read: which topics, `kafka.isolation.level`, `failOnDataLoss`.

    Raises:
        OptionError: an option is invalid, or `seen` is not such JSON.
        DataLossError: a partition was deleted or ends before the last read, and `failOnDataLoss` is true.
        KafkafmtError: a path matches nothing, or a file cannot be read.
    """
    from pyspark_kafkafmt import option_errors, option_values
    from pyspark_kafkafmt.offsets import Losses
    from pyspark_kafkafmt.planning import warn
    from pyspark_kafkafmt.stream_offsets import StreamOffsets, to_json
    from pyspark_kafkafmt.stream_options import StreamOptions

    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    parsed = StreamOptions.parse({"paths": json.dumps([os.fspath(each) for each in paths]), **options})
    offsets = StreamOffsets(parsed)
    try:
        before = {} if seen is None else option_values.longs_by_partition(seen)
    except ValueError as error:
        raise option_errors.no_json("seen", seen or "", str(error), _EXAMPLE) from None
    offsets.look(before)
    losses = Losses(fatal=parsed.source.fail_on_data_loss)
    if before.keys() - offsets.latest.keys():
        losses.add(option_errors.partitions_gone(before.keys() - offsets.latest.keys()))
    starts = {key: min(before.get(key, log.start), offsets.latest[key]) for key, log in offsets.logs.items()}
    for key, offset in before.items():
        if offset > offsets.latest.get(key, offset):
            losses.add(option_errors.ends_early(key, offset, offsets.latest[key]))
    for text in losses.warnings:
        warn(text)
    return {
        "startingOffsets": json.dumps(to_json(starts)),
        "endingOffsets": json.dumps(to_json(offsets.latest)),
    }
