"""mobile_boot_limit: the maximum time in seconds that an emulator may take to boot."""

from __future__ import annotations

from tests.options.emulators import AVD


def test_an_emulator_that_takes_longer_is_an_error(project, sdk):
    sdk.add_avd("pixel")
    sdk.behave(hangs=True)
    limits = ("-omobile_boot_limit=0.5", "--mobile-retries=0")
    result = project.run(*AVD, "--agent=noop", *limits)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the emulator of AVD pixel has not booted in 0.5 s*"])
