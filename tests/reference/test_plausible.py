"""Whether a header is like those that Kafka writes: every golden one is, and one with a flipped bit often is not."""

import pytest

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from tests.golden_cases import Case, cases
from tests.reference.builder import DELETE_HORIZON, LOG_APPEND_TIME, R, batch, message, wrapper


def plausible(data: bytes) -> bool:
    entry = Entry(data)
    return entry.is_plausible(entry.header())


@pytest.mark.parametrize("case", [case for case in cases() if "crafted" not in case.name], ids=str)
def test_all_that_kafka_wrote_is_plausible(case: Case) -> None:
    def judge(entry: Entry) -> bool:
        entry.verify_checksum()
        return entry.is_plausible(entry.header())

    for path in case.files("*.log", "*.log.*", "*.checkpoint"):
        if path.name[0].isdigit():
            assert all(SegmentReader(MemoryFile("x", path.read_bytes()), on_damage="skip").walk(judge)), path


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (batch(), True),
        (batch([]), False),
        (batch([], last_offset_delta=4), True),
        (batch([R(0)], last_offset_delta=4), True),
        (batch([R(0)], last_offset_delta=-1), False),
        (batch([R(0), R(1)], last_offset_delta=0), False),
        (batch(count=0), False),
        (batch(count=1, payload=b""), False),
        (batch([R(0)], count=2, last_offset_delta=1), False),
        (batch([R(0)], count=2, last_offset_delta=1, attributes=1), True),
        (batch(attributes=5, payload=b"x" * 9), False),
        (batch(attributes=0x80), False),
        (batch(base_offset=-1), False),
        (batch(base_offset=2**63 - 2, last_offset_delta=1), True),
        (batch(base_offset=2**63 - 1, last_offset_delta=1), False),
        (batch(max_timestamp=999), False),
        (batch(max_timestamp=999, attributes=LOG_APPEND_TIME), True),
        (batch(max_timestamp=999, attributes=DELETE_HORIZON), True),
        (message(magic=0), True),
        (message(key=b"key", value=None), True),
        (message(-1), False),
        (message(trailing=b"x"), False),
        (message(magic=-1), False),
        (message(attributes=0x10), False),
        (message(attributes=4), False),
        (wrapper(3, message()), True),
    ],
)
def test_the_parts_of_a_header_agree(data: bytes, expected: bool) -> None:
    assert plausible(data) is expected


def test_what_has_no_header_is_not_judged() -> None:
    for data in (batch(magic=3), batch(count=-1)):
        with pytest.raises(KafkafmtError):
            plausible(data)
