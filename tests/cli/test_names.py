"""Names that do not exist: every command that takes one lists the existing names, once, and exits with status 3."""

import importlib
import re
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest

from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import ROOT, Answer, Call, start
from tests.golden_cases import tier_case

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"
TIER = tier_case(1)

TOPICS = ["__cluster_metadata", "__consumer_offsets", "__transaction_state", "customers", "orders", "page-views"]
OF_CLUSTER = [name for name in TOPICS if name != "__cluster_metadata"]
OF_TIER = ["audit_log", "codec-mix-1-2", "orders", "payments.v1"]
GROUPS = ["billing", "refunds", "reports", "search-index"]

ABSENT = {
    "--topic": ("nope", "topic nope", TOPICS),
    "--topic-regex": ("nope.*", "topic matches nope.*", TOPICS),
    "--partition": ("99", "partition 99", ["0, 1, 2"]),
    "--group": ("nope", "group nope", GROUPS),
    "--group-regex": ("nope.*", "group matches nope.*", GROUPS),
    "--transactional-id": ("nope", "transactional id nope", ["till-1, till-2, till-3"]),
}
"""Values that select nothing, by option, as messages name them, and the existing names."""

PRESENT = {"--topic": "orders", "--partition": "0", "--group": "billing", "--transactional-id": "till-1"}

VIEWS: dict[str, list[list[str]]] = {
    "ls": [[], ["--rows", "segments"]],
    "cat": [[], ["--compacted"], ["--value-format", "auto"], ["--kind", "OffsetCommit"]],
    "grep": [[], ["--count"]],
    "find": [["--latest"]],
    "space": [[], ["--by", "kind"], ["--by", "key"], ["--what-if", "linger.ms=5"]],
    "compaction": [[], ["--show", "keys"]],
    "groups": [[], ["--list"], ["--members"], ["--check-assignment"], ["--history"], ["--reset-file", "OUT"]],
    "transactions": [[], ["--data"], ["--open"], ["--hanging"], ["--history"]],
    "producers": [[], ["--history"], ["--check"]],
    "metadata": [[], ["--show", "topics"], ["--history"], ["--diff", "1", "end"]],
    "compare": [[], ["--show", "ranges"]],
    "load": [["--to", "TABLE"], ["--to", "TABLE", "--show", "spark"]],
    "tiers": [[], ["--show", "totals"]],
    "replay": [["--to", "127.0.0.1:1"]],
    "repair": [["--dry-run"], ["--out", "OUT"]],
    "extract": [["--out", "OUT"]],
}
"""Options for each table of a command, and those that it needs; `[[]]` for the others."""

_OFFSETS_ONLY = [
    (view, option) for view in ("--members", "--check-assignment") for option in ("--topic", "--topic-regex")
]
EXCLUDED = {
    **{("groups", view, option): "select offsets" for view, option in _OFFSETS_ONLY},
    **{("cat", "--kind", option): "--kind selects the topic" for option in ("--topic", "--topic-regex")},
}
"""Options that a view rejects, with the reason in the message."""

NAMES_ITS_TARGET = {"write"}
"""Commands whose --topic names a topic to create."""

GO_ON = {"serve", "replay", "find"}
"""Commands that take a single name, or continue with the other names."""


def options_of(command: str) -> set[str]:
    module = importlib.import_module(f"kafkafmt.cli.{command.replace('-', '_')}")
    return {name for parameter in module.command.params for name in parameter.opts} & set(ABSENT)


COMMANDS_WITH_NAMES = [each for each in COMMANDS if options_of(each) and each not in NAMES_ITS_TARGET]


def tried(command: str, options: Collection[str]) -> list[tuple[list[str], str]]:
    """The views of a command with each option, without the combinations in `EXCLUDED`."""
    return [(view, option) for option in sorted(options_of(command) & {*options}) for view in VIEWS.get(command, [[]])]


