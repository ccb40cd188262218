"""The device's side of adb."""
