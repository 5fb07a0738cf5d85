"""The golden dumps, split into the output of Kafka's tool for each file."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.golden_cases import Case

_DUMPING = re.compile(rb"(?m)^(?=Dumping \S+\.(?:log|index|timeindex|txnindex|snapshot|checkpoint)(?:\.[a-z]+)?$)")
_RUN = re.compile(rb"(?m)^\$ DumpLogSegments .*\n")
_EXCEPTION = re.compile(rb"(?m)^(?P<before>.*)# exception on (?P<file>\S+): (?P<what>.*)\n(?:#     at .*\n)*")
# Up to the next file, or the end.
_STDERR = re.compile(rb"(?m)^# exit code (?P<code>[0-9]); stderr:\n(?P<err>(?:(?!Dumping ).*\n)*)")


@dataclass(frozen=True)
class GoldenDump:
    """The output of Kafka's tool for one file.

    Attributes:
        file: path relative to the case's log directory.
        out: stdout, from `Dumping ...` on.
        complaint: lines of stderr that name the file, from the run that dumped it.
        death: why the tool died at the file, or "".
    """

    file: str
    out: bytes
    complaint: bytes
    death: str


def golden_dumps(case: Case, name: str) -> Iterator[GoldenDump]:
    """The files in `expected/<name>`, plain or gzipped, in order."""
    path = case.expected / name
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    yield from _modern(text) if case.family == "modern" else _legacy(text)


def version_of(case: Case, name: str) -> str:
    """The release whose tool printed a golden dump."""
    if case.family == "modern":
        return case.name.rpartition("-")[2]
    first = gzip.decompress((case.expected / name).read_bytes()).split(b"\n", 1)[0]
    return first.partition(b" of Kafka ")[2].partition(b":")[0].decode()


def names(case: Case, pattern: str) -> list[str]:
    """The names of the golden dumps of a case."""
    return sorted(path.name for path in case.expected.glob(pattern))


def _modern(text: bytes) -> Iterator[GoldenDump]:
    for run in _RUN.split(text)[1:]:
        out, _, rest = run.partition(b"\n[stderr]\n")
        err, _, status = rest.partition(b"\n[exit status 1")
        sections = list(_files(out))
        for file, section in sections:
            # If no file is named it is the last one.
            died = status.startswith((f" at {file}]".encode(), b"]" if section is sections[-1][1] else b" at it]"))
            yield GoldenDump(file, section, _complaint(err, file), err.decode() if died else "")


def _legacy(text: bytes) -> Iterator[GoldenDump]:
    deaths = {match["file"].decode(): match["what"].decode() for match in _EXCEPTION.finditer(text)}
    text = _EXCEPTION.sub(rb"\g<before>\n", text)
    for match in _STDERR.finditer(text):
        if match["code"] != b"0":
            deaths[list(_files(text[: match.start()]))[-1][0]] = match["err"].decode()
    for file, section in _files(_STDERR.sub(b"", text)):
        yield GoldenDump(file, section, b"", deaths.get(file, ""))


def _files(out: bytes) -> Iterator[tuple[str, bytes]]:
    for section in _DUMPING.split(out):
        if section.startswith(b"Dumping "):
            yield section.split(b"\n", 1)[0].removeprefix(b"Dumping ").decode(), section


def _complaint(err: bytes, file: str) -> bytes:
    lines = err.split(b"\n")
    titles = [number for number, line in enumerate(lines) if line.endswith(file.encode())]
    found = []
    for number in titles:
        found.append(lines[number])
        for line in lines[number + 1 :]:
            if not line.startswith((b"  ", b"Indexed offset")):
                break
            found.append(line)
    return b"\n".join(found)
