"""One load in its own process, for the proof to kill: `one_load SOURCE TABLE`.

Its commits are small, so that kills often hit between them; it prints the number of written rows.
"""

import sys

import kafkafmt
from kafkafmt.loading.load import Load


def main(source: str, to: str) -> None:
    """Load all topics."""
    written = 0

    def tell(rows: int) -> None:
        nonlocal written
        written += rows
        print(written, flush=True)

    Load(kafkafmt.scan(source), to, commit_bytes=1 << 20, max_file_bytes=1 << 19, advance=tell).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
