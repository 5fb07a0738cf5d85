"""Which headers are believed, and when nothing wanted can follow."""

import pytest

from kafkafmt.reference.entry import Entry
from kafkafmt.scanning.header_trust import HeaderTrust
from kafkafmt.scanning.selection import OffsetRange
from tests.reference.builder import R, batch, message, wrapper


def trusted(trust: HeaderTrust, data: bytes) -> bool:
    entry = Entry(data)
    return trust.trusts(entry, entry.header())


def at(offset: int) -> bytes:
    return batch([R(0), R(1)], base_offset=offset)


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ([100, 102, 150], [True, True, True]),
        ([100, 101], [True, False]),
        ([99, 100], [False, True]),
        ([198, 200], [True, False]),
        ([199], [False]),
        ([110, 100, 112], [True, False, True]),
    ],
)
def test_headers_follow_each_other_inside_their_segment(offsets: list[int], expected: list[bool]) -> None:
    trust = HeaderTrust(OffsetRange(), 100, 200)
    assert [trusted(trust, at(offset)) for offset in offsets] == expected


def test_without_a_next_segment_offsets_stay_within_what_an_index_can_hold() -> None:
    assert trusted(HeaderTrust(OffsetRange(), 100, None), at(100 + 2**31 - 2))
    assert not trusted(HeaderTrust(OffsetRange(), 100, None), at(100 + 2**31 - 1))
    assert trusted(HeaderTrust(OffsetRange(), None, None), at(2**40))
    assert not trusted(HeaderTrust(OffsetRange(), None, None), at(-1))


def test_a_wrapper_is_never_trusted_but_others_must_follow_it() -> None:
    trust = HeaderTrust(OffsetRange(), 0, None)
    assert [trusted(trust, each) for each in (wrapper(5, message(0)), message(5), message(6))] == [False, False, True]


def test_an_implausible_header_is_not_trusted() -> None:
    assert not trusted(HeaderTrust(OffsetRange(), 0, None), batch(count=2))


def test_two_batches_in_a_row_beyond_the_end_are_enough() -> None:
    def ended(*data: bytes) -> list[bool]:
        trust = HeaderTrust(OffsetRange(None, 10), 0, None)
        return [(trusted(trust, each), trust.past_the_end)[1] for each in data]

    assert ended(at(8), at(10), at(12), at(14)) == [False, False, True, True]
    assert ended(at(10), at(4), at(6), at(8)) == [False] * 4
    assert ended(at(20), at(12), at(22), at(24)) == [False, False, False, True]
    assert ended(message(10), message(11), message(12)) == [False] * 3
    assert ended(at(9), at(11)) == [False, False]
    assert not HeaderTrust(OffsetRange(), 0, None).past_the_end
