"""`cached_property` as of Python 3.12: threads that ask different objects do not wait for one another.

`computed_once` makes the threads that ask the same object wait for the one that computes the value.
"""

import functools
import threading
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801, TID251 - as in functools
    """A property computed when it is first read, without the lock that all objects of a class share in Python 3.11.

    With that lock, a file on a hanging mount would block every thread that reads the property of another file. Threads
    that compute the value of one object at the same time all get the same value.
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


class computed_once(cached_property[T]):  # noqa: N801 - as above
    """A property computed by one thread while others that ask the same object wait, as it takes long or much memory.

    All these properties of an object share a lock, which is made when it is first needed. A thread that must not wait
    reads only values that are already known.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        if instance is None or self.attrname is None:
            return super().__get__(instance, owner)
        known = instance.__dict__
        with known.setdefault("_computing", threading.RLock()):
            found: T = known[self.attrname] if self.attrname in known else super().__get__(instance, owner)
        return found
