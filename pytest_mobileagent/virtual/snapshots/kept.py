"""A base class that saves a service's attributes in snapshots."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from functools import cache
from typing import Any, ClassVar, get_args, get_origin, get_type_hints


class Kept:
    """Saves the attributes in `KEPT`: plain data and dataclasses, also in containers.

    They are restored with the types in the class's annotations, which have to be resolvable in its
    module.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def save(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {name.lstrip("_"): to_plain(getattr(self, name)) for name in self.KEPT}

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the attributes."""
        owner: Any = type(self)
        for name, kind in _kinds(owner).items():
            setattr(self, name, from_plain(kind, saved[name.lstrip("_")]))


def to_plain(value: Any) -> Any:
    """Convert a value to JSON data."""
    match value:
        case list() | tuple():
            return [to_plain(each) for each in value]
        case dict():
            return {key: to_plain(each) for key, each in value.items()}
    return asdict(value) if is_dataclass(value) else value  # type: ignore[arg-type]


def from_plain(kind: Any, plain: Any) -> Any:
    """Convert JSON data to a type."""
    origin, of = get_origin(kind), get_args(kind)
    if plain is None:
        return None
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: from_plain(hints[name], each) for name, each in plain.items()})
    if origin is dict:
        return {of[0](key): from_plain(of[1], each) for key, each in plain.items()}
    if origin in (list, tuple):
        return origin(from_plain(of[0], each) for each in plain)
    return from_plain(of[0], plain) if type(None) in of else plain


@cache
def _kinds(owner: type[Any]) -> dict[str, Any]:
    """Return the types of the kept attributes; others may use names imported only for typing."""
    kept = {name: owner.__annotations__[name] for name in owner.KEPT}
    return get_type_hints(type("", (), {"__annotations__": kept, "__module__": owner.__module__}))


_hints = cache(get_type_hints)
