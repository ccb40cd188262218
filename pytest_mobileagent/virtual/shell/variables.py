"""A shell's variables: their values, and which of them its commands see."""

from __future__ import annotations

from typing import TypeAlias

Kept: TypeAlias = tuple[str | None, bool]  # a variable's value, and whether it is exported


class Variables:
    """Variables by name; those of `environment` are exported."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._values = dict(environment)
        self._exported = set(environment)

    def copy(self) -> Variables:
        """Return the same variables for a subshell, to change on its own."""
        twin = Variables({})
        twin._values = dict(self._values)
        twin._exported = set(self._exported)
        return twin

    def get(self, name: str) -> str | None:
        """Return the value, or None if unset."""
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        """Assign a value."""
        self._values[name] = value

    def unset(self, name: str) -> None:
        """Forget a variable."""
        self._values.pop(name, None)
        self._exported.discard(name)

    def export(self, name: str) -> None:
        """Let commands see a variable from now on."""
        self._exported.add(name)

    def kept(self, name: str) -> Kept:
        """Return what `put_back` needs to make a variable what it is now."""
        return self._values.get(name), name in self._exported

    def put_back(self, name: str, kept: Kept) -> None:
        """Make a variable what it was."""
        value, exported = kept
        if value is None:
            self._values.pop(name, None)
        else:
            self._values[name] = value
        (self._exported.add if exported else self._exported.discard)(name)

    def all(self) -> dict[str, str]:
        """Return every variable by name, sorted."""
        return dict(sorted(self._values.items()))

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self._values[name] for name in self._exported if name in self._values}
