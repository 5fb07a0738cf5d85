"""The answer of `kafkafmt find`: one row for any question, and remarks on it."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.arrays import as_text
from kafkafmt.cli import human, messages
from kafkafmt.cli.find.log import Log, OrderCheck
from kafkafmt.cli.find.question import Question
from kafkafmt.cli.output import TableShape
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.logdir import lookup
from kafkafmt.logdir.trace import HeaderRead, RecordFound, Step
from kafkafmt.reference.header import INT64_MAX

if TYPE_CHECKING:
    from kafkafmt.cli.find.explanation import Explanation
    from kafkafmt.files.damage import Damage


class FoundPlace(NamedTuple):
    """The row of an answer; None where a column does not apply to the question, or is not known.

    Attributes:
        topic: topic by the name of the directory, or None.
        partition: number of the partition by the name of the directory, or None.
        offset: the offset asked for or found.
        timestamp: timestamp of the record found; None except for `--timestamp` and `--max-timestamp`.
        leader_epoch: leader epoch of the record found; for `--earliest` and `--latest` by the leader-epoch-checkpoint;
            None for `--offset`.
        file: the file where its batch is; for `--latest` where the next batch will be written.
        position: where the batch begins in it, in bytes.
        base_offset: base offset of that batch; of a compressed wrapper of format 0 or 1 the last offset, as in its
            header; None for `--latest`.
        size_in_bytes: size of that batch; None for `--latest`.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    offset: Annotated[int, "int64"]
    timestamp: Annotated[int | None, TIME]
    leader_epoch: Annotated[int | None, "int32"]
    file: Annotated[str | None, "string"]
    position: Annotated[int | None, "int64"]
    base_offset: Annotated[int | None, "int64"]
    size_in_bytes: Annotated[int | None, "int64"]


SCHEMA = TableColumns(*columns_of(FoundPlace)).schema

Row = dict[str, Any]


@dataclass
class FindAnswer:
    """The result for one log.

    Attributes:
        row: a value for each column that has one; None if the record does not exist.
        remarks: remarks for stderr, one line each.
        is_doubtful: whether something is wrong with an index, a checkpoint or offsets.
    """

    row: Row | None = None
    remarks: list[str] = field(default_factory=list)
    is_doubtful: bool = False


def shape_of(question: Question) -> TableShape:
    """The columns that matter for an answer to this question, few enough for a terminal."""
    if question.is_of_time:
        return TableShape(("offset", "timestamp", "file", "position"))
    if question.kind == "latest":
        return TableShape(("offset", "leaderEpoch", "file", "position"))
    return TableShape(("offset", "file", "position", "baseOffset", "sizeInBytes"))


def find(log: Log, question: Question, explanation: "Explanation | None") -> FindAnswer:
    """Answer a question about one log.

    Args:
        log: the log to search.
        question: the target.
        explanation: receives each step, or None.

    Raises:
        KafkafmtError: the search meets damage; the error has the path of the file.
    """
    steps = _Steps(log, explanation)
    answer = FindAnswer()
    if explanation is not None:
        explanation.begin(log, question)
    try:
        answer.row = _ANSWERS[question.kind](log, question, steps, answer)
        if answer.row is None:
            answer.remarks.append(_nothing(log, question, steps))
    except KafkafmtError as error:
        placed = log.with_path(error)
        if explanation is not None:
            explanation.stopped(placed)
        raise placed from error
    finally:
        if explanation is not None:
            explanation.end()
    # Two walks may meet the same damage.
    damage = {(each.file, each.position): each for each in steps.damage if not each.is_open_end}
    answer.remarks += [messages.damage_line(each, log.with_path(each.error)) for each in damage.values()]
    told = tuple(f": position {each.error.position}: {each.error.message}" for each in damage.values())
    answer.remarks += [fault for fault in steps.order.faults if not fault.endswith(told)]
    if damage and question.is_of_time:
        what = (
            "have the largest timestamp" if question.kind == "max-timestamp" else "be the first at or after this time"
        )
        answer.remarks.append(f"note: the answer leaves damaged batches out: a record in them may {what}")
    answer.is_doubtful |= bool(damage or steps.order.faults)
    if log.checkpoint_error is not None:
        answer.remarks.append(f"{log.checkpoint_error}; so the log start offset is taken from the first segment")
        answer.is_doubtful = True
    _remark_on_indexes(log, steps, answer)
    beyond = [value for value in (answer.row or {}).values() if isinstance(value, int) and value > INT64_MAX]
    if beyond:
        answer.remarks.append(
            f"{log.path}: no answer: offset {beyond[0]} does not fit in 64 bits (no CRC covers offsets)"
        )
        answer.row, answer.is_doubtful = None, True
    if answer.row is not None:
        answer.row |= {
            "topic": as_text(log.partition.topic),
            "partition": log.partition.partition,
            "file": as_text(answer.row.get("file")),
        }
    return answer


