"""The golden dumps: the output of Kafka's tool for every file of every case, compared with ours."""

import os
from collections import Counter
from functools import cache

import pytest

from tests.cli.dump.differences import difference
from tests.cli.dump.golden_dump_exceptions import DUMPS
from tests.cli.dump.golden_dumps import GoldenDump, golden_dumps, names, version_of
from tests.cli.dump.running import Run, dump
from tests.golden_cases import Case, cases

pytestmark = pytest.mark.xdist_group("golden_dumps")

NO_DAMAGE = ("NoSuchElementException", "record size 0 smaller", "smaller than minimum record overhead")
"""How the tool dies on padding and on zeros at the end of a file, neither of which is a fault."""

FULL_DUMPS = [(case, name) for case in cases() for name in names(case, "dump.txt*")] + [
    (case, name) for case in cases("legacy") for name in names(case, "dump-[0-9]*")
]
SANITY_DUMPS = [(case, name) for case in cases("modern") for name in names(case, "dump-index-sanity*")]


def _id(value: object) -> str:
    return str(value)


@pytest.mark.parametrize(("case", "name"), FULL_DUMPS, ids=_id)
def test_dumps_are_those_of_kafka(case: Case, name: str) -> None:
    verdicts = _verdicts(case, name)
    assert not [text for text, _ in verdicts if text]


@pytest.mark.parametrize(("case", "name"), SANITY_DUMPS, ids=_id)
def test_sanity_checks_are_those_of_kafka(case: Case, name: str) -> None:
    assert not [text for text, _ in _sanity_verdicts(case, name) if text]


@pytest.mark.slow
def test_figures() -> None:
    full: Counter[tuple[str, str]] = Counter()
    for case, name in FULL_DUMPS:
        family = version_of(case, name) if case.family == "modern" else "legacy"
        full.update((family, kind) for _, kind in _verdicts(case, name))
    sanity = Counter(kind for case, name in SANITY_DUMPS for _, kind in _sanity_verdicts(case, name))
    assert full == {
        ("4.3.1", "equal"): 1386,
        ("4.3.1", "by meaning, complained"): 133,  # stdout is equal there too
        ("4.3.1", "by meaning, died"): 37,
        ("3.9.1", "equal"): 1368,
        ("3.9.1", "by meaning, complained"): 23,
        ("3.9.1", "by meaning, died"): 34,
        ("legacy", "equal"): 1624,
        ("legacy", "by meaning, died"): 104,
        ("legacy", "exception"): len(DUMPS),
    }
    assert sanity == {"equal": 1366, "insane": 74}


@pytest.mark.slow
def test_every_exception_is_needed() -> None:
    needed = {
        (case.name, version_of(case, name), golden.file)
        for case, name in FULL_DUMPS
        for golden, (_, kind) in zip(golden_dumps(case, name), _verdicts(case, name), strict=True)
        if kind == "exception"
    }
    assert needed == set(DUMPS)


@cache
def _verdicts(case: Case, name: str) -> list[tuple[str, str]]:
    """For each file the difference or "", and how it was compared."""
    version = version_of(case, name)
    return [_verdict(case, version, golden) for golden in golden_dumps(case, name)]


def _verdict(case: Case, version: str, golden: GoldenDump) -> tuple[str, str]:
    ours = dump("--deep-iteration", "--print-data-log", "--files", golden.file, inside=case.log_dir)
    different = difference(version, golden, ours) or _wrong_status(case, golden, ours)
    if different and (case.name, version, golden.file) in DUMPS:
        return "", "exception"
    if golden.death:
        return different, "by meaning, died"
    if golden.complaint:
        return different or _different_complaint(case, golden, ours), "by meaning, complained"
    return different, "equal"


def _wrong_status(case: Case, golden: GoldenDump, ours: Run) -> str:
    """A death of the tool is a finding, unless nothing is wrong; and a file of a sound case has none."""
    if golden.death and case.family == "modern" and not any(text in golden.death for text in NO_DAMAGE):
        return "" if ours.status == 1 else f"{golden.file}: Kafka died of {golden.death}, we find nothing"
    if ours.status and not _is_damaged(case):
        return f"{golden.file}: {ours.err!r}"
    return ""


def _is_damaged(case: Case) -> bool:
    return case.name.startswith(("12-crash", "damaged", "crafted"))


def _different_complaint(case: Case, golden: GoldenDump, ours: Run) -> str:
    """Every line of Kafka's tool is among ours, except those in which the tool is wrong."""
    own = ours.err.replace(os.fsencode(case.log_dir) + b"/", b"").split(b"\n")
    for line in golden.complaint.split(b"\n"):
        false = line.startswith(b"  -1 is followed by ") or _is_about_padding(golden, line)
        title = line.endswith(golden.file.encode())
        if line not in own and not false and not title:
            return f"{golden.file}: Kafka says {line!r}, we {own}"
    return ""


def _is_about_padding(golden: GoldenDump, line: bytes) -> bool:
    """Whether a complaint is about the first of the zeros that fill the index of an idle partition."""
    return line.startswith((b"  Index offset: 0,", b"Indexed offset: 0,", b"  Index timestamp: 0,")) and (
        golden.out.rstrip().endswith((b"\noffset: 0 position: 0", b"\ntimestamp: 0 offset: 0"))
    )


@cache
def _sanity_verdicts(case: Case, name: str) -> list[tuple[str, str]]:
    verdicts = []
    for golden in golden_dumps(case, name):
        ours = dump("--index-sanity-check", "--files", golden.file, inside=case.log_dir)
        if golden.death:
            sane = ours.status == 0 or b"passed" in ours.out
            verdicts.append((f"{golden.file}: Kafka died of {golden.death}" if sane else "", "insane"))
        else:
            same = golden.out.rstrip() == ours.out.rstrip() and ours.status == 0
            verdicts.append(("" if same else f"{golden.file}: {golden.out!r}, we {ours}", "equal"))
    return verdicts
