"""The variables of a shell, and which of them are exported."""

from __future__ import annotations

from typing import TypeAlias

Kept: TypeAlias = tuple[str | None, bool]  # a variable's value, and whether it is exported


class Variables(dict[str, str]):
    """Variables by name; `exported` names those that programs see."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.exported = set(environment)

    def copy(self) -> Variables:
        """Return an independent copy for a subshell."""
        twin = Variables(self)
        twin.exported = set(self.exported)
        return twin

    def size(self) -> int:
        """Return the total number of characters of all values."""
        return sum(map(len, self.values()))

    def kept(self, name: str) -> Kept:
        """Return a variable's state, for `put_back`."""
        return self.get(name), name in self.exported

    def put_back(self, name: str, kept: Kept) -> None:
        """Restore a variable's earlier state."""
        value, exported = kept
        if value is None:
            self.pop(name, None)
        else:
            self[name] = value
        (self.exported.add if exported else self.exported.discard)(name)

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self[name] for name in self.exported if name in self}
