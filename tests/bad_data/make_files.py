"""Rewrite the bad files and README.md: `python -m tests.bad_data.make_files`, from the project's directory."""

from pathlib import Path

from tests.bad_data.case import LogCase, SmallCase
from tests.bad_data.cases import LOGS, SMALL

FILES = Path(__file__).with_name("files")
README = Path(__file__).with_name("README.md")

_HEAD = """# Bad files

Made by `python -m tests.bad_data.make_files` from `cases.py`; tests hold both to each other, to what kafkafmt makes of
them, and to Kafka's answers in `kafka.json`: for each log what FileRecords of kafka-clients 4.4.0 says of each batch
(valid; the offsets delivered, or the exception), how its iterator ends, and how many bytes come before the first batch
that `ensureValid` refuses, as in a recovery.

## Logs

Records are those delivered with `on_damage="skip"`, damage is position+length reason. The last column says why Kafka's
answer is another one; where it is empty, Kafka delivers the same records and finds the same batches bad.

| file | why | raised | records | damage | limits | Kafka differs |
|---|---|---|---|---|---|---|
"""
_SMALL = """
## Other files

| file | read by | why | raised | entries | sanity_error |
|---|---|---|---|---|---|
"""


def contents() -> dict[str, bytes]:
    """Every file by name."""
    return {**{f"{case.name}.log": case.data for case in LOGS}, **{case.name: case.data for case in SMALL}}


def readme() -> str:
    """The manifest."""
    return _HEAD + "".join(map(_log_row, LOGS)) + _SMALL + "".join(map(_small_row, SMALL))


def _log_row(case: LogCase) -> str:
    return _row(
        f"`{case.name}.log`",
        case.why,
        _error(case.error),
        len(case.offsets),
        "; ".join(f"{position}+{length} {reason}" for position, length, reason in case.damage),
        ", ".join(f"{name}={value}" for name, value in case.limits.items()),
        case.differs,
    )


def _small_row(case: SmallCase) -> str:
    entries = "" if case.entries is None else case.entries
    return _row(f"`{case.name}`", case.kind, case.why, _error(case.error), entries, _error(case.sanity))


def _error(error: tuple[str, int | None] | None) -> str:
    if error is None:
        return ""
    return error[0] if error[1] is None else f"{error[0]} at {error[1]}"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    for stale in FILES.iterdir():
        stale.unlink()
    for name, data in contents().items():
        (FILES / name).write_bytes(data)
    README.write_text(readme(), encoding="utf-8")
