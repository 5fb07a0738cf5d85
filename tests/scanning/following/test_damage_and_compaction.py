"""`Scan.follow`: data that is damaged, unreadable, or cleaned before or while it is read."""

from collections.abc import Sequence

import pytest

from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError
from kafkafmt.logdir.growth import GrowingLog
from kafkafmt.logdir.segment import Segment
from tests.logdir.builders import batch, file_name
from tests.scanning.growing import Broker, follow, offsets


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_damage_counts_once_something_follows_it(on_damage: str, broker: Broker) -> None:
    torn = bytearray(batch(2, 2))
    torn[-1] ^= 1
    broker.write("t-0", 0, batch(0, 2), bytes(torn))
    follower = follow(broker.log_dir, on_damage=on_damage)
    assert (offsets(follower), follower.damage) == ([0, 1], [])
    broker.tick(broker.log_dir / "t-0" / file_name(0))
    assert (offsets(follower), follower.damage) == ([], [])
    broker.write("t-0", 0, batch(4))
    if on_damage == "raise":
        for _ in range(2):
            with pytest.raises(ChecksumError, match=r"t-0/0.*CRC mismatch"):
                offsets(follower)
        return
    assert offsets(follower) == [4]
    [damage] = follower.damage
    assert (damage.reason, damage.first_offset, damage.last_offset, damage.records) == ("checksum", 2, 3, 2)
    broker.write("t-0", 5, batch(5))
    assert (offsets(follower), len(follower.damage)) == ([5], 1)


def test_a_torn_batch_that_is_written_to_its_end_is_given(broker: Broker) -> None:
    whole = batch(0, 2)
    broker.write("t-0", 0, whole[:-1] + b"\1", bytes(100))
    follower = follow(broker.log_dir)
    assert offsets(follower) == []
    broker.write("t-0", 0, whole, at=0)
    assert (offsets(follower), follower.damage) == ([0, 1], [])


def test_a_batch_that_is_cut_off_is_damage_once_the_segment_has_rolled(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0), batch(1)[:-5])
    follower = follow(broker.log_dir, on_damage="skip")
    assert (offsets(follower), follower.damage) == ([0], [])
    broker.write("t-0", 2, batch(2))
    assert offsets(follower) == [2]
    assert [(damage.reason, damage.first_offset) for damage in follower.damage] == [("incomplete_tail", 1)]


def test_zeros_before_a_batch_are_damage_and_do_not_hold_it_up_for_long(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, on_damage="skip")
    assert offsets(follower) == [0]
    broker.write("t-0", 0, bytes(200), batch(9))
    found: list[int] = []
    for at in range(10, 14):
        found += offsets(follower)
        broker.write("t-0", 0, batch(at))
    assert found[:1] == [9]
    assert len(follower.damage) == 1


def test_compaction_takes_nothing_and_repeats_nothing(broker: Broker) -> None:
    content = [batch(at) for at in range(6)]
    broker.write("t-0", 0, *content)
    follower = follow(broker.log_dir)
    assert offsets(follower) == list(range(6))
    broker.replace("t-0", 0, content[1] + content[5])
    assert offsets(follower) == []
    broker.write("t-0", 6, batch(6, 2))
    assert offsets(follower) == [6, 7]
    # Two segments become one, which has the records not read yet.
    broker.write("t-0", 6, batch(8))
    broker.write("t-0", 9, batch(9))
    broker.delete("t-0", 6)
    broker.replace("t-0", 0, content[5] + batch(6, 2) + batch(8))
    assert offsets(follower) == [8, 9]
    assert follower.notes == []


