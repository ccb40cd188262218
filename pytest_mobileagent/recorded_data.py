"""Containers for the data of an episode, in which a missing item is the agent's failure.

`episode.probe("settings")["goal"]` may refer to something that a weak agent never set. A plain
KeyError would count as an error of the task, and take the task out of the agent's success rate.
These containers raise an error that is also an AssertionError, and that names the existing items.
In all other respects they are the dict, list and tuple that they inherit from: they compare, print
and serialise like those.
"""

from __future__ import annotations

import difflib
import reprlib
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sized

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_MOST_NAMED = 5  # maximum number of keys or items that an error names
_MOST_COMPARED = 500  # maximum number of keys compared with the missing one
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class MissingKeyError(AssertionError, KeyError):
    """The data has no such key; the message names the existing keys, most similar first."""

    __str__ = Exception.__str__  # KeyError's own prints the repr


class MissingIndexError(AssertionError, IndexError):
    """The data has no such item; the message names the existing items."""


class MissingItemError(AssertionError, ValueError):
    """The data does not contain the item whose index was requested."""


class RecordedDict(dict[K, V], Generic[K, V]):
    """A dictionary in which looking up a missing key fails the check."""

    def __missing__(self, key: K) -> V:
        texts = {str(each): each for each in islice(self, _MOST_COMPARED)}
        near = difflib.get_close_matches(str(key), texts, _MOST_NAMED, 0.5)
        keys = [*(texts[text] for text in near), *(key for key in self if str(key) not in near)]
        raise MissingKeyError(f"there is no {_SHORT.repr(key)}{_among(keys)}")

    def pop(self, key: K, *default: Any) -> Any:
        """Remove a key and return its value, or the default if the key is missing."""
        return super().pop(key, *default) if key in self or default else self[key]

    def copy(self) -> RecordedDict[K, V]:
        """Return a copy of the same class."""
        return RecordedDict(self)

    def __reduce__(self) -> tuple[type[dict[K, V]], tuple[dict[K, V]]]:
        return dict, (dict(self),)


class RecordedList(list[T], Generic[T]):
    """A list in which looking up a missing item fails the check."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> RecordedList[T]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> T | RecordedList[T]:
        try:
            found = super().__getitem__(index)
        except IndexError:
            raise MissingIndexError(f"there is no item {index}{_among(self)}") from None
        return RecordedList(found) if isinstance(index, slice) else found  # type: ignore[arg-type, return-value]

    def pop(self, index: SupportsIndex = -1) -> T:
        """Remove an item and return it."""
        found = self[index]
        del self[index]
        return found

    def copy(self) -> RecordedList[T]:
        """Return a copy of the same class."""
        return RecordedList(self)

    def index(self, item: T, *within: SupportsIndex) -> int:
        """Return the index of an item."""
        try:
            return super().index(item, *within)
        except ValueError:
            raise MissingItemError(f"{_SHORT.repr(item)} is not there{_among(self)}") from None

    def __reduce__(self) -> tuple[type[list[T]], tuple[list[T]]]:
        return list, (list(self),)


class RecordedTuple(tuple[T_co, ...], Generic[T_co]):
    """A tuple in which looking up a missing item fails the check."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> RecordedTuple[T_co]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> T_co | RecordedTuple[T_co]:
        try:
            found = super().__getitem__(index)
        except IndexError:
            count = f"there {_are(self)} {len(self) or 'nothing'}"
            raise MissingIndexError(f"there is no item {index}: {count}") from None
        return RecordedTuple(found) if isinstance(index, slice) else found  # type: ignore[arg-type, return-value]

    def index(self, item: Any, *within: SupportsIndex) -> int:
        """Return the index of an item."""
        try:
            return super().index(item, *within)
        except ValueError:
            raise MissingItemError(f"{_SHORT.repr(item)} is not there{_among(self)}") from None

    def __reversed__(self) -> Iterator[T_co]:
        return iter(tuple.__getitem__(self, slice(None, None, -1)))  # faster than item by item

    def __reduce__(self) -> tuple[type[tuple[T_co, ...]], tuple[tuple[T_co, ...]]]:
        return tuple, (tuple(self),)


def to_recorded(value: Any) -> Any:
    """Return JSON-able data with its containers replaced by those of this module, at all levels."""
    match value:
        case RecordedDict() | RecordedList():
            return value
        case dict():
            return RecordedDict((key, to_recorded(item)) for key, item in value.items())
        case list():
            return RecordedList(map(to_recorded, value))
    return value


def _among(known: Iterable[Any]) -> str:
    """Return a list of the existing items, as text for a message."""
    each = list(known)
    names = [_SHORT.repr(name) for name in each[:_MOST_NAMED]]
    more = f" and {len(each) - len(names)} more" if len(each) > len(names) else ""
    return f": there {_are(each)} {', '.join(names) or 'nothing'}{more}"


def _are(each: Sized) -> str:
    return "are" if len(each) > 1 else "is"
