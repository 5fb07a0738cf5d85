"""Options of the commands that answer from partitions: of which topics, partitions and producers."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from kafkafmt.cli.grouped import option
from kafkafmt.cli.options import WHICH, regex_of

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])


def partition_options(function: CommandFunction) -> CommandFunction:
    """Give a command `--topic`, `--topic-regex` and `--partition`: topics, topic_regex and partitions, None for all."""
    options = (
        option(
            "--topic",
            "topics",
            multiple=True,
            callback=_some,
            metavar="NAME",
            group=WHICH,
            help="Only this topic. Repeatable.",
        ),
        option(
            "--topic-regex",
            callback=regex_of,
            metavar="REGEX",
            group=WHICH,
            help="Only topics whose whole name matches.",
        ),
        option(
            "--partition",
            "partitions",
            multiple=True,
            callback=_some,
            type=click.IntRange(min=0),
            metavar="N",
            group=WHICH,
            help="Only partitions of this number. Repeatable.",
        ),
    )
    return functools.reduce(lambda decorated, give: give(decorated), reversed(options), function)


def producer_id_option(function: CommandFunction) -> CommandFunction:
    """Give a command `--producer-id`: producer_ids, None for all."""
    return option(
        "--producer-id",
        "producer_ids",
        multiple=True,
        callback=_some,
        type=click.IntRange(min=0),
        metavar="ID",
        group=WHICH,
        help="Only this producer. Repeatable.",
    )(function)


def _some(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return values or None
