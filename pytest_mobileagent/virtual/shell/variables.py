"""The variables of a shell, and which of them the programs see that it starts."""

from __future__ import annotations

from typing import TypeAlias

Kept: TypeAlias = tuple[str | None, bool]  # a variable's value, and whether it is exported


class Variables(dict[str, str]):
    """Variables by name; those of `environment` are exported."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.exported = set(environment)

    def copy(self) -> Variables:
        """Return the same variables for a subshell, to change on its own."""
        twin = Variables(self)
        twin.exported = set(self.exported)
        return twin

    def size(self) -> int:
        """Return how many characters all values have."""
        return sum(map(len, self.values()))

    def kept(self, name: str) -> Kept:
        """Return what `put_back` needs to make a variable what it is now."""
        return self.get(name), name in self.exported

    def put_back(self, name: str, kept: Kept) -> None:
        """Make a variable what it was."""
        value, exported = kept
        if value is None:
            self.pop(name, None)
        else:
            self[name] = value
        (self.exported.add if exported else self.exported.discard)(name)

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self[name] for name in self.exported if name in self}
