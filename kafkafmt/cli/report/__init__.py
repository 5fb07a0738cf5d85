"""`kafkafmt ls --report FILE.html`: a survey as one page with pictures, which needs nothing but a browser."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli.output.destination import open_destination
from kafkafmt.cli.report.gathering import Gathering

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.cli.ls.run import Request, Sink


def write_report(request: "Request", feed: "Callable[[Sink], None]") -> None:
    """Survey, and write the page; it appears under its name when it is complete.

    Raises:
        click.ClickException: plotly is not installed.
        click.UsageError: the file lies in a log directory or cannot be created.
    """
    try:
        from kafkafmt.cli.report.page import render
    except ImportError as error:
        raise click.ClickException(
            f"--report draws with plotly, which is not installed here ({error}). "
            "Install it with: pip install 'kafkafmt[report]'"
        ) from None
    with open_destination(request.report, "html", request.paths) as destination:
        gathering = Gathering()
        feed(gathering)
        destination.write(render(gathering, request).encode("utf-8", "backslashreplace"))