def arguments_of(command: str, view: list[str], out: Path) -> list[str]:
    paths = {
        "grep": ["a", str(SHOP)],
        "compare": [str(SHOP), str(SHOP)],
        "tiers": [str(TIER.tier), "--metadata", str(TIER.log_dir)],
    }
    places = {"OUT": str(out), "TABLE": str(out.with_name("table"))}
    return [command, *paths.get(command, [str(SHOP)]), *(places.get(each, each) for each in view)]


def known_names(command: str, option: str) -> list[str]:
    if not option.startswith("--topic"):
        return ABSENT[option][2]
    return {"tiers": OF_TIER, "metadata": OF_CLUSTER}.get(command, TOPICS)


def refusal(command: str, view: list[str], option: str) -> str | None:
    return EXCLUDED.get((command, view[0] if view else "", option))


def test_only_the_frame_opens_disks() -> None:
    modules = (ROOT / "kafkafmt" / "cli").rglob("*.py")
    opening = {path.name for path in modules if re.search(r"\bDisks\(|kafkafmt import open\b", path.read_text("utf-8"))}
    assert opening == {"frame.py"}


def test_commands_with_names_are_found() -> None:
    assert {"ls", "cat", "groups", "transactions", "tiers", "serve", "repair"} < {*COMMANDS_WITH_NAMES}
    assert {*COMMANDS_WITH_NAMES} >= {*VIEWS}


@pytest.mark.parametrize("command", COMMANDS_WITH_NAMES)
def test_a_name_that_does_not_exist(command: str, kafkafmt: Call, tmp_path: Path) -> None:
    for number, (view, option) in enumerate(tried(command, ABSENT)):
        value, absent, _ = ABSENT[option]
        arguments = [*arguments_of(command, view, tmp_path / str(number)), option, value]
        if command == "serve":  # not in this process, whose signals it would handle
            process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            answer = Answer(process.wait(60), b"", process.communicate()[1].decode())
        else:
            answer = kafkafmt(*arguments)
        why = refusal(command, view, option)
        if why is not None:
            assert (answer.status, why in answer.stderr) == (2, True), arguments
            continue
        assert answer.status == 3, arguments
        says = [line for line in answer.stderr.splitlines() if ". There are" in line]
        no_event = f"no event of {absent.replace(' matches ', ' ')}. There are events of: "
        assert len(says) == 1, (arguments, answer.stderr)
        assert says[0].startswith((f"kafkafmt: no {absent}. There are: ", f"kafkafmt: {no_event}")), arguments
        assert [name for name in known_names(command, option) if name not in says[0]] == [], arguments


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for each in COMMANDS_WITH_NAMES if each not in GO_ON])
def test_a_name_that_does_not_exist_beside_one_that_does(command: str, kafkafmt: Call, tmp_path: Path) -> None:
    for number, (view, option) in enumerate(tried(command, PRESENT)):
        if refusal(command, view, option) is not None:
            continue
        arguments = arguments_of(command, view, tmp_path / str(number))
        answer = kafkafmt(*arguments, option, PRESENT[option], option, ABSENT[option][0])
        noun = f"{ABSENT[option][1]}. "
        assert answer.status == (1 if " hangs, " in answer.stderr else 3), (arguments, answer.stderr)
        assert answer.stderr.count(f"no {noun}") + answer.stderr.count(f"no event of {noun}") == 1, arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ["ls", "--topic", "nope"],
        ["groups", "--topic", "nope"],
        ["groups", "--history", "--group", "nope"],
        ["transactions", "--history", "--transactional-id", "nope"],
    ],
)
def test_nothing_is_on_stdout_where_a_name_does_not_exist(kafkafmt: Call, arguments: list[str]) -> None:
    command, *options = arguments
    answer = kafkafmt(command, SHOP, *options)
    assert (answer.status, answer.stdout) == (3, b"")
    assert "nope" in answer.stderr
