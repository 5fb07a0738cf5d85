"""docs/serve.md: kcat prints what it shows, its options exist, and its compose file starts the command unchanged."""

import re
import shlex
import shutil
import subprocess

import pytest
import yaml

import kafkafmt
from kafkafmt.cli.serve import command
from tests.cli.conftest import ROOT
from tests.documents import blocks, document

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"
COMPOSE = ROOT / "docs" / "examples" / "serve" / "compose.yaml"


def options() -> set[str]:
    return {name for each in command.params for name in each.opts if name.startswith("--")}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("kcat") is None, reason="install kcat")
def test_kcat_prints_what_the_page_shows() -> None:
    (session,) = blocks(document("serve.md"), "console")
    line, _, expected = session.removeprefix("$ ").partition("\n")
    with kafkafmt.serve(SHOP) as server:
        typed = shlex.split(line.replace("127.0.0.1:9092", server.address))
        done = subprocess.run(typed, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == expected


def test_options_of_the_page_exist() -> None:
    lines = [line for block in blocks(document("serve.md"), "sh") for line in block.splitlines()]
    typed = [line for line in lines if line.startswith("kafkafmt serve")]
    assert len(typed) >= 2
    assert {word for line in typed for word in re.findall(r"--[a-z-]+", line)} <= options()


def test_the_compose_file_lets_nobody_else_in() -> None:
    services = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    ours, other = services["kafkafmt"], services["ui"]
    words = shlex.split(ours["command"])
    assert words[0] == "serve"
    assert (COMPOSE.parent / ours["build"]["context"] / ours["build"]["dockerfile"]).is_file()
    assert (ours["read_only"], ours["cap_drop"]) == (True, ["ALL"])
    assert set(re.findall(r"--[a-z-]+", ours["command"])) <= options()
    assert words[words.index("--listen") + 1] == "0.0.0.0:9092"
    assert other["environment"]["KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS"] == "kafkafmt:9092"
    assert ours["volumes"] == ["${LOG_DIR:?set it to a log directory}:/data:ro"]
    assert "ports" not in ours
    assert all(each.startswith("127.0.0.1:") for each in other["ports"])
