"""Driving a device through adb."""
