"""The command `kafkafmt`, and `python -m kafkafmt`."""

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn


class _QuickEnd:
    """Ends the process after all other exit handlers, before Python frees every object of every module.

    Attributes:
        status: exit code; None leaves the exit to Python.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        atexit.register(self._end)  # registered first, so it runs last

    def _end(self) -> None:
        if self.status is not None:
            for stream in (sys.stdout, sys.stderr):  # output of the other handlers
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            os._exit(self.status)


def main() -> NoReturn:
    """Run the command line and exit; Ctrl-C exits cleanly from the first import on."""
    end = _QuickEnd()
    try:
        from kafkafmt.cli.main import main as run_command_line  # noqa: PLC0415 - the user may interrupt it

        run_command_line()
    except SystemExit as done:
        with suppress(OSError):  # Python flushes again at exit, and would report the error
            if sys.stdout is not None:
                sys.stdout.flush()
            end.status = done.code if isinstance(done.code, int) else None
        raise
    except KeyboardInterrupt:  # while modules load, or after the command has ended
        # A terminal already shows ^C on the line.
        sys.stderr.write("\nkafkafmt: interrupted\n" if sys.stderr.isatty() else "kafkafmt: interrupted\n")
        sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    main()
