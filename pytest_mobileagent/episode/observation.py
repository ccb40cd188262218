"""Facts about a device other than its screens, and what an agent receives in each step."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing import Self

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.screen import Screen


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What an agent knows about the device before its first step.

    `size` is (width, height) in pixels, `density` in dots per inch. `listener` says whether its
    accessibility events can be recorded (docs/events.md).
    """

    serial: str
    model: str
    android: str
    sdk: int
    size: tuple[int, int]
    density: int
    locale: str = "en-US"
    listener: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """The screen, and the result of the last decision.

    - `reply`: the user's reply to the agent's last question; None if it asked none.
    - `notice`: why the last decision, or part of it, could not be performed, or had no effect
      (`failure`), and why the picture does not show the page (`screen.notice`); mostly "".
    - `before`: on recorded pages, the page that was left by going back; else None. Agents that
      should see only what a phone shows do not use it.
    - `done`: the golden action that was performed in place of the last decision, if any. An agent
      that remembers its actions should remember this one instead.
    - `told`: what the user says without being asked, with `--mobile-user=told`.

    The values of probes are never part of it.
    """

    screen: Screen
    reply: str | None = None
    notice: str = ""
    before: Screen | None = None
    done: Action | None = None
    told: str = ""

    @property
    def failure(self) -> str:
        """Why the last decision, or part of it, could not be performed; "" if it was."""
        return self.notice.removesuffix(self.screen.notice).removesuffix("; ")


@dataclass(frozen=True, slots=True)
class Reset:
    """The result of a reset.

    - `kind`: "snapshot", one was loaded; "cleared", there was none, and `cleared` lists the apps
      whose data was cleared instead; "none", nothing was done.
    - `reason`: why no snapshot was loaded; "" if one was.
    """

    kind: Literal["snapshot", "cleared", "none"] = "none"
    snapshot: str | None = None
    cleared: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        if self.kind == "snapshot":
            return f"snapshot {self.snapshot}"
        return f"{self.reason}: cleared {', '.join(self.cleared) or 'nothing'}"

    def to_json(self) -> dict[str, Any]:
        """Return the reset as plain data."""
        return {**asdict(self), "cleared": list(self.cleared)}


Reaction = Literal["", "closed", "waited", "mis-tapped", "recovered", "left"]


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise in a step: on the screen that the agent saw, or in its action (docs/noise.md).

    - `kind`, `name`: the noise; tampered actions have a kind only. `number`: which noise of the
      episode it is, from 1; the same noise may last for several steps.
    - `reaction`: how the agent reacted in this step: it `closed` the noise, `waited`, `mis-tapped`
      (touched it elsewhere, so the touch had no other effect), `recovered` (returned from a page
      that it led to, or repeated an action that was not performed), or `left` the app; "" for
      anything else.
    - `swallowed`: the indices, from 0, of the step's actions that never reached the phone.
    - `order`: what an injection told the agent to do, such as "type TEXT"; "" for other noise.
    """

    kind: str
    number: int
    name: str = ""
    reaction: Reaction = ""
    swallowed: tuple[int, ...] = ()
    order: str = ""

    def of_action(self, place: int) -> Self:
        """Return the noise as if the action at this index, from 0, were a separate step."""
        return replace(self, swallowed=(0,) if place in self.swallowed else ())

    def to_json(self) -> dict[str, Any]:
        """Return the noise as plain data."""
        return {**asdict(self), "swallowed": list(self.swallowed)}
