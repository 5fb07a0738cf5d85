"""The effects of a broker's start on its log directories, read from its log and from the files afterwards."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_LOADED = re.compile(
    r"Completed load of Log\(dir=(?P<path>[^,]+),.*? logStartOffset=(?P<start>\d+), logEndOffset=(?P<end>\d+)\)"
)
_LOADER = re.compile(r"\[LogLoader partition=(?P<name>[^,]+), dir=(?P<dir>[^\]]+)\] (?P<text>.*)")
_CUT = re.compile(r"Corruption found in segment (?P<base>\d+), truncating to offset (?P<offset>-?\d+)")
_WALKED = re.compile(r"Recovering unflushed segment (?P<base>\d+)")
_REBUILT = re.compile(
    r"(?:offset index file corresponding to log file|corrupted index file corresponding to log file) "
    r"(?:\S*/)?(?P<base>\d{20})\.log"
)
_FOLLOWED = re.compile(
    r"\[UnifiedLog partition=(?P<name>[^,]+), dir=(?P<dir>[^\]]+)\] "
    r"(?:Truncating to offset|Truncate and start at offset) (?P<offset>\d+)"
)
_OFFLINE = re.compile(r"(?:Stopping serving logs in dir|Failed to create or validate data directory) (?P<dir>\S+)")
_INDEXES = ("index", "timeindex", "txnindex")

Row = dict[str, Any]


@dataclass
class Load:
    """The log's statements about a partition directory."""

    start: int | None = None
    end: int | None = None
    truncated: int | None = None
    walked: set[str] = field(default_factory=set)
    followed: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Started:
    """The state of log directories after a start.

    Attributes:
        starts: whether the broker started; None if it waits for others.
        log_dirs: whether each log directory is online, by path.
        partitions: by the path before the start; columns as in verify's table "partitions", and followerTruncatedTo,
            offsets to which a follower truncated its log after loading it.
    """

    starts: bool | None
    log_dirs: Mapping[str, bool]
    partitions: Mapping[str, Row]


def files_of(log_dirs: Iterable[Path]) -> dict[str, set[str]]:
    """Names of the files in each partition directory, by path of the directory."""
    return {
        str(path): {file.name for file in path.iterdir()}
        for log_dir in log_dirs
        if log_dir.is_dir()
        for path in log_dir.iterdir()
        if path.is_dir()
    }


def read(log: str, log_dirs: Sequence[Path], before: Mapping[str, set[str]], *, starts: bool | None) -> Started:
    """The state of log directories after a start, from the log and the files.

    Args:
        log: the broker's log, with LogLoader and LogManager at level INFO.
        log_dirs: log directories of the broker.
        before: `files_of` the log directories before the start.
        starts: whether the broker started; None if it waits for others.
    """
    loads = _loads(log)
    offline = {match["dir"].rstrip(",") for match in _OFFLINE.finditer(log)}
    after = files_of(log_dirs)
    renamed = after.keys() - before.keys()
    partitions: dict[str, Row] = {}
    for path, names in before.items():
        load = loads.get(path, Load())
        live = path.rpartition(".")[0] if path.endswith("-future") else path
        named = loads.get(live, Load())  # logged under the partition's own path
        load.walked |= named.walked
        if live not in before:
            load.truncated = named.truncated
        action = _action(path, live, renamed, load) if starts else None
        if action is not None and any(path.startswith(f"{log_dir}/") for log_dir in offline):
            action = "offline"
        row: Row = {"action": action, "truncateFrom": load.truncated, "followerTruncatedTo": load.followed}
        if action in (None, "keep", "recover") and load.end is not None:
            row |= {"logStartOffset": load.start, "logEndOffset": load.end}
        if action in ("keep", "recover"):
            files = after.get(path) or after.get(live, set())
            row["deletedSegments"] = sorted(name[:-8] for name in files - names if name.endswith(".log.deleted"))
            row["rebuilt"] = sorted(
                f"{base}.{kind}" for base in load.walked for kind in _INDEXES if f"{base}.{kind}" in files
            )
        partitions[path] = row
    return Started(starts, {str(path): bool(starts) and str(path) not in offline for path in log_dirs}, partitions)


def _loads(log: str) -> Mapping[str, Load]:
    loads: dict[str, Load] = defaultdict(Load)
    for line in log.splitlines():
        if loaded := _LOADED.search(line):
            load = loads[loaded["path"]]
            load.start, load.end = int(loaded["start"]), int(loaded["end"])
        elif said := _LOADER.search(line):
            load = loads[f"{said['dir']}/{said['name']}"]
            if cut := _CUT.search(said["text"]):
                load.truncated = int(cut["offset"])
            elif walked := _WALKED.search(said["text"]) or _REBUILT.search(said["text"]):
                load.walked.add(f"{int(walked['base']):020d}")
        elif followed := _FOLLOWED.search(line):
            loads[f"{followed['dir']}/{followed['name']}"].followed.append(int(followed["offset"]))
    return loads


def _action(path: str, live: str, renamed: Iterable[str], load: Load) -> str:
    def is_renamed(suffix: str) -> bool:
        return any(name.startswith(f"{live}.") and name.endswith(suffix) for name in renamed)

    if path.endswith("-delete") or (path == live and is_renamed("-delete")):
        return "delete"
    if path.endswith("-stray") or is_renamed("-stray"):
        return "stray"
    return "recover" if load.walked else "keep"
