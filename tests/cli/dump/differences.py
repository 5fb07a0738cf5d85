"""Compares our dump of a file with a golden one, whose release may use other words."""

from tests.cli.dump.golden_dumps import GoldenDump
from tests.cli.dump.older_wordings import Reword, as_it_is, comparable, in_the_words_of
from tests.cli.dump.running import Run

CURRENT = "4.3.1"
SAYS_EMPTY = ("2.8.2", "3.9.1", CURRENT)
"""Releases whose tool reports that an index is empty."""


def difference(version: str, golden: GoldenDump, ours: Run, reword: Reword = as_it_is) -> str:
    """Return the first difference, or "".

    Args:
        version: the release that printed the golden dump.
        golden: the output of that release.
        ours: our dump of the same file.
        reword: turns our text for a record's key and value into the wording of the older release.
    """
    if version == CURRENT:
        theirs, own = golden.out.split(b"\n"), ours.out.split(b"\n")
    else:
        theirs, own = comparable(version, golden.out), in_the_words_of(version, ours.out, reword)
    theirs, own = _without_empty_end(theirs), _without_empty_end(own)
    if version not in SAYS_EMPTY and own[-1].endswith(b".index is empty."):
        del own[-1]
    if golden.death:
        own = own[: len(theirs)]
        if not own[-1].startswith(theirs[-1]):
            return f"{golden.file}: {theirs[-1]!r}, we {own[-1]!r}"
        own[-1] = theirs[-1]
    for number, (line, ours_line) in enumerate(zip(theirs, own, strict=False)):
        if line != ours_line:
            return f"{golden.file}: line {number}: {line!r}, we {ours_line!r}"
    return "" if len(theirs) == len(own) else f"{golden.file}: {len(theirs)} lines, we {len(own)}"


def _without_empty_end(lines: list[bytes]) -> list[bytes]:
    while lines and not lines[-1]:
        lines.pop()
    return lines