def _remark_on_indexes(log: Log, steps: "_Steps", answer: FindAnswer) -> None:
    """Add remarks on indexes that are wrong or missing."""
    missing: dict[str, list[KafkafmtError]] = {}
    for finding in steps.findings.values():
        if isinstance(finding, SourceError):
            missing.setdefault(finding.message, []).append(finding)
            continue
        answer.remarks.append(f"{log.with_path(finding)}; it was not used for the answer")
        answer.is_doubtful = True
    for first, *others in missing.values():
        # Before Kafka 0.10.1 no segment had a time index.
        more = f" (and {len(others)} more like it)" if others else ""
        # An existing index that cannot be read is a finding.
        cannot_be_read = first.__cause__ is not None
        answer.is_doubtful |= cannot_be_read
        prefix = "" if cannot_be_read else "note: "
        answer.remarks.append(f"{prefix}{log.with_path(first)}{more}; headers were read instead")


class _Steps:
    """Observes the steps of a look-up, and passes them on to the explanation."""

    def __init__(self, log: Log, explanation: "Explanation | None") -> None:
        self._explanation = explanation
        self.order = OrderCheck(log)
        self.findings: dict[str, KafkafmtError] = {}
        self.damage: list[Damage] = []
        self.found: RecordFound | None = None
        self.header: HeaderRead | None = None

    def __call__(self, step: Step) -> None:
        if self._explanation is not None:
            self._explanation.step(step)
        self.order.see(step)
        if isinstance(step, RecordFound):
            self.found = step
        elif isinstance(step, HeaderRead):
            self.header = step
        if step.finding is not None:
            self.findings.setdefault(str(step.finding), step.finding)


def _of_offset(log: Log, question: Question, steps: _Steps, answer: FindAnswer) -> Row | None:
    place = lookup.find_offset(log.segments, question.value, steps, steps.damage.append)
    if place is None:
        return None
    _tell_if_deleted(log, question.value, answer)
    _tell_if_absent(log, question.value, place, steps, answer)
    return _row_of(question.value, place)


def _of_timestamp(log: Log, question: Question, steps: _Steps, _: FindAnswer) -> Row | None:
    record = lookup.find_timestamp(log.segments, question.value, log.start or 0, steps, steps.damage.append)
    return None if record is None else _row_of_record(steps)


def _of_max_timestamp(log: Log, _: Question, steps: _Steps, answer: FindAnswer) -> Row | None:
    record = lookup.find_max_timestamp(log.segments, steps, steps.damage.append)
    if record is None:
        return None
    _tell_if_deleted(log, record.offset, answer)
    return _row_of_record(steps)


def _of_earliest(log: Log, _: Question, steps: _Steps, answer: FindAnswer) -> Row | None:
    start = log.start
    if start is None:
        return None
    place = lookup.find_offset(log.segments, start, steps, steps.damage.append)
    row = _row_at_end(log, start) if place is None else _row_of(start, place)
    return row | {"leaderEpoch": _epoch_at(log, start, answer)}


