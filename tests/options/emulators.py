"""What the tests of options of emulators share."""

AVD = ("tasks", "-k", "code", "--mobile-device=avd:pixel")
