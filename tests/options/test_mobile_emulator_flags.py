"""mobile_emulator_flags: additional flags for emulators that the run starts."""

from __future__ import annotations

import pytest

from tests.options.emulators import AVD


@pytest.mark.slow
def test_the_emulator_is_started_with_them(project, sdk):
    sdk.add_avd("pixel")
    sdk.behave(dies=1)
    flags = "-omobile_emulator_flags=-accel off -prop 'a=b c'"
    project.run(*AVD, "--agent=noop", "--mobile-retries=0", flags).assert_outcomes(errors=1)
    (command,) = sdk.commands
    assert command[-4:] == ["-accel", "off", "-prop", "a=b c"]


def test_a_flag_that_the_emulator_does_not_know_is_an_error_in_its_words(project, sdk):
    sdk.add_avd("pixel")
    flags = "-omobile_emulator_flags=-nonsense"
    result = project.run(*AVD, "--agent=noop", "--mobile-retries=0", flags)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*unknown option: -nonsense*"])


def test_an_open_quote_is_refused(refused):
    assert "cannot be split into words" in refused("-omobile_emulator_flags=-prop 'a=b")
