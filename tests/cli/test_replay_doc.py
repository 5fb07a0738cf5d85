"""docs/replay.md and docs/restore.md: their options exist, and the shop's partitions have the records shown.

`tools/proof replay --part page` runs the commands.
"""

import importlib
import re

import kafkafmt
from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import ROOT
from tests.documents import blocks, document

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"


def test_options_of_the_pages_exist() -> None:
    lines = [
        line
        for name in ("replay.md", "restore.md")
        for block in blocks(document(name), "sh")
        for line in block.splitlines()
        if line.startswith("kafkafmt ")
    ]
    assert len(lines) >= 16
    for line in lines:
        name = line.split()[1]
        assert name in COMMANDS
        options = {
            each
            for parameter in importlib.import_module(f"kafkafmt.cli.{name}").command.params
            for each in parameter.opts
        }
        assert set(re.findall(r"(?<!\S)--[a-z-]+", line.partition("#")[0])) <= options, line


def test_the_page_shows_the_records_of_the_shop() -> None:
    shown = re.findall(r"^([a-z-]+) +(\d+)  [a-z-]+ +\d+ +(\d+) +0 ", document("replay.md"), re.MULTILINE)
    scan = kafkafmt.scan(
        SHOP, topics=["customers", "orders", "page-views", "payments"], isolation_level="read_committed"
    )
    counted: dict[tuple[str, str], int] = {}
    for row in scan.select(["topic", "partition"]).to_table().to_pylist():
        place = row["topic"], str(row["partition"])
        counted[place] = counted.get(place, 0) + 1
    assert {(topic, partition): int(records) for topic, partition, records in shown} == counted
