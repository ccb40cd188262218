"""Notifications that apps have posted, the latest first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification; a tap on it starts `component`, or else the app."""

    package: str
    tag: str
    title: str
    text: str
    time: float
    component: str = ""

    @property
    def key(self) -> str:
        """What identifies it: posting with the same key replaces it."""
        return f"{self.package}|{self.tag}"


class Notifications:
    """All that are up."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._posted: dict[str, Notification] = {}

    def post(
        self, package: str, tag: str, title: str, text: str, *, component: str = ""
    ) -> Notification:
        """Post or replace a notification."""
        now = self._phone.clock.time()
        posted = Notification(package, tag, title, text, now, component)
        self._posted.pop(posted.key, None)
        self._posted[posted.key] = posted
        self._phone.changed()
        self._phone.events.notification(package, tag, (title, text))
        return posted

    def cancel(self, package: str, tag: str) -> None:
        """Take a notification away."""
        self._posted.pop(f"{package}|{tag}", None)
        self._phone.changed()

    def cancel_all(self, package: str = "") -> None:
        """Take away those of a package, or all."""
        self._posted = {
            key: posted
            for key, posted in self._posted.items()
            if package and posted.package != package
        }
        self._phone.changed()

    @property
    def posted(self) -> list[Notification]:
        """All of them, the latest first."""
        return list(reversed(self._posted.values()))

    def save(self) -> list[dict[str, Any]]:
        """Give all of them."""
        return [asdict(posted) for posted in self._posted.values()]

    def load(self, saved: list[dict[str, Any]]) -> None:
        """Take them back."""
        posted = [Notification(**plain) for plain in saved]
        self._posted = {each.key: each for each in posted}
