"""Each advice that names a file, compared with Kafka's classes after it was followed: tests/golden/advice."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafka_judge.advice.cases import PARTITION, SOUND, STATES, LogDirs, cases, is_like
from kafkafmt.survey import advice

CASES = cases()
KAFKA_SOUND = next(case["kafka"] for case in CASES if case["name"] == SOUND)
ELSEWHERE = {
    "delete it while the node is stopped: the next election writes it; a voter among several needs that of kafkafmt "
    "repair, as it might vote twice": "golden/cluster/24-quorum-state-lost",
    "delete it while the node is stopped: the node writes it again": "golden/startup/base: a broker starts without it",
    "delete it while the node is stopped: a node that has a metadata log starts without it": "the same",
    "write the topic id of the metadata log into it; without the file it becomes a stray": "golden/startup: strays",
    "delete it if nothing in it is needed": "golden/startup: a broker leaves -stray directories as they are",
    "rename it to the partition's name while the broker is stopped": "golden/cluster/17-future-left-over",
    "move it out of the partition directory while the broker is stopped": "tests/startup/test_directories.py",
    "kafkafmt repair --from OTHER_NODE fills it from a replica": "tests/repairing/test_clusters.py",
    "the end of the log is missing, or the checkpoint was copied after the log": "golden/cluster: 26 and 30",
}
"""Advice that no start of a single log can confirm, and what does."""
READ_LATER = ("cleaner-offset-checkpoint", "replication-offset-checkpoint")
"""Files that LogManager does not read when it loads logs; the second stops the start later."""
NAMES_A_FILE = re.compile(
    r"\b(delete (it|the|\.)|replace it|rename it|write the topic id|anew\b.*\b(index|both)|recreates|rebuil[dt]s)"
)


def text_of(name: str) -> str:
    function, _, argument = name.partition(" ")
    found = getattr(advice, function)
    return str(found(argument) if argument else found)


def texts() -> set[str]:
    """All texts of kafkafmt/survey/advice.py."""
    constants = {value for name, value in vars(advice).items() if isinstance(value, str) and name.isupper()}
    checkpoints = {text_of(case["advice"]) for case in CASES if case.get("advice", "").startswith("of_checkpoint")}
    small = set(advice._SMALL_FILES.values())
    return {text for text in constants if " " in text} | checkpoints | small


@pytest.mark.parametrize("case", [case for case in CASES if "advice" in case], ids=lambda case: str(case["name"]))
def test_what_follows_the_advice_is_as_the_sound_log(case: dict[str, Any], tmp_path: Path) -> None:
    log_dirs = LogDirs(tmp_path)
    for state in STATES:
        kafka, sound = case["kafka"][state], KAFKA_SOUND[state]["before"]
        assert ("follow" in kafka) == (state in case["follow"])
        if "follow" not in kafka:
            continue
        assert is_like(kafka["follow"], sound)
        assert "instead" not in kafka or not is_like(kafka["instead"], sound)
        log_dir = log_dirs.make(f"{state}-damaged", state, case["damage"])
        answer = kafkafmt.open(log_dir).verify(node_id=1)
        given = {row["advice"] for row in answer.findings.to_pylist() if row["path"] == str(log_dir / case["path"])}
        assert text_of(case["advice"]) in given
        if case["path"] not in READ_LATER:
            ends = {**sound, **kafka["before"]}["logEndOffset"]
            assert predicted(answer) == (None if "error" in kafka["before"] else ends)
        followed = log_dirs.make(f"{state}-followed", state, case["damage"], case["follow"][state])
        assert predicted(kafkafmt.open(followed).verify(node_id=1, level="headers")) == sound["logEndOffset"]


def predicted(answer: Any) -> int | None:
    (row,) = (row for row in answer.partitions.to_pylist() if f"{row['topic']}-{row['partition']}" == PARTITION)
    end: int | None = row["logEndOffset"]
    return end


def test_every_text_is_in_the_table() -> None:
    assert texts() == {text_of(case["advice"]) for case in CASES if "advice" in case} | (texts() & set(ELSEWHERE))


def test_no_other_module_says_what_to_delete() -> None:
    known = texts() | set(ELSEWHERE)
    package = Path(kafkafmt.__file__).parent
    found = []
    for path in (*(package / "survey").glob("*.py"), *(package / "startup").glob("*.py")):
        tree = ast.parse(path.read_text())
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
            if path.name != "advice.py" and NAMES_A_FILE.search(node.value) and node.value not in known
        ]
    assert not found
