"""A process that measures one Python program: `python -m benchmark.python_worker PROGRAM`.

Each line of standard input is a path; each line of standard output is "RECORDS CPU_SECONDS", or "! " and why the file
could not be read, as java/SegmentReader.java has it.
"""

import os
import sys
import time

from benchmark.readers import Reader, first_row, reader


def main(arguments: list[str]) -> None:
    """Answer each line of standard input, until it ends."""
    # A library that prints must not be taken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        read = _first(arguments[1]) if arguments[0] == "first-row" else reader(arguments[0])
        for line in sys.stdin:
            answers.write(answer(read, line.rstrip("\n")) + "\n")
            answers.flush()


def answer(read: Reader, path: str) -> str:
    """Read a file; returns the line that says what came of it."""
    started = time.process_time()
    try:
        records = read(path)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is the result
        name, text = type(error).__name__, " ".join(str(error).split())
        return f"! {text}" if text.startswith(name) else f"! {name}: {text}"
    return f"{records} {time.process_time() - started:.6f}"


def _first(engine: str) -> Reader:
    return lambda path: first_row(path, engine)


if __name__ == "__main__":
    main(sys.argv[1:])
