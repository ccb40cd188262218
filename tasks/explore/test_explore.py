"""Exploration of each app, for graphs of recorded pages.

    pytest tasks/explore -k coursera --agent=explorer --mobile-max-steps=300 --mobile-epochs=20
    mobileagent graph runs -o coursera.graph

This does not measure agents, and is only run when named explicitly (see the project's conftest.py).
"""

from pytest_mobileagent import Key, Open, Termination, rows, tasks

PAGES = 6  # pages of an app that must be seen
ACTIONS = 15  # different actions on them that must be performed


def page_of(screen):
    """Return the identity of a page here: its activity, and the ids and classes on it."""
    return screen.activity, *((e.class_name, e.resource_id) for e in screen.elements)


@tasks(rows("explore.csv"), step_limit=300, tags=("exploration",))
def test_explore(episode, row):
    assert episode.termination is not Termination.AGENT_ERROR, episode.error
    inside = [step for step in episode.steps if step.screen.package == row.app]
    outside = [step for step in episode.steps if step.screen.package != row.app]
    others = [s.action for s in outside if s.action not in (Key("back"), Open(row.app), None)]
    assert not others, "it did something outside of the app"
    assert len({page_of(step.screen) for step in inside}) >= PAGES
    assert len({(page_of(step.screen), step.action) for step in inside}) >= ACTIONS
