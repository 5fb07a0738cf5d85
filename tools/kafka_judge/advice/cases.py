"""Cases of broken files of a log, with kafkafmt's advice on each; makes log directories with both.

The table is tests/golden/advice/cases.json; its README describes the content.
"""

import json
import shutil
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import kafkafmt

TESTS = Path(__file__).parents[3] / "tests"
TABLE = TESTS / "golden" / "advice" / "cases.json"
PARTITION = "payments-0"
NOW = 1_795_341_600_000
"""The time of the start, in ms: an hour after the records."""

STATES = ("clean", "killed")
"""After a clean shutdown, and after a kill with the recovery point at the last segment but one."""

SOUND = "sound"
"""The name of the case without any fault."""

_RECOVERY_POINT = 91
_MARK = ".kafka_cleanshutdown"
_COUNTS = ("index", "timeindex")


def cases() -> list[dict[str, Any]]:
    """The table of cases."""
    found: list[dict[str, Any]] = json.loads(TABLE.read_text())
    return found


def unlike(facts: Mapping[str, Any], sound: Mapping[str, Any]) -> dict[str, Any]:
    """Kafka's facts about a log directory that differ from those about the sound directory."""
    if "error" in facts:
        return dict(facts)
    found = {name: value for name, value in facts.items() if value != sound[name]}
    if "segments" in found:
        found["segments"] = [each for each in found["segments"] if each not in sound["segments"]]
    return found


def is_like(found: Mapping[str, Any], sound: Mapping[str, Any]) -> bool:
    """Whether the facts from `unlike` are only numbers of index entries, which depend on the topic's interval."""
    segments = [_without_counts(each) for each in sound["segments"]]
    return not set(found) - {"segments"} and all(
        _without_counts(each) in segments for each in found.get("segments", ())
    )


def _without_counts(segment: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in segment.items() if name not in _COUNTS}


class LogDirs:
    """Copies of a log directory of a broker that was stopped in order.

    Args:
        scratch: an empty directory to work in.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        with tarfile.open(TESTS / "golden" / "startup" / "base" / "clean.tar.xz") as packed:
            wanted = [each for each in packed.getmembers() if _is_wanted(each.name)]
            packed.extractall(scratch / SOUND, wanted, filter="fully_trusted")

    def make(self, name: str, state: str, damage: Mapping[str, Any], steps: Sequence[str] = ()) -> Path:
        """Copy the directory, damage it, and follow the advice.

        Args:
            name: name of the copy.
            state: one of `STATES`.
            damage: edits by path below the log directory.
            steps: `delete PATH`, or `repair PATH`, which replaces the file with the one that kafkafmt writes.
        """
        log_dir = self._scratch / name
        shutil.copytree(self._scratch / SOUND / "d0", log_dir)
        if state == "killed":
            (log_dir / _MARK).unlink()
            topic, _, number = PARTITION.rpartition("-")
            checkpoint = f"0\n1\n{topic} {number} {_RECOVERY_POINT}\n"
            (log_dir / "recovery-point-offset-checkpoint").write_text(checkpoint)
        for path, edit in damage.items():
            _edit(log_dir / path, edit)
        for step in steps:
            what, _, path = step.partition(" ")
            if what == "repair":
                repaired = self._scratch / f"{name}-repaired"
                kafkafmt.open(log_dir).repair(repaired, only="checkpoints")
                shutil.copy(repaired / path, log_dir / path)
            else:
                (log_dir / path).unlink(missing_ok=True)
        return log_dir


def runs(case: Mapping[str, Any]) -> Iterable[tuple[str, str, Sequence[str]]]:
    """The runs of a case: state, name of the facts in the table, and the steps before the start."""
    for state in STATES:
        yield state, "before", ()
        for which in ("follow", "instead"):
            if state in case.get(which, {}):
                yield state, which, case[which][state]


def _is_wanted(name: str) -> bool:
    parts = name.split("/")
    is_file = len(parts) == 2 and not parts[1].endswith(("-0", "-1", "-2", "-3"))
    return parts[0] == "d0" and (is_file or parts[1:2] in ([PARTITION], ["__cluster_metadata-0"]))


def _edit(path: Path, edit: Mapping[str, Any] | None) -> None:
    """Remove a file (null), or change it: `cut` bytes off its end, append `zeros`, write `bytes` at its end or `at`."""
    if edit is None:
        path.unlink()
        return
    data = bytearray(path.read_bytes())
    del data[len(data) - edit.get("cut", 0) :]
    data += bytes(edit.get("zeros", 0))
    new = bytes.fromhex(edit.get("bytes", ""))
    at = edit.get("at", len(data))
    data[at : at + len(new)] = new
    path.write_bytes(data)
