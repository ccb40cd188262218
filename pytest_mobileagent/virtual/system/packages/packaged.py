"""Apps installed from APKs, and APKs generated for the apps that are written in Python.

The code in an APK cannot run here, so such an app only shows an empty screen.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import posixpath
from typing import TYPE_CHECKING, ClassVar, Final

from pytest_mobileagent.virtual.apk.binary import Element, archive
from pytest_mobileagent.virtual.app.app import Activity, App
from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, class_name, short
from pytest_mobileagent.virtual.ui import MATCH, AppBar, Column, View

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk import Apk, Component, Manifest
    from pytest_mobileagent.virtual.apk.binary import Value
    from pytest_mobileagent.virtual.kernel.files import FileSystem

INPUT_METHOD: Final = "android.view.InputMethod"
_VIRTUAL: Final = "pytest_mobileagent.virtual"
KNOWN: Final = {  # apps whose behaviour is implemented here, and where
    "com.github.uiautomator": f"{_VIRTUAL}.automation.jsonrpc.device:AdbKeyboard",
    "org.mobileagent.contracts": f"{_VIRTUAL}.image.contracts:Contracts",
    "org.mobileagent.listener": f"{_VIRTUAL}.image.event_listener:EventListener",
    "com.google.androidenv.accessibilityforwarder": f"{_VIRTUAL}.grpc.forwarder:Forwarder",
    "io.appium.settings": f"{_VIRTUAL}.image.appium_settings:Helper",
}


class PackagedApp(App):
    """An app that was installed from an APK."""

    apk: ClassVar[Apk]
    disabled: ClassVar[tuple[str, ...]]  # components that are disabled by default


class PackagedActivity(Activity):
    """An activity's appearance before its code does anything: its title over an empty window."""

    label: ClassVar[str]

    def content(self) -> View:
        """Build the window that the system gives every activity."""
        return Column([AppBar(title=self.label, id="android:id/action_bar")], height=MATCH)


def app_of(apk: Apk) -> type[PackagedApp]:
    """Create an app class for an APK."""
    manifest = apk.manifest
    behaviour = _behaviour(manifest.package)
    screens = getattr(behaviour, "screens", ())
    own = {class_name(manifest.package, kind.name): kind for kind in screens}
    activities = tuple(
        own.get(class_name(manifest.package, each.name)) or _activity(each, manifest.label)
        for each in manifest.activities
    )
    attributes = {
        "apk": apk,
        "package": manifest.package,
        "label": _launcher_label(apk),
        "icon": apk.icon,
        "version_name": manifest.version_name,
        "version_code": manifest.version_code,
        "activities": activities,
        "permissions": manifest.permissions,
        "services": tuple(each.name for each in manifest.services),
        "input_methods": _input_methods(manifest),
        "instrumentations": manifest.instrumentations,
        "disabled": tuple(
            f"{manifest.package}/{each.name}" for each in manifest.activities if not each.enabled
        ),
    }
    return type("PackagedApp", (*([behaviour] if behaviour else []), PackagedApp), attributes)


def _behaviour(package: str) -> type[App] | None:
    if package not in KNOWN:
        return None
    path, _, name = KNOWN[package].partition(":")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if (error.name or _VIRTUAL).startswith(_VIRTUAL):
            raise
        return None  # an extra is not installed
    found: type[App] = getattr(module, name)
    return found


def _input_methods(manifest: Manifest) -> dict[str, str]:
    """Return the input methods among the services, with their labels by id."""
    return {
        short(f"{manifest.package}/{each.name}"): each.label or manifest.label
        for each in manifest.services
        if any(INPUT_METHOD in one.actions for one in each.filters)
    }


def _activity(component: Component, label: str) -> type[PackagedActivity]:
    entries = [each for each in component.filters if MAIN in each.actions]
    attributes = {
        "name": component.name,
        "label": component.label or label,
        "main": tuple(name for entry in entries for name in entry.categories),
        "filters": tuple(each for each in component.filters if MAIN not in each.actions),
        "exported": component.exported,
    }
    return type("PackagedActivity", (PackagedActivity,), attributes)


def _launcher_label(apk: Apk) -> str:
    """Return the label of an app's icon: its launcher activity's, or else the app's."""
    for component in apk.manifest.activities:
        if any(MAIN in each.actions and LAUNCHER in each.categories for each in component.filters):
            return component.label or apk.manifest.label
    return apk.manifest.label


def provide(files: FileSystem, path: str, app: App) -> None:
    """Provide an app's APK at the path that the package manager reports, generated on reading."""
    files.mkdir(posixpath.dirname(path), parents=True)
    files.generate(path, lambda: archive(manifest(app)))


def manifest(app: App) -> Element:
    """Return an app's manifest: versions, permissions and activities, the first with an icon."""
    main = [Element("action", {"name": MAIN}), Element("category", {"name": LAUNCHER})]
    activities = [
        Element("activity", {"name": kind.component(app.package).partition("/")[2]})
        for kind in app.activities
    ]
    for entry in activities[:1]:
        entry.children.append(Element("intent-filter", {}, children=main))
    version: dict[str, Value] = {"versionCode": app.version_code, "versionName": app.version_name}
    parts = [
        Element("uses-sdk", {"minSdkVersion": 24, "targetSdkVersion": 34}),
        *(Element("uses-permission", {"name": name}) for name in app.permissions),
        Element("application", {"label": app.label}, children=activities),
    ]
    return Element("manifest", {"package": app.package, **version}, children=parts)


def token(package: str, salt: str) -> str:
    """Return the random-looking part of a path."""
    digest = hashlib.sha256(f"{salt}:{package}".encode()).digest()[:16]
    return base64.urlsafe_b64encode(digest).decode()
