"""The result of a judge."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """The things that a judge compared, and the differences.

    Attributes:
        compared: number and kind of the compared things, as `3 files, 7 records`.
        findings: one text for each difference.
    """

    compared: str
    findings: list[str]
