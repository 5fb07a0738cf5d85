"""The view of a survey: log directories with their partitions or segments, then remarks.

`ls` writes the whole view, `verify` only the remarks: left-out files with the reason, findings, and notes.
"""

from collections.abc import Callable, Iterable
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING, TypeVar

import click

from kafkafmt.cli import human
from kafkafmt.cli.output.aligned import Aligned, Column, say_left_out, terminal_width, wrapped
from kafkafmt.cli.printable import escape
from kafkafmt.files.damage import cost_text
from kafkafmt.findings import FINDING
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from kafkafmt.cli.ls.request import ListingRequest
    from kafkafmt.cli.progress import StepProgress
    from kafkafmt.findings import Finding
    from kafkafmt.survey import LeftOut, LogDirFacts, LogDirSurvey, PartitionFacts, PartitionSurvey, SegmentFacts

Facts = TypeVar("Facts")

Key = tuple[str, str, str]

_MOST_FINDINGS = 50
_MOST_PATHS = 5
_UNREMARKABLE = ("ok", "none", "empty")
_IN_WHAT_IS_READ = {"headers": " in headers and indexes", "quick": " at the ends of the segments"}
_STATES = {"ok": "ok", "empty": "empty", "missing": "none", "broken": "broken", "unreadable": "unreadable"}


