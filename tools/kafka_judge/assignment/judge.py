"""Let the assignors of Kafka's clients and of its coordinator and those of kafkafmt assign the same groups."""

import argparse
import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

from kafka_judge.assignment.questions import COORDINATOR, Question, answer_of, questions
from kafka_judge.class_path import JudgeError, kafka_class_path, tool
from kafkafmt import UnsupportedError
from kafkafmt.topics.assignment import Assignment, assign, assign_by_coordinator

HERE = Path(__file__).resolve().parent

SEED = 4_3_1
GROUPS = 8000
FINDINGS_SHOWN = 20


def main(arguments: list[str], description: str) -> int:
    """Do as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the groups (%(default)s)")
    parser.add_argument("--groups", type=int, default=GROUPS, help="number of groups (%(default)s)")
    parser.add_argument(
        "--vectors", type=Path, help="write groups and Kafka's answers to this gzip file, a line each in turn"
    )
    options = parser.parse_args(arguments)
    size = (6, 6) if options.vectors else (20, 20)
    asked = list(questions(options.seed, options.groups, *size))
    try:
        answers = _ask_kafka(asked)
    except JudgeError as error:
        print(f"tools/kafka_judge/check_assignment: {error}", file=sys.stderr)
        return 2
    findings, died = _differences(asked, answers), Counter(line for line in answers if line.startswith("!"))
    if findings:
        print(*findings[:FINDINGS_SHOWN], sep="\n", file=sys.stderr)
        print(f"{len(asked)} groups, {len(findings)} differences", file=sys.stderr)
        return 1
    if options.vectors:
        lines = [line for pair in zip(asked, answers, strict=True) for line in (pair[0].line(), pair[1])]
        options.vectors.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    print(f"{len(asked)} groups: assigned as by Kafka ({died.total()} at which their assignors die)")
    return 0


def ours(question: Question) -> Assignment | None:
    """What kafkafmt assigns: None where it says that Kafka's own assignor fails."""
    try:
        if question.protocol.startswith(COORDINATOR):
            assignor = question.protocol.removeprefix(COORDINATOR)
            return assign_by_coordinator(assignor, question.members, question.partitions, topic_ids=question.topic_ids)
        return assign(question.protocol, question.members, question.partitions, racks=question.racks)
    except UnsupportedError:
        return None


def _ask_kafka(asked: list[Question]) -> list[str]:
    command = [
        tool("java"),
        "-Xmx1g",
        "-XX:+UseSerialGC",
        "-cp",
        kafka_class_path(HERE),
        "AssignmentJudge",
    ]
    text = "".join(f"{question.line()}\n" for question in asked)
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    answers = done.stdout.split("\n")[:-1]
    if done.returncode or len(answers) != len(asked):
        raise JudgeError(f"AssignmentJudge failed:\n{done.stderr}")
    return answers


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