def test_compaction_between_listing_and_reading_is_no_damage(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.write("t-0", 0, *[batch(at) for at in range(3)])
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.write("t-0", 0, batch(3))
    broker.write("t-0", 4, batch(4))
    broker.write("t-0", 5, batch(5))
    listed = GrowingLog.segments
    merged = [batch(2, value=b"x" * 500) + batch(3) + batch(4)]

    def overtaken(log: GrowingLog) -> Sequence[Segment]:
        found = listed(log)
        while merged:
            broker.replace("t-0", 0, merged.pop())  # larger than the listed file
            broker.delete("t-0", 4)
        return found

    monkeypatch.setattr(GrowingLog, "segments", overtaken)
    found = offsets(follower)
    assert found + offsets(follower) == [3, 4, 5]
    assert (follower.notes, follower.damage) == ([], [])


def cleaned(offset: int, last: int, count: int) -> bytes:
    """A batch as the cleaner leaves it: the same offset range, and fewer records."""
    whole = bytearray(batch(offset, count))
    whole[23:27] = (last - offset).to_bytes(4, "big")
    whole[17:21] = crc32c(whole[21:]).to_bytes(4, "big")
    return bytes(whole)


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([batch(10, 4), batch(14), batch(15)], None),
        ([batch(10), batch(13)], "4 of the offsets 11 to 15 were removed by compaction before they were read"),
        ([batch(12, 4)], "offsets 10 to 11 were removed by compaction before they were read"),
        ([batch(10, 5)], "offset 15 was removed by compaction before it was read"),
        (
            [cleaned(10, 13, 2), cleaned(14, 15, 1)],
            "3 of the offsets 10 to 15 were removed by compaction before they were read",
        ),
        ([], "offsets 10 to 15 were removed by compaction before they were read"),
    ],
    ids=["nothing", "between", "before", "after", "within", "all"],
)
def test_what_compaction_takes_away_unread_is_said(
    kept: list[bytes], said: str | None, isolation: str, broker: Broker
) -> None:
    # Offsets missing below 9 were missing when following began.
    broker.write("t-0", 0, batch(0), cleaned(4, 8, 2))
    follower = follow(broker.log_dir, isolation_level=isolation)
    assert len(offsets(follower)) == 3
    broker.write("t-0", 0, batch(9))
    assert (offsets(follower), follower.notes) == ([9], [])
    # A segment is written, rolls, and is cleaned into the one before it.
    broker.replace("t-0", 0, cleaned(4, 8, 1) + b"".join(kept))
    broker.write("t-0", 16, batch(16))
    broker.write("t-0", 16, batch(17))
    assert offsets(follower)[-2:] == [16, 17]
    assert follower.notes == ([] if said is None else [f"t-0: {said}"])
    assert not any(note.is_finding for note in follower.notes)
    follower.notes.clear()
    broker.write("t-0", 16, batch(18))
    assert (offsets(follower), follower.notes) == ([18], [])


def test_many_gaps_are_one_note(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, start_offset=3)
    assert offsets(follower) == []
    for base in (10, 20, 30):
        broker.write("t-0", base, *[batch(at) for at in range(base + 1, base + 10, 2)])
    assert len(offsets(follower)) == 15
    # 1 and 2 were not requested; up to the current log end
    assert follower.notes == ["t-0: 22 of the offsets 3 to 38 were removed by compaction before they were read"]


def test_damage_is_not_taken_for_compaction(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, on_damage="skip")
    assert offsets(follower) == [0]
    wrong = bytearray(batch(1, 3))
    wrong[8:12] = b"\xff" * 4
    broker.write("t-0", 0, bytes(wrong), batch(4), batch(5))
    broker.write("t-0", 6, batch(6))
    assert offsets(follower) == [4, 5, 6]
    assert (len(follower.damage), follower.notes) == (1, [])


def test_a_file_that_cannot_be_read_is_said_when_that_goes_on(broker: Broker) -> None:
    path = broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    path.unlink()
    path.symlink_to("nowhere")
    for _ in range(6):
        broker.tick(broker.log_dir / "t-0")
        assert offsets(follower) == []
    assert len(follower.notes) == 1
    assert "trying again" in follower.notes[0]
    path.unlink()
    broker.write("t-0", 0, batch(0), batch(1))
    assert offsets(follower) == [1]