class Listing:
    """Takes a survey and writes it to stdout as it arrives.

    Args:
        request: the options of the command.
        progress: progress bar, which is hidden while lines are written.
    """

    def __init__(self, request: "ListingRequest", progress: "StepProgress") -> None:
        self._request = request
        self._progress = progress
        self._width = terminal_width()
        self._left_out: dict[str, None] = {}
        self._table: Aligned | None = None
        self._remarks = Remarks(self._width, self._write)
        self._log_dirs = 0
        self._partitions = 0
        self._size = 0
        self._records: int | None = 0
        self._decompressed = False
        self._segments = False
        self._written = False

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Write the lines about a log directory."""
        self._segments = self._request.segments or not found.is_whole
        self._remarks.log_dir(found.facts.path)
        self._remarks.add(found.findings, found.left_out)
        self._table = None if self._segments else self._new_table([column for column, _ in _PARTITION_TABLE])
        if not found.is_whole or not found.is_log_dir:
            return
        if self._written:
            self._write("")
        self._log_dirs += 1
        unreadable = {finding.path for finding in found.findings if finding.kind == "unreadable"}
        self._about(found.facts.path, _about(found.facts, unreadable))

    def partition(self, found: "PartitionSurvey") -> None:
        """Write a line about a partition, or one for each of its segments."""
        self._remarks.add(found.findings, found.left_out)
        facts = found.facts
        if facts.state != "live" and not self._request.everything and not found.segments:
            self._size += facts.size
            return
        self._partitions += 1
        self._size += facts.size
        self._records = None if self._records is None or facts.records is None else self._records + facts.records
        self._decompressed |= facts.decompressed > 0
        if self._table is not None:
            self._table.add(_cells(_PARTITION_TABLE, facts))
            return
        if self._written:
            self._write("")
        self._about(facts.path, [_about_partition(facts)])
        table = self._new_table([column for column, _ in _SEGMENT_TABLE])
        for segment in found.segments:
            table.add(_cells(_SEGMENT_TABLE, segment))
        table.flush()

    def end_log_dir(self) -> None:
        """Write the waiting lines."""
        if self._table is not None:
            self._table.flush()

    def replicas(self, findings: "Iterable[Finding]") -> None:
        """Keep findings between replicas."""
        self._remarks.add(findings, ())

    def end(self) -> None:
        """Write left-out files, findings, and the totals."""
        if self._decompressed:
            self._write("")
            self._write("* counted by decompressing: wrappers of formats v0 and v1 do not store their record count")
        self._remarks.write()
        if self._written or self._remarks.findings:
            self._write("")
            self._write(self._sum())
            if self._request.depth == "headers":
                self._write("Only headers were read: --verify-checksums checks all CRCs.")
            elif self._request.depth == "quick":
                self._write("Only the ends of each segment were read: omit --quick to find damage in between.")
        say_left_out(self._left_out, other_forms=False)

    def _sum(self) -> str:
        records = None if self._records is None else counted(self._records, "record")
        log_dirs = counted(self._log_dirs, "log directory", "log directories") if self._log_dirs else None
        nothing = f"no findings{_IN_WHAT_IS_READ.get(self._request.depth, '')}"
        findings = counted(self._remarks.findings, "finding") if self._remarks.findings else nothing
        notes = counted(self._remarks.notes, "note") if self._remarks.notes else None
        all_of_it = human.join([log_dirs, counted(self._partitions, "partition"), human.size(self._size), records])
        return f"{all_of_it}; {human.join([findings, notes])}"

    def _about(self, path: str, texts: list[str]) -> None:
        self._write(escape(path))
        for text in texts:
            for line in wrapped(text, self._width, indent=2):
                self._write(line)

    def _new_table(self, columns: list[Column]) -> Aligned:
        return Aligned(columns, self._width, self._write, indent=2, left_out=self._left_out)

    def _write(self, line: str) -> None:
        self._progress.pause()
        self._written = True
        click.echo(line)


def _about(facts: "LogDirFacts", unreadable: set[str]) -> list[str]:
    """The paragraphs on a log directory.

    Args:
        facts: its facts.
        unreadable: paths of the files and directories in it that cannot be read.
    """
    properties = f"{facts.path.rstrip('/')}/{META_PROPERTIES}"
    absent = "unreadable meta.properties" if properties in unreadable else "no meta.properties"
    shutdown = "clean shutdown" if facts.clean_shutdown else "no clean shutdown"
    ids = [
        None if facts.node_id is None else f"broker {facts.node_id}",
        facts.cluster_id and f"cluster {escape(facts.cluster_id)}",
        facts.directory_id and f"directory {escape(facts.directory_id)}",
        absent if facts.version is None else None,
        shutdown,
    ]
    others = counted(facts.other_partitions, "directory", "directories") if facts.other_partitions else None
    if facts.is_tier:
        ids = ["remote storage"]
    contents = [
        counted(facts.partitions, "partition"),
        others and f"{others} set aside",
        human.size(facts.size),
    ]
    checkpoints = [
        f"{name.removesuffix('-checkpoint').removesuffix('-offset')} {_STATES[status]}"
        for name, status in facts.checkpoints.items()
    ]
    if facts.is_tier:
        return [human.join(ids), human.join(contents)]
    return [human.join(ids), f"{human.join(contents)}; checkpoints: {', '.join(checkpoints)}"]


def _about_partition(facts: "PartitionFacts") -> str:
    """The paragraph on a partition before its segments."""
    end = facts.log_end_offset
    parts = [
        facts.topic_id and f"topic id {facts.topic_id}",
        None
        if facts.log_start_offset is None or end is None
        else f"offsets {facts.log_start_offset} to {end - 1}"
        if facts.log_start_offset < end
        else f"no records, log end {end}",
        None if facts.high_watermark is None else f"high watermark {facts.high_watermark}",
        None if facts.recovery_point is None else f"recovery point {facts.recovery_point}",
        f"leader epochs {', '.join(f'{epoch} from {start}' for epoch, start in facts.leader_epochs[-5:])}"
        if facts.leader_epochs
        else None,
        human.size(facts.size),
        None if facts.state == "live" else f"set aside: {facts.state}",
    ]
    return human.join(parts)


def _partition_name(facts: "PartitionFacts") -> str:
    name = facts.path.rstrip("/").rpartition("/")[2]
    if facts.state == "live" and facts.topic is not None:
        name = f"{facts.topic}-{facts.partition}"
    elif facts.topic is None and facts.partition is not None and facts.topic_id is not None:
        name = f"{facts.topic_id}-{facts.partition}"  # of a tier whose names lack the topic
    return escape(name) + (" !" if facts.findings else "")


def _segment_name(facts: "SegmentFacts") -> str:
    return escape(facts.name) + (" !" if any(finding.level == FINDING for finding in facts.findings) else "")


def _indexes(facts: "SegmentFacts") -> str:
    return ", ".join(f".{index.kind} {index}" for index in facts.indexes if index.status not in _UNREMARKABLE) or "ok"


def _records(facts: "PartitionFacts | SegmentFacts") -> str:
    return human.number(facts.records) + ("*" if facts.decompressed else "")


# Each column with the function that makes its text from the facts; `human.NOTHING` becomes null.
_PARTITION_TABLE: "tuple[tuple[Column, Callable[[PartitionFacts], str]], ...]" = (
    (Column("partition", least=16, loses="middle"), _partition_name),
    (Column("size", right=True), lambda facts: human.size(facts.size)),
    (Column("segments", right=True, rank=2), lambda facts: human.number(facts.segments)),
    (Column("records", right=True), _records),
    (Column("start", right=True), lambda facts: human.plain(facts.log_start_offset)),
    (Column("end", right=True), lambda facts: human.plain(facts.log_end_offset)),
    (Column("watermark", right=True, rank=6), lambda facts: human.plain(facts.high_watermark)),
    (Column("epoch", right=True, rank=5), lambda facts: human.plain(facts.max_leader_epoch)),
    (Column("firstTime", rank=3), lambda facts: human.time(facts.min_timestamp)),
    (Column("lastTime", rank=1), lambda facts: human.time(facts.max_timestamp)),
    (Column("format", rank=4), lambda facts: human.formats(facts.shares)),
    (Column("codecs", rank=2), lambda facts: human.codecs(facts.shares)),
)
_SEGMENT_TABLE: "tuple[tuple[Column, Callable[[SegmentFacts], str]], ...]" = (
    (Column("file", least=14, loses="beginning"), _segment_name),
    (Column("next", right=True), lambda facts: human.plain(facts.next_offset)),
    (Column("size", right=True), lambda facts: human.size(facts.size)),
    (Column("batches", right=True, rank=3), lambda facts: human.number(facts.batches)),
    (Column("records", right=True), _records),
    (Column("epochs", right=True, rank=5), lambda facts: human.span(facts.min_leader_epoch, facts.max_leader_epoch)),
    (Column("firstTime", rank=4), lambda facts: human.time(facts.min_timestamp)),
    (Column("lastTime", rank=1), lambda facts: human.time(facts.max_timestamp)),
    (Column("format", rank=6), lambda facts: human.formats(facts.shares)),
    (Column("codecs", rank=3), lambda facts: human.codecs(facts.shares)),
    (Column("indexes", rank=2), _indexes),
    (Column("snapshot", rank=7), lambda facts: "yes" if facts.has_producer_snapshot else "no"),
)


def _cells(table: "tuple[tuple[Column, Callable[[Facts], str]], ...]", facts: Facts) -> list[str | None]:
    texts = (show(facts) for _, show in table)
    return [None if text == human.NOTHING else text for text in texts]


class _Group:
    """Remarks with the same text, which is written once, with the first paths that it applies to."""

    def __init__(self) -> None:
        self.count = 0
        self.size = 0
        self.paths: list[str] = []

    def add(self, path: str, size: int | None) -> None:
        self.count += 1
        self.size += size or 0
        if len(self.paths) < _MOST_PATHS:
            self.paths.append(path)


class Remarks:
    """Collects remarks in bounded memory: only the first ones are kept, but all are counted.

    Args:
        width: width of the terminal, or None for no limit.
        write: function that takes each line.

    Attributes:
        findings: number of faults.
        notes: number of notes.
    """

    def __init__(self, width: int | None, write: Callable[[str], None]) -> None:
        self.findings = 0
        self.notes = 0
        self._width = width
        self._write = write
        self._left_out: dict[Key, _Group] = {}
        self._kept: list[Finding] = []
        self._noted: dict[Key, _Group] = {}
        self._base: str | None = None

    def log_dir(self, path: str) -> None:
        """Take the path of a log directory, whose remarks follow."""
        self._base = path if self._base is None else _above_both(self._base, path)

    def add(self, findings: "Iterable[Finding]", left_out: "Iterable[LeftOut]") -> None:
        """Take remarks on a log directory or partition."""
        for excluded in left_out:
            path = excluded.path
            if excluded.first_offset is not None:
                path = f"{path}: offsets {excluded.first_offset} to {excluded.last_offset}"
            self._left_out.setdefault((excluded.kind, excluded.reason, ""), _Group()).add(path, excluded.size)
        for finding in findings:
            if finding.level == FINDING:
                self.findings += 1
                if len(self._kept) < _MOST_FINDINGS:
                    self._kept.append(finding)
            else:
                self.notes += 1
                key = (finding.kind, finding.message, finding.advice)
                if key not in self._noted and len(self._noted) >= _MOST_FINDINGS:
                    key = ("more", "other notes", "")
                self._noted.setdefault(key, _Group()).add(finding.path + _place(finding) + _cost(finding), None)

    def write(self) -> None:
        """Write all sections that are not empty."""
        if self._left_out:
            self._title("Left out of the logs (name one as PATH to read it)")
            for (kind, reason, _), group in sorted(self._left_out.items()):
                what = human.join([counted(group.count, "path"), human.size(group.size) if group.size else None])
                self._paragraph(f"{kind} ({what}): {reason}")
                self._paths(group, "left-out")
        if self._kept:
            self._title("Findings")
            for finding, following in zip_longest(self._kept, self._kept[1:]):
                self._paragraph(
                    f"{self._shown(finding.path)}{_place(finding)}: {escape(finding.message)}{_cost(finding)}"
                )
                if finding.advice and (following is None or following.advice != finding.advice):
                    self._paragraph(f"-> {finding.advice}", indent=4)
            if self.findings > len(self._kept):
                more = self.findings - len(self._kept)
                self._paragraph(f"and {more:,} more: see --show findings")
        if self._noted:
            self._title("Notes (not faults)")
            for (_, message, advice), group in self._noted.items():
                self._paragraph(escape(message) + (f" ({advice})" if advice else ""))
                self._paths(group, "findings")

    def _paths(self, group: _Group, level: str) -> None:
        for path in group.paths:
            self._write(f"    {self._shown(path)}")
        if group.count > len(group.paths):
            self._write(f"    and {group.count - len(group.paths):,} more: see --show {level}")

    def _title(self, text: str) -> None:
        self._write("")
        self._write(text)
        if self._prefix:
            self._write(f"  in {escape(self._prefix)}")

    @property
    def _prefix(self) -> str:
        """The common beginning of all paths, printed once. In a pipe paths are whole, for scripts."""
        return "" if self._width is None or not self._base or self._base in (".", "/") else f"{self._base.rstrip('/')}/"

    def _shown(self, path: str) -> str:
        return escape(path.removeprefix(self._prefix))

    def _paragraph(self, text: str, indent: int = 2) -> None:
        for line in wrapped(text, self._width, indent):
            self._write(line)


def _place(finding: "Finding") -> str:
    """The place of a finding in its file."""
    if finding.position is None:
        return ""
    length = "" if finding.length is None else f", {counted(finding.length, 'byte')}"
    return f": position {finding.position}{length}"


def _cost(finding: "Finding") -> str:
    """The cost of damage; offsets out of order cost nothing."""
    if finding.kind == "offset":
        return ""
    cost = cost_text(finding.first_offset, finding.last_offset, finding.records)
    return cost and f" ({cost})"


def _above_both(one: str, other: str) -> str:
    """The closest directory that is, or is above, both paths; "" for none."""
    names = takewhile(lambda pair: pair[0] == pair[1], zip(one.split("/"), other.split("/"), strict=False))
    return "/".join(name for name, _ in names)
