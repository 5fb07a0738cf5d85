"""Commands: help in groups of options, and the exit codes, which a script can trust."""

import functools
from typing import Any

import click

CLEAN = 0
"""All was read, and nothing was found wrong."""

FINDINGS = 1
"""Something is wrong with the data: damage, a bad CRC, a check that failed; what could be read was delivered."""

USAGE = 2
"""The command line makes no sense."""

UNREADABLE = 3
"""A path cannot be read or written: missing, forbidden, vanished; or nothing is there of what was asked for."""

INTERRUPTED = 130
"""Stopped by the user (Ctrl-C), as shells count it."""


class Option(click.Option):
    """An option that --help lists under the heading `group`."""

    def __init__(self, *args: Any, group: str, **arguments: Any) -> None:  # noqa: ANN401 - as click takes them
        super().__init__(*args, **arguments)
        self.group = group


option = functools.partial(click.option, cls=Option)
"""As `click.option`, with the argument `group`."""


class Command(click.Command):
    """A command whose --help has a section for each group of options, in the order of their first options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections; options without a group come last, under "Options"."""
        groups: dict[str, list[tuple[str, str]]] = {}
        others = []
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if isinstance(parameter, Option) and line is not None:
                groups.setdefault(parameter.group, []).append(line)
            elif isinstance(parameter, click.Option) and line is not None:
                others.append(line)
        for group, lines in [*groups.items(), ("Options", others)]:
            with formatter.section(group):
                formatter.write_dl(lines)
