"""An agent that taps everything the goal names, each once, and then reports that it is done."""

from pytest_mobileagent import Agent, Finish, Tap


class Hasty(Agent):
    def start(self, briefing):
        self.goal = briefing.goal.lower()

    def step(self, observation):
        for element in observation.screen.find_all(clickable=True):
            word = element.label.lower()
            if word and word in self.goal:
                self.goal = self.goal.replace(word, "")
                return Tap(*element.bounds.center)
        return Finish()
