"""Program run in a separate process: reads one file in the given ways, and prints the peak memory in KiB."""

import json
import os
import sys
from contextlib import suppress

import kafkafmt
from kafkafmt.files import producer_snapshot
from tests.engines import Engine, load_kernels
from tests.peak_memory import peak


def main(engine: Engine, path: str, *ways: str) -> None:
    """Read the file in each way and print the result."""
    if engine == "columnar":
        load_kernels()
    before = peak() // 1024
    errors = []
    for way in ways:
        try:
            if way in WAYS:
                WAYS[way](path, engine)
            else:
                _command(*way.split(), path)
        except kafkafmt.KafkafmtError as error:
            errors.append(type(error).__name__)
        else:
            errors.append("")
    print(json.dumps({"before": before, "peak": peak() // 1024, "errors": errors}))  # noqa: T201 (its answer)


def _command(*arguments: str) -> None:
    """Run a command and discard its output.

    Raises:
        RuntimeError: the command failed.
    """
    from kafkafmt.cli.main import run

    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        status = run([*arguments])
    finally:
        os.dup2(kept, 1)
    if status:
        raise RuntimeError(f"exit status {status}")


def _strict(path: str, engine: Engine) -> None:
    for _ in kafkafmt.scan(path, engine=engine).to_reader():
        pass


def _skipping(path: str, engine: Engine) -> None:
    scan = kafkafmt.scan(path, on_damage="skip", verify_checksums=False, engine=engine)
    for _ in scan.to_reader():
        pass
    if scan.damage:
        raise scan.damage[0].error


def _segment(path: str, engine: Engine) -> None:
    segment = kafkafmt.Segment(path)
    for header in segment.batches(deep=True, verify_checksums=True):
        if header.error is not None:
            raise header.error
    for _ in segment.records():
        pass


def _snapshot(path: str, engine: Engine) -> None:
    producer_snapshot.read(path)


def _schemas(path: str, engine: Engine) -> None:
    found = kafkafmt.values.schemas(path)
    for each in found.all:
        with suppress(kafkafmt.DataError):
            found.references(each)
    if found.findings:
        raise kafkafmt.CorruptError(found.findings[0].message)


WAYS = {"strict": _strict, "skipping": _skipping, "segment": _segment, "snapshot": _snapshot, "schemas": _schemas}

if __name__ == "__main__":
    main(*sys.argv[1:])  # type: ignore[arg-type]
