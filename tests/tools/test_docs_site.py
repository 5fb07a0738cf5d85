"""tools/docs: links and tables of the pages. Zensical checks all links of the site in `tools/docs` itself."""

from pathlib import Path

import pytest

from docs_site import format_pages, generated_pages, own_pages
from kafkafmt.cli.main import COMMANDS
from kafkafmt.specs import find, specs

ROOT = Path(__file__).parents[2]
SVG = "![a picture](docs/pictures/repair.svg)"


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("README.md", "[cat](docs/cat.md)", "[cat](cat.md)"),
        ("README.md", SVG, "![a picture](pictures/repair.svg)"),
        ("docs/cat.md", "[home](../README.md#install)", "[home](index.md#install)"),
        ("docs/cat.md", "[what](space.md#a---b)", "[what](space.md#a-b)"),
        ("docs/cat.md", "[log](../CHANGELOG.md), [web](https://kafka.apache.org)", None),
        ("docs/benchmarks/serving.md", "[serve](../serve.md)", "[serve](../serve.md)"),
        (
            "docs/examples/shop/README.md",
            "made by [a program](../../../tools/example_cluster/make)",
            "made by a program",
        ),
        ("docs/cat.md", "```python delta\\n[cat](../tools/demo)\\n```", "```python\\n[cat](../tools/demo)\\n```"),
    ],
)
def test_links_lead_to_pages(source: str, text: str, expected: str | None) -> None:
    pages = Path("/pages")
    target = pages / ("index.md" if source == "README.md" else source.removeprefix("docs/"))
    text, expected = text.replace("\\n", "\n"), expected and expected.replace("\\n", "\n")
    found = own_pages._with_links(text, ROOT / source, target, pages)
    assert found == (expected or "[log](CHANGELOG.md), [web](https://kafka.apache.org)")


def test_each_page_of_the_documents_has_its_place(tmp_path: Path) -> None:
    written = [*own_pages.write(tmp_path), *generated_pages.write(tmp_path), *own_pages.of_project(tmp_path)]
    text = repr(written)
    of_formats = {"formats.md", "internal_topics.md"}
    lost = [path.name for path in tmp_path.glob("*.md") if repr(path.name) not in text and path.name not in of_formats]
    assert lost == []
    assert all((tmp_path / "commands" / f"{name}.md").exists() for name in COMMANDS)


def test_tables_have_all_fields_with_their_sizes() -> None:
    page = format_pages._page(find("kafka_record_batch"), set())
    assert "| `base_timestamp` | `s8` | 8 |" in page
    assert "| `reserved` | `b9` | 9 bits |" in page
    assert "| `is_control` | `b1` | 1 bit |" in page
    assert "Imports [kafka_record](kafka_record.md)." in page
    assert "![" not in page
    for spec in specs().values():
        assert format_pages._page(spec, set()).startswith(f"# {spec.title}\n")
