"""Remarks: what `ls` and `verify` say after their tables: what is left out of the logs and why, findings, and notes."""

from collections.abc import Callable, Iterable
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

from kafkafmt.cli import human
from kafkafmt.cli.output.aligned import wrapped
from kafkafmt.cli.printable import escape
from kafkafmt.files.damage import cost_text
from kafkafmt.survey import FINDING

if TYPE_CHECKING:
    from kafkafmt.survey import Finding, LeftOut

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
        """What all paths begin with and is said once. At a pipe they are whole, for scripts."""
        return "" if self._width is None or not self._base or self._base in (".", "/") else f"{self._base.rstrip('/')}/"

    def _shown(self, path: str) -> str:
        return escape(path.removeprefix(self._prefix))

    def _paragraph(self, text: str, indent: int = 2) -> None:
        for line in wrapped(text, self._width, indent):
            self._write(line)


def _place(finding: "Finding") -> str:
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
