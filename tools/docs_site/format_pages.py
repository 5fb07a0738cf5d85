"""Writes a page for each format: its description, tables of its fields, and a diagram by ksc and Graphviz."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from class_path import ToolError, fetched_jars, tool
from kafkafmt.specs import Spec, specs

ROOT = Path(__file__).resolve().parents[2]
_TITLES = {
    ".": "Files of a log directory",
    "messages": "Internal topics",
    "tiered": "Remote storage",
    "protocol": "Protocol",
}
_SIZES = re.compile(r"^(?:[usf]\d|b\d+)(?:le|be)?$")


def write(pages: Path) -> list[dict[str, object]]:
    """Write the pages; returns their navigation.

    Raises:
        ToolError: Graphviz, Java or Maven is missing, or fails.
    """
    drawn = _diagrams(pages / "formats")
    listed: list[object] = ["formats.md", "internal_topics.md"]
    for folder, title in _TITLES.items():
        in_it = [spec for spec in specs().values() if spec.folder == folder]
        for spec in in_it:
            target = pages / "formats" / f"{_place(spec)}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_page(spec, drawn), encoding="utf-8")
        listed.append({title: [{spec.name: f"formats/{_place(spec)}.md"} for spec in in_it]})
    return [{"Formats": listed}]


def _place(spec: Spec) -> str:
    return spec.file.removesuffix(".ksy")


def _page(spec: Spec, drawn: set[str]) -> str:
    loaded: dict[str, Any] = yaml.load(spec.text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    parts = [f"# {spec.title}", f"`{spec.file}`", loaded.get("doc", "")]
    if spec.imports:
        links = ", ".join(f"[{name}]({_imported(spec, name)})" for name in spec.imports)
        parts.append(f"Imports {links}.")
    parts += [*_tables(spec.name, loaded)]
    if _place(spec) in drawn:
        parts.append(f"## Diagram\n\n![{spec.title}]({spec.name}.svg)")
    parts.append(f"## Spec\n\n```yaml\n{spec.text}```")
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _imported(spec: Spec, name: str) -> str:
    beside = name if spec.folder == "." else f"{spec.folder}/{name}"
    return f"{name}.md" if beside in specs() else f"../{name}.md"


def _tables(name: str, loaded: dict[str, Any]) -> Iterator[str]:
    """A table of the fields of a type, and of each type inside it."""
    fields = loaded.get("seq", [])
    if fields:
        rows = "\n".join(
            f"| `{each['id']}` | {_type(each)} | {_bytes(each)} | {_words(each.get('doc', ''))} |" for each in fields
        )
        yield f"## {name}\n\n| field | type | size | what |\n| --- | --- | --- | --- |\n{rows}"
    for inner, content in loaded.get("types", {}).items():
        yield from _tables(inner, content)


def _type(field: dict[str, Any]) -> str:
    declared = field.get("type")
    if isinstance(declared, dict):
        names = sorted({str(each).partition("(")[0] for each in declared["cases"].values()})
        declared = " or ".join(names[:4]) + (" or others" if len(names) > 4 else "")
    repeated = "[]" if "repeat" in field else ""
    optional = " (not always)" if "if" in field else ""
    return f"`{str(declared or 'bytes').partition('(')[0]}{repeated}`{optional}"


def _bytes(field: dict[str, Any]) -> str:
    declared = str(field.get("type", ""))
    if _SIZES.match(declared) and "repeat" not in field:
        count = declared[1:].rstrip("lbe")
        return count if declared[0] != "b" else f"{count} bit{'s' * (count != '1')}"
    if "size" in field:
        return f"`{field['size']}`".replace("|", "\\|")
    return "to the end" if field.get("size-eos") or field.get("repeat") == "eos" else ""


def _words(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _diagrams(folder: Path) -> set[str]:
    """Draw diagrams of the formats that Kafka keeps on disk; returns their paths."""
    dot = shutil.which("dot")
    if dot is None:
        raise ToolError("Graphviz is missing: install it (apt-get install graphviz)")
    jars = fetched_jars(ROOT / "tools" / "ksc", "kaitai-struct-compiler_2.13")
    drawn: set[str] = set()
    for part in ("", "tiered", "messages"):
        sources = sorted((ROOT / "formats" / part).glob("*.ksy"))
        with tempfile.TemporaryDirectory() as made:
            java = [tool("java"), "-XX:TieredStopAtLevel=1", "-cp", str(jars / "*"), "io.kaitai.struct.JavaMain"]
            subprocess.run([*java, "-t", "graphviz", "-d", made, *map(str, sources)], check=True)
            for source in sources:
                target = folder / part / f"{source.stem}.svg"
                target.parent.mkdir(parents=True, exist_ok=True)
                command = [dot, "-Tsvg", "-o", str(target), str(Path(made, f"{source.stem}.dot"))]
                # Graphviz warns about ports that the compiler does not draw; such arrows lead to the whole table.
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                drawn.add(f"{part}/{source.stem}".lstrip("/"))
    return drawn
