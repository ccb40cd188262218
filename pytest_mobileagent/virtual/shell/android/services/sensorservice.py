"""Sensors, and what they measure."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

TYPES = {  # of those that the console can set, as Android numbers them
    "acceleration": ("Accelerometer", "accelerometer", 1),
    "magnetic-field": ("Magnetic field sensor", "magnetic_field", 2),
    "orientation": ("Orientation sensor", "orientation", 3),
    "gyroscope": ("Gyroscope", "gyroscope", 4),
    "light": ("Light sensor", "light", 5),
    "pressure": ("Pressure sensor", "pressure", 6),
    "proximity": ("Proximity sensor", "proximity", 8),
    "humidity": ("Humidity sensor", "relative_humidity", 12),
    "temperature": ("Ambient Temperature sensor", "ambient_temperature", 13),
}
service = Service("sensorservice", interface="android.gui.SensorServer")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """List them with their last values."""
    now, sensors = ctx.phone.clock.now(), ctx.phone.hardware.sensors
    listed = "".join(
        f"{number:#010x}) Goldfish {name:<26} | The Android Open Source Project | ver: 1"
        f" | type: android.sensor.{kind}({number}) | perm: n/a | flags: 0x00000000\n"
        for name, kind, number in TYPES.values()
    )
    events = "".join(
        f"Goldfish {TYPES[key][0]}: last 1 events\n\t 1 (wall={now:%H:%M:%S.000})"
        f" {', '.join(f'{value:.2f}' for value in sensors[key])},\n"
        for key in TYPES
    )
    return (
        f"Captured at: {now:%H:%M:%S.000}\nSensor Device:\n"
        f"Total {len(TYPES)} h/w sensors, {len(TYPES)} running 0 disabled clients:\n"
        f"Sensor List:\n{listed}Recent Sensor events:\n{events}Active sensors:\n"
        "Socket Buffer size = 0 events\nMode : NORMAL\n"
    )
