"""The result of a judge."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """What a judge compared, and the differences.

    Attributes:
        compared: how much of what, as `3 files, 7 records`.
        findings: a text for each difference.
    """

    compared: str
    findings: list[str]
