"""What is known of a device beside its screens, and what an agent is given of it in each step."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.jsonable import expect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What an agent knows of the device before its first step.

    `size` is (width, height) in pixels, `density` in dots per inch. `listener` says whether its
    events can be heard (docs/events.md).
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
    """The screen, and what came of the last decision.

    - `reply`: the user's reply to the question that the agent asked last; None if it asked none.
    - `notice`: why the last decision, or part of it, could not be done; empty if it could.
    - `before`: on recorded pages, the one that was left by going back; else None. Agents that are
      to see what they see on a phone do not look at it.
    - `done`: the golden action that was done in place of the last decision; None if that was done
      itself. An agent that remembers what it did remembers this instead.
    - `told`: what the user says unasked, with `--mobile-user=told`.

    What probes read is never part of it.
    """

    screen: Screen
    reply: str | None = None
    notice: str = ""
    before: Screen | None = None
    done: Action | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class Reset:
    """What a reset did.

    - `kind`: "snapshot", it was loaded; "cleared", there was none, and `cleared` lists the apps
      whose data was cleared instead; "none", nothing was done.
    - `reason`: why no snapshot was loaded; empty if one was.
    """

    kind: Literal["snapshot", "cleared", "none"]
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

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reset:
        """Return the reset that `to_json` made `data` of; what is unknown is left out.

        Raises:
            TypeError: the data is not a reset.
        """
        cleared = expect(data.get("cleared", []), list, "reset.cleared")
        return cls(
            expect(data.get("kind", "none"), str, "reset.kind"),
            expect(data.get("snapshot"), str | None, "reset.snapshot"),
            tuple(expect(app, str, "reset.cleared") for app in cleared),
            expect(data.get("reason", ""), str, "reset.reason"),
        )


Reaction = Literal["", "closed", "waited", "mis-tapped", "recovered", "left"]


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise that a step met: on the screen that the agent saw, or in its action (docs/noise.md).

    - `kind`, `name`: what it was; actions that are tampered with have a kind only. `number`: which
      noise of the episode, from 1; one may stay for several steps.
    - `reaction`: what the agent did about it in this step: it `closed` it, `waited`, `mis-tapped`
      (touched it elsewhere, so that nothing else came of the touch), `recovered` (came back from a
      page that it led to, or repeated what was not done), or `left` the app; "" for none of these.
    - `swallowed`: which of the step's actions, from 0, never reached the phone.
    """

    kind: str
    number: int
    name: str = ""
    reaction: Reaction = ""
    swallowed: tuple[int, ...] = ()

    def of_action(self, place: int) -> Self:
        """Return it as if one of the step's actions, from 0, had been a step of its own."""
        return replace(self, swallowed=(0,) if place in self.swallowed else ())

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "swallowed": list(self.swallowed)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Noise:
        """Return the noise that `to_json` made `data` of; what is unknown is left out.

        Raises:
            TypeError: the data is no noise.
        """
        each = expect(data.get("swallowed", []), list, "noise.swallowed")
        return cls(
            expect(data["kind"], str, "noise.kind"),
            expect(data["number"], int, "noise.number"),
            expect(data.get("name", ""), str, "noise.name"),
            expect(data.get("reaction", ""), str, "noise.reaction"),
            tuple(expect(number, int, "noise.swallowed") for number in each),
        )
