"""The command `kafkafmt`, and `python -m kafkafmt`."""

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn


class _QuickEnd:
    """Ends the process after all other handlers of its exit, before Python frees each object of each module.

    Attributes:
        status: exit code; None to let Python end as it does.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        atexit.register(self._end)  # the first one to register is the last one to run

    def _end(self) -> None:
        if self.status is not None:
            for stream in (sys.stdout, sys.stderr):  # what other handlers have written
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            os._exit(self.status)


def main() -> NoReturn:
    """Run the command line and exit; Ctrl-C ends it in order from the first import on."""
    end = _QuickEnd()
    try:
        from kafkafmt.cli.main import main as run_command_line  # noqa: PLC0415 - the user may interrupt it

        run_command_line()
    except SystemExit as done:
        with suppress(OSError):  # Python flushes again at exit, and reports the error
            if sys.stdout is not None:
                sys.stdout.flush()
            end.status = done.code if isinstance(done.code, int) else None
        raise
    except KeyboardInterrupt:  # while modules load, or after the command has ended
        # A terminal shows ^C first.
        sys.stderr.write("\nkafkafmt: interrupted\n" if sys.stderr.isatty() else "kafkafmt: interrupted\n")
        sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    main()
