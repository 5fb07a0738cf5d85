"""Read-ahead changes no answer: each equals that of a single Fetch."""

import socket
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.serving import log_reader
from kafkafmt.serving.api import ServeOptions
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.log_reader import Stretch
from kafkafmt.serving.sent_files import FileRange, NotAtHandError
from kafkafmt.serving.served_log import ServedLog
from tests.reference import builder

SEGMENTS = 3
BATCHES = 40  # of each
Entry = tuple[int, int, bytes]  # first and last offset, bytes


class Log:
    """A partition directory and the batches of its segments."""

    def __init__(self, directory: Path, segments: list[list[Entry]]) -> None:
        self.directory, self.segments = directory, segments


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    directory = tmp_path_factory.mktemp("ahead") / "t-0"
    directory.mkdir()
    segments: list[list[Entry]] = []
    offset = 0
    for number in range(SEGMENTS):
        entries: list[Entry] = []
        for each in range(BATCHES):
            count = 1 + (each * 7 + number) % 5
            value = b"v" * (each * 37 % 400)
            records = [builder.R(index, index, value=value) for index in range(count)]
            entries.append((offset, offset + count - 1, builder.batch(records, base_offset=offset)))
            offset += count + (each % 9 == 0)  # a gap as the log cleaner leaves it
        (directory / f"{entries[0][0]:020d}.log").write_bytes(b"".join(data for _, _, data in entries))
        segments.append(entries)
    return Log(directory, segments)


def expected(segments: list[list[Entry]], offset: int, most: int, end: int, *, is_first: bool) -> bytes:
    """The answer computed from all batches: from one segment, unless it has none from that offset on."""
    for entries in segments if offset < end else ():
        data = b""
        for first, last, entry in entries:
            if last < offset:
                continue
            if first >= end or (len(data) + len(entry) > most and (data or not is_first)):
                return data
            data += entry
        if data:
            return data
    return b""


def bytes_of(found: Stretch) -> bytes:
    return b"".join(sent(part) if isinstance(part, FileRange) else part for part in found.parts)


def sent(part: FileRange) -> bytes:
    """Send from a file through the system, in steps."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        data = b""
        while len(part):
            part.send(ours.fileno(), 50_000 if data else 1)  # at most what the socket accepts
            data += theirs.recv(2**20)
    return data


ASKED = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from((0, 1, 100, 700, 3000, 10**6)), st.booleans()), min_size=1, max_size=30
)


@given(
    asked=ASKED,
    starts=st.lists(st.integers(0, 400), min_size=4, max_size=4),
    end=st.just(10**9) | st.integers(1, 400),
    sizes=st.tuples(
        st.sampled_from((1, 500, 5000, 10**6)), st.sampled_from((0, 300)), st.sampled_from((1, 3000, 10**7))
    ),
    sends_files=st.booleans(),
    least_sent=st.sampled_from((1, 1000, 10**6)),
)
def test_of_readers_in_any_order(
    log: Log,
    asked: list[tuple[int, int, bool]],
    starts: list[int],
    end: int,
    sizes: tuple[int, int, int],
    sends_files: bool,
    least_sent: int,
) -> None:
    faults: list[str] = []
    kept = KeptBatches(sends_files=sends_files)
    served = ServedLog(kafkafmt.scan(log.directory).partitions[0], ServeOptions(), faults.append, kept)
    end = min(end, served.end)
    offsets = [min(start, served.end) for start in starts]
    with (
        patch.object(log_reader, "_AHEAD", sizes[0]),
        patch.object(log_reader, "_LITTLE_AHEAD", sizes[1]),
        patch.object(log_reader, "LEAST", least_sent),
        patch.object(KeptBatches, "_MOST", sizes[2]),
    ):
        for reader, most, is_first in asked:
            offset = offsets[reader]
            # Data in memory does not need its segment checked.
            with patch.object(type(served.segments[0]), "open", side_effect=AssertionError("a file was opened")):
                try:
                    found = served.read(offset, most, end=end, is_first=is_first, waits=False)
                except NotAtHandError:
                    found = None
            found = found or served.read(offset, most, end=end, is_first=is_first)
            data = bytes_of(found) if found is not None and found.has_batches else b""
            assert data == expected(log.segments, offset, most, end, is_first=is_first)
            if found is not None and found.parts:
                assert found.end > offset
                offsets[reader] = found.end
    assert not faults
    if kept.files is not None:
        kept.files.close()
