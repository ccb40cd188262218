"""Devices that are driven through an Appium server, by its UiAutomator2 driver."""
