"""mobile_recycle: after how many episodes a device that the run has started is replaced."""

from __future__ import annotations

import pytest

from tests.options.emulators import AVD


@pytest.mark.parametrize(("arguments", "started"), [([], 1), (["-omobile_recycle=1"], 2)])
@pytest.mark.slow
def test_an_emulator_is_replaced_after_that_number_of_episodes(project, sdk, arguments, started):
    sdk.add_avd("pixel")  # with a snapshot, each restore would start another emulator
    result = project.run(*AVD, "--agent=oracle", "--mobile-epochs=2", *arguments)
    result.assert_outcomes(passed=2)
    assert len(sdk.commands) == started
