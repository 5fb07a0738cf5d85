"""`serve --at-time`: groups and topics as Kafka's own tools showed them for the disks."""

import pytest

from tests.golden_cases import cases
from tests.serving.test_stored_groups import NEWEST, fetched
from tests.serving.wire import served

METADATA = next(case for case in cases("modern") if case.name == "10-cluster-metadata-4.3.1")


# CreateTime of each commit of g-simple for orders-0, by DumpLogSegments.
@pytest.mark.parametrize(
    ("at_time", "committed"),
    [
        (1795235665899, None),
        (1795235665908, (0, "")),
        (1795235665920, (3, "plain")),
        (1795235665926, (2, "mètàdätä 日本語 🙂")),
    ],
)
def test_offsets_are_those_of_a_moment(at_time: int, committed: tuple[int, str] | None) -> None:
    with served(NEWEST.log_dir, at_time=at_time) as wire:
        found = fetched(wire, "g-simple")
    ours = (each for each in found if (each["topic"], each["partition"]) == ("orders", 0))
    known = [(each["offset"], each["metadata"]) for each in ours]
    assert known == [] if committed is None else known == [committed]


def test_topics_that_were_made_later_are_left_out() -> None:
    lines: list[str] = []
    with served(METADATA.log_dir, at_time=1795235881957, say=lines.append) as wire:  # bulk-14 is created 1 ms later
        topics = {each["Name"] for each in wire.ask("Metadata", {"Topics": None})["Topics"]}
    assert topics == {"m-one", "m-two", *(f"bulk-{number}" for number in range(5, 14))}
    assert not [line for line in lines if "stray" in line]
