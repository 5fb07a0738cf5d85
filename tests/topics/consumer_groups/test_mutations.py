"""Mutations: for any bytes in records, groups are listed, and undecodable records are named with their position."""

import base64
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups import groups
from kafkafmt.topics.consumer_groups.assignment_check import check_assignments
from tests.golden_cases import cases
from tests.topics.consumer_groups.coordinator_log import Log

TOPICS = ("__consumer_offsets", "__share_group_state")


@cache
def golden_records(topic: str) -> list[tuple[bytes, bytes]]:
    """Keys and values written by real brokers: the last of each key, so that none hides another."""
    found: dict[bytes, bytes] = {}
    for case in cases():
        if case.name.startswith("08-") or "consumer-offsets" in case.name:
            for record in case.jsonl("records.jsonl"):
                if topic in record["file"] and record["value"] and not record.get("controlType"):
                    found[base64.b64decode(record["key"])] = base64.b64decode(record["value"])
    return sorted(found.items())


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with some changed, truncated or inserted."""
    place = draw(st.integers(0, len(data)))
    return draw(
        st.sampled_from(
            [
                data[:place],
                data[:place] + draw(st.binary(max_size=6)) + data[place:],
                data[:place] + bytes([draw(st.integers(0, 255))]) + data[place + 1 :],
                data[:place] + b"\x7f\xff\xff\xff" + data[place + 4 :],
            ]
        )
    )


def can_be_decoded(topic: str, key: bytes, value: bytes) -> bool:
    try:
        kind = coordinator_records.decode_key(topic, key)
        coordinator_records.decode_value(topic, kind.type, value)
    except KafkafmtError:
        return False
    return True


@given(st.data())
def test_a_mutated_record_is_told_or_named(data: st.DataObject) -> None:
    topic = data.draw(st.sampled_from(TOPICS))
    key, value = data.draw(st.sampled_from(golden_records(topic)))
    if data.draw(st.booleans()):
        key = data.draw(mutated(key))
    else:
        value = data.draw(mutated(value))
    with tempfile.TemporaryDirectory() as directory:
        log = Log()
        log.put((key, value))
        log.write(Path(directory), topic=topic)
        if topic != TOPICS[0]:
            groups_of_the_share_state = Log()
            groups_of_the_share_state.put((b"\0\x0b\0\x06share4", b"\0\0\0\0\0\3" + bytes(9)))
            groups_of_the_share_state.write(Path(directory))
        found = groups(directory)
        check_assignments(found, directory)
        assert all(error.file and error.position == 0 for error in found.errors)
        is_newer = any("that this release does not know" in str(note) for note in found.notes)
        assert found.errors or is_newer or can_be_decoded(topic, key, value)
        for table in (found.offsets, found.pending_offsets, found.members, found.to_table()):
            table.validate(full=True)


def test_without_a_mutation_all_can_be_decoded(tmp_path: Path) -> None:
    for topic in TOPICS:
        log = Log()
        log.put(*golden_records(topic))
        log.write(tmp_path, topic=topic)
    found = groups(tmp_path)
    # The logs of many brokers are combined here, out of order.
    assert all("no coordinator of Kafka 4.x loads this partition" in error.message for error in found.errors)
    assert {group.type for group in found} == {"Classic", "Consumer", "Share", "Streams"}
