"""One pass of retention on made-up logs, compared with a model that deletes segment by segment."""

from dataclasses import dataclass
from typing import Self

from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.operations.deletion import Cause, LogFacts, RetentionLimits, one_pass

LAST = 2**63 - 1
TIMES = st.one_of(st.integers(0, 30), st.integers(LAST - 20, LAST))


@dataclass
class Model:
    """A log as a list that shrinks at its front: (base offset, size, largest timestamp)."""

    left: list[tuple[int, int, int]]
    facts: LogFacts

    @classmethod
    def of(cls, facts: LogFacts) -> Self:
        return cls(list(zip(facts.base_offsets, facts.sizes, facts.largest_timestamps, strict=True)), facts)

    def is_free(self) -> bool:
        following = self.left[1][0] if len(self.left) > 1 else None
        end = self.facts.log_end_offset if following is None else following
        if following is None and self.left[0][1] == 0:
            return False
        passed = following is not None and self.facts.log_start_offset >= following
        uploaded = self.facts.uploaded_to
        return self.facts.high_watermark >= end and (uploaded is None or passed or 0 < end <= uploaded + 1)

    def run(self, limits: RetentionLimits, at: int) -> int:
        """The number of segments that one pass deletes."""
        count = len(self.left)
        while len(self.left) > 1 and self.left[1][0] <= self.facts.log_start_offset and self.is_free():
            self.left.pop(0)
        if limits.is_deleted and limits.size >= 0:
            while self.left and sum(size for _, size, _ in self.left[1:]) >= limits.size and self.is_free():
                self.left.pop(0)
        if limits.is_deleted and limits.ms >= 0:
            while self.left and at - self.left[0][2] > limits.ms and self.is_free():
                self.left.pop(0)
        return count - len(self.left)


@st.composite
def logs(draw: st.DrawFn) -> LogFacts:
    bases = sorted(draw(st.sets(st.integers(0, 20), min_size=1, max_size=6)))
    sizes = [draw(st.integers(1, 9)) for _ in bases]
    end = bases[-1]
    if draw(st.booleans()):
        sizes[-1] = 0
    else:
        end += draw(st.integers(1, 4))
    start = draw(st.integers(bases[0], end))
    return LogFacts(
        bases,
        sizes,
        [draw(TIMES) for _ in bases],
        start,
        end,
        draw(st.integers(start, end)) if draw(st.booleans()) else end,
        draw(st.one_of(st.none(), st.integers(-1, end))),
    )


LIMITS = st.builds(
    RetentionLimits,
    ms=st.one_of(st.just(-1), st.integers(0, 10)),
    size=st.one_of(st.just(-1), st.integers(0, 40)),
    is_deleted=st.sampled_from([True, True, True, False]),
)


@given(logs(), LIMITS, st.integers(-5, 60))
def test_what_one_pass_deletes(facts: LogFacts, limits: RetentionLimits, at: int) -> None:
    fates = one_pass(facts, limits, at)
    assert len(fates) == len(facts.base_offsets)
    deleted = Model.of(facts).run(limits, at)
    assert [fate.is_deleted for fate in fates] == [number < deleted for number in range(len(fates))]


@given(logs(), LIMITS, st.integers(-5, 60))
def test_deletable_at_is_the_first_time_at_which_a_pass_deletes_it(
    facts: LogFacts, limits: RetentionLimits, at: int
) -> None:
    for number, fate in enumerate(one_pass(facts, limits, at)):

        def goes(when: int, number: int = number) -> bool:
            return Model.of(facts).run(limits, when) > number

        if fate.deletable_at is not None:
            assert goes(fate.deletable_at)
            assert not goes(fate.deletable_at - 1)
            assert fate.is_deleted == (at >= fate.deletable_at)
        else:
            assert goes(LAST) == goes(-(10**6)) == fate.is_deleted


@given(logs(), LIMITS, st.integers(-5, 60))
def test_the_holder_is_the_first_to_let_go(facts: LogFacts, limits: RetentionLimits, at: int) -> None:
    for number, fate in enumerate(one_pass(facts, limits, at)):
        assert fate.holder <= number
        assert (fate.cause is Cause.EARLIER_SEGMENT) == (fate.holder < number)
        if fate.cause in (Cause.TIME, Cause.EARLIER_SEGMENT):
            due = facts.largest_timestamps[fate.holder] + limits.ms + 1
            assert fate.deletable_at == (due if due <= LAST else None)
