"""The accessibility manager: which services are enabled and bound, and which tool is connected."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import full
from pytest_mobileagent.virtual.snapshots import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.app.provider import AccessibilityService
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.system.packages.packages import Packages


ENABLED = "enabled_accessibility_services"
SEPARATOR = ":"


@dataclass(eq=False)
class AccessibilityServices(Kept):
    """Binds the services listed in the setting, and follows its changes."""

    settings: Settings
    proc: ProcessTable
    packages: Packages
    _bound: dict[str, AccessibilityService] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Watch the setting that enables services."""
        self.settings.watch("secure", ENABLED, lambda _: self.update())

    @property
    def bound(self) -> tuple[str, ...]:
        """The components of the bound services."""
        return tuple(self._bound)

    def enabled(self) -> list[str]:
        """Return the full component names listed in the setting, whether they exist or not."""
        text = self.settings.text("secure", ENABLED)
        return [full(name) for name in text.split(SEPARATOR) if "/" in name]

    def update(self) -> None:
        """Bind and unbind services according to the setting and the installed apps."""
        wanted = [name for name in self.enabled() if self._service(name)]
        for name in [name for name in self._bound if name not in wanted]:
            self._bound.pop(name).stop()
        for name in wanted:
            if name not in self._bound and (make := self._service(name)):
                package = name.partition("/")[0]
                self.proc.start(package, self.packages[package].uid)
                self._bound[name] = make(self.packages.app(package))
                self._bound[name].start()
        on = "1" if self._bound else "0"
        if self.settings.text("secure", "accessibility_enabled", "0") != on:
            self.settings.put("secure", "accessibility_enabled", on)

    def force_stopped(self, package: str) -> None:
        """Disable the services of an app that has been force-stopped."""
        enabled = self.enabled()
        rest = [name for name in enabled if name.partition("/")[0] != package]
        if rest != enabled:
            self.settings.put("secure", ENABLED, SEPARATOR.join(rest))

    def _service(self, component: str) -> Callable[[App], AccessibilityService] | None:
        package = component.partition("/")[0]
        if not self.packages.enabled(package):
            return None
        services = self.packages.app(package).accessibility_services
        return {full(f"{package}/{key}"): kind for key, kind in services.items()}.get(component)

    def load(self, saved: dict[str, Any]) -> None:
        """Restart the services that are enabled now; their only state is the setting."""
        super().load(saved)
        while self._bound:
            self._bound.popitem()[1].stop()
        self.update()

    def take_over(self, _: dict[str, Any]) -> None:
        """Bind the services of another phone; those bound already go on, with their clients."""
        self.update()


class AlreadyRegistered(Exception):
    """Another tool is already connected."""


@dataclass(eq=False)
class UiAutomation:
    """The single connection to accessibility that the system grants to test tools."""

    owner: str | None = None  # the package or program
    suppresses: bool = False  # accessibility services receive no events meanwhile

    @contextmanager
    def connect(self, owner: str, *, suppress: bool = False) -> Iterator[None]:
        """Connect; AlreadyRegistered if another tool is; `suppress` keeps events from services."""
        if self.owner is not None:
            raise AlreadyRegistered(self.owner)
        self.owner, self.suppresses = owner, suppress
        try:
            yield
        finally:
            self.owner, self.suppresses = None, False
