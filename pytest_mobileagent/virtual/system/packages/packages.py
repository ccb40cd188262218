"""The package service: installed apps, their state, and which of them handle an intent."""

from __future__ import annotations

import inspect
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.loading import BrokenApp
from pytest_mobileagent.virtual.content.intent import DEFAULT, LAUNCHER, MAIN, Filter, Intent, full
from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp, app_of, provide, token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.app.provider import Context
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.system.configuration import Locales
    from pytest_mobileagent.virtual.system.interfaces import (
        ActivityService,
        MimeTypes,
        NotificationService,
        PermissionService,
    )


FIRST_UID = 10_100
STATES = {"default": 0, "enabled": 1, "disabled": 2, "disabled-user": 3}


class UnknownPackage(LookupError):
    """No such package is installed."""


@dataclass(slots=True)
class Installed:
    """The phone's record of an installed app."""

    uid: int
    since: float
    state: str = "default"
    stopped: bool = True
    granted: dict[str, bool] = field(default_factory=dict)  # runtime permissions
    off: list[str] = field(default_factory=list)  # disabled components
    code: str = ""  # the folder of an app installed from an APK
    updated: float = 0.0  # 0 if never
    installer: str | None = None


class Packages(Kept):
    """The apps by package name; image apps are permanent, others can be uninstalled."""

    KEPT = ("_installed", "_kept")

    _installed: dict[str, Installed]
    _kept: dict[str, int]  # user ids of uninstalled apps whose data was kept

    def __init__(
        self,
        *,
        context: Context,
        apps: Iterable[type[App]],
        clock: Clock,
        files: FileSystem,
        changes: Changes,
        locales: Locales,
    ) -> None:
        self._context = context
        self._clock = clock
        self._files = files
        self._changes = changes
        self._locales = locales
        kinds = {kind.package: kind for kind in apps}
        uids = {kind.package: uid_of(kind, at) for at, kind in enumerate(kinds.values())}
        self._apps = {name: kind(context, uids[name]) for name, kind in kinds.items()}
        self._installed = {}
        self._kept = {}
        # The base APK and its app, by folder.
        self._packaged: dict[str, tuple[bytes, PackagedApp]] = {}

    def link(
        self,
        permissions: PermissionService,
        resolver: MimeTypes,
        activities: ActivityService,
        notifications: NotificationService,
    ) -> None:
        """Connect the services that store something for an app."""
        self._permissions, self._activities = permissions, activities
        self._notifications, self._resolver = notifications, resolver

    def install_all(self) -> None:
        """Install every app, as the first boot does."""
        for name, app in self._apps.items():
            self._installed[name] = Installed(app.uid, self._clock.time())
            self._fill(app)
        for app in self._apps.values():
            self._by(app, app.furnish)

    def names(self) -> list[str]:
        """Return the installed packages in the order of a hash table, as Android lists them."""
        return sorted(self._installed, key=lambda name: zlib.crc32(name.encode()))

    def kept(self) -> list[str]:
        """Return the uninstalled packages whose data was kept."""
        return [*self._kept]

    def __contains__(self, package: str) -> bool:
        return package in self._installed

    def __getitem__(self, package: str) -> Installed:
        if package not in self._installed:
            raise UnknownPackage(package)
        return self._installed[package]

    def app(self, package: str) -> App:
        """Return an installed app."""
        code = self[package].code
        return self._packaged[code][1] if code else self._apps[package]

    def apps(self) -> list[App]:
        """Return every installed app, in the order of installation."""
        return [self.app(name) for name in self._installed]

    def enabled(self, package: str) -> bool:
        """Return whether an app is installed and enabled."""
        return package in self and self[package].state in ("default", "enabled")

    def path(self, package: str) -> str:
        """Return the path of an app's APK."""
        app, code = self.app(package), self[package].code
        if code:
            return f"{code}/base.apk"
        if package == "android":
            return "/system/framework/framework-res.apk"
        if app.system:
            return f"/product/app/{app.label.replace(' ', '')}/{app.label.replace(' ', '')}.apk"
        return f"/data/app/~~{token(package, 'outer')}/{package}-{token(package, 'inner')}/base.apk"

    def paths(self, package: str) -> list[str]:
        """Return the paths of all of an app's APKs, the base first."""
        base, code = self.path(package), self[package].code
        names = self._files.listdir(code) if code else []
        splits = [name for name in names if name.startswith("split_") and name.endswith(".apk")]
        return [base, *(f"{code}/{name}" for name in splits)]

    def find(self, component: str) -> tuple[App, type[Activity]] | None:
        """Return the activity of a component, if it is installed and enabled."""
        package = component.partition("/")[0]
        if not self.enabled(package):
            return None
        app = self.app(package)
        for kind in app.activities:
            if kind.component(package) == full(component) not in self[package].off:
                return app, kind
        return None

    def resolve(self, intent: Intent) -> list[tuple[App, type[Activity]]]:
        """Return the activities that handle an intent."""
        if intent.component:
            found = self.find(intent.component)
            return [found] if found else []
        if not intent.type and intent.data.startswith("content:"):
            intent = replace(intent, type=self._resolver.type_of(intent.data))
        return [
            (app, kind)
            for app in self.apps()
            if self.enabled(app.package) and intent.package in ("", app.package)
            for kind in app.activities
            if kind.component(app.package) not in self[app.package].off
            and answers(app, kind, intent)
        ]

    def launchable(self) -> list[App]:
        """Return the apps with a launcher icon, sorted by name in the phone's language."""
        found = self.resolve(Intent(MAIN, categories=(LAUNCHER,)))
        order = self._locales.current.sort_key
        return sorted((app for app, _ in found), key=lambda app: order(app.name))

    def set_state(self, package: str, state: str) -> None:
        """Set an app's state, which enables or disables it."""
        self[package].state = state
        if not self.enabled(package):
            self._activities.force_stop(package)
        self._changes.note()

    def switch(self, component: str, *, on: bool) -> None:
        """Enable or disable a component."""
        off = self[component.partition("/")[0]].off
        off[:] = [other for other in off if other != component] + ([] if on else [component])
        self._changes.note()

    def clear(self, package: str) -> None:
        """Clear an app's data and permissions, as if it had just been installed."""
        app = self.app(package)
        self._activities.force_stop(package)
        self._permissions.reset(package)
        self._notifications.cancel_all(package)
        self._wipe(app)
        with self._activities.guard(package):
            self._fill(app)
        self._changes.note()

    def install(
        self, package: str, code: str, *, installer: str | None = None, grant: bool = False
    ) -> None:
        """Install an app whose APKs are in the folder `code`, replacing an older version.

        With `grant`, all permissions that it requests are granted at once.
        """
        old, now = self._installed.get(package), self._clock.time()
        app = self._read(code, old.uid if old else self._uid(package))
        if old is None:
            self._installed[package] = Installed(app.uid, now, off=[*app.disabled])
            self._fill(app)
        else:
            self._activities.kill(package, "installPackageLI")
            self._remove_code(self.path(package).rpartition("/")[0])
            old.updated = now
        self._kept.pop(package, None)
        installed = self[package]
        installed.code, installed.installer = code, installer
        if grant:
            self._permissions.grant_all(package)
        self._changes.note()

    def uninstall(self, package: str, *, keep_data: bool = False) -> None:
        """Uninstall an app; PermissionError if it is part of the image."""
        app = self.app(package)
        if app.system:
            raise PermissionError(package)
        self._activities.force_stop(package)
        self._remove_code(self.path(package).rpartition("/")[0])
        if keep_data:
            self._kept[package] = app.uid
        else:
            self._wipe(app)
        del self._installed[package]
        self._changes.note()

    def _read(self, code: str, uid: int) -> PackagedApp:
        """Create the app for the APK in a folder, unless the cached one is still valid."""
        data = self._files.read(f"{code}/base.apk")
        if code in self._packaged:
            known, app = self._packaged[code]
            if known is data and app.uid == uid:
                return app
        from pytest_mobileagent.virtual.apk import read_apk  # seldom used

        app = app_of(read_apk(data, code))(self._context, uid)
        self._packaged[code] = data, app
        return app

    def _uid(self, package: str) -> int:
        """Return the user id for a new app: that of its kept data, or the next free one."""
        others = {installed.uid for installed in self._installed.values()}
        apps = {app.uid for app in self._apps.values()}
        highest = max(FIRST_UID - 1, *others, *apps, *self._kept.values())
        return self._kept.get(package, highest + 1)

    def _remove_code(self, code: str) -> None:
        if code:
            self._files.rmtree(code.rpartition("/")[0])

    def _wipe(self, app: App) -> None:
        for folder in {app.data_dir, f"/data/data/{app.package}"}:
            if self._files.exists(folder):
                self._files.rmtree(folder)

    def _fill(self, app: App) -> None:
        for folder in {app.data_dir, f"/data/data/{app.package}"}:
            self._files.mkdir(folder, mode=0o700, parents=True, uid=app.uid, gid=app.uid)
        if not isinstance(app, PackagedApp):
            provide(self._files, self.path(app.package), app)
        self._by(app, app.install)

    @staticmethod
    def _by(app: App, act: Callable[[], None]) -> None:
        """Run a hook of an app; BrokenApp, naming the author's line, if it fails."""
        try:
            act()
        except Exception as error:
            raise BrokenApp.by(error, Path(inspect.getfile(type(app)))) from error

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the packages, except apps that this phone no longer has."""
        super().load(saved)
        for name, installed in [*self._installed.items()]:
            if installed.code:
                self._read(installed.code, installed.uid)
            elif name not in self._apps:
                del self._installed[name]


def uid_of(kind: type[App], at: int) -> int:
    """Return an app's user id; Android's own apps have fixed ids."""
    fixed = {"android": 1000, "com.android.settings": 1000, "com.android.shell": 2000}
    return fixed.get(kind.package, FIRST_UID + at)


def answers(app: App, kind: type[Activity], intent: Intent) -> bool:
    """Return whether an activity handles an intent that does not name it."""
    if intent.action == MAIN:
        entry = _entry(app, kind)
        return bool(entry) and set(intent.categories) <= {*entry, DEFAULT}
    return any(each.matches(intent) for each in kind.intent_filters())


def filters(app: App, kind: type[Activity]) -> Iterator[Filter]:
    """Yield all filters of an activity, starting with that of its launcher icon."""
    if entry := _entry(app, kind):
        yield Filter((MAIN,), categories=entry)
    yield from (each for each in kind.intent_filters() if each.actions)


def _entry(app: App, kind: type[Activity]) -> tuple[str, ...]:
    """Return the categories with which an activity is an entry point of its app."""
    if kind.main is None:
        return (LAUNCHER,) if kind is app.activities[0] else ()
    return tuple(kind.main)
