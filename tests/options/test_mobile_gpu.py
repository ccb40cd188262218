"""mobile_gpu: the GPU mode of emulators that the run starts."""

from __future__ import annotations

import pytest

from tests.options.emulators import AVD


@pytest.mark.parametrize(
    ("arguments", "gpu"), [([], "swiftshader_indirect"), (["-omobile_gpu=host"], "host")]
)
def test_the_emulator_is_started_with_it(project, sdk, arguments, gpu):
    sdk.add_avd("pixel")
    sdk.behave(dies=1)
    project.run(*AVD, "--agent=noop", "--mobile-retries=0", *arguments).assert_outcomes(errors=1)
    (command,) = sdk.commands
    assert command[command.index("-gpu") + 1] == gpu
