"""The listing of `kafkafmt ls`: log directories with their partitions or segments, then what is left out or wrong."""

from collections.abc import Callable, Iterable
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import human
from kafkafmt.cli.output.aligned import Aligned, Column, say_left_out, terminal_width, wrapped
from kafkafmt.cli.printable import escape
from kafkafmt.files.damage import cost_text
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.survey import FINDING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.cli.ls.run import Progress, Request
    from kafkafmt.survey import (
        Finding,
        LeftOut,
        LogDirFacts,
        LogDirSurvey,
        PartitionFacts,
        PartitionSurvey,
        SegmentFacts,
    )

_MOST_FINDINGS = 50
_MOST_PATHS = 5

Key = tuple[str, str, str]


class _Group:
    """Things that are said once, with the first paths that they are true of."""

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
    """Collects remarks in bounded memory: of very many only the first are kept, and all are counted.

    Args:
        width: of the terminal, or None for no limit.
        write: takes each line.

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
        """Take note that remarks on what is in this directory follow."""
        self._base = path if self._base is None else _above_both(self._base, path)

    def add(self, findings: "Iterable[Finding]", left_out: "Iterable[LeftOut]") -> None:
        """Take remarks on a log directory or partition."""
        for each in left_out:
            path = each.path
            if each.first_offset is not None:
                path = f"{path}: offsets {each.first_offset} to {each.last_offset}"
            self._left_out.setdefault((each.kind, each.reason, ""), _Group()).add(path, each.size)
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
                self._noted.setdefault(key, _Group()).add(finding.path + _stretch(finding) + _cost(finding), None)

    def write(self) -> None:
        """Write all sections that have something to say."""
        if self._left_out:
            self._title("Left out of the logs (name one as PATH to read it)")
            for (kind, reason, _), group in sorted(self._left_out.items()):
                what = human.join([human.plural(group.count, "path"), human.size(group.size) if group.size else None])
                self._paragraph(f"{kind} ({what}): {reason}")
                self._paths(group, "left-out")
        if self._kept:
            self._title("Findings")
            for finding, following in zip_longest(self._kept, self._kept[1:]):
                self._paragraph(
                    f"{self._shown(finding.path)}{_stretch(finding)}: {escape(finding.message)}{_cost(finding)}"
                )
                if finding.advice and (following is None or following.advice != finding.advice):
                    self._paragraph(f"-> {finding.advice}", indent=4)
            if self.findings > len(self._kept):
                more = self.findings - len(self._kept)
                self._paragraph(f"and {more:,} more: see --rows findings")
        if self._noted:
            self._title("Notes (not faults)")
            for (_, message, advice), group in self._noted.items():
                self._paragraph(escape(message) + (f" ({advice})" if advice else ""))
                self._paths(group, "findings")

    def _paths(self, group: _Group, level: str) -> None:
        for path in group.paths:
            self._write(f"    {self._shown(path)}")
        if group.count > len(group.paths):
            self._write(f"    and {group.count - len(group.paths):,} more: see --rows {level}")

    def _title(self, text: str) -> None:
        self._write("")
        self._write(text)
        if self._prefix:
            self._write(f"  in {escape(self._prefix)}")

    @property
    def _prefix(self) -> str:
        """What all paths begin with and is said once. At a pipe they are whole, for scripts."""
        return "" if self._width is None or not self._base or self._base in (".", "/") else f"{self._base.rstrip('/')}/"

    def _shown(self, path: str) -> str:
        return escape(path.removeprefix(self._prefix))

    def _paragraph(self, text: str, indent: int = 2) -> None:
        for line in wrapped(text, self._width, indent):
            self._write(line)


def _stretch(finding: "Finding") -> str:
    """Where in its file it is."""
    if finding.position is None:
        return ""
    length = "" if finding.length is None else f", {human.plural(finding.length, 'byte')}"
    return f": position {finding.position}{length}"


def _cost(finding: "Finding") -> str:
    """What damage costs; offsets out of order cost nothing."""
    if finding.kind == "offset":
        return ""
    cost = cost_text(finding.first_offset, finding.last_offset, finding.records)
    return cost and f" ({cost})"


def _above_both(one: str, other: str) -> str:
    """The directory that is one of them, or above both; "" for none."""
    names = takewhile(lambda pair: pair[0] == pair[1], zip(one.split("/"), other.split("/"), strict=False))
    return "/".join(name for name, _ in names)


PARTITION_COLUMNS = (
    Column("partition", least=16, loses="middle"),
    Column("size", right=True),
    Column("segments", right=True, rank=2),
    Column("records", right=True),
    Column("start", right=True),
    Column("end", right=True),
    Column("watermark", right=True, rank=6),
    Column("epoch", right=True, rank=5),
    Column("firstTime", rank=3),
    Column("lastTime", rank=1),
    Column("format", rank=4),
    Column("codecs", rank=2),
)
SEGMENT_COLUMNS = (
    Column("file", least=14, loses="beginning"),
    Column("next", right=True),
    Column("size", right=True),
    Column("batches", right=True, rank=3),
    Column("records", right=True),
    Column("epochs", right=True, rank=5),
    Column("firstTime", rank=4),
    Column("lastTime", rank=1),
    Column("format", rank=6),
    Column("codecs", rank=3),
    Column("indexes", rank=2),
    Column("snapshot", rank=7),
)

_UNREMARKABLE = ("ok", "none", "empty")
_STATES = {"ok": "ok", "empty": "empty", "missing": "none", "broken": "broken", "unreadable": "unreadable"}


class Listing:
    """Takes what is found and writes it to stdout as it comes.

    Args:
        request: what the command line asks for.
        progress: is taken away while something is written.
    """

    def __init__(self, request: "Request", progress: "Progress") -> None:
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
        self._table = None if self._segments else self._new_table(PARTITION_COLUMNS)
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
            self._table.add(_partition_cells(facts))
            return
        if self._written:
            self._write("")
        self._about(facts.path, [_about_partition(facts)])
        table = self._new_table(SEGMENT_COLUMNS)
        for segment in found.segments:
            table.add(_segment_cells(segment))
        table.flush()

    def end_log_dir(self) -> None:
        """Write the lines that wait."""
        if self._table is not None:
            self._table.flush()

    def replicas(self, findings: "Iterable[Finding]") -> None:
        """Keep what is wrong between replicas."""
        self._remarks.add(findings, ())

    def end(self) -> None:
        """Write what is left out, what is wrong, and a sum."""
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
        records = None if self._records is None else human.plural(self._records, "record")
        log_dirs = human.plural(self._log_dirs, "log directory", "log directories") if self._log_dirs else None
        findings = human.plural(self._remarks.findings, "finding") if self._remarks.findings else "no findings"
        notes = human.plural(self._remarks.notes, "note") if self._remarks.notes else None
        counted = human.join([log_dirs, human.plural(self._partitions, "partition"), human.size(self._size), records])
        return f"{counted}; {human.join([findings, notes])}"

    def _about(self, path: str, texts: list[str]) -> None:
        self._write(escape(path))
        for text in texts:
            for line in wrapped(text, self._width, indent=2):
                self._write(line)

    def _new_table(self, columns: tuple[Column, ...]) -> Aligned:
        return Aligned(columns, self._width, self._write, indent=2, left_out=self._left_out)

    def _write(self, line: str) -> None:
        self._progress.pause()
        self._written = True
        click.echo(line)


def _about(facts: "LogDirFacts", unreadable: set[str]) -> list[str]:
    """What is said of a log directory, a paragraph each.

    Args:
        facts: what is known of it.
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
    others = human.plural(facts.other_partitions, "directory", "directories") if facts.other_partitions else None
    contents = [
        human.plural(facts.partitions, "partition"),
        others and f"{others} set aside",
        human.size(facts.size),
    ]
    checkpoints = [
        f"{name.removesuffix('-checkpoint').removesuffix('-offset')} {_STATES[status]}"
        for name, status in facts.checkpoints.items()
    ]
    return [human.join(ids), f"{human.join(contents)}; checkpoints: {', '.join(checkpoints)}"]


