"""Imports of a program, found by searching its text: parsing 500 modules would take seconds."""

import re
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*(?:from +(?P<module>[\w.]+) +import +(?P<names>\([^)]*\)|[^\n]+)|import +(?P<modules>[\w., ]+))",
    re.MULTILINE,
)


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    """Imported modules, each with a name imported from it, or "" for the module itself."""
    for found in _IMPORT.finditer(path.read_text(encoding="utf-8")):
        if found["module"]:
            names = re.sub(r"#.*", "", found["names"]).strip("() \t\n")
            yield from ((found["module"], name.split()[0]) for name in names.split(",") if name.strip())
        else:
            yield from ((module.split()[0], "") for module in found["modules"].split(",") if module.strip())
