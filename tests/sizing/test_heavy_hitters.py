"""HeavyHitters: exact while all groups fit; then true figures are within each row's error."""

from collections import Counter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from kafkafmt.columnar.figures import RECORDS, STORED_BYTES
from kafkafmt.columnar.tallying import RECORDS_ERROR, STORED_ERROR
from kafkafmt.errors import LimitExceededError
from kafkafmt.sizing.sums import HeavyHitters


def draws(keys: int, count: int, skew: float) -> npt.NDArray[np.int64]:
    """Numbers of keys, the chance of each of which falls with its rank."""
    chances = np.cumsum(np.arange(1, keys + 1) ** -skew)
    random = np.random.default_rng(1)
    ranks = np.searchsorted(chances, random.random(count) * chances[-1])
    numbers: npt.NDArray[np.int64] = random.permutation(keys)[ranks]
    return numbers


def fed(table: HeavyHitters, numbers: npt.NDArray[np.int64], at_once: int = 10_000) -> Counter[bytes]:
    names = [b"customer-%d" % number for number in numbers.tolist()]
    for begin in range(0, len(names), at_once):
        table.add(pa.array(names[begin : begin + at_once], pa.binary()))
    return Counter(names)


@pytest.mark.slow
def test_the_heaviest_of_many_keys_are_right_in_little_memory() -> None:
    table = HeavyHitters(most_bytes=4 << 20)
    true = fed(table, draws(400_000, 400_000, 1.1))
    assert len(true) > 4 * len(table)
    assert table.dropped > 0
    rows = {table.name(number): table.figures[number].tolist() for number in range(len(table))}
    order = [table.name(number) for number in table.heaviest()]
    assert set(order[:100]) == {name for name, _ in true.most_common(100)}
    for name, count in true.most_common(1000):
        row = rows[name]
        assert row[RECORDS] <= count <= row[RECORDS] + row[RECORDS_ERROR]
        assert row[STORED_BYTES] <= count <= row[STORED_BYTES] + row[STORED_ERROR]
    # Also of all others, and the bound is of use: no more than a few records.
    assert all(row[RECORDS] <= true[name] <= row[RECORDS] + row[RECORDS_ERROR] for name, row in rows.items())
    assert 0 < max(row[RECORDS_ERROR] for row in rows.values()) < 20


def test_a_key_that_grows_heavy_late_is_within_its_error() -> None:
    table = HeavyHitters(most_bytes=1 << 18)
    early = np.arange(50_000)
    late = np.concatenate([np.full(3_000, 7), np.arange(50_000, 60_000), np.full(3_000, 7)])
    true = fed(table, np.concatenate([early, late]), at_once=777)
    first = next(table.heaviest())
    row = table.figures[first].tolist()
    assert table.name(first) == b"customer-7"
    assert true[b"customer-7"] == 6_001
    assert row[RECORDS] <= 6_001 <= row[RECORDS] + row[RECORDS_ERROR]
    assert row[RECORDS_ERROR] > 0


def test_all_is_exact_while_it_fits() -> None:
    table = HeavyHitters(most_bytes=64 << 20)
    true = fed(table, draws(30_000, 50_000, 1.1))
    assert table.dropped == 0
    assert {table.name(number): int(table.figures[number, RECORDS]) for number in range(len(table))} == true
    assert not table.figures[:, [RECORDS_ERROR, STORED_ERROR]].any()
    heaviest = [(-true[table.name(number)], table.name(number)) for number in table.heaviest()]
    assert heaviest == sorted(heaviest)


def test_groups_that_are_taken_when_it_is_full_add_up() -> None:
    parts: Counter[bytes] = Counter()

    def take() -> None:
        parts.update({table.name(number): int(table.figures[number, RECORDS]) for number in range(len(table))})

    table = HeavyHitters(most_bytes=1 << 18, when_full=take)
    true = fed(table, draws(20_000, 30_000, 1.1))
    take()
    assert parts == true


def test_long_names_share_the_room() -> None:
    """The memory of names is bounded, too."""
    table = HeavyHitters(most_bytes=1 << 18)
    names = [b"%06d" % number * 200 for number in range(500)] + [b"heavy"] * 50
    table.add(pa.array(names, pa.binary()))
    assert table.dropped > 0
    assert table.name(next(table.heaviest())) == b"heavy"


def test_a_name_that_cannot_be_held_is_an_error() -> None:
    table = HeavyHitters(most_bytes=1 << 16)
    with pytest.raises(LimitExceededError, match="max_state_bytes"):
        table.add(pa.array([b"x" * 100_000], pa.binary()))


def test_names_of_one_hash_length_and_beginning_are_told_apart() -> None:
    names = [bytes([first]) * 8 + bytes([last]) for first in range(40) for last in range(40)]
    names += [b"", b"\x00", b"\x00\x00", b"\x00" * 8, b"\x00" * 9]
    table = HeavyHitters(most_bytes=1 << 20)
    for _ in range(3):
        table.add(pa.array(names, pa.binary()))
    assert Counter(
        {table.name(number): int(table.figures[number, RECORDS]) for number in range(len(table))}
    ) == Counter(names * 3)
