"""cached_property, as Python 3.12 has it: threads that ask different objects for it do not wait for one another."""

import functools
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801, TID251 - as in functools
    """Computed when it is first asked for, without the lock that all objects of a class share in Python 3.11.

    There a file on a mount that hangs would stop all that want the same of other files. Threads that compute it of one
    object at the same time all get the same value.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError("a cached_property has no name: it is made in the body of a class")
        value: T = instance.__dict__.setdefault(self.attrname, self.func(instance))
        return value
