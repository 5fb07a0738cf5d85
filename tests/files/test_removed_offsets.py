"""`removed_offsets`: offsets of a log without a record, compared with a model that checks each offset."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkafmt.codec.checksum import crc32c
from kafkafmt.files.whole_entries import Removed, removed_offsets
from kafkafmt.io.local import LocalLocation
from kafkafmt.limits import Limits
from tests.logdir.builders import batch

# Offsets missing before the batch, offsets of the batch, and how many of its last records were removed.
CLEANED = st.tuples(st.integers(0, 3), st.integers(1, 5), st.integers(0, 4))


def _batch(first: int, last: int, count: int) -> bytes:
    """A batch as the cleaner leaves it."""
    whole = bytearray(batch(first, count))
    whole[23:27] = (last - first).to_bytes(4, "big")
    whole[17:21] = crc32c(whole[21:]).to_bytes(4, "big")
    return bytes(whole)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("removed") / "00000000000000000000.log"


def _removed(path: Path, since: int, end_offset: int | None) -> Removed | None:
    with LocalLocation(str(path)).open() as file:
        return removed_offsets(file, 0, file.size, Limits(), since=since, end_offset=end_offset)


@settings(deadline=None)
@given(st.lists(CLEANED, max_size=8), st.integers(0, 30), st.none() | st.integers(0, 4))
def test_they_are_those_between_and_in_batches(
    path: Path, batches: list[tuple[int, int, int]], since: int, after: int | None
) -> None:
    content, at = [], 0
    expected: list[range] = []
    count = 0
    for missing, span, gone in batches:
        first, last = at + missing, at + missing + span - 1
        kept = max(span - gone, 0)
        content.append(_batch(first, last, kept))
        before = [offset for offset in range(at, first) if offset >= since]
        # It is unknown which offsets of a batch that begins earlier were removed.
        within = span - kept if first >= since else 0
        expected += [range(before[0], first)] if before else []
        expected += [range(first, last + 1)] if within else []
        count += len(before) + within
        at = last + 1
    if after is not None:
        rest = [offset for offset in range(at, at + after) if offset >= since]
        expected += [range(rest[0], at + after)] if rest else []
        count += len(rest)
    path.write_bytes(b"".join(content))
    found = _removed(path, since, None if after is None else at + after)
    assert found == (Removed(expected[0][0], expected[-1][-1], count) if expected else None)


def test_what_is_missing_after_damage_is_not_among_them(path: Path) -> None:
    path.write_bytes(batch(0) + bytes(100) + batch(5) + batch(7))
    assert _removed(path, 0, 9) == Removed(6, 8, 2)
