"""The time picker: a dial for hours and then minutes, or two text fields."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.virtual.ui import (
    WRAP,
    Column,
    Dialog,
    Frame,
    ImageButton,
    Input,
    Row,
    Space,
    Text,
    View,
)
from pytest_mobileagent.virtual.ui.controls import Hand, Toggle

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.sdk.app import Activity

DIAL = 256.0  # dp in diameter
CELL = 48.0
INWARD = 36.0  # how much closer to the centre the inner ring is
OUTER = 1 - (CELL / 2 + 4) * 2 / DIAL  # radius of the outer ring, as a part of the dial's radius
INNER_CELL = 32.0  # in the inner ring, so that neighbours do not overlap
WHOLE = 376.0  # dp of a screen with room for the whole picker
AROUND = 160.0  # dp above and below the dial on a wide screen: bars, margins, buttons

Change = Callable[..., object]
Action = Callable[[], object]


def fresh(hour: int, minute: int, alarm: int = 0) -> dict[str, Any]:
    """Return the state of a picker opened at a time, for an existing alarm or (0) a new one."""
    return {
        "hour": hour,
        "minute": minute,
        "alarm": alarm,
        "unit": "hour",
        "typing": False,
        "typed_hour": "",
        "typed_minute": "",
        "pm": hour >= 12,
    }


def shown_hour(hour: int, *, long_clock: bool) -> str:
    """Format an hour as the picker shows it."""
    return f"{hour:02}" if long_clock else str((hour - 1) % 12 + 1)


def chosen(picker: dict[str, Any], *, long_clock: bool) -> tuple[int, int] | None:
    """Return the chosen hour and minute, or None if the typed text is not a valid time."""
    if not picker["typing"]:
        return picker["hour"], picker["minute"]
    hour = picker["typed_hour"] or shown_hour(picker["hour"], long_clock=long_clock)
    minute = picker["typed_minute"] or str(picker["minute"])
    if not hour.isdecimal() or not minute.isdecimal() or int(minute) > 59:
        return None
    if long_clock:
        return (int(hour), int(minute)) if int(hour) < 24 else None
    if not 1 <= int(hour) <= 12:
        return None
    return int(hour) % 12 + 12 * picker["pm"], int(minute)


def dialog(
    picker: dict[str, Any],
    change: Change,
    activity: Activity,
    *,
    long_clock: bool,
    title: str = "",
    done: Action,
    close: Action,
) -> Dialog:
    """Build the picker in a dialog, which is wide and has no title on a display in landscape."""
    made = _TimePicker(picker, change, activity, long_clock)
    wide = made.wide and not picker["typing"]
    return Dialog(
        "" if wide else title,
        content=made.view(),
        buttons=[(activity.t("OK"), done), (activity.t("Cancel"), close)],
        on_cancel=close,
        width=592 if wide else Dialog.width,
    )


@dataclass(eq=False)
class _Choice(Toggle):
    """A button for AM or PM."""

    kind: ClassVar[str] = "android.widget.RadioButton"


@dataclass(frozen=True)
class _TimePicker:
    """The picker's view; `change` is called with the parts of the state that change."""

    state: dict[str, Any]
    change: Change
    activity: Activity
    long_clock: bool

    @property
    def wide(self) -> bool:
        """Whether the header is placed beside the dial."""
        return self.activity.phone.display.metrics.wide

    @cached_property
    def scale(self) -> float:
        """The factor by which the picker is scaled down on a narrow or low screen."""
        metrics = self.activity.phone.display.metrics
        if self.wide:
            return min(1.0, (metrics.height_px / metrics.density - AROUND) / DIAL)
        room = min(metrics.width_px, metrics.height_px * 0.62) / metrics.density
        return min(1.0, (room - 96) / (WHOLE - 96))

    def view(self) -> View:
        """Build the picker and the button that switches between dial and text fields."""
        typing, words = self.state["typing"], ("Switch to text input mode", "Switch to clock mode")
        mode = ImageButton("clock" if typing else "keyboard", id="android:id/toggle_mode")
        mode.desc = self.activity.t(words[typing])
        mode.on_click = partial(self.change, typing=not typing)
        if typing:
            parts = [self._fields(), Row([mode])]
        elif self.wide:
            first = Column([self._header(), Row([mode])], gravity="center_horizontal", weight=1)
            return Row([first, self._dial()])
        else:
            parts = [self._header(), self._dial(), Row([mode])]
        return Column(parts, gravity="center_horizontal")

    def _header(self) -> View:
        scale, minute = self.scale, f"{self.state['minute']:02}"
        size = 48 * scale / max(1, self.activity.phone.display.metrics.font_scale)
        colon = Text(":", id="android:id/separator", size=size, padding=(4 * scale, 0))
        hour = shown_hour(self.state["hour"], long_clock=self.long_clock)
        parts = [self._number(hour, "hour", size), colon, self._number(minute, "minute", size)]
        margin = (0, 0, 0, 20 * scale)
        return Row(self._beside(parts), id="android:id/time_header", width=WRAP, margin=margin)

    def _beside(self, numbers: list[View]) -> list[View]:
        """Arrange hours before minutes, in every language, and AM over PM beside them."""
        row = Row(numbers, width=WRAP, direction="ltr")
        return [row] if self.long_clock else [row, self._halves()]

    def _number(self, text: str, unit: str, size: float) -> View:
        on = self.state["unit"] == unit
        view = Text(self.activity.locale.digits(text), id=f"android:id/{unit}s", size=size)
        view.width, view.height, view.corner = 92 * self.scale, 76 * self.scale, 8
        view.gravity = "center"
        view.color = "on_primary_container" if on else "on_surface"
        view.background = "primary_container" if on else "surface_container_highest"
        view.selected, view.on_click = on, partial(self.change, unit=unit)
        return view

    def _halves(self) -> View:
        halves = Column([self._half("am", False), self._half("pm", True)], width=WRAP, corner=8)
        halves.id, halves.outline = "android:id/ampm_layout", "outline"
        halves.margin = (12 * self.scale, 0, 0, 0)
        return halves

    def _half(self, name: str, pm: bool) -> View:
        on, scale = self.state["pm"] == pm, self.scale
        label = self.activity.locale.date(datetime(2024, 1, 1, 12 * pm, tzinfo=UTC), "a")
        half = _Choice(label, on, id=f"android:id/{name}_label", bold=True, gravity="center")
        half.size, half.width, half.height = 14 * scale, 48 * scale, 38 * scale
        half.min_height, half.touch_padding = 0, 0
        half.background = "secondary_container" if on else ""
        half.color = "on_secondary_container" if on else "on_surface_variant"
        half.on_click = partial(self.change, pm=pm, hour=self.state["hour"] % 12 + 12 * pm)
        return half

    def _dial(self) -> View:
        unit, size = self.state["unit"], DIAL * self.scale
        first = 12 * self.state["pm"]
        hours = range(24) if self.long_clock else range(first, first + 12)
        values = range(0, 60, 5) if unit == "minute" else hours
        parts = [Hand(*self._place(self.state[unit])), *map(self._mark, values)]
        dial = Frame(parts, id="android:id/radial_picker", width=size, height=size)
        dial.corner, dial.direction = size / 2, "ltr"
        dial.background = "surface_container_highest"
        dial.class_name = "android.widget.RadialTimePickerView"
        return dial

    def _place(self, value: int) -> tuple[float, float]:
        """Return a value's place on the dial: turn from the top, and distance from the centre."""
        minutes = self.state["unit"] == "minute"
        inner = self.long_clock and not minutes and not 1 <= value <= 12
        turn = value / 60 if minutes else value % 12 / 12
        return turn, OUTER - (INWARD * 2 / DIAL if inner else 0)

    def _mark(self, value: int) -> Text:
        """Build a number on the dial."""
        unit, (turn, reach) = self.state["unit"], self._place(value)
        inner, on = reach < OUTER, value == self.state[unit]
        label = f"{value:02}"
        told: dict[str, Any] = {"minute": value}
        if unit == "hour":
            label = shown_hour(value, long_clock=self.long_clock)
            told = {"hour": value, "unit": "minute"}
        cell, angle, scale = INNER_CELL if inner else CELL, math.tau * turn, self.scale
        left = (DIAL * (1 + reach * math.sin(angle)) - cell) / 2
        top = (DIAL * (1 - reach * math.cos(angle)) - cell) / 2
        mark = Text(self.activity.locale.digits(label), key=f"mark:{value}", gravity="center")
        mark.desc = label if label == "00" else str(int(label))
        mark.class_name = "android.view.View"
        mark.size, mark.touch_padding = (13 if inner else 16) * scale, 0
        mark.width, mark.height, mark.corner = cell * scale, cell * scale, cell * scale / 2
        mark.margin, mark.align = (left * scale, top * scale, 0, 0), "top|start"
        mark.selected, mark.background = on, "primary" if on else ""
        mark.color = "on_primary" if on else "on_surface"
        mark.on_click = partial(self.change, **told)
        return mark

    def _fields(self) -> View:
        hour = shown_hour(self.state["hour"], long_clock=self.long_clock)
        numbers = [
            self._field("hour", hour),
            Text(":", size=32 * self.scale, padding=(6 * self.scale, 0, 6 * self.scale, 20)),
            self._field("minute", f"{self.state['minute']:02}"),
            Space(width=4, height=1),
        ]
        return Row(self._beside(numbers), width=WRAP)

    def _field(self, unit: str, value: str) -> View:
        field = Input(self.state[f"typed_{unit}"], hint=value, numeric=True, size=32 * self.scale)
        field.id, field.key = f"android:id/input_{unit}", f"input_{unit}"
        field.padding = (12 * self.scale, 8)
        field.on_change = lambda text: self.change(**{f"typed_{unit}": text})
        label = Text(self.activity.t(unit), size=12, color="on_surface_variant", margin=(0, 4))
        return Column([field, label], width=92 * self.scale)
