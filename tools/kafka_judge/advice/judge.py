"""Advice that names a file: what Kafka's LogManager makes of a log directory before and after it was followed.

After a clean shutdown and after a kill: offsets, leader epochs, producers, aborted transactions, the newest
timestamps of segments, and what the first pass of retention leaves. Tests compare the advice with the same table.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from class_path import ToolError, kafka_class_path
from kafka_judge.advice.cases import NOW, PARTITION, SOUND, STATES, TABLE, LogDirs, cases, runs, unlike
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict

_MEMORY = Path("/dev/shm")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--write", action="store_true", help="write Kafka's answers into the table")


def judge(options: argparse.Namespace) -> Verdict:
    """Start LoadedLogs.java on all directories, and compare its answers with the table.

    Raises:
        ToolError: a tool is missing or fails.
    """
    table = cases()
    # Kafka flushes each file to the disk, which takes most of the time on a real disk.
    memory = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kafkafmt-judge-", dir=memory) as scratch:
        log_dirs = LogDirs(Path(scratch))
        asked = [(case, state, which, steps) for case in table for state, which, steps in runs(case)]
        paths = [
            log_dirs.make(f"{case['name']}-{state}-{which}", state, case["damage"], steps)
            for case, state, which, steps in asked
        ]
        questions = "".join(f"{path}\n" for path in paths)
        lines = answers(kafka_class_path(), "LoadedLogs", PARTITION, str(NOW), questions=questions)
    if len(lines) != len(asked):
        raise ToolError(f"LoadedLogs has {len(lines)} answers, not {len(asked)}")
    answered: dict[tuple[str, str, str], dict[str, Any]] = {
        (case["name"], state, which): json.loads(line)
        for (case, state, which, _), line in zip(asked, lines, strict=True)
    }
    sound = {state: answered[SOUND, state, "before"] for state in STATES}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, state, which), facts in answered.items():
        of_case = found.setdefault(name, {}).setdefault(state, {})
        of_case[which] = facts if name == SOUND else unlike(facts, sound[state])
    if options.write:
        for case in table:
            case["kafka"] = found[case["name"]]
        TABLE.write_text("[\n" + ",\n".join(json.dumps(case) for case in table) + "\n]\n")
    return Verdict(f"{len(asked)} starts of {len(table)} cases", list(_differences(cases(), found)))


def _differences(table: list[dict[str, Any]], found: Mapping[str, Any]) -> Iterator[str]:
    for case in table:
        for state, which, _ in runs(case):
            facts, stored = found[case["name"]][state][which], case["kafka"][state].get(which)
            if facts != stored:
                yield f"{case['name']}, {state}, {which}: Kafka: {json.dumps(facts)}, table: {json.dumps(stored)}"
