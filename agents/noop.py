"""An agent that does nothing: a task that it passes checks nothing."""

from pytest_mobileagent import Action, Agent, Finish, Screen


class Noop(Agent):
    """Reports at once that it is done."""

    def step(self, screen: Screen) -> Action:
        return Finish()
