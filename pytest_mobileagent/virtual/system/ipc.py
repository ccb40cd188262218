"""How apps reach each other: broadcasts, and the content of providers."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Uri, parse_uri
from pytest_mobileagent.virtual.content.intent import Intent, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.interfaces import ActivityService
    from pytest_mobileagent.virtual.system.packages.packages import Packages


@dataclass(eq=False)
class Broadcasts:
    """Delivers intents to receivers."""

    changes: Changes
    packages: Packages
    _receivers: dict[str, Callable[[], object]] = field(default_factory=dict)

    def link(self, activities: ActivityService) -> None:
        """Connect the service that runs the apps."""
        self._activities = activities

    def receive(self, action: str, receiver: Callable[[], object]) -> None:
        """Register a receiver of a system service, which is called before any app."""
        self._receivers[action] = receiver

    def send(self, intent: Intent) -> Reply:
        """Send an intent to every app, or to the app it names; return the last answer."""
        if receiver := self._receivers.get(intent.action):
            receiver()
        answers: list[str | Reply | None] = []
        wanted = intent.component.partition("/")[0] or intent.package
        for app in self.packages.apps():
            if wanted in ("", app.package) and self.packages.enabled(app.package):
                with self._activities.guard(app.package):
                    answers.append(app.on_broadcast(intent))
        self.changes.note()
        last = next((answer for answer in reversed(answers) if answer is not None), None)
        return last if isinstance(last, Reply) else Reply(0, last)


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
            message = f"Could not find provider: {uri.authority}"
            raise ProviderError("IllegalStateException", message)
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
