"""`kafkafmt completion SHELL`: the script with which a shell completes commands, options and their values."""

import click
from click.shell_completion import get_completion_class


@click.command(
    epilog="""\b
Examples:
  eval "$(kafkafmt completion bash)"                                 # in ~/.bashrc
  kafkafmt completion zsh > "${fpath[1]}/_kafkafmt"
  kafkafmt completion fish > ~/.config/fish/completions/kafkafmt.fish
"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a completion script for your SHELL."""
    completion = get_completion_class(shell)
    if completion is None:  # pragma: no cover: click has a class for each choice
        ctx.fail(f"no completion for {shell}")
    click.echo(completion(ctx.find_root().command, {}, "kafkafmt", "_KAFKAFMT_COMPLETE").source())