def _of_latest(log: Log, _: Question, steps: _Steps, answer: FindAnswer) -> Row | None:
    end = log.end
    if end is None:
        return None
    with suppress(DataError):  # a fault must not prevent the answer
        last = max(end - 1, log.segments[-1].base_offset or 0)
        lookup.find_offset(log.segments, last, steps.order.see)
    return _row_at_end(log, end) | {"leaderEpoch": _epoch_at(log, end, answer)}


_ANSWERS = {
    "offset": _of_offset,
    "timestamp": _of_timestamp,
    "max-timestamp": _of_max_timestamp,
    "earliest": _of_earliest,
    "latest": _of_latest,
}


def _row_of(offset: int, place: lookup.EntryPlace) -> Row:
    return {
        "offset": offset,
        "file": place.file,
        "position": place.position,
        "baseOffset": place.base_offset,
        "sizeInBytes": place.size_in_bytes,
    }


def _row_of_record(steps: _Steps) -> Row:
    found, header = steps.found, steps.header
    row: Row = {}
    if found is not None:
        row |= {"offset": found.offset, "timestamp": found.timestamp, "leaderEpoch": found.leader_epoch}
        row |= {"file": found.file, "position": found.position}
    if found is not None and header is not None and (header.file, header.position) == (found.file, found.position):
        base_offset = header.last_offset if header.base_offset is None else header.base_offset
        row |= {"baseOffset": base_offset, "sizeInBytes": header.size_in_bytes}
    return row


def _row_at_end(log: Log, offset: int) -> Row:
    file, position = log.end_place or (None, None)
    return {"offset": offset, "file": file, "position": position}


def _epoch_at(log: Log, offset: int, answer: FindAnswer) -> int | None:
    try:
        return log.leader_epoch_at(offset)
    except KafkafmtError as error:
        answer.remarks.append(f"{error}; so the leader epoch is unknown")
        answer.is_doubtful = True
        return None


def _tell_if_deleted(log: Log, offset: int, answer: FindAnswer) -> None:
    start = log.start
    if start is not None and offset < start:
        answer.remarks.append(
            f"note: offset {offset} is below the log start offset {start}: deleted for consumers, still on disk"
        )


def _tell_if_absent(log: Log, offset: int, place: lookup.EntryPlace, steps: _Steps, answer: FindAnswer) -> None:
    """Add a remark if no record has the offset, and whether that is because of damage."""
    found = lookup.next_record(log.segments, place, offset, steps.damage.append)
    if found == offset:
        return
    rest = "and no record follows" if found is None else f"the next record is {found}"
    lost = place.is_misplaced or any(_may_hold(damage, offset) for damage in steps.damage)
    absent = f"offset {offset} was in a damaged batch" if lost else f"a fetch at offset {offset} finds no such record"
    answer.remarks.append(f"note: {absent}; {rest}")


def _may_hold(damage: "Damage", offset: int) -> bool:
    first, last = damage.first_offset, damage.last_offset
    return not damage.is_open_end and (first is None or first <= offset) and (last is None or offset <= last)


def _nothing(log: Log, question: Question, steps: _Steps) -> str:
    start, end = log.start, log.end
    if start is None or end is None:
        return f"{log.path} has no segment."
    ends = f"the log of {log.path} starts at offset {start} and ends before offset {end}"
    if question.kind == "offset":
        return (
            f"nothing at or after offset {question.value}: {ends}."
            if question.value >= end
            else (f"nothing at offset {question.value}: {ends}.")
        )
    latest = lookup.find_max_timestamp(log.segments, None, steps.damage.append)
    if latest is None:
        return f"no record has a timestamp; {ends}."
    largest = f"the largest timestamp is {human.time(latest.timestamp)} at offset {latest.offset}"
    deleted = f", below the log start offset {start}" if latest.offset < start else ""
    return f"no record at or after {human.time(question.value)}: {largest}{deleted}; {ends}."
