"""CRCs of many batches: the first wrong one is found, where anybody wants to know."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError, Limits
from kafkafmt.columnar.batch_crcs import first_wrong_crc
from kafkafmt.columnar.checksums import first_wrong
from kafkafmt.columnar.headers import Batches, read_batches
from kafkafmt.reference.entry import Entry
from tests.golden_cases import cases
from tests.hostile.mutations import entries
from tests.reference.builder import R, batch


def read(data: bytes, begin: int = 0) -> Batches:
    return read_batches(memoryview(data), begin, 0, Limits())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=8), st.integers(0, 40))
def test_the_first_wrong_one_that_is_looked_at_is_found(kinds: list[tuple[bool, bool]], size: int) -> None:
    data = b"".join(batch([R(value=bytes(size))], crc=None if right else 1) for right, _ in kinds)
    batches = read(b"xx" + data, 2)
    assert len(batches) == len(kinds)
    right = [right for right, _ in kinds]
    assert first_wrong(batches) == (right.index(False) if False in right else len(kinds))
    passes = [is_right or not looked_at for is_right, looked_at in kinds]
    checked = np.array([looked_at for _, looked_at in kinds], np.bool_)
    expected = passes.index(False) if False in passes else len(kinds)
    assert first_wrong(batches, checked) == expected
    source = np.frombuffer(b"xx" + data, np.uint8)
    assert first_wrong_crc(source, batches.starts, batches.ends, batches.headers, checked) == expected


def test_of_golden_logs_the_same_are_wrong_as_for_the_reference_engine() -> None:
    wrong = looked_at = 0
    for case in cases("modern"):
        for path in case.files("*.log"):
            data = path.read_bytes()
            for begin, end, _ in entries(data):
                batches = read(data, begin)[:1]
                if not len(batches):
                    continue
                looked_at += 1
                try:
                    Entry(data[begin:end]).verify_checksum()
                except ChecksumError:
                    wrong += 1
                    assert first_wrong(batches) == 0
                else:
                    assert first_wrong(batches) == 1
    assert looked_at > 1000
    assert 0 < wrong < 100
