"""The file that stands for the code of an app that did not come as an APK."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.axml import Element
from pytest_mobileagent.virtual.apk.written import archive
from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk.axml import Value
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.files import FileSystem


def provide(files: FileSystem, path: str, app: App) -> None:
    """Put an APK where the package manager says it is; it is made whenever it is read."""
    files.mkdir(posixpath.dirname(path), parents=True)
    files.generate(path, lambda: archive(manifest(app)))


def manifest(app: App) -> Element:
    """Describe an app: its versions, permissions, and the activities, of which one is its icon."""
    main = [Element("action", {"name": MAIN}), Element("category", {"name": LAUNCHER})]
    activities = [
        Element("activity", {"name": kind.component(app.package).partition("/")[2]})
        for kind in app.activities
    ]
    for entry in activities[:1]:
        entry.children.append(Element("intent-filter", {}, children=main))
    about: dict[str, Value] = {
        "package": app.package,
        "versionCode": app.version_code,
        "versionName": app.version_name,
    }
    parts = [
        Element("uses-sdk", {"minSdkVersion": 24, "targetSdkVersion": 34}),
        *(Element("uses-permission", {"name": name}) for name in app.permissions),
        Element("application", {"label": app.label}, children=activities),
    ]
    return Element("manifest", about, children=parts)