def _about_partition(facts: "PartitionFacts") -> str:
    """What is said of a partition whose segments follow."""
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


def _partition_cells(facts: "PartitionFacts") -> list[str | None]:
    name = facts.path.rstrip("/").rpartition("/")[2]
    if facts.state == "live" and facts.topic is not None:
        name = f"{facts.topic}-{facts.partition}"
    cells = [
        escape(name) + (" !" if facts.findings else ""),
        human.size(facts.size),
        human.number(facts.segments),
        _records(facts),
        human.plain(facts.log_start_offset),
        human.plain(facts.log_end_offset),
        human.plain(facts.high_watermark),
        human.plain(facts.max_leader_epoch),
        human.time(facts.min_timestamp),
        human.time(facts.max_timestamp),
        human.formats(facts.shares),
        human.codecs(facts.shares),
    ]
    return [*map(_or_null, cells)]


def _segment_cells(facts: "SegmentFacts") -> list[str | None]:
    indexes = [f".{each.kind} {each}" for each in facts.indexes if each.status not in _UNREMARKABLE]
    cells = [
        escape(facts.name) + (" !" if any(finding.level == "finding" for finding in facts.findings) else ""),
        human.plain(facts.next_offset),
        human.size(facts.size),
        human.number(facts.batches),
        _records(facts),
        human.span(facts.min_leader_epoch, facts.max_leader_epoch),
        human.time(facts.min_timestamp),
        human.time(facts.max_timestamp),
        human.formats(facts.shares),
        human.codecs(facts.shares),
        ", ".join(indexes) or "ok",
        "yes" if facts.has_producer_snapshot else "no",
    ]
    return [*map(_or_null, cells)]


def _records(facts: "PartitionFacts | SegmentFacts") -> str:
    return human.number(facts.records) + ("*" if facts.decompressed else "")


def _or_null(cell: str) -> str | None:
    return None if cell == human.NOTHING else cell
