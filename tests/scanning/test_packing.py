"""Parts are combined in order, up to a size, a number of records and a number of splits."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir.segment import Segment
from kafkafmt.scanning.file_selection import OffsetRange
from kafkafmt.scanning.planning import pack, size_of_splits
from kafkafmt.scanning.tasks import ScanTask


def task(name: str, begin: int, end: int) -> ScanTask:
    return ScanTask("t", 0, Segment(LocalLocation(name), size=10**12), begin=begin, end=end)


def parts(sizes: list[int], records: int = 0) -> list[ScanTask]:
    return [replace(task(f"{number}.log", 0, size), most_records=records) for number, size in enumerate(sizes)]


@given(st.lists(st.integers(1, 100), max_size=60), st.integers(1, 300), st.integers(1, 20), st.sampled_from([None, 7]))
@example([1, 1, 1, 1, 1, 3], 4, 2, 7)  # the record bound makes a third split, so the byte bound grows
def test_nothing_is_lost_and_bounds_hold(
    sizes: list[int], most: int, most_splits: int, most_records: int | None
) -> None:
    made = parts(sizes, records=2)
    splits = pack(made, most, most_records, most_splits)
    assert [each.size_in_bytes for split in splits for each in split.tasks] == sizes
    if most_records is None:
        assert len(splits) <= most_splits
    else:
        assert all(2 * len(split.tasks) <= most_records for split in splits)
    if len(pack(made, most, most_records, 10**9)) <= most_splits:
        assert all(len(split.tasks) == 1 or split.size_in_bytes <= most for split in splits)


@given(st.lists(st.integers(1, 10**13), max_size=60), st.integers(1, 10**9), st.integers(1, 50))
def test_splits_are_made_as_large_as_it_takes(sizes: list[int], most: int, most_splits: int) -> None:
    found = size_of_splits(list(parts(sizes)), most, most_splits)
    assert found >= most
    if sum(sizes) <= most:
        assert found == most
    assert found <= max(most, 2 * (sum(sizes) // most_splits + max(sizes, default=0) + 2))


def test_what_follows_each_other_in_a_file_is_one_piece() -> None:
    whole = task("a.log", 0, 100)
    first, second = replace(whole, end=40), replace(whole, begin=40)
    other = task("b.log", 100, 120)
    made = [first, second, other]
    (split,) = pack(made, 10**9, None, 10)
    assert split.tasks == (whole, other)
    window = replace(second, offsets=OffsetRange(5), is_reported=True)
    (split,) = pack([first, window], 10**9, None, 10)
    assert split.tasks == (first, window)
