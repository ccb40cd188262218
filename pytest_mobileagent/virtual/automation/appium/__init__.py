"""Appium's UiAutomator2 server: what `am instrument` of its package runs on the phone."""
