"""How the leaders of the coordinators' partitions load them: they replay a partition, or give it up."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.findings import FINDING, Finding
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.survey import PartitionSurvey

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.limits import Limits


def not_loaded(surveyed: Iterable[PartitionSurvey], limits: "Limits | None") -> Iterator[Finding]:
    """Partitions of the coordinators' topics that Kafka 4.x coordinators do not load to the end.

    Args:
        surveyed: surveyed partitions; those of other topics are skipped.
        limits: bounds of a decode.
    """
    from kafkafmt.topics.consumer_groups.reading import groups  # noqa: PLC0415 - it takes a while
    from kafkafmt.topics.transaction_state.coordinator import read_coordinator  # noqa: PLC0415 - it takes a while

    for one in surveyed:
        if one.directory is None or one.facts.state != "live":
            continue
        failures: list[tuple[int | None, KafkafmtError]] = []
        # The survey has reported unreadable files.
        with suppress(KafkafmtError):
            if one.facts.topic == CONSUMER_OFFSETS:
                failures += groups(one.directory.location, on_damage="skip", limits=limits).load_failures
            elif one.facts.topic == TRANSACTION_STATE:
                read = read_coordinator(one.directory.location, on_damage="skip", limits=limits)
                failures += [(None, error) for error in read.faults]
            elif one.facts.topic == SHARE_GROUP_STATE:
                failures += _share_failures(one.directory.location, limits)
        for offset, error in failures:
            yield Finding(
                FINDING,
                "coordinator_load",
                # The partition was read alone, so errors have only the file's name.
                one.facts.path if error.file is None else f"{one.facts.path}/{error.file.rpartition('/')[2]}",
                error.message,
                "what the partition holds is gone for clients: restore it from another copy",
                error.position,
                topic=one.facts.topic,
                partition=one.facts.partition,
                first_offset=offset,
                last_offset=offset,
            )


def _share_failures(location: "Location", limits: "Limits | None") -> Iterator[tuple[int, KafkafmtError]]:
    """The first record of `__share_group_state` on which `ShareCoordinatorShard.replay` throws an exception."""
    from kafkafmt.topics.internal_log import InternalLog  # noqa: PLC0415 - it takes a while

    for record in InternalLog(location, SHARE_GROUP_STATE, on_damage="skip", limits=limits).records():
        key = record.key or b""
        if record.control_type is not None or coordinator_records.unknown(SHARE_GROUP_STATE, key) is not None:
            continue
        try:
            kind = coordinator_records.decode_key(SHARE_GROUP_STATE, key)
            value = coordinator_records.decode_value(SHARE_GROUP_STATE, kind.type, record.value)
            if value is None and kind.kind == "ShareUpdate":
                raise CorruptError("an update of a share partition without a value")
        except KafkafmtError as error:
            yield record.offset, error.at(record.file, record.position)
            return
