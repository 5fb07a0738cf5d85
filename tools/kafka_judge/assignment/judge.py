"""Random groups: the assignments of Kafka's assignors and of kafkafmt.

They are the assignors of clients and those of the group coordinator. The groups have 1 to 20 members and 1 to 10 topics
with up to 20 partitions, equal subscriptions or not, racks, static ids, and a past that is sound, lopsided, disputed or
gone.
"""

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

from class_path import ToolError, kafka_class_path
from kafka_judge.assignment.questions import COORDINATOR, Question, answer_of, questions
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict
from kafkafmt import UnsupportedError
from kafkafmt.topics.assignment import Assignment, assign, assign_by_coordinator

GROUPS = 8000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--groups", type=int, default=GROUPS, help="number of groups (%(default)s)")
    parser.add_argument(
        "--vectors",
        type=Path,
        metavar="FILE",
        help="write small groups and Kafka's answers to this file, as the tests read it",
    )


def judge(options: argparse.Namespace) -> Verdict:
    """Assign all groups with AssignmentJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    size = (6, 6) if options.vectors else (20, 20)
    asked = list(questions(options.seed, options.groups, *size))
    lines = answers(
        kafka_class_path(), "AssignmentJudge", questions="".join(f"{question.line()}\n" for question in asked)
    )
    if len(lines) != len(asked):
        raise ToolError(f"AssignmentJudge gave {len(lines)} answers to {len(asked)} questions")
    findings, died = _differences(asked, lines), Counter(line for line in lines if line.startswith("!"))
    if options.vectors and not findings:
        written = [
            question.as_json() | {"assigned": answer_of(line)} for question, line in zip(asked, lines, strict=True)
        ]
        text = "".join(f"{json.dumps(each, separators=(',', ':'))}\n" for each in written)
        options.vectors.write_bytes(gzip.compress(text.encode(), mtime=0))
    return Verdict(f"{len(asked)} groups, of which {died.total()} kill their assignors", findings)


def ours(question: Question) -> Assignment | None:
    """The assignment of kafkafmt; None where it reports that Kafka's own assignor fails."""
    try:
        if question.protocol.startswith(COORDINATOR):
            assignor = question.protocol.removeprefix(COORDINATOR)
            return assign_by_coordinator(assignor, question.members, question.partitions, topic_ids=question.topic_ids)
        return assign(question.protocol, question.members, question.partitions, racks=question.racks)
    except UnsupportedError:
        return None


def _differences(asked: list[Question], answers: list[str]) -> list[str]:
    findings = []
    for number, (question, line) in enumerate(zip(asked, answers, strict=True)):
        theirs, own = answer_of(line), ours(question)
        if theirs != own:
            what = f"{question.protocol} of {len(question.members)} members"
            if theirs is None or own is None:
                findings.append(f"group {number}, {what}: Kafka gives {theirs or line}, we {own}")
                continue
            member = next(name for name in theirs if theirs[name] != own[name])
            findings.append(f"group {number}, {what}: to {member} Kafka gives {theirs[member]}, we {own[member]}")
    return findings
