"""Options that take a time: the numbers they reject."""

import importlib

import click
import pytest

from kafkafmt.cli.main import COMMANDS
from kafkafmt.cli.values import time_of
from tests.cli.conftest import Call
from tests.golden_cases import cases

CODECS = next(each for each in cases("modern") if each.name == "01-codecs-4.3.1").log_dir


def options_with_a_time() -> list[tuple[str, str]]:
    """Command and option for every option that takes a time."""
    found = []
    for name in COMMANDS:
        command = importlib.import_module(f"kafkafmt.cli.{name.replace('-', '_')}").command
        found += [
            (name, option.opts[0])
            for option in command.params
            if isinstance(option, click.Option) and option.metavar == "TIME"
        ]
    return found


@pytest.mark.parametrize(("command", "option"), options_with_a_time())
def test_seconds_are_not_taken_for_ms(kafkafmt: Call, command: str, option: str) -> None:
    answer = kafkafmt(command, CODECS, option, "1796000000")
    assert (answer.status, answer.stdout) == (2, b"")
    assert f"Invalid value for '{option}': " in answer.stderr
    for reading in ("1970-01-21T18:53:20.000Z", "2026-11-30T00:53:20.000Z", "1796000000000"):
        assert reading in answer.stderr


def test_every_kind_of_option_with_a_time_is_here() -> None:
    assert {option for _, option in options_with_a_time()} == {
        "--at",
        "--at-time",
        "--end-time",
        "--start-time",
        "--timestamp",
    }


@pytest.mark.parametrize("text", ["-1", "0", "999999999", "10000000000", "1796000000000", "1970-01-21T18:53:20.000Z"])
def test_other_moments_are_taken_as_they_are_written(text: str) -> None:
    parameter = click.Option(["--at"])
    assert time_of(click.Context(click.Command("x")), parameter, text) is not None


@pytest.mark.parametrize("text", ["1000000000", "+1796000000", "9999999999"])
def test_numbers_of_ten_digits_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        time_of(click.Context(click.Command("x")), click.Option(["--at"]), text)
