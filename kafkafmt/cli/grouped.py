"""Help in groups: options that say to which group they belong, and commands that list them so."""

import functools
from typing import Any

import click


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
