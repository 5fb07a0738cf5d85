"""The command `kafkafmt`, and `python -m kafkafmt`."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit; Ctrl-C ends it in order from the first import on."""
    try:
        from kafkafmt.cli.main import main as run_command_line  # noqa: PLC0415 - the user may interrupt it

        run_command_line()
    except KeyboardInterrupt:  # while modules load, or after the command has ended
        # A terminal shows ^C first.
        sys.stderr.write("\nkafkafmt: interrupted\n" if sys.stderr.isatty() else "kafkafmt: interrupted\n")
        sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    main()
