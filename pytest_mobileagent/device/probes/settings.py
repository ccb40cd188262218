"""Single values of the phone: settings, system properties, volumes, what is in front."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from pytest_mobileagent.task.task import Value

NAMESPACES = ("system", "secure", "global")
# Android's AudioManager.STREAM_*.
STREAMS = {
    "voice_call": 0,
    "system": 1,
    "ring": 2,
    "music": 3,
    "alarm": 4,
    "notification": 5,
    "dtmf": 8,
    "accessibility": 10,
}
_PROPERTY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]*")
_VOLUME = re.compile(r"volume is (\d+) in range \[\d+\.\.\d+\]")
# Android 10 and newer name the one in front of all displays first; 8 and 9 have mResumedActivity,
# and where an app is being started there may be neither.
_RESUMED = re.compile(
    r"(?:topResumedActivity|mResumedActivity|(?<![A-Za-z])ResumedActivity|mFocusedActivity)"
    r"[=:] ?ActivityRecord\{\S+ u\d+ ([\w.]+)/([\w.$]+)"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of Android's settings provider, as text; None if it is not set."""

    namespace: str
    key: str

    def __post_init__(self) -> None:
        if self.namespace not in NAMESPACES:
            msg = f"no settings are called {self.namespace!r} (there are {', '.join(NAMESPACES)})"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask the settings provider."""
        return f"settings get {self.namespace} {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        """Return the text of the setting, None for Android's "null"."""
        text = output.strip()
        return None if text == "null" else text


@dataclass(frozen=True, slots=True)
class Property:
    """A system property, as text; None if it is not set, or empty: Android makes no difference."""

    key: str

    def __post_init__(self) -> None:
        if not _PROPERTY.fullmatch(self.key):
            msg = f"no system property can be called {self.key!r}"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask the property service."""
        return f"getprop {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        """Return the text of the property."""
        return output.strip() or None


@dataclass(frozen=True, slots=True)
class Volume:
    """The volume of a stream of sound: its index, from 0 or 1 up to a maximum that phones choose.

    Raises DeviceError where neither `media` nor `cmd media_session` tells it.
    """

    stream: str

    def __post_init__(self) -> None:
        if self.stream not in STREAMS:
            msg = f"no stream is called {self.stream!r} (there are {', '.join(STREAMS)})"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask `media`, which is a program of its own before Android 12, else the media service."""
        ask = f"volume --stream {STREAMS[self.stream]} --get 2>&1"
        return f"media {ask} | grep 'volume is' || cmd media_session {ask}"

    def parse(self, output: str) -> Value:
        """Return the index."""
        found = _VOLUME.search(output)
        if found is None:
            msg = f"the phone does not tell its volume, but {output.strip()[:200]!r}"
            raise DeviceError(msg)
        return int(found[1])


@dataclass(frozen=True, slots=True)
class FrontActivity:
    """The activity in front, as "package/full.class.Name"; None while none is."""

    @property
    def script(self) -> str:
        """Ask the activity manager."""
        return "dumpsys activity activities | grep -E '(Resumed|mFocused)Activity[=:]'; true"

    def parse(self, output: str) -> Value:
        """Return the component; the first that is named is the one in front."""
        found = _RESUMED.search(output)
        if found is None:
            return None
        package, name = found.groups()
        return f"{package}/{package}{name}" if name.startswith(".") else f"{package}/{name}"


def setting(namespace: str, key: str) -> Setting:
    """Probe a setting: `setting("global", "airplane_mode_on")`."""
    return Setting(namespace, key)


def prop(key: str) -> Property:
    """Probe a system property: `prop("persist.sys.locale")`."""
    return Property(key)


def volume(stream: str) -> Volume:
    """Probe a volume: `volume("alarm")`; also music, ring, voice_call, notification, system, …."""
    return Volume(stream)


def activity() -> FrontActivity:
    """Probe the activity in front: `com.android.settings/com.android.settings.Settings`."""
    return FrontActivity()
