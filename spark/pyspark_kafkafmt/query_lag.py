"""The lag of a streaming query: the metrics of Spark's kafka source, which a Python source cannot report itself."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Lag:
    """Number of offsets between the end of a batch and the ends of the logs at the time of planning.

    Attributes:
        min_offsets_behind_latest: the smallest lag of a partition.
        max_offsets_behind_latest: the largest lag of a partition.
        avg_offsets_behind_latest: the average lag.
        by_partition: the lag of each partition, by topic and number.
    """

    min_offsets_behind_latest: int
    max_offsets_behind_latest: int
    avg_offsets_behind_latest: float
    by_partition: Mapping[tuple[str, int], int]


def lag(progress: Mapping[str, Any] | object, source: int = 0) -> Lag | None:
    """How far a query is behind, like the `metrics` of Spark's kafka source in a query's progress.

        >>> lag(query.lastProgress).max_offsets_behind_latest

    Args:
        progress: `StreamingQuery.lastProgress`, or `QueryProgressEvent.progress` in a listener.
        source: number of the source in the query.

    Returns:
        None before the first batch, for a batch that is repeated after a failure, before Spark 4.2, without partitions.
    """
    sources = progress.get("sources", ()) if isinstance(progress, Mapping) else getattr(progress, "sources", ())
    if len(sources) <= source:
        return None
    found = sources[source]
    fields = found if isinstance(found, Mapping) else vars(found)
    ends = [_offsets(fields.get(name, fields.get(f"_{name}"))) for name in ("latestOffset", "endOffset")]
    latest, end = ends
    behind = {key: offset - end.get(key, 0) for key, offset in latest.items()}
    if not behind or not end:
        return None
    numbers = behind.values()
    return Lag(min(numbers), max(numbers), sum(numbers) / len(numbers), behind)


def _offsets(text: Any) -> dict[tuple[str, int], int]:  # noqa: ANN401 - JSON, or its text
    by_topic = json.loads(text) if isinstance(text, str) else text
    return {(topic, int(number)): offset for topic, some in (by_topic or {}).items() for number, offset in some.items()}
