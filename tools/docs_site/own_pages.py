"""The hand-written pages: README.md and docs/, with links that work on the site."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")
_LANGUAGE = re.compile(r"^(```\w+) .*$", re.MULTILINE)
_BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE")
"""Files of the root directory that are also pages."""

_AUDIENCES: dict[str, tuple[str, ...]] = {
    "Operators": ("operators", "problems", "lost_or_repeated", "serve", "serve_security", "restore", "replay"),
    "Data engineers": ("data_engineers", "daily_loads", "load", "values", "values_schemas", "object_stores"),
    "Spark": ("spark", "spark_options", "spark_streaming", "spark_recipes", "running_on_a_cluster"),
}


def write(pages: Path) -> list[dict[str, object]]:
    """Write the pages; returns their navigation, without commands, formats and the project."""
    home = (ROOT / "README.md").read_text(encoding="utf-8")
    (pages / "index.md").write_text(_with_links(home, ROOT / "README.md", pages / "index.md", pages), encoding="utf-8")
    for path in sorted(DOCS.rglob("*")):
        target = pages / path.relative_to(DOCS)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif path.suffix == ".md":
            text = _with_links(path.read_text(encoding="utf-8"), path, target, pages)
            target.write_text(text, encoding="utf-8")
        elif path.suffix in (".svg", ".json", ".yaml"):
            shutil.copy(path, target)
    for name in _BESIDE:
        text = (ROOT / name).read_text(encoding="utf-8")
        target = pages / f"{Path(name).stem}.md"
        text = f"# Licence\n\n```\n{text}```\n" if name == "LICENSE" else text
        target.write_text(_with_links(text, ROOT / name, target, pages), encoding="utf-8")
    audiences: list[dict[str, object]] = [
        {name: [f"{page}.md" for page in known if (pages / f"{page}.md").exists()]}
        for name, known in _AUDIENCES.items()
    ]
    return [{"Home": "index.md"}, *audiences]


def of_project(pages: Path) -> list[dict[str, object]]:
    """The navigation of the remaining pages: figures, examples, the project."""

    def below(folder: str) -> list[str]:
        return sorted(path.relative_to(pages).as_posix() for path in (pages / folder).rglob("*.md"))

    project = (
        "reliability",
        "performance",
        "architecture",
        "dependencies",
        "releasing",
        "CONTRIBUTING",
        "CHANGELOG",
        "LICENSE",
    )
    return [
        {"Figures": below("benchmarks")},
        {"Examples": below("examples")},
        {"Project": [f"{name}.md" for name in project if (pages / f"{name}.md").exists()]},
    ]


def _with_links(text: str, source: Path, target: Path, pages: Path) -> str:
    """A page's text with links to pages of the site; links to other places become plain text."""

    def moved(link: re.Match[str]) -> str:
        words, path, anchor = link[1], link[2], link[3] or ""
        found = (source.parent / path).resolve()
        if found == ROOT / "README.md":
            place = pages / "index.md"
        elif found.parent == ROOT and found.name in _BESIDE:
            place = pages / f"{found.stem}.md"
        elif found.is_relative_to(DOCS) and found.suffix in (".md", ".svg", ".json", ".yaml"):
            place = pages / found.relative_to(DOCS)
        else:
            return words
        # GitHub keeps every hyphen of a heading's anchor, Zensical only one of several in a row.
        return f"[{words}]({_relative(place, target.parent)}{re.sub('-+', '-', anchor)})"

    # The words after a code block's language are for tests.
    text = _LANGUAGE.sub(r"\1", text)
    # A picture is a link with a mark before it. Code blocks have no links.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(moved, part) for part in parts)


def _relative(path: Path, start: Path) -> str:
    up = 0
    while not path.is_relative_to(start):
        start, up = start.parent, up + 1
    return "../" * up + path.relative_to(start).as_posix()
