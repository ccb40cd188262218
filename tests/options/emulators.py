"""Shared by the tests of options for emulators."""

AVD = ("tasks", "-k", "code", "--mobile-device=avd:pixel")
