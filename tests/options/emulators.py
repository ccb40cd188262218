"""Helpers for the tests of emulator options."""

AVD = ("tasks", "-k", "code", "--mobile-device=avd:pixel")
