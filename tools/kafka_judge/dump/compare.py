"""Compares the output of `kafkafmt dump` with that of Kafka's own tool.

Each line of `RULES` is an intended difference; all others are findings, and so is a rule that no dump used.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from kafka_judge.dump.decoded_records import RULES_OF_RECORDS, rule_of

RULES = {
    "died": "Kafka's tool fails at what it cannot read: we print the same up to there, say what is wrong, and continue",
    "padding": "Kafka fails at, or complains about, an index of zeros: to us it is an empty one",
    "zeros to the end": "Kafka dies at a size of 0: space that was never written is not damage to us",
    "first offset": "Kafka says that -1 is followed by the first offset, if not by 0: we compare offsets of records",
    "no index": "Kafka looks up times by the offset index, and fails without one: we do not need it",
    "unknown version": "Kafka prints version 0 whatever an entry of a transaction index says: we refuse others",
    "no log": "Kafka dies of an index without its log even if it only checks the index's sanity",
    "damaged log": "Kafka looks up times by an index, and no further than damage: we walk the log, beyond damage too",
    "message unreadable": "Kafka prints the sizes of a key and value that are missing: we say why we do not",
    "negative size": "Kafka prints a size below -1 of a key or value as it is: to us they are null, of size -1",
    **RULES_OF_RECORDS,
}

_OWN = "kafkafmt: "
_PARTIAL = "the index ends inside an entry"
_NEGATIVE_SIZE = re.compile(r"(?<=Size: )-[0-9]+")
_TITLE = re.compile(r"(Mismatches in :|Found |The following indexed offsets|Non-consecutive offsets in )")


@dataclass(frozen=True)
class Run:
    """The result of one run of a tool.

    Attributes:
        out: its stdout.
        err: its stderr.
        death: the exception that ended it, or "" for none.
        status: its exit status.
    """

    out: str
    err: str
    death: str = ""
    status: int = 0


@dataclass
class Comparison:
    """Compares one dump after another and keeps the counts.

    Attributes:
        files: number of files dumped.
        dumps: number of dumps compared.
        died: number of compared dumps in which Kafka's tool died.
        findings: differences that no rule explains, one text each.
        rules_used: how often each of `RULES` explained a difference.
    """

    files: int = 0
    dumps: int = 0
    died: int = 0
    findings: list[str] = field(default_factory=list)
    rules_used: Counter[str] = field(default_factory=Counter)

    def compare(self, arguments: list[str], kafka: Run, ours: Run) -> None:
        """Compare two runs with the same arguments."""
        self.dumps += 1
        self.died += bool(kafka.death)
        difference = self._difference(arguments, kafka, ours)
        if difference:
            self.findings.append(f"{' '.join(arguments)}: {difference}")

    def unused_rules(self) -> list[str]:
        """Rules that have explained no difference."""
        return [rule for rule in RULES if not self.rules_used[rule]]

    def _allow(self, rule: str) -> None:
        if rule not in RULES:
            raise KeyError(rule)
        self.rules_used[rule] += 1

    def _difference(self, arguments: list[str], kafka: Run, ours: Run) -> str | None:
        decodes = any(argument.endswith("-decoder") for argument in arguments)
        if decodes:
            kafka = replace(kafka, out=self._with_our_words(kafka.out, ours.out))
        if kafka.death:
            return self._after_death(arguments, kafka, ours)
        if kafka.out != ours.out:
            if decodes and kafka.out.count("\n") == ours.out.count("\n"):
                return _first_difference(kafka.out, ours.out)
            if ours.status and _without_records(kafka.out) == _without_records(ours.out):
                self._allow(
                    "negative size" if _NEGATIVE_SIZE.sub("-1", kafka.out) == ours.out else "message unreadable"
                )
                return None
            if arguments[1].endswith(".txnindex") and kafka.out.startswith(ours.out) and "unknown version" in ours.err:
                self._allow("unknown version")
                return None
            return _first_difference(kafka.out, ours.out)
        return self._of_complaints(arguments, kafka, ours)

    def _with_our_words(self, kafka: str, ours: str) -> str:
        """Kafka's lines of decoded records, with our wording wherever a rule allows it."""
        lines = kafka.split("\n")
        for number, (line, own) in enumerate(zip(lines, ours.split("\n"), strict=False)):
            as_null = _NEGATIVE_SIZE.sub("-1", line)
            if as_null not in (line, own) and rule_of(as_null, own):
                self._allow("negative size")
                line = as_null  # noqa: PLW2901 - the rest of the line is compared by the other rules
            rule = None if line == own else rule_of(line, own)
            if rule:
                self._allow(rule)
                lines[number] = own
        return "\n".join(lines)

    def _of_complaints(self, arguments: list[str], kafka: Run, ours: Run) -> str | None:
        theirs, own = _complaints(kafka.err), _complaints(ours.err)
        for lines in theirs.values():
            if "  -1 is followed by" in lines:
                self._allow("first offset")
                del lines["  -1 is followed by"]
        theirs = {title: lines for title, lines in theirs.items() if lines}
        if theirs == own:
            return None
        if (ours.status == 0 or _PARTIAL in ours.err) and not own and all(len(lines) == 1 for lines in theirs.values()):
            self._allow("padding")
        elif arguments[1].endswith(".timeindex") and ("crash-" in arguments[1] or "size-" in arguments[1]):
            self._allow("damaged log")
        else:
            return f"on stderr Kafka has {theirs}, we {own}"[:1000]
        return None

    def _after_death(self, arguments: list[str], kafka: Run, ours: Run) -> str | None:
        printed = kafka.out.removesuffix("\n")
        if not ours.out.startswith(printed):
            if not (ours.status and _without_records(ours.out).startswith(_without_records(printed))):
                return f"Kafka died of {kafka.death[:200]}: {_first_difference(kafka.out, ours.out)}"
            self._allow("message unreadable")
        elif ours.status:
            self._allow("died")
        elif "record size 0 smaller" in kafka.death:
            self._allow("zeros to the end")
        elif "NoSuchElement" in kafka.death and ours.out.endswith(" is empty.\n"):
            self._allow("padding")
        elif "--index-sanity-check" in arguments and "NoSuchFile" in kafka.death:
            self._allow("no log")
        elif "Invalid max index size: -1" in kafka.death:
            self._allow("no index")
        elif arguments[1].endswith(".timeindex") and "Corrupt" in kafka.death:
            self._allow("damaged log")
        else:
            return f"Kafka died of {kafka.death[:300]}, we find nothing wrong"
        return None


def _without_records(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line and not line.startswith("|"))


def _complaints(text: str) -> dict[str, dict[str, str]]:
    """The lines under each title on the stderr of Kafka's tool, in a map by their first number, as in the tool."""
    found: dict[str, dict[str, str]] = {}
    lines: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith((_OWN, "SLF4J")):
            continue
        if _TITLE.match(line):
            lines = found.setdefault(line, {})
        else:
            first, _, second = line.rpartition(" ")
            lines[first] = second
    return found


def _first_difference(kafka: str, ours: str) -> str:
    for number, (theirs, own) in enumerate(zip(kafka.split("\n"), ours.split("\n"), strict=False), 1):
        if theirs != own:
            return f"line {number}: Kafka {theirs[:400]!r}, we {own[:400]!r}"
    return f"Kafka prints {len(kafka)} characters, we {len(ours)}"
