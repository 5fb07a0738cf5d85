"""The account of an answer: what is to be said beside its rows, which makes the exit code."""

from typing import TYPE_CHECKING

from kafkafmt.cli import messages
from kafkafmt.cli.exit_codes import CLEAN, FINDINGS
from kafkafmt.files.damage import is_finding

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.answers import Answer

MOST_LINES = 50
"""Lines of one kind."""


def tell(answer: "Answer", scan: "Scan") -> int:
    """Say on stderr what was not read, what is wrong, and what else is to be known.

    Args:
        answer: which one.
        scan: of the same sources, which knows the paths of their files.

    Returns:
        CLEAN or FINDINGS.
    """
    found = False
    lines = []
    for damage in answer.damage:
        error = messages.with_path(damage.error, scan)
        found |= not damage.is_open_end
        lines.append(messages.damage_line(damage, error))
    messages.say_some(lines, MOST_LINES)
    messages.say_some(answer.findings, MOST_LINES)
    wrong = [note for note in answer.notes if is_finding(note)]
    messages.say_some(wrong, MOST_LINES)
    messages.say_some([f"note: {note}" for note in answer.notes if note not in wrong], MOST_LINES)
    messages.report_skipped_replicas(answer.skipped_replicas)
    return FINDINGS if found or answer.findings or wrong else CLEAN
