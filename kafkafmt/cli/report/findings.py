"""The findings and notes of a report, grouped by kind and advice, with the places of each."""

from itertools import takewhile
from typing import TYPE_CHECKING

from kafkafmt.cli.report.gathering import Gathering
from kafkafmt.cli.report.layout import details, more, path_text, section, text
from kafkafmt.files.damage import cost_text
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkafmt.cli.ls.request import ListingRequest
    from kafkafmt.findings import Finding

_GROUPS_AT_ONCE = 12
_PLACES_AT_ONCE = 4
_HEADINGS = {
    "checksum": "CRC mismatches",
    "corrupt": "Batches that cannot be read",
    "truncated": "Batches that end early",
    "cut": "Kafka cuts these logs",
    "deleted segments": "Kafka deletes segments of these logs",
    "stray": "Kafka sets these directories aside",
    "gap": "Missing offsets",
    "offset": "Offsets out of order, or beyond the log end",
    "index": "Indexes",
    "snapshot": "Producer snapshots",
    "leader epoch": "Leader epochs",
    "timestamp": "Timestamps",
}
"""A page's heading for a kind of findings whose messages differ."""


def findings_of(gathering: Gathering, request: "ListingRequest") -> str:
    """The section of findings."""
    count = gathering.finding_count
    if not count:
        unchecked = "" if request.depth in ("checksums", "records") else " The CRCs of the records were not checked."
        return section("No findings", f"Headers, indexes and checkpoints are sound and fit together.{unchecked}")
    where = counted(sum(1 for topic in gathering.topics.values() if topic.findings), "topic")
    sums = f"In {where}. " if any(topic.findings for topic in gathering.topics.values()) else ""
    hint = f"{sums}Damage, broken indexes or checkpoints, gaps: what Kafka would cut, rebuild or fail on."
    rest = more(count - len(gathering.findings), "findings", _rows_of(gathering))
    title = counted(count, "finding")
    body = _grouped(gathering.findings, request, keeps_order=bool(gathering.verdict))
    return section(title, hint, body + rest, css_class="faulty")


def notes_of(gathering: Gathering, request: "ListingRequest") -> str:
    """The section of notes; empty if there are none."""
    if not gathering.note_count:
        return ""
    rest = more(gathering.note_count - len(gathering.notes), "notes", _rows_of(gathering))
    return section(
        counted(gathering.note_count, "note"),
        "Not faults: traces of a killed or running broker, which Kafka handles when it starts.",
        _grouped(gathering.notes, request) + rest,
    )


def _rows_of(gathering: Gathering) -> str:
    return "verify --show findings" if gathering.verdict else "ls --rows findings"


def _grouped(findings: "Iterable[Finding]", request: "ListingRequest", *, keeps_order: bool = False) -> str:
    """Findings grouped by kind and advice, with their places.

    Args:
        findings: the findings, in order.
        request: the options of the survey.
        keeps_order: whether only adjacent findings are grouped, as verify orders them by cost.
    """
    groups: list[tuple[tuple[str, str], list[Finding]]] = []
    known: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        key = finding.kind, finding.advice
        if key not in known or (keeps_order and groups[-1][0] != key):
            known[key] = []
            groups.append((key, known[key]))
        known[key].append(finding)
    shown = [_group(kind, advice, group, request) for (kind, advice), group in groups]
    rest = shown[_GROUPS_AT_ONCE:]
    return "".join(shown[:_GROUPS_AT_ONCE]) + (details(f"{len(rest)} more kinds", "".join(rest)) if rest else "")


def _group(kind: str, advice: str, findings: "Sequence[Finding]", request: "ListingRequest") -> str:
    messages = {finding.message for finding in findings}
    alike = len(messages) == 1
    head = next(iter(messages)) if alike else _HEADINGS.get(kind, kind)
    count = f' <span class="count">{len(findings):,}</span>' if len(findings) > 1 else ""
    places = [_place(finding, request, "" if alike else finding.message) for finding in findings]
    listed = f"<ul>{''.join(places[:_PLACES_AT_ONCE])}</ul>"
    if places[_PLACES_AT_ONCE:]:
        rest = places[_PLACES_AT_ONCE:]
        listed += details(f"{len(rest):,} more", f"<ul>{''.join(rest)}</ul>")
    what_to_do = f'<p class="advice">{text(advice)}</p>' if advice else ""
    return f'<div class="group"><h3>{text(head)}{count}</h3>{what_to_do}{listed}</div>'


def _place(finding: "Finding", request: "ListingRequest", message: str) -> str:
    place = [] if finding.position is None else [f"position {finding.position}"]
    if finding.length is not None:
        place.append(counted(finding.length, "byte"))
    cost = cost_text(finding.first_offset, finding.last_offset, finding.records)
    if cost:
        place.append(cost)
    where = f' <span class="quiet">{", ".join(place)}</span>' if place else ""
    said = f"<br>{text(message)}" if message else ""
    return f'<li><span class="path">{path_below(finding.path, request)}</span>{where}{said}</li>'


def path_below(path: str, request: "ListingRequest") -> str:
    """The HTML of a path, without the common beginning of the user's paths, which the page shows at the top."""
    sources = [source.rstrip("/").split("/") for source in request.paths]
    alike = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*sources, strict=False)))
    names = path.split("/")
    is_below = alike < len(names) and names[:alike] == sources[0][:alike]
    return path_text("/".join(names[alike:]) if is_below else path)
