"""Imports of a program, found in its text: to parse half a thousand modules takes seconds."""

import re
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*(?:from +(?P<module>[\w.]+) +import +(?P<names>\([^)]*\)|[^\n]+)|import +(?P<modules>[\w., ]+))",
    re.MULTILINE,
)


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    """Modules that are imported anywhere, each with a name that is taken from it, or "" for the module itself."""
    for found in _IMPORT.finditer(path.read_text(encoding="utf-8")):
        if found["module"]:
            names = re.sub(r"#.*", "", found["names"]).strip("() \t\n")
            yield from ((found["module"], name.split()[0]) for name in names.split(",") if name.strip())
        else:
            yield from ((module.split()[0], "") for module in found["modules"].split(",") if module.strip())
