"""Volumes of the audio streams, which Android stores in the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable


@dataclass(frozen=True, slots=True)
class Stream:
    """An audio stream: its number, Android's name for it, its setting and its range."""

    number: int
    name: str
    setting: str
    low: int
    high: int


STREAMS = (
    Stream(0, "STREAM_VOICE_CALL", "volume_voice", 1, 5),
    Stream(1, "STREAM_SYSTEM", "volume_system", 0, 7),
    Stream(2, "STREAM_RING", "volume_ring", 0, 7),
    Stream(3, "STREAM_MUSIC", "volume_music", 0, 15),
    Stream(4, "STREAM_ALARM", "volume_alarm", 1, 7),
    Stream(5, "STREAM_NOTIFICATION", "volume_notification", 0, 7),
)
MUSIC = STREAMS[3]
DEFAULT = 5


def stream(number: int) -> Stream:
    """Return a stream by its number; StopIteration if there is none."""
    return next(each for each in STREAMS if each.number == number)


@dataclass(eq=False)
class Audio:
    """Reads and sets volumes."""

    log: Log
    settings: Settings
    proc: ProcessTable

    def volume(self, of: Stream) -> int:
        """Return a stream's volume."""
        return int(self.settings.text("system", of.setting, str(DEFAULT)))

    def set(self, of: Stream, index: int) -> None:
        """Set a stream's volume, limited to its range."""
        index = min(max(index, of.low), of.high)
        self.settings.put("system", of.setting, str(index))
        pid = self.proc.pid("com.android.systemui")
        line = f"writeEvent level_changed {of.name} {index}"
        self.log.write("I", "vol.Events", line, pid=pid)

    def adjust(self, step: int) -> None:
        """Change the music volume, as a volume key does."""
        self.set(MUSIC, self.volume(MUSIC) + step)

    def mute(self) -> None:
        """Mute the music."""
        self.set(MUSIC, 0)
