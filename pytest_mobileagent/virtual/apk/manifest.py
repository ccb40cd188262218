"""The contents of an APK's manifest: its versions, permissions and components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.binary import Element, Reference
from pytest_mobileagent.virtual.content.intent import Filter, class_name

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk.binary import Resources


class BadApk(ValueError):
    """An APK that Android would refuse; contains Android's error code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Component:
    """An activity, a service, a receiver or a provider."""

    name: str  # of the class, fully qualified
    label: str
    exported: bool
    declared: bool  # whether the manifest specifies if it is exported
    enabled: bool
    permission: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """An instrumentation, which runs in the process of an app, like tests."""

    name: str  # of the class, fully qualified
    target: str  # the package that it instruments


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of an APK, which is the base or a split of an app."""

    package: str
    split: str  # "" for a base APK
    version_code: int
    version_name: str
    min_sdk: int
    target_sdk: int
    sdk_line: int  # line in which the SDK versions are specified
    label: str
    icon: int  # a resource id, or 0
    debuggable: bool
    test_only: bool
    split_required: bool
    permissions: tuple[str, ...]
    activities: tuple[Component, ...]
    services: tuple[Component, ...]
    receivers: tuple[Component, ...]
    providers: tuple[Component, ...]
    instrumentations: tuple[Instrumentation, ...]


def read_manifest(root: Element, resources: Resources) -> Manifest:
    """Read a manifest; BadApk if it is invalid."""
    return _Reader(root, resources).read()


class _Reader:
    def __init__(self, root: Element, resources: Resources) -> None:
        self._root = root
        self._resources = resources
        self._package = self._text(root, "package")

    def read(self) -> Manifest:
        root = self._root
        if root.tag != "manifest" or not self._package:
            raise BadApk("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", "Missing <manifest> package")
        app = next(root.all("application"), Element("", {}))
        sdk = next(root.all("uses-sdk"), Element("", {}))
        least = self._number(sdk, "minSdkVersion", 1)
        icon = app.attributes.get("icon")
        requests = root.all("uses-permission", "uses-permission-sdk-23")
        permissions = dict.fromkeys(self._text(each, "name") for each in requests)
        return Manifest(
            self._package,
            self._text(root, "split"),
            self._number(root, "versionCode", 0) | self._number(root, "versionCodeMajor", 0) << 32,
            self._text(root, "versionName"),
            least,
            self._number(sdk, "targetSdkVersion", least),
            sdk.line,
            self._text(app, "label") or self._text(app, "name") or self._package,
            icon.id if isinstance(icon, Reference) else 0,
            app.attributes.get("debuggable") is True,
            app.attributes.get("testOnly") is True,
            root.attributes.get("isSplitRequired") is True
            or app.attributes.get("isSplitRequired") is True,
            tuple(permissions),
            self._components(app, "activity", "activity-alias"),
            self._components(app, "service"),
            self._components(app, "receiver"),
            self._components(app, "provider"),
            tuple(
                Instrumentation(self._class(each), self._text(each, "targetPackage"))
                for each in root.all("instrumentation")
            ),
        )

    def _components(self, app: Element, *tags: str) -> tuple[Component, ...]:
        return tuple(self._component(each) for each in app.all(*tags))

    def _component(self, element: Element) -> Component:
        filters = tuple(self._filter(each) for each in element.all("intent-filter"))
        return Component(
            self._class(element),
            self._text(element, "label"),
            bool(element.attributes.get("exported", bool(filters))),
            "exported" in element.attributes,
            element.attributes.get("enabled") is not False,
            self._text(element, "permission"),
            filters,
        )

    def _filter(self, element: Element) -> Filter:
        paths = (
            *self._names(element, "data", "path"),
            *(f"{path}*" for path in self._names(element, "data", "pathPrefix")),
            *(path.replace(".*", "*") for path in self._names(element, "data", "pathPattern")),
        )
        return Filter(
            actions=self._names(element, "action", "name"),
            categories=self._names(element, "category", "name"),
            schemes=self._names(element, "data", "scheme"),
            hosts=self._names(element, "data", "host"),
            paths=paths,
            mime_types=self._names(element, "data", "mimeType"),
        )

    def _names(self, element: Element, tag: str, attribute: str) -> tuple[str, ...]:
        texts = (self._text(each, attribute) for each in element.all(tag))
        return tuple(dict.fromkeys(text for text in texts if text))

    def _class(self, element: Element) -> str:
        return class_name(self._package, self._text(element, "name"))

    def _text(self, element: Element, attribute: str) -> str:
        value = element.attributes.get(attribute)
        if isinstance(value, Reference):
            return self._resources.text(value.id) or ""
        return "" if value is None else str(value)

    def _number(self, element: Element, attribute: str, otherwise: int) -> int:
        value = element.attributes.get(attribute)
        if isinstance(value, str) and value.isdecimal():
            return int(value)
        return value if isinstance(value, int) else otherwise
