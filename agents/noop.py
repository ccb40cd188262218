"""An agent that does nothing: a task that it passes checks nothing."""

from pytest_mobileagent import Action, Agent, Finish, Observation


class Noop(Agent):
    """Reports immediately that it is done."""

    asks = False

    def step(self, observation: Observation) -> Action:
        return Finish()
