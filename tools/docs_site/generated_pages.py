"""Pages generated from the program: the help of each command with its document, and the Python interface."""

import re
from pathlib import Path

import click

from kafkafmt.cli.main import COMMANDS, kafkafmt

ROOT = Path(__file__).resolve().parents[2]

_API = (
    (
        "Reading",
        ("kafkafmt.scan", "kafkafmt.Scan", "kafkafmt.Offsets", "kafkafmt.Reader", "kafkafmt.Plan", "kafkafmt.Split"),
    ),
    (
        "Disks and answers",
        ("kafkafmt.open", "kafkafmt.Disks", "kafkafmt.LogDir", "kafkafmt.Partition", "kafkafmt.Segment"),
    ),
    (
        "Writing and repair",
        ("kafkafmt.write", "kafkafmt.repair", "kafkafmt.extract"),
    ),
    (
        "Servers, tables and clusters",
        ("kafkafmt.serve", "kafkafmt.Server", "kafkafmt.load", "kafkafmt.replay"),
    ),
    ("Values", ("kafkafmt.values.schemas",)),
    ("DuckDB and Polars", ("kafkafmt.duckdb.register", "kafkafmt.polars.scan")),
    ("Errors", ("kafkafmt.errors",)),
)
_DESCRIBED = re.compile(r"^\| \[`(.*?)`\]\(docs/(.*?\.md)", re.MULTILINE)
_HEADING = "Options"


def write(pages: Path) -> list[dict[str, object]]:
    """Write the pages; returns their navigation."""
    (pages / "commands").mkdir()
    root = click.Context(kafkafmt, info_name="kafkafmt", **kafkafmt.context_settings)
    listed: list[object] = ["command_line.md"]
    # README says which document describes each command.
    documents = dict(_DESCRIBED.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    seen = {"values.md", "serve.md"}
    for name, summary in COMMANDS.items():
        command = kafkafmt.get_command(root, name)
        if command is None:
            continue
        context = click.Context(command, info_name=name, parent=root)
        text = f"# kafkafmt {name}\n\n{summary[:1].upper()}{summary[1:]}.\n\n"
        text += f"Examples and explanations: [{documents[name]}](../{documents[name]}).\n\n"
        text += f"## {_HEADING}\n\n```text\n{command.get_help(context)}\n```\n"
        (pages / "commands" / f"{name}.md").write_text(text, encoding="utf-8")
        document = documents[name]
        listed.append({name: [f"commands/{name}.md", *([] if document in seen else [document])]})
        seen.add(document)
    (pages / "api").mkdir()
    api: list[object] = ["python.md"]
    for title, names in _API:
        file = f"api/{title.lower().replace(' ', '_')}.md"
        blocks = "\n\n".join(f"::: {name}" for name in names)
        (pages / file).write_text(f"# {title}\n\n{blocks}\n", encoding="utf-8")
        api.append({title: file})
    return [{"Commands": listed}, {"Python": api}]
