"""mobile_step_factor: the step limit of a task, as a multiple of its golden steps."""

import pytest

from tests.options.asking import ENDLESS, TWO_STEPS


@pytest.mark.parametrize(("arguments", "steps"), [([], 4), (["-omobile_step_factor=1.5"], 3)])
def test_the_agent_gets_that_multiple_of_the_golden_steps(asking, arguments, steps):
    asking.pytester.makepyfile(asking=ENDLESS, test_codes=TWO_STEPS)
    asking.run(*arguments, agent="Endless").assert_outcomes(failed=1)
    (task,) = asking.report()["tasks"]
    assert (task["steps"], task["termination"]) == (steps, "step limit")
