"""The time picker: a dial of hours, then of minutes, or two fields to type into."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
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
from pytest_mobileagent.virtual.ui.controls import Hand

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.sdk.app import Activity

DIAL = 256.0  # dp across
CELL = 48.0
INWARD = 36.0  # how much nearer to the middle the second ring is
INNER_CELL = 32.0  # of the second ring, so that neighbours do not overlap
WHOLE = 376.0  # dp of a screen that has room for all of it
AROUND = 160.0  # dp above and below the dial on a wide screen: bars, margins, buttons

Change = Callable[..., object]
Action = Callable[[], object]


def fresh(hour: int, minute: int, alarm: int = 0) -> dict[str, Any]:
    """Give the state of a picker that opens at a time, for an alarm or (0) for a new one."""
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


def chosen(picker: dict[str, Any], *, long_clock: bool) -> tuple[int, int] | None:
    """Give the hour and minute, None if what was typed is no time."""
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
    """Build the picker in a dialog, wider and without a title on a display that is so too."""
    wide = activity.phone.display.metrics.wide and not picker["typing"]
    return Dialog(
        "" if wide else title,
        content=time_picker(picker, change, activity, long_clock=long_clock),
        buttons=[(activity.t("OK"), done), (activity.t("Cancel"), close)],
        on_cancel=close,
        width=592 if wide else Dialog.width,
    )


def time_picker(
    picker: dict[str, Any], change: Change, activity: Activity, *, long_clock: bool
) -> View:
    """Build the picker's view; `change` is told the parts of its state that become different."""
    mode = ImageButton(
        "clock" if picker["typing"] else "keyboard",
        id="android:id/toggle_mode",
        desc=activity.t(
            "Switch to clock mode" if picker["typing"] else "Switch to text input mode"
        ),
        on_click=partial(change, typing=not picker["typing"]),
    )
    if picker["typing"]:
        parts = [_fields(picker, change, activity, long_clock), Row([mode])]
        return Column(parts, gravity="center_horizontal")
    header, dial = (make(picker, change, activity, long_clock) for make in (_header, _dial))
    if activity.phone.display.metrics.wide:
        first = Column([header, Row([mode])], gravity="center_horizontal", weight=1)
        return Row([first, dial])
    return Column([header, dial, Row([mode])], gravity="center_horizontal")


def _scale(activity: Activity) -> float:
    """How much smaller all is on a narrow or low screen."""
    metrics = activity.phone.display.metrics
    if metrics.wide:
        return min(1.0, (metrics.height_px / metrics.density - AROUND) / DIAL)
    room = min(metrics.width_px, metrics.height_px * 0.62) / metrics.density
    return min(1.0, (room - 96) / (WHOLE - 96))


def shown_hour(hour: int, *, long_clock: bool) -> str:
    """Write an hour as the picker shows it."""
    return f"{hour:02}" if long_clock else str((hour - 1) % 12 + 1)


@dataclass(eq=False)
class Choice(Text):
    """One of AM and PM."""

    checked: bool = False

    kind: ClassVar[str] = "android.widget.RadioButton"
    checkable: ClassVar[bool] = True

    @property
    def is_checked(self) -> bool:
        """Whether this half is the one."""
        return self.checked


def _header(picker: dict[str, Any], change: Change, activity: Activity, long_clock: bool) -> View:
    scale = _scale(activity)
    size = 48 * scale / max(1, activity.phone.display.metrics.font_scale)

    def number(text: str, unit: str) -> View:
        on = picker["unit"] == unit
        return Text(
            activity.locale.digits(text),
            id=f"android:id/{unit}s",
            size=size,
            color="on_primary_container" if on else "on_surface",
            background="primary_container" if on else "surface_container_highest",
            corner=8,
            width=92 * scale,
            height=76 * scale,
            gravity="center",
            selected=on,
            on_click=partial(change, unit=unit),
        )

    parts = [
        number(shown_hour(picker["hour"], long_clock=long_clock), "hour"),
        Text(":", id="android:id/separator", size=size, padding=(4 * scale, 0)),
        number(f"{picker['minute']:02}", "minute"),
    ]
    halves = () if long_clock else (_halves(picker, change, activity),)
    header = Row([_numbers(parts), *halves], id="android:id/time_header", width=WRAP)
    header.margin = (0, 0, 0, 20 * scale)
    return header


