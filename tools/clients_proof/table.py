"""Writes the matrix into docs/serve.md, between two marks."""

import re
from collections.abc import Sequence

import environment
from clients_proof.commands import Answer
from clients_proof.matrix import Row
from proof_frame import ProofError

_PAGE = environment.ROOT / "docs" / "serve.md"
_BEGIN, _END = "<!-- clients: tools/proof clients --write -->\n", "<!-- /clients -->\n"
_REASON = re.compile(r"[\w ]*(?:policy|authoriz)[\w ]*", re.IGNORECASE)
_HEAD = """\
| client | records | `read_committed` | groups | KIP-848 | what its producer says |
|---|---:|---:|---|---|---|
"""
_TOOLS_HEAD = """\
| tool | asked | its answer is |
|---|---|---|
"""


def write(rows: Sequence[Row], answers: Sequence[Answer]) -> None:
    """Write the results without differences into docs/serve.md.

    Raises:
        ProofError: the page has no marks.
    """
    before, begin, rest = _PAGE.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ProofError(f"{_PAGE} has no marks for the matrix: {_BEGIN.strip()} and {_END.strip()}")
    clients = _HEAD + "".join(map(_row, rows))
    tools = _TOOLS_HEAD + "".join(f"| {each.label} | {_code(each.asked)} | {each.facts} |\n" for each in answers)
    _PAGE.write_text(f"{before}{begin}\n{clients}\n{tools}\n{end}{after}", "utf-8")


def _row(row: Row) -> str:
    counts = (f"{row.counts[level]:,}" for level in ("read_uncommitted", "read_committed"))
    groups = ("yes" if protocol in row.differences else "" for protocol in ("classic", "consumer"))
    reason = _REASON.search(row.words.get("produce", ""))
    return f"| {row.label} | {' | '.join((*counts, *groups, reason[0].strip() if reason else ''))} |\n"


def _code(asked: str) -> str:
    return f"`{asked}`" if "--" in asked or asked == "list" else asked
