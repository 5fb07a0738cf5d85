"""The choice of an entry by position or offset, and the error if there is none."""

import struct
from dataclasses import replace

import click
import pytest

from kafkafmt.cli.inspect import choosing
from kafkafmt.errors import CorruptError, LimitExceededError, SourceError
from kafkafmt.files.kinds import KINDS, kind_by_extension
from kafkafmt.io.base import File, MemoryFile
from kafkafmt.limits import Limits
from tests.reference.builder import R, batch, message, with_size, wrapper

LIMITS = Limits()
FIRST, SECOND, THIRD = batch([R(0), R(1)], base_offset=10), batch(base_offset=20), message(30)
LOG = MemoryFile("f.log", FIRST + SECOND + THIRD)
AT_SECOND, AT_THIRD = len(FIRST), len(FIRST) + len(SECOND)


def at(file: File, position: int | None, *, exact: bool = False) -> tuple[int, str | None]:
    chosen = choosing.log_entry_at(file, position, exact=exact, limits=LIMITS)
    return chosen.position, chosen.why


class Unreadable(MemoryFile):
    """A file whose bytes cannot be read."""

    def readinto_at(self, position: int, buffer: memoryview) -> int:  # noqa: ARG002
        raise SourceError("gone", file=self.name)


class TestLogByPosition:
    def test_none_is_the_first_entry(self) -> None:
        assert choosing.log_entry_at(LOG, None, exact=False, limits=LIMITS) == choosing.Chosen(0, FIRST)

    def test_the_begin_of_an_entry_needs_no_word(self) -> None:
        assert [at(LOG, position) for position in (0, AT_SECOND, AT_THIRD)] == [
            (0, None),
            (AT_SECOND, None),
            (AT_THIRD, None),
        ]

    def test_a_byte_inside_is_said_to_be_inside(self) -> None:
        assert at(LOG, AT_SECOND + 7) == (AT_SECOND, f"position {AT_SECOND + 7} is byte 7 of the entry at {AT_SECOND}")
        assert at(LOG, LOG.size - 1)[0] == AT_THIRD

    def test_exact_believes_the_position(self) -> None:
        assert at(LOG, 7, exact=True) == (7, None)

    @pytest.mark.parametrize("position", [LOG.size, LOG.size + 100])
    @pytest.mark.parametrize("exact", [False, True])
    def test_beyond_the_end_there_is_nothing(self, position: int, exact: bool) -> None:
        with pytest.raises(click.UsageError, match=f"position {position} is beyond the end of the file, which has"):
            at(LOG, position, exact=exact)

    def test_behind_damage_the_position_is_believed(self) -> None:
        file = MemoryFile("f.log", FIRST + with_size(SECOND, 3) + THIRD)
        position, why = at(file, AT_THIRD)
        assert position == AT_THIRD
        assert why is not None
        assert why.startswith(f"the walk from the start of the file ends at {AT_SECOND}, where there is no whole entry")
        assert at(file, AT_SECOND) == (AT_SECOND, None)

    def test_an_incomplete_tail_is_an_entry_of_its_own(self) -> None:
        file = MemoryFile("f.log", FIRST + SECOND[:20])
        assert at(file, AT_SECOND) == (AT_SECOND, None)
        assert at(file, AT_SECOND + 3) == (AT_SECOND, f"position {AT_SECOND + 3} is byte 3 of the entry at {AT_SECOND}")
        assert at(MemoryFile("f.log", FIRST + SECOND[:9]), AT_SECOND + 3)[0] == AT_SECOND

    def test_in_a_tail_of_zeros_the_position_is_believed(self) -> None:
        assert at(MemoryFile("f.log", FIRST + bytes(500)), AT_SECOND + 300)[0] == AT_SECOND + 300

    def test_a_file_that_cannot_be_read_is_no_damage(self) -> None:
        for position in (3, None):
            with pytest.raises(SourceError):
                at(Unreadable("f.log", bytes(100)), position)
        with pytest.raises(SourceError):
            choosing.log_entry_of(Unreadable("f.log", bytes(100)), 3, LIMITS)


