"""The content resolver: finds the provider for a URI, and notes changes of data."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError
from pytest_mobileagent.virtual.content.uri import Uri, parse_uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.packages.packages import Packages


@dataclass(eq=False)
class Resolver:
    """The interface through which apps and the shell access the data of other apps."""

    changes: Changes
    packages: Packages
    _providers: dict[str, Provider] = field(default_factory=dict)

    def provider(self, authority: str) -> Provider | None:
        """Return the provider for an authority, if its app is installed and enabled."""
        for app in self.packages.apps():
            for kind in app.providers:
                if authority in kind.authorities and self.packages.enabled(app.package):
                    return self._instance(app, kind)
        return None

    def find(self, text: str) -> tuple[Provider, Uri]:
        """Return the provider for a URI and the parsed URI; ProviderError if there is none."""
        uri = parse_uri(text)
        provider = self.provider(uri.authority)
        if provider is None:
            raise ProviderError(
                "IllegalStateException", f"Could not find provider: {uri.authority}"
            )
        return provider, uri

    def type_of(self, uri: str) -> str:
        """Return the MIME type of a URI's content, or "" if it is unknown."""
        try:
            provider, parsed = self.find(uri)
        except ProviderError:
            return ""
        return provider.type_of(parsed) or ""

    def query(
        self,
        uri: str,
        projection: Sequence[str] = (),
        where: str = "",
        args: Sequence[Any] = (),
        sort: str = "",
    ) -> list[dict[str, Any]]:
        """Return rows by column name, or no rows if there is no provider."""
        try:
            provider, parsed = self.find(uri)
        except ProviderError:
            return []
        rows = provider.query(parsed, Ask(tuple(projection), where, tuple(args), sort))
        return rows.dicts() if rows else []

    def insert(self, uri: str, **values: Any) -> int:
        """Insert a row and return its id."""
        provider, parsed = self.find(uri)
        made = provider.insert(parsed, values)
        self.changes.note()
        return int((made or "0").rpartition("/")[2])

    def update(self, uri: str, where: str = "", args: Sequence[Any] = (), **values: Any) -> int:
        """Update rows and return their number."""
        provider, parsed = self.find(uri)
        count = provider.update(parsed, values, Ask(where=where, args=tuple(args)))
        self.changes.note()
        return count

    def delete(self, uri: str, where: str = "", args: Sequence[Any] = ()) -> int:
        """Delete rows and return their number."""
        provider, parsed = self.find(uri)
        count = provider.delete(parsed, Ask(where=where, args=tuple(args)))
        self.changes.note()
        return count

    @contextmanager
    def batch(self, authority: str) -> Iterator[None]:
        """Write the database behind an authority only once, at the end of the context."""
        provider, _ = self.find(f"content://{authority}")
        with provider.db.batch():
            yield

    def _instance(self, app: App, kind: type[Provider]) -> Provider:
        key = f"{app.package}/{kind.__name__}"
        if key not in self._providers:
            self._providers[key] = kind(app)
        return self._providers[key]
