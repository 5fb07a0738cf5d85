"""tools/serve_proof: differences that it finds and that it excuses; .ci/run starts a broker for it."""

import base64
import struct
from typing import Any

import pytest

from serve_proof.asking import Answer, Server
from serve_proof.compare import Tally
from serve_proof.questions import Question, same

BROKER = Server("the broker", "127.0.0.1:1", "/broker", {}, {("orders", 0): 4}, {"orders": "id-1"})
OURS = Server("kafkafmt", "127.0.0.1:2", "/served", {}, {("orders", 0): 2}, {"orders": "id-1"})


def batch(base: int, records: int = 1, text: bytes = b"") -> bytes:
    """A batch of format 2 with the fields that the proof uses."""
    size = 61 - 12 + len(text)
    return struct.pack(">qiibih", base, size, 0, 2, 0, 0) + struct.pack(">i", records - 1) + bytes(34) + text


def answer(content: dict[str, Any]) -> Answer:
    return Answer(content, "", is_canonical=True)


def compared(api: str, theirs: dict[str, Any], ours: dict[str, Any]) -> tuple[list[str], int]:
    """The fields that differ unexpectedly, and the number of expected differences."""
    tally = Tally()
    question = Question(api, 0, "a question", same({}))
    tally.add(question, 1, answer(theirs), answer(ours), BROKER, OURS)
    return sorted(each.field for each in tally.unexpected), tally.meant.total()


def fetched(records: bytes, *aborted: int, **others: Any) -> dict[str, Any]:
    partition = {
        "partitionIndex": 0,
        "errorCode": 0,
        "highWatermark": 9,
        "lastStableOffset": 9,
        "abortedTransactions": [{"producerId": 1, "firstOffset": first} for first in aborted],
        "records": base64.b64encode(records).decode(),
        **others,
    }
    return {"responses": [{"topicId": "id-1", "partitions": [partition]}]}


def test_equal_answers_have_no_difference() -> None:
    assert compared("FETCH", fetched(batch(0) + batch(1)), fetched(batch(0) + batch(1))) == ([], 0)


def test_an_answer_that_only_one_has() -> None:
    tally = Tally()
    question = Question("FETCH", 1, "a question", same({}))
    tally.add(question, 4, answer({"errorCode": 0}), Answer(None, "EOFException", is_canonical=False), BROKER, OURS)
    assert {each.field for each in tally.unexpected} == {"errorCode", "isCanonical", "no answer"}


@pytest.mark.parametrize(
    ("ours", "differing"),
    [
        (fetched(batch(0)), ["records"]),
        (fetched(batch(0) + batch(1, text=b"x")), ["records"]),
        (fetched(batch(0) + batch(1), highWatermark=8), ["highWatermark"]),
        (fetched(batch(0) + batch(1), 1), ["abortedTransactions/1 1"]),
    ],
    ids=["a batch missing", "other bytes", "another bound", "another transaction"],
)
def test_differences_of_records(ours: dict[str, Any], differing: list[str]) -> None:
    paths = [f"responses/id-1/partitions/0/{each}" for each in differing]
    assert compared("FETCH", fetched(batch(0) + batch(1)), ours) == (paths, 0)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (fetched(batch(0) + batch(1)[:40]), fetched(batch(0))),
        (fetched(batch(0, 3), 2, 3), fetched(batch(0, 3), 2)),
        (fetched(batch(0)), fetched(b"", lastStableOffset=-1)),
    ],
    ids=["part of a batch", "transactions after the records", "out of time"],
)
def test_differences_of_records_that_are_meant(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert compared("FETCH", theirs, ours) == ([], 1)
    assert compared("FETCH", ours, theirs)[0]


@pytest.mark.parametrize(
    ("theirs", "ours", "is_meant"), [(4, 2, True), (0, 0, True), (4, 0, False), (0, 2, False)], ids=str
)
def test_leader_epochs_are_each_ones_own(theirs: int, ours: int, *, is_meant: bool) -> None:
    def listed(epoch: int) -> dict[str, Any]:
        return {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 0, "leaderEpoch": epoch}]}]}

    assert (compared("LIST_OFFSETS", listed(theirs), listed(ours))[0] == []) == is_meant


@pytest.mark.parametrize(("theirs", "ours", "is_meant"), [(7, 2, True), (7, 3, False), (1, 2, False)])
def test_leader_epochs_of_records_end_at_the_current_one(theirs: int, ours: int, *, is_meant: bool) -> None:
    content = [
        {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 0, "offset": 1, "leaderEpoch": each}]}]}
        for each in (theirs, ours)
    ]
    assert compared("LIST_OFFSETS", *content)[1] == is_meant
    assert bool(compared("OFFSET_FOR_LEADER_EPOCH", *content)[0])


def test_elements_have_names_and_directories_no_place() -> None:
    def of(home: str, *names: str) -> dict[str, Any]:
        return {"results": [{"logDir": f"{home}/d0", "topics": [{"name": each, "partitions": []} for each in names]}]}

    assert compared("DESCRIBE_LOG_DIRS", of("/broker", "a", "b"), of("/served", "b", "a")) == ([], 0)
    only_there = ["results/HOME/d0/topics/b"]
    assert compared("DESCRIBE_LOG_DIRS", of("/broker", "a", "b"), of("/served", "a"))[0] == only_there


def test_a_question_leaves_out_versions() -> None:
    question = Question("FETCH", 1, "a question", same({}), lambda version: version >= 9)
    assert question.versions(4, 12, quick=False) == [9, 10, 11, 12]
    assert question.versions(4, 12, quick=True) == [9, 12]
    assert question.versions(4, 8, quick=True) == []
