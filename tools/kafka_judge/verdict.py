"""What a judge says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """What was compared, and what is not the same.

    Attributes:
        compared: how much of what, as `3 files, 7 records`.
        findings: a text for each difference.
    """

    compared: str
    findings: list[str]
