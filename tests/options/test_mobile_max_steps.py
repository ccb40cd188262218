"""--mobile-max-steps: the maximum number of steps in an episode."""

import pytest

from tests.options.asking import ENDLESS, TWO_STEPS


@pytest.mark.parametrize(
    ("arguments", "steps"), [(["--mobile-max-steps=1"], 1), (["--mobile-max-steps=9"], 4)]
)
def test_the_agent_gets_that_number_of_steps(asking, arguments, steps):
    asking.pytester.makepyfile(asking=ENDLESS, test_codes=TWO_STEPS)
    asking.run(*arguments, agent="Endless").assert_outcomes(failed=1)
    (task,) = asking.report()["tasks"]
    assert (task["steps"], task["termination"]) == (steps, "step limit")
