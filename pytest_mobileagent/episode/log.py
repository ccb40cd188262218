"""The phone's log during an episode: its lines, and the app crashes among them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_mobileagent.jsonable import expect

if TYPE_CHECKING:
    from collections.abc import Mapping

CrashKind = Literal["crash", "native crash", "not responding"]
_KINDS = get_args(CrashKind)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the phone's log.

    `time` is the phone's, as logcat prints it ("11-23 08:00:01.123"); `level` is one of V, D, I, W,
    E and F.
    """

    time: str
    pid: int
    tid: int
    level: str
    tag: str
    text: str

    def __str__(self) -> str:
        return f"{self.time} {self.level} {self.tag}: {self.text}"

    def to_json(self) -> list[Any]:
        """Return the line as a list, which is shorter than an object; there may be thousands."""
        return [self.time, self.pid, self.tid, self.level, self.tag, self.text]

    @classmethod
    def from_json(cls, data: Any) -> LogLine:
        """Return the line that `to_json` serialised; items added by newer versions are ignored.

        Raises:
            TypeError, ValueError: if the data is not a line.
        """
        time, pid, tid, level, tag, text, *_ = expect(data, list, "log.lines")
        return cls(
            expect(time, str, "log.time"),
            expect(pid, int, "log.pid"),
            expect(tid, int, "log.tid"),
            expect(level, str, "log.level"),
            expect(tag, str, "log.tag"),
            expect(text, str, "log.text"),
        )


@dataclass(frozen=True, slots=True)
class Crash:
    """An app that crashed or stopped responding (an ANR).

    - `kind`: "crash" of managed code, "native crash" by a signal, or "not responding".
    - `package`: the app; "" if the log does not name it.
    - `error`: the exception, signal or reason, on one line.
    - `place`: the file and line, or the library and function, of its origin; "" if unknown.
    - `trace`: the lines of the log about it.
    """

    kind: CrashKind
    package: str
    error: str
    place: str = ""
    trace: str = ""

    def __str__(self) -> str:
        what = self.error if self.kind == "crash" else f"{self.kind}: {self.error}"
        return f"{self.package or 'an app'}: {what}" + (f", {self.place}" if self.place else "")

    def to_json(self) -> dict[str, Any]:
        """Return the crash as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Crash:
        """Return the crash that `to_json` serialised as `data`; unknown fields are ignored.

        Raises:
            TypeError, ValueError: if the data is not a crash.
        """
        known = {each.name: data[each.name] for each in fields(cls) if each.name in data}
        for name, value in known.items():
            expect(value, str, f"crash.{name}")
        if known.get("kind") not in _KINDS:
            msg = f"crash.kind is {known.get('kind')!r}, not one of {', '.join(_KINDS)}"
            raise ValueError(msg)
        return cls(**known)
