"""The device side of adb."""
