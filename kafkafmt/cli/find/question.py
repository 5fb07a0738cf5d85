"""Question: what `kafkafmt find` searches for, by its options."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import click

from kafkafmt.moments import milliseconds

Kind = Literal["offset", "timestamp", "earliest", "latest", "max-timestamp"]


@dataclass(frozen=True, slots=True)
class Question:
    """The target of a search.

    Attributes:
        kind: one of the five kinds of target.
        value: the offset, or the time in ms; 0 for a kind without a value.
    """

    kind: Kind
    value: int = 0

    @property
    def is_of_time(self) -> bool:
        """Whether the answer is a record with its timestamp."""
        return self.kind in ("timestamp", "max-timestamp")


def question_of(
    offset: int | None, timestamp: int | datetime | None, *, earliest: bool, latest: bool, max_timestamp: bool
) -> Question:
    """The question that the options ask.

    Raises:
        click.UsageError: the options ask no question, or several.
    """
    time = milliseconds(timestamp, "timestamp")
    asked = [
        Question("offset", offset) if offset is not None else None,
        Question("timestamp", time) if time is not None else None,
        Question("earliest") if earliest else None,
        Question("latest") if latest else None,
        Question("max-timestamp") if max_timestamp else None,
    ]
    questions = [question for question in asked if question is not None]
    if len(questions) > 1:
        names = " and ".join(f"--{question.kind}" for question in questions)
        raise click.UsageError(f"{names} cannot be combined: give one of them.")
    if not questions:
        raise click.UsageError(
            "say what to find: --offset N, --timestamp TIME, --earliest, --latest or --max-timestamp."
        )
    return questions[0]
