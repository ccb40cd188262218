"""How the tasks of this suite draw their values, and what they share beside."""

from pytest_mobileagent import open_app, tap

DIGITS = range(1, 10)


def draw(**values):
    """Return a function that draws one of the values of each parameter."""
    return lambda dice: {name: dice.choice(some) for name, some in values.items()}


def taps(*labels):
    """Return moves that tap what has these labels, as a text or as a description."""
    return [tap(xpath=f"//*[@text='{it}' or @content-desc='{it}']") for it in labels]


def opened(*labels):
    """Return moves that open the app, and tap what has these labels."""
    return [open_app(), *taps(*labels)]


def fresh(episode, probe):
    """Return the rows of a probe that were added, or changed, since the start."""
    return [row for row in episode.probe(probe) if row not in episode.initial_probe(probe)]
