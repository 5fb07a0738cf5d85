"""The files in a wheel besides its packages: man pages, the bill of materials; and the conda recipe."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from kafkafmt.cli.main import COMMANDS, kafkafmt
from releasing.bill_of_materials import bill_of_materials
from releasing.conda_recipe import conda_recipe
from releasing.man_pages import man_pages

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGES = dict(man_pages(kafkafmt, "1.2.3", COMMANDS))


def plain(page: str) -> str:
    """The text that troff prints."""
    return re.sub(r"\\f[BPI]", "", page).replace("\\-", "-").replace("\\(dq", '"').replace("\\e", "\\")


def test_there_is_a_page_for_each_command() -> None:
    assert PAGES.keys() == {"kafkafmt.1", *(f"kafkafmt-{name}.1" for name in COMMANDS)}
    whole = plain(PAGES["kafkafmt.1"])
    assert all(f"kafkafmt-{name}(1)\n{summary}" in whole for name, summary in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_all_options_and_examples(name: str) -> None:
    page = plain(PAGES[f"kafkafmt-{name}.1"])
    command = kafkafmt.get_command(click.Context(kafkafmt), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert all(f"{opt}" in page for each in options for opt in each.opts)
    assert '.SH "EXAMPLE' in page
    assert "\x08" not in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed: apt-get install groff-base")
@pytest.mark.slow
def test_troff_takes_all_pages(tmp_path: Path) -> None:
    for name, page in PAGES.items():
        path = tmp_path / name
        path.write_text(page)
        found = subprocess.run(["groff", "-man", "-Tutf8", path], check=False, capture_output=True, text=True)
        assert found.returncode == 0, name
        assert "error" not in found.stderr, found.stderr


def test_the_bill_lists_what_pip_installs() -> None:
    bill = json.loads(bill_of_materials(PROJECT))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    required = {each["name"] for each in bill["components"] if each["scope"] == "required"}
    assert required == {re.split(r"[<>=\[]", each)[0] for each in PROJECT["dependencies"]}
    extras = {
        each["value"] for part in bill["components"] for each in part["properties"] if each["name"].endswith("extra")
    }
    assert extras == set(PROJECT["optional-dependencies"]) - {"test", "bench"}
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(set(references)) == len(references)
    assert bill["dependencies"][0]["dependsOn"] == references


def test_the_recipe_needs_what_pip_installs() -> None:
    recipe = yaml.safe_load(conda_recipe(PROJECT, "a" * 64).replace("${{", "$").replace("}}", ""))
    names = {each.split()[0] for each in recipe["requirements"]["run"]}
    assert len(names) == len(PROJECT["dependencies"]) + 1
    assert recipe["source"]["sha256"] == "a" * 64
