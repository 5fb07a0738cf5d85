"""Writes the pages of the site and builds it with Zensical; Zensical's warnings count as errors."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import environment
from docs_site import format_pages, generated_pages, own_pages

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "docs"

Navigation = list[dict[str, object]]

_MARKDOWN = {
    "attr_list": {},
    "md_in_html": {},
    "tables": {},
    "toc": {"permalink": True},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {},
}
_FEATURES = (
    "content.code.copy",
    "navigation.footer",
    "navigation.path",
    "navigation.sections",
    "navigation.top",
    "navigation.tracking",
    "search.highlight",
)


@environment.command("tools/docs")
def main(arguments: list[str]) -> int:
    """Build the site, or serve it; returns the exit code."""
    pages = BUILD / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    navigation = [
        *own_pages.write(pages),
        *generated_pages.write(pages),
        *format_pages.write(pages),
        *own_pages.of_project(pages),
    ]
    configuration = BUILD / "zensical.toml"
    configuration.write_text(_configuration(navigation), encoding="utf-8")
    program = Path(sys.executable).with_name("zensical")
    options = ["serve"] if arguments else ["build", "--strict", "--clean"]
    done = subprocess.run(
        [program, *options, "--config-file", configuration.name],
        check=False,
        cwd=BUILD,
        stdout=None if arguments else subprocess.PIPE,
        stderr=None if arguments else subprocess.STDOUT,
        env={**os.environ, "NO_COLOR": "1"},
        encoding="utf-8",
    )
    said = done.stdout or ""
    print(said, end="")
    site = BUILD / "site"
    count = len([*site.rglob("*.html")])
    print(f"{count} pages are in {site.relative_to(ROOT)}")
    return 1 if done.returncode or "warning" in said.lower() else 0


def _configuration(navigation: Navigation) -> str:
    """The configuration of Zensical; JSON values without nulls are also TOML values."""
    lines = [
        "[project]",
        'site_name = "kafkafmt"',
        'site_description = "Read everything Apache Kafka keeps on disk, without a cluster"',
        'docs_dir = "pages"',
        'site_dir = "site"',
        f"nav = [{', '.join(map(_inline, navigation))}]",
        "[project.theme]",
        f"features = {json.dumps(_FEATURES)}",
        "font = false",
    ]
    for scheme, media in (("default", "light"), ("slate", "dark")):
        lines += [
            "[[project.theme.palette]]",
            f'media = "(prefers-color-scheme: {media})"',
            f'scheme = "{scheme}"',
        ]
    lines.append("[project.markdown_extensions]")
    lines += [f'"{name}" = {_inline(options)}' for name, options in _MARKDOWN.items()]
    lines += [
        "[project.plugins.mkdocstrings.handlers.python]",
        f"paths = [{json.dumps(str(ROOT))}]",
        "[project.plugins.mkdocstrings.handlers.python.options]",
        'docstring_style = "google"',
        'docstring_section_style = "list"',
        "separate_signature = true",
        "show_signature_annotations = true",
        "show_source = false",
        "show_root_heading = true",
        "heading_level = 2",
    ]
    return "\n".join(lines) + "\n"


def _inline(value: object) -> str:
    """A value as one line of TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
