"""What the coordinators make of their topics once a broker leads a partition of them: they replay it, or give it up."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from kafkafmt.survey import FINDING, Finding, PartitionSurvey

if TYPE_CHECKING:
    from kafkafmt.limits import Limits


def not_loaded(surveyed: Iterable[PartitionSurvey], limits: "Limits | None") -> Iterator[Finding]:
    """Partitions of `__consumer_offsets` and `__transaction_state` that no coordinator of Kafka 4.x loads.

    Args:
        surveyed: partitions; those of other topics are passed over.
        limits: bounds of a decode.
    """
    from kafkafmt.topics.consumer_groups.reading import groups  # noqa: PLC0415 - it takes a while
    from kafkafmt.topics.transaction_state.coordinator import read_coordinator  # noqa: PLC0415 - likewise

    for one in surveyed:
        if one.directory is None or one.facts.state != "live":
            continue
        failures: list[tuple[int | None, KafkafmtError]] = []
        # What cannot be read, the survey has told.
        with suppress(KafkafmtError):
            if one.facts.topic == CONSUMER_OFFSETS:
                failures += groups(one.directory.location, on_damage="skip", limits=limits).load_failures
            elif one.facts.topic == TRANSACTION_STATE:
                read = read_coordinator(one.directory.location, on_damage="skip", limits=limits)
                failures += [(None, error) for error in read.faults]
        for offset, error in failures:
            yield Finding(
                FINDING,
                "coordinator_load",
                error.file or one.facts.path,
                error.message,
                "what the partition holds is gone for clients: restore it from another copy",
                error.position,
                topic=one.facts.topic,
                partition=one.facts.partition,
                first_offset=offset,
                last_offset=offset,
            )
