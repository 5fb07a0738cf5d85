"""`kafkafmt ls --report FILE.html`: a survey as one page with charts, which needs nothing but a browser."""

from typing import TYPE_CHECKING

from kafkafmt.cli.output.destination import open_destination
from kafkafmt.cli.report.gathering import Gathering
from kafkafmt.cli.report.page import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.cli.ls.run import Request, Sink


def write_report(request: "Request", feed: "Callable[[Sink], None]") -> None:
    """Survey, and write the page; it appears under its name when it is complete.

    Raises:
        click.UsageError: the file lies in a log directory or cannot be created.
    """
    sources = (*request.paths, *request.metadata)
    with open_destination(request.report, "html", sources, option="--report") as destination:
        gathering = Gathering()
        feed(gathering)
        destination.write(render(gathering, request).encode("utf-8", "backslashreplace"))