def _halves(picker: dict[str, Any], change: Change, activity: Activity) -> View:
    """AM over PM."""
    scale = _scale(activity)

    def half(name: str, pm: bool) -> View:
        on = picker["pm"] == pm
        moment = datetime(2024, 1, 1, 12 * pm, tzinfo=UTC)
        return Choice(
            activity.locale.date(moment, "a"),
            on,
            id=f"android:id/{name}_label",
            bold=True,
            size=14 * scale,
            width=48 * scale,
            height=38 * scale,
            gravity="center",
            background="secondary_container" if on else "",
            color="on_secondary_container" if on else "on_surface_variant",
            on_click=partial(change, pm=pm, hour=picker["hour"] % 12 + 12 * pm),
            touch_padding=0,
        )

    return Column(
        [half("am", False), half("pm", True)],
        id="android:id/ampm_layout",
        width=WRAP,
        margin=(12 * scale, 0, 0, 0),
        corner=8,
        outline="outline",
    )


def _dial(picker: dict[str, Any], change: Change, activity: Activity, long_clock: bool) -> View:
    if picker["unit"] == "minute":
        marks = [_mark(m, f"{m:02}", m / 60, 0, m == picker["minute"]) for m in range(0, 60, 5)]
        hand = Hand(picker["minute"] / 60, _reach(0))
        acts = [partial(change, minute=m) for m in range(0, 60, 5)]
    else:
        hours = range(24) if long_clock else [h + 12 * picker["pm"] for h in range(12)]
        marks = [
            _mark(
                h,
                shown_hour(h, long_clock=long_clock),
                h % 12 / 12,
                36 if long_clock and not 1 <= h <= 12 else 0,
                h == picker["hour"],
            )
            for h in hours
        ]
        inward = INWARD if long_clock and not 1 <= picker["hour"] <= 12 else 0
        hand = Hand(picker["hour"] % 12 / 12, _reach(inward))
        acts = [partial(change, hour=h, unit="minute") for h in hours]
    scale = _scale(activity)
    for mark, act in zip(marks, acts, strict=True):
        mark.on_click, mark.text = act, activity.locale.digits(mark.text)
        _shrink(mark, scale)
    return Frame(
        [hand, *marks],
        id="android:id/radial_picker",
        width=DIAL * scale,
        height=DIAL * scale,
        corner=DIAL * scale / 2,
        background="surface_container_highest",
        class_name="android.widget.RadialTimePickerView",
        direction="ltr",
    )


def _shrink(mark: Text, scale: float) -> None:
    mark.size, mark.width, mark.height = mark.size * scale, mark.width * scale, mark.height * scale
    mark.corner *= scale
    if isinstance(mark.margin, tuple) and len(mark.margin) == 4:
        mark.margin = (mark.margin[0] * scale, mark.margin[1] * scale, 0, 0)


def _reach(inward: float) -> float:
    """Give how far the marks are from the middle, 1 being the edge."""
    return 1 - (CELL / 2 + 4 + inward) * 2 / DIAL


def _mark(value: int, label: str, turn: float, inward: float, on: bool) -> Text:
    """Make a number on the dial, `turn` of the way around from the top."""
    radius = DIAL / 2 * _reach(inward)
    cell = INNER_CELL if inward else CELL
    angle = 2 * math.pi * turn
    left = DIAL / 2 + radius * math.sin(angle) - cell / 2
    top = DIAL / 2 - radius * math.cos(angle) - cell / 2
    return Text(
        label,
        desc=label if label == "00" else str(int(label)),
        key=f"mark:{value}",
        size=16 if not inward else 13,
        gravity="center",
        width=cell,
        height=cell,
        corner=cell / 2,
        touch_padding=0,
        margin=(left, top, 0, 0),
        align="top|start",
        selected=on,
        background="primary" if on else "",
        color="on_primary" if on else "on_surface",
        class_name="android.view.View",
    )


def _fields(picker: dict[str, Any], change: Change, activity: Activity, long_clock: bool) -> View:
    scale = _scale(activity)

    def field(unit: str, value: str) -> View:
        return Column(
            [
                Input(
                    picker[f"typed_{unit}"],
                    hint=value,
                    id=f"android:id/input_{unit}",
                    key=f"input_{unit}",
                    numeric=True,
                    size=32 * scale,
                    padding=(12 * scale, 8),
                    on_change=lambda text: change(**{f"typed_{unit}": text}),
                ),
                Text(activity.t(unit), size=12, color="on_surface_variant", margin=(0, 4)),
            ],
            width=92 * scale,
        )

    hour = shown_hour(picker["hour"], long_clock=long_clock)
    parts = [
        field("hour", hour),
        Text(":", size=32 * scale, padding=(6 * scale, 0, 6 * scale, 20)),
        field("minute", f"{picker['minute']:02}"),
        Space(width=4, height=1),
    ]
    halves = () if long_clock else (_halves(picker, change, activity),)
    return Row([_numbers(parts), *halves], width=WRAP)


def _numbers(parts: Sequence[View]) -> View:
    """Hours before minutes, in every language."""
    return Row(parts, width=WRAP, direction="ltr")