class TestBytesOfAnEntry:
    def test_a_size_too_small_gives_a_piece_and_says_so(self) -> None:
        file = MemoryFile("f.log", with_size(FIRST, 13) + bytes(5000))
        chosen = choosing.log_entry_at(file, None, exact=False, limits=LIMITS)
        assert len(chosen.data) == 1024
        assert isinstance(chosen.error, CorruptError)
        assert (chosen.error.message, chosen.error.found) == ("the size is too small", 13)

    def test_zeros_are_called_zeros(self) -> None:
        chosen = choosing.log_entry_at(MemoryFile("f.log", bytes(99)), None, exact=False, limits=LIMITS)
        assert chosen.error is not None
        assert "preallocated" in chosen.error.message

    def test_no_more_is_read_than_the_limit_allows(self) -> None:
        limits = Limits(max_batch_bytes=100)
        file = MemoryFile("f.log", batch([R(value=bytes(5000))]))
        chosen = choosing.log_entry_at(file, None, exact=False, limits=limits)
        assert len(chosen.data) == 1024
        assert isinstance(chosen.error, LimitExceededError)

    def test_the_last_bytes_of_a_file_may_be_few(self) -> None:
        assert choosing.log_entry_at(MemoryFile("f", b"abc"), None, exact=False, limits=LIMITS).data == b"abc"


class TestLogByOffset:
    @pytest.mark.parametrize(("offset", "position"), [(10, 0), (11, 0), (20, AT_SECOND), (30, AT_THIRD)])
    def test_the_entry_that_holds_it(self, offset: int, position: int) -> None:
        chosen = choosing.log_entry_of(LOG, offset, LIMITS)
        assert (chosen.position, chosen.why) == (position, None)

    def test_the_next_one_where_none_holds_it(self) -> None:
        chosen = choosing.log_entry_of(LOG, 15, LIMITS)
        assert chosen.position == AT_SECOND
        assert chosen.why == "no entry holds offset 15: this is the next one, where a fetch at that offset begins"

    def test_a_wrapper_tells_its_last_offset(self) -> None:
        file = MemoryFile("f.log", wrapper(9, message(0) + message(4)) + FIRST)
        assert choosing.log_entry_of(file, 7, LIMITS).position == 0

    def test_no_entry_reaches_up_to_it(self) -> None:
        with pytest.raises(
            click.UsageError, match=r"no entry holds offset 31 or a higher one: the highest one is 30\."
        ):
            choosing.log_entry_of(LOG, 31, LIMITS)
        with pytest.raises(click.UsageError, match="there is none"):
            choosing.log_entry_of(MemoryFile("f", FIRST[:20]), 31, LIMITS)

    def test_damage_bars_the_way(self) -> None:
        file = MemoryFile("f.log", FIRST + with_size(SECOND, 3) + THIRD)
        with pytest.raises(CorruptError, match="offset 30 is not before this damage") as caught:
            choosing.log_entry_of(file, 30, LIMITS)
        assert caught.value.position == AT_SECOND

    def test_an_entry_of_a_later_magic_is_passed_over(self) -> None:
        file = MemoryFile("f.log", batch(magic=3, base_offset=1) + FIRST)
        assert choosing.log_entry_of(file, 11, LIMITS).position == len(batch(magic=3))


