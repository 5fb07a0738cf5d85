"""Errors as a user should meet them: Spark shows a traceback above each error of a data source or a task."""

from typing import TypeVar

E = TypeVar("E", bound=Exception)


def plainly(error: E) -> E:
    """The same error without a traceback, for its text says all that a user needs."""
    error.__cause__ = None
    return error.with_traceback(None)
