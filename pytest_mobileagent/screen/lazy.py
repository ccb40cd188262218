"""Properties that are computed when they are first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - a decorator, as functools.cached_property
    """A property that is computed once, and then stands in the instance's dictionary.

    Two threads may compute it twice. It has no lock: that of functools, which Python 3.11 holds for
    all instances at once, would never be free in a process that is forked meanwhile.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...

    def __get__(self, instance: object | None, owner: type[Any]) -> Self | T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
