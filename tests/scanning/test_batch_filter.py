"""Which headers are trusted, and when no wanted batch can follow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import Limits
from kafkafmt.columnar.headers import read_batches
from kafkafmt.reference.entry import Entry
from kafkafmt.scanning.batch_filter import HeaderTrust
from kafkafmt.scanning.file_selection import OffsetRange
from tests.reference.builder import DELETE_HORIZON, LOG_APPEND_TIME, R, batch, message, wrapper


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


# Many headers at once


def one_by_one(trust: HeaderTrust, data: list[bytes]) -> list[bool]:
    """The trusted headers, up to the one after which no wanted batch follows."""
    found = []
    for each in data:
        found.append(trusted(trust, each))
        if trust.past_the_end:
            break
    return found


def at_once(trust: HeaderTrust, data: list[bytes]) -> list[bool]:
    """The same in bulk, as a scan does: the first untrusted header is judged separately."""
    batches = read_batches(memoryview(b"".join(data)), 0, 0, Limits())
    assert len(batches) == len(data)
    found: list[bool] = []
    while len(found) < len(data) and not trust.past_the_end:
        rest = batches[len(found) :]
        count, ends = trust.trusted_first(rest)
        trust.follow(rest[:count])
        found += [True] * count
        if ends:
            break
        if len(found) < len(data):
            found.append(trusted(trust, data[len(found)]))
    return found


@st.composite
def in_a_segment(draw: st.DrawFn) -> list[bytes]:
    """Batches whose offsets mostly ascend; some headers are not plausible."""
    offset = draw(st.integers(95, 105))
    found = []
    for _ in range(draw(st.integers(1, 12))):
        delta = draw(st.integers(0, 3))
        found.append(
            batch(
                [R()],
                base_offset=max(0, offset),
                last_offset_delta=delta,
                count=draw(st.sampled_from((None, None, None, None, 0, 2, 5))),
                payload=draw(st.sampled_from((None, None, None, None, b""))) if offset % 3 else None,
                attributes=draw(st.sampled_from((0, 4, LOG_APPEND_TIME, DELETE_HORIZON))),
                base_timestamp=draw(st.sampled_from((1000, 1000, 1000, 3000))),
            )
        )
        offset += draw(st.sampled_from((delta + 1, delta + 1, delta + 1, delta + 20, 0, -5, 200, 2**32)))
    return [each for each in found if len(read_batches(memoryview(each), 0, 0, Limits()))]


@given(
    in_a_segment(),
    st.none() | st.integers(95, 130),
    st.sampled_from((None, 100, 103)),
    st.sampled_from((None, 110, 2**33)),
)
def test_many_headers_are_trusted_as_they_are_one_by_one(
    data: list[bytes], end: int | None, base_offset: int | None, next_base_offset: int | None
) -> None:
    first, second = (HeaderTrust(OffsetRange(None, end), base_offset, next_base_offset) for _ in range(2))
    assert at_once(first, data) == one_by_one(second, data)
    assert vars(first) | {"past_the_end": None} == vars(second) | {"past_the_end": None}


@given(st.lists(st.integers(95, 125), max_size=10), st.sampled_from((None, 100)), st.sampled_from((None, 110)))
def test_messages_are_followed_as_they_are_one_by_one(
    offsets: list[int], base_offset: int | None, next_base_offset: int | None
) -> None:
    first, second = (HeaderTrust(OffsetRange(None, 100), base_offset, next_base_offset) for _ in range(2))
    for trust in (first, second):
        trusted(trust, at(100))
    first.follow_messages(offsets)
    for number, offset in enumerate(offsets):
        trusted(second, message(offset) if number % 2 else wrapper(offset, message(0)))
    if offsets:
        assert vars(first) == vars(second)
