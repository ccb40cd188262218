"""How a service whose state is some of its attributes takes part in snapshots."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from functools import cache
from typing import Any, ClassVar, get_args, get_origin, get_type_hints


class Kept:
    """Saves the attributes that are named: plain data and dataclasses, also in containers.

    They are loaded as what the annotations of the class say, whose names its module has to have.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def save(self) -> dict[str, Any]:
        """Give them by name."""
        return {name.lstrip("_"): to_plain(getattr(self, name)) for name in self.KEPT}

    def load(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        owner: Any = type(self)
        for name, kind in _kinds(owner).items():
            setattr(self, name, from_plain(kind, saved[name.lstrip("_")]))


def to_plain(value: Any) -> Any:
    """Give what JSON can hold of a value."""
    match value:
        case list() | tuple():
            return [to_plain(each) for each in value]
        case dict():
            return {key: to_plain(each) for key, each in value.items()}
    return asdict(value) if is_dataclass(value) else value  # type: ignore[arg-type]


def from_plain(kind: Any, plain: Any) -> Any:
    """Make of plain data what a type says."""
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
    """Give the types of what is kept; other annotations may name what is there for types only."""
    kept = {name: owner.__annotations__[name] for name in owner.KEPT}
    return get_type_hints(type("", (), {"__annotations__": kept, "__module__": owner.__module__}))


_hints = cache(get_type_hints)
