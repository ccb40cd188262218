"""The settings that a client can change, with the values that they start with."""

from __future__ import annotations

from typing import Any, Final

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument

DEFAULTS: Final[dict[str, Any]] = {
    "actionAcknowledgmentTimeout": 3000,
    "allowInvisibleElements": False,
    "alwaysTraversableViewClasses": "",
    "currentDisplayId": 0,
    "disableIdLocatorAutocompletion": False,
    "elementResponseAttributes": "name,text",
    "enableMultiWindows": False,
    "enableNotificationListener": True,
    "enableTopmostWindowFromActivePackage": False,
    "enforceXPath1": False,
    "ignoreUnimportantViews": False,
    "includeA11yActionsInPageSource": False,
    "includeExtrasInPageSource": False,
    "keyInjectionDelay": 0,
    "limitXPathContextScope": True,
    "mjpegBilinearFiltering": False,
    "mjpegScalingFactor": 50,
    "mjpegServerFramerate": 10,
    "mjpegServerPort": 7810,
    "mjpegServerScreenshotQuality": 50,
    "normalizeTagNames": False,
    "scrollAcknowledgmentTimeout": 200,
    "serverPort": 6790,
    "shouldUseCompactResponses": True,
    "shutdownOnPowerDisconnect": True,
    "simpleBoundsCalculation": False,
    "snapshotMaxDepth": 70,
    "trackScrollEvents": True,
    "useResourcesForOrientationDetection": False,
    "waitForIdleTimeout": 10000,
    "waitForSelectorTimeout": 10000,
    "wakeLockTimeout": 86400000,
}


class Settings:
    """One session's settings."""

    def __init__(self) -> None:
        self._values = dict(DEFAULTS)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def all(self) -> dict[str, Any]:
        """Give all of them."""
        return dict(self._values)

    def update(self, values: dict[str, Any]) -> None:
        """Change some; InvalidArgument for one that is unknown or of another type."""
        for name, value in values.items():
            if name not in DEFAULTS:
                known = ", ".join(DEFAULTS)
                raise InvalidArgument(f"Setting '{name}' is not supported. Known are: {known}")
            kind = type(DEFAULTS[name])
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                words = f"Invalid setting value type. Got {type(value).__name__}. "
                raise InvalidArgument(f"{words}Expected {kind.__name__} for setting '{name}'")
        self._values.update(values)
