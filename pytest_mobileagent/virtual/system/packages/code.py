"""The file that stands for the code of an app that did not come as an APK."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.written import Tag, archive
from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.files import FileSystem


def provide(files: FileSystem, path: str, app: App) -> None:
    """Put an APK where the package manager says it is; it is made whenever it is read."""
    files.mkdir(posixpath.dirname(path), parents=True)
    files.generate(path, lambda: archive(manifest(app)))


def manifest(app: App) -> Tag:
    """Describe an app: its versions, permissions, and the activities, of which one is its icon."""
    main = Tag("action", {"name": MAIN}), Tag("category", {"name": LAUNCHER})
    activities = [
        Tag("activity", {"name": kind.component(app.package).partition("/")[2]},
            (Tag("intent-filter", {}, main),) if kind is app.activities[0] else ())
        for kind in app.activities
    ]  # fmt: skip
    permissions = [Tag("uses-permission", {"name": name}) for name in app.permissions]
    about: dict[str, str | int] = {
        "package": app.package,
        "versionCode": app.version_code,
        "versionName": app.version_name,
    }
    return Tag("manifest", about, (
        Tag("uses-sdk", {"minSdkVersion": 24, "targetSdkVersion": 34}),
        *permissions,
        Tag("application", {"label": app.label}, tuple(activities)),
    ))  # fmt: skip
