"""tools/follow_proof: the differences that notes excuse; .ci/run starts a broker and follows it."""

from collections import Counter

import pytest

from follow_proof.differences import Row, excused_rows

NOTE = "kafkafmt: note: "


def of(name: str, *offsets: int, life: int = 0) -> list[Row]:
    """The records consumed from a partition."""
    topic, _, number = name.rpartition("-")
    return [(topic, int(number), offset, "key", f"{life}.{offset}") for offset in offsets]


CONSUMED = [*of("a-b-0", *range(10)), *of("t-1", *range(5)), *of("t-1", *range(7), life=1), *of("t-1", 0, 1, 2, life=2)]


@pytest.mark.parametrize(
    ("missing", "said", "excused"),
    [
        (of("a-b-0", 3, 4), "a-b-0: offsets 2 to 4 were deleted before they were read; the log now starts at 5", True),
        (of("a-b-0", 3, 4), "b-0: offsets 2 to 4 were deleted before they were read; the log now starts at 5", False),
        (of("a-b-0", 3, 4), "a-b-0: offsets 3 to 4 were removed by compaction before they were read", True),
        (of("a-b-0", 3, 5), "a-b-0: 2 of the offsets 3 to 5 were removed by compaction before they were read", True),
        (of("a-b-0", 3), "a-b-0: offset 3 was removed by compaction before it was read", True),
        (of("a-b-0", 3, 4), "a-b-0: 1 of the offsets 3 to 5 was removed by compaction before it was read", False),
        (of("a-b-0", 8, 9), "a-b-0: the partition was deleted; it was read up to offset 7", True),
        (of("a-b-0", 8, 9), "a-b-0: the partition was deleted; it was read up to offset 8", False),
        (of("a-b-0", 7, 9), "a-b-0: the partition was deleted; it was read up to offset 6", False),
        (
            of("a-b-0", 8, 9),
            "a-b-0: the partition was deleted; it was read up to offset 7, and offsets 8 to 9 were not",
            True,
        ),
        (of("a-b-0", 8, 9), "a-b-0: the partition was deleted; it was read to its end, offset 7", False),
        (of("a-b-0", *range(10)), "a-b-0: the partition was deleted; it was not read", True),
        (of("a-b-0", *range(10)), "a-b-0: the partition was deleted; it was not read: offsets 0 to 9", True),
        # How far it was read shows which of the topics of the same name is meant.
        (of("t-1", 5, 6, life=1), "t-1: the partition was deleted; it was read up to offset 4", True),
        (
            of("t-1", 2, life=2),
            "t-1: the topic was deleted and created again; the deleted one was read up to offset 1; the new one",
            True,
        ),
        (
            of("t-1", 2, life=2),
            (
                "t-1: the topic was deleted and created again; the deleted one was read up to offset 1, and offset 2 "
                "was not; the new one is read from its start"
            ),
            True,
        ),
        (
            of("t-1", 4) + of("t-1", 4, 5, 6, life=1),
            "t-1: the partition was deleted; it was read up to offset 3",
            False,
        ),
        (of("t-1", 0, 1, 2, life=2), "t-1: the topic was created again", False),
        (
            of("t-1", 5, 6, life=1),
            f"t-1.{1:032x}-delete: the partition was deleted before it was followed; it was read up to offset 4",
            False,
        ),
        (
            of("t-1", *range(7), life=1),
            f"t-1.{1:032x}-delete: the partition was deleted before it was followed; it was not read",
            False,
        ),
    ],
)
def test_what_a_note_excuses(missing: list[Row], said: str, *, excused: bool) -> None:
    found = excused_rows(Counter(missing), Counter(CONSUMED), f"{NOTE}no topic x\n{NOTE}{said}\n")
    assert (set().union(*found.values()) == set(missing)) == excused


def test_a_deletion_that_two_notes_say_excuses_once() -> None:
    missing = of("t-1", 4) + of("t-1", 4, 5, 6, life=1)
    deleted = f"{NOTE}t-1: the partition was deleted; it was read up to offset 3\n"
    again = (
        f"{NOTE}t-1: the topic was deleted and created again; the deleted one was read up to offset 3; the new one\n"
    )
    once = excused_rows(Counter(missing), Counter(CONSUMED), deleted + again)
    twice = excused_rows(Counter(missing), Counter(CONSUMED), deleted + again + deleted + again)
    assert [len(set().union(*found.values())) for found in (once, twice)] == [1, 4]
