"""The page of `compare --report`: how copies of partitions relate, where they first differ, and their losses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.cli import human
from kafkafmt.cli.report.layout import Cell, facts, long_table, page, section, short, text
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from kafkafmt.operations import ComparedCopies

# Pairs that need attention come first; None stands for damage, or no offsets in common.
_ORDER: Final = ("diverged", None, "missing", "prefix", "equal")
_MEANINGS: Final = {
    "diverged": "hold different records at the same offsets",
    None: "not decided: damage, or no offsets in common",
    "missing": "are in one copy only",
    "prefix": "are equal, but one copy ends sooner",
    "equal": "hold the same records",
}
_MOST: Final = 1000
_REMARK_LETTERS: Final = 300


def comparison_page(answer: "ComparedCopies", paths: Sequence[str]) -> str:
    """Render the page.

    Args:
        answer: the answer of `compare`.
        paths: the copies, as they were named.
    """
    rows = sorted(answer.to_table("partitions").to_pylist(), key=lambda row: _ORDER.index(row["relation"]))
    counts = {relation: sum(row["relation"] == relation for row in rows) for relation in _ORDER}
    numbers = [
        (human.number(len(rows)), "pairs of copies"),
        *((human.number(counts[relation]), relation or "not decided") for relation in _ORDER),
        _lost(rows, "lostIfFirstLeads", "records lost if the first copies lead"),
        _lost(rows, "lostIfSecondLeads", "records lost if the second copies lead"),
    ]
    which_copies = ("first", "second") if len(paths) > 2 else ()
    sections = [facts(numbers), *(_section(relation, rows, which_copies) for relation in _ORDER if counts[relation])]
    if not rows:
        sections.append(section("No partition to compare", ""))
    notes = "".join(f"<p>{text(short(str(note), _REMARK_LETTERS))}</p>" for note in answer.notes)
    if notes:
        sections.append(section("Notes", "", notes))
    return page("What differs between these copies", paths, "from the records of all copies.", sections)


def _lost(rows: Sequence[dict[str, Any]], column: str, what: str) -> tuple[str, str]:
    """The losses of all pairs, and for how many pairs they are unknown."""
    known = [row[column] for row in rows if row[column] is not None]
    unknown = len(rows) - len(known)
    more = f"; not known of {counted(unknown, 'pair')}" if unknown else ""
    return human.number(sum(known)) if known else human.NOTHING, f"{what}{more}"


def _section(relation: str | None, rows: Sequence[dict[str, Any]], which_copies: Sequence[str]) -> str:
    """The pairs with one relation, named by their copies if a partition has several pairs."""
    shown = [row for row in rows if row["relation"] == relation]
    titles: list[Cell] = [
        ("name", "partition"),
        *(("path", which) for which in which_copies),
        ("number", "first divergent offset"),
        ("number", "log ends"),
        ("number", "lost if the first leads"),
        ("number", "lost if the second leads"),
        ("path wide", "remarks"),
    ]
    body = long_table(titles, [_cells(row, which_copies) for row in shown[:_MOST]], "pairs")
    if len(shown) > _MOST:
        body += f'<p class="quiet">and {len(shown) - _MOST:,} more: kafkafmt compare --output jsonl lists them all.</p>'
    title = f"{counted(len(shown), 'pair')} {relation or 'not decided'}"
    kind = "faulty" if relation == "diverged" else ""
    return section(title, f"They {_MEANINGS[relation]}.", body, css_class=kind)


def _cells(row: dict[str, Any], which_copies: Sequence[str]) -> list[Cell]:
    ends = ", ".join(human.plain(end) for end in row["logEndOffsets"] or ())
    remarks = "; ".join(row["remarks"] or ())
    return [
        ("name", text(short(f"{row['topic'] or '(no topic name)'}-{human.plain(row['partition'])}"))),
        *(("path", text(short(row[which] or human.NOTHING, 120))) for which in which_copies),
        ("number", human.plain(row["firstDivergentOffset"])),
        ("number", ends or human.NOTHING),
        ("number fault" if row["lostIfFirstLeads"] else "number", human.number(row["lostIfFirstLeads"])),
        ("number fault" if row["lostIfSecondLeads"] else "number", human.number(row["lostIfSecondLeads"])),
        ("path wide", text(short(remarks, _REMARK_LETTERS))),
    ]
