"""Arguments that take one of a few words: their check, before anything is read."""

from collections.abc import Sequence


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Check an argument.

    Raises:
        ValueError: it is not one of the choices.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, not {value!r}")