class TestIndexes:
    OFFSETS = MemoryFile("f", struct.pack(">iiiiii", 5, 0, 9, 100, 20, 300) + bytes(80))
    TIMES = MemoryFile("f", struct.pack(">qiqi", 1000, 5, 2000, 9))
    ABORTS = MemoryFile("f", struct.pack(">hqqqqhqqqq", 0, 1, 5, 9, 5, 0, 2, 8, 12, 8))

    def test_a_position_is_that_of_the_entry_around_it(self) -> None:
        assert choosing.slot_at(self.OFFSETS, 8, None).position == 0
        assert choosing.slot_at(self.OFFSETS, 8, 8).why is None
        chosen = choosing.slot_at(self.OFFSETS, 8, 13)
        assert (chosen.position, chosen.data) == (8, struct.pack(">ii", 9, 100))
        assert chosen.why == "position 13 is byte 5 of the entry at 8"
        with pytest.raises(click.UsageError, match="beyond the end"):
            choosing.slot_at(self.OFFSETS, 8, 104)

    def test_places_that_are_not_in_use_are_called_so(self) -> None:
        assert choosing.slot_at(self.OFFSETS, 8, 24).why == "zeros: an unused entry"
        assert choosing.slot_at(self.OFFSETS, 8, 25).why == (
            "position 25 is byte 1 of the entry at 24; zeros: an unused entry"
        )
        assert choosing.slot_at(MemoryFile("f", bytes(8)), 8, 0).why is None

    @pytest.mark.parametrize(("offset", "position"), [(105, 0), (108, 0), (109, 8), (119, 8), (120, 16), (999, 16)])
    def test_the_last_entry_that_is_not_above_the_offset(self, offset: int, position: int) -> None:
        chosen = choosing.index_entry_of(self.OFFSETS, "index", offset, 100)
        assert chosen.position == position
        assert chosen.why is not None
        assert ("the last one at or below" in chosen.why) == (offset not in (105, 109, 120))

    def test_without_base_offset_offsets_are_relative(self) -> None:
        chosen = choosing.index_entry_of(self.TIMES, "timeindex", 9, None)
        assert (chosen.position, chosen.data[:8]) == (12, struct.pack(">q", 2000))
        assert chosen.why is not None
        assert chosen.why.endswith("(the file name has no base offset: offsets count from that of the segment)")

    def test_below_all_entries_there_is_none(self) -> None:
        with pytest.raises(click.UsageError, match="no entry is at or below offset 104"):
            choosing.index_entry_of(self.OFFSETS, "index", 104, 100)

    def test_the_aborted_transaction_around_an_offset(self) -> None:
        assert choosing.aborted_transaction_of(self.ABORTS, 6).position == 0
        assert choosing.aborted_transaction_of(self.ABORTS, 8).why == (
            "entry 0 of the index: the transaction around offset 8, and 1 more are"
        )
        assert choosing.aborted_transaction_of(self.ABORTS, 12).position == 34
        with pytest.raises(click.UsageError, match="in none of the 2 aborted transactions"):
            choosing.aborted_transaction_of(self.ABORTS, 13)

    def test_a_file_too_large_for_its_kind_is_not_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KINDS, "snapshot", replace(KINDS["snapshot"], max_bytes=10))
        with pytest.raises(LimitExceededError):
            choosing.whole_file(MemoryFile("f", bytes(11)), "snapshot", None)
        with pytest.raises(click.UsageError):
            choosing.whole_file(MemoryFile("f", bytes(10)), "snapshot", 10)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("00000000000000000000.log", "kafka_log_segment"),
        ("00000000000000000000.log.deleted", "kafka_log_segment"),
        ("00000000000000000000.log.swap", "kafka_log_segment"),
        ("00000000000000000114-0000000001.checkpoint", "kafka_log_segment"),
        ("00000000000000000114-0000000001.checkpoint.deleted", "kafka_log_segment"),
        ("00000000000000000000.index.cleaned", "kafka_offset_index"),
        ("00000000000000000000.timeindex", "kafka_time_index"),
        ("00000000000000000000.txnindex", "kafka_transaction_index"),
        ("00000000000000000000.snapshot.deleted", "kafka_producer_snapshot"),
        ("leader-epoch-checkpoint", None),
        ("replication-offset-checkpoint", None),
        ("meta.properties", None),
        ("log", None),
    ],
)
def test_the_name_of_a_file_tells_its_spec(name: str, spec: str | None) -> None:
    kind = kind_by_extension(name)
    assert (kind and kind.spec) == spec
