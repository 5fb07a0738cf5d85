"""Names of topics by their ids, from what lies beside a tier whose own names have ids alone."""

from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment


def topic_names(partitions: "Iterable[Partition]") -> dict[str, str]:
    """Read partition.metadata of each partition directory, and the topics of each metadata log and its snapshots.

    What is damaged tells no names: whoever reads it says so.

    Args:
        partitions: of log directories.

    Returns:
        Names by topic id, as Kafka prints it.

    Raises:
        SourceError: a file cannot be read.
    """
    names: dict[str, str] = {}
    for partition in partitions:
        if partition.topic == CLUSTER_METADATA:
            snapshots = [each for each in partition.other_segments if each.name.endswith(".checkpoint")]
            for segment in [*snapshots, *partition.segments]:
                with suppress(DataError):
                    _read_topics(segment, names)
        elif partition.topic is not None and partition.state == "live":
            with suppress(DataError):
                topic_id = partition.topic_id
                if topic_id is not None:
                    names[topic_id] = partition.topic
    return names


def _read_topics(segment: "Segment", names: dict[str, str]) -> None:
    from kafkafmt.reference.messages import framed_records  # noqa: PLC0415 - the specs of all messages

    for record in segment.records():
        if not record.batch.is_control_batch and record.value is not None:
            read = framed_records.decode(CLUSTER_METADATA, bytes(record.value))
            if read.type == "TOPIC_RECORD":
                names[read.message.data["topicId"]] = read.message.data["name"]
