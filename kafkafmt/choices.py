"""The check of arguments that take one of a few words, before anything is read."""

from collections.abc import Sequence


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Check that an argument has one of its choices.

    Raises:
        ValueError: the value is not one of the choices.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, not {value!r}")
